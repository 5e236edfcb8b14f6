// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <deque>
#include <optional>
#include <vector>

namespace lockstep::ui {

/// The heartbeats of each process on its own lane over time; of many processes the lanes become a
/// dense matrix. A silence of more than three intervals is marked with its length, the loss of a
/// process by a cross, another start of the run by a line. Follows the present until the user pans
/// and shows the last minute, or all of a run that has ended; the wheel and the keys + and - change
/// how much time is shown, arrows pan, 0 follows again.
class HeartbeatChart final : public QWidget {
    Q_OBJECT
public:
    explicit HeartbeatChart(QWidget* parent = nullptr);

    struct Name {
        QString full;
        QString brief;  ///< Where there are many lanes: the number alone.
    };
    /// Replaces all lanes; one that keeps its name keeps what it shows.
    void setLanes(const QVector<Name>& names);
    void clear() { setLanes({}); }
    void setPhaseNames(const QStringList& names);  ///< For tool tips, indexed by phase.
    /// `wallTime` in seconds since 1970, never decreasing within a lane. Keeps the newest
    /// kBeatsPerLane of a lane.
    void addBeat(int lane, double wallTime, int phase);
    /// A process that has ended as it should: the silence after its last beat is no gap.
    void setEnded(int lane, bool ended);
    /// When the run was started, the first time, after a failure and as a resume: nobody was to be
    /// heard before such a time.
    void setStarts(std::vector<double> wallTimes);
    struct Loss {
        double wallTime = 0;
        QString cause;
        bool operator==(const Loss&) const = default;
    };
    /// When the process of a lane was lost, in order of time.
    void setLosses(int lane, std::vector<Loss> losses);
    /// The present; without a value the clock's. A finished run passes its end.
    void setNow(std::optional<double> wallTime);
    /// What the clock says where it stands still: a moment in the past is shown. Without a value it
    /// goes on.
    void setMoment(std::optional<double> wallTime);

    /// Alone on the page, lanes may be higher.
    void setRoomy(bool roomy);
    [[nodiscard]] bool isFollowing() const { return follow_; }
    void setFollow(bool follow);
    [[nodiscard]] double spanSeconds() const;
    /// The time at the right edge.
    [[nodiscard]] double shownUntil() const { return right(); }
    /// The silences of a lane longer than three intervals, including one that lasts.
    struct Gap {
        double from = 0;
        double to = 0;
        bool lasting = false;
    };
    [[nodiscard]] std::vector<Gap> gaps(int lane) const;

    static constexpr std::size_t kBeatsPerLane = 7200;

    struct Label {
        QRectF place;
        QString text;
    };
    /// The names beside the lanes, as they are painted: where lanes are low, not of each.
    [[nodiscard]] QVector<Label> labels() const;
    /// What is shown where there is nothing else: no process yet, or none that ever beat.
    [[nodiscard]] QString emptyWords() const;
    /// What is said at the left edge where older beats were, and are not kept; empty elsewhere.
    [[nodiscard]] QString olderWords() const;
    /// Bit p: a beat of phase p has come.
    [[nodiscard]] quint32 phasesSeen() const { return phasesSeen_; }

    /// Where a lane lies, and a time in it.
    [[nodiscard]] QRectF track(int lane) const;
    [[nodiscard]] qreal xAt(double time) const;
    /// What is under the mouse, in words.
    [[nodiscard]] QString describe(const QPointF& position) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void followChanged(bool following);
    /// A phase was seen for the first time, or all were forgotten.
    void phasesSeenChanged();

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
        Name name;
        std::deque<Beat> beats;
        std::vector<Loss> losses;
        bool ended = false;
    };

    [[nodiscard]] double now() const;
    [[nodiscard]] bool isMoving() const;
    [[nodiscard]] bool isEmpty() const;
    void matchEmptiness();
    [[nodiscard]] double right() const;
    [[nodiscard]] bool isShown(double time) const;
    [[nodiscard]] double timeAt(qreal x) const;
    [[nodiscard]] int nameWidth() const;
    void measureNames();
    void zoom(double factor);
    void pan(double seconds);
    [[nodiscard]] double withinBeats(double right) const;
    [[nodiscard]] int shownLanes() const;
    [[nodiscard]] bool isDense() const;
    [[nodiscard]] int topMargin() const;
    [[nodiscard]] bool startsWithin(double from, double to) const;
    [[nodiscard]] double tickWidth() const;
    void paintLane(QPainter& painter, int lane) const;
    void paintBeats(QPainter& painter, const Lane& lane, const QRectF& area) const;
    void paintGaps(QPainter& painter, int lane, const QRectF& area) const;
    void paintLosses(QPainter& painter, const Lane& lane, const QRectF& area) const;
    void paintStarts(QPainter& painter) const;
    void paintTimeAxis(QPainter& painter) const;
    [[nodiscard]] QString describeMark(int lane, const QPointF& position) const;

    std::vector<Lane> lanes_;
    int widestName_ = 0;    ///< Pixels.
    bool wasEmpty_ = true;  ///< When the place it needs was last told.
    std::vector<double> starts_;
    std::optional<double> forgotten_;  ///< The time of the newest beat that is not kept any more.
    quint32 phasesSeen_ = 0;
    QStringList phaseNames_;
    std::optional<double> span_;  ///< What the user chose.
    double right_ = 0;            ///< While not following.
    bool follow_ = true;
    bool isRoomy_ = false;
    std::optional<double> now_;
    std::optional<double> moment_;
    QPoint dragFrom_;
    QTimer clock_;
};

}  // namespace lockstep::ui
