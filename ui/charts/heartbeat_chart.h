// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <deque>
#include <optional>
#include <vector>

namespace lockstep::ui {

/// The heartbeats of each process on its own lane over time. A silence of more than three
/// intervals is marked with its length. Follows the present until the user pans and shows the last
/// minute, or all of a run that has ended; the wheel and the keys + and - change how much time is
/// shown, arrows pan, 0 follows again.
class HeartbeatChart final : public QWidget {
    Q_OBJECT
public:
    explicit HeartbeatChart(QWidget* parent = nullptr);

    /// Replaces all lanes and forgets all beats.
    void setLanes(const QStringList& names);
    void setPhaseNames(const QStringList& names);  ///< For tool tips, indexed by phase.
    void setIntervalSeconds(double seconds);       ///< Between two beats; default 1.
    /// `wallTime` in seconds since 1970, never decreasing within a lane. Keeps the newest
    /// kBeatsPerLane of a lane.
    void addBeat(int lane, double wallTime, int phase);
    /// A process that has ended as it should: the silence after its last beat is no gap.
    void setEnded(int lane, bool ended);
    /// The present; without a value the clock's. A finished run passes its end.
    void setNow(std::optional<double> wallTime);

    [[nodiscard]] bool isFollowing() const { return follow_; }
    void setFollow(bool follow);
    [[nodiscard]] double spanSeconds() const;
    /// The silences of a lane longer than three intervals, including one that lasts.
    struct Gap {
        double from = 0;
        double to = 0;
        bool lasting = false;
    };
    [[nodiscard]] std::vector<Gap> gaps(int lane) const;

    static constexpr std::size_t kBeatsPerLane = 7200;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void followChanged(bool following);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Beat {
        double time = 0;
        int phase = 0;
    };
    struct Lane {
        QString name;
        std::deque<Beat> beats;
        bool ended = false;
    };

    [[nodiscard]] double now() const;
    [[nodiscard]] bool isMoving() const;
    [[nodiscard]] double right() const;
    [[nodiscard]] QRectF track(int lane) const;
    [[nodiscard]] double timeAt(qreal x) const;
    [[nodiscard]] qreal xAt(double time) const;
    [[nodiscard]] int nameWidth() const;
    void measureNames();
    void zoom(double factor);
    void pan(double seconds);
    void paintLane(QPainter& painter, int lane) const;
    void paintTimeAxis(QPainter& painter) const;
    [[nodiscard]] QString describe(const QPoint& position) const;

    std::vector<Lane> lanes_;
    int widestName_ = 0;  ///< Pixels.
    QStringList phaseNames_;
    double interval_ = 1;
    std::optional<double> span_;  ///< Of the user's choice.
    double right_ = 0;            ///< While not following.
    bool follow_ = true;
    std::optional<double> now_;
    QPoint dragFrom_;
    QTimer clock_;
};

}  // namespace lockstep::ui
