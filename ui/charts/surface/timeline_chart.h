// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QImage>
#include <QStringList>
#include <QVector>
#include <QWidget>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "ui/charts/store/load_curve.h"
#include "ui/charts/store/step_lane.h"

namespace lockstep::ui {

/// Each step of each replica as spans of its phases on a lane of its own, all on one clock; beneath
/// them the writes of checkpoints, and what the hosts are loaded with: a lane a figure and host, of
/// many hosts a lane a figure with a line each. A loss is a cross, another start of the run a line.
/// Where spans are narrower than a pixel, what takes most of it is drawn. Follows the newest step
/// until the user pans or zooms: wheel, W and S zoom around the mouse, A, D and a drag pan, + and -
/// and the arrows do the same, a double click or 0 follows again.
class TimelineChart final : public QWidget {
    Q_OBJECT
public:
    explicit TimelineChart(QWidget* parent = nullptr);

    struct Name {
        QString full;
        QString brief;  ///< Where there are many lanes.
    };
    /// Replaces all lanes; one that keeps its name keeps its steps.
    void setLanes(const QVector<Name>& names);
    void clear() { setLanes({}); }
    /// For tool tips, by kind of StepLane.
    void setKindNames(const QStringList& names) { kindNames_ = names; }
    /// What is said where there is no step yet.
    void setEmptyWords(const QString& words);
    /// In their order. The newest stepsPerLane() of a lane are kept.
    void addSteps(int lane, std::span<const StepLane::Step> steps);

    // All times are nanoseconds since 1970.
    struct Mark {
        qint64 time = 0;
        QString words;
        bool operator==(const Mark&) const = default;
    };
    struct Write {
        qint64 begin = 0;
        qint64 end = 0;
        qint64 step = 0;
        bool operator==(const Write&) const = default;
    };
    void setLosses(int lane, std::vector<Mark> losses);  ///< In order of time, as the next ones.
    void setStarts(std::vector<qint64> times);           ///< The first one needs no line.
    void setCheckpoints(std::vector<Write> writes);

    /// What the run's processes use of a host.
    enum class Load { Processors, Memory, Gpus };
    static constexpr std::size_t kLoads = 3;
    /// Processors in percent of one, together; memory in bytes, together; GPUs in percent, on
    /// average. `source`: who says it, a process or a GPU. Shown with the next update().
    void addLoad(const QString& host, Load load, int source, qint64 time, double value);
    /// Points that a load curve keeps, and those of all of them.
    [[nodiscard]] std::size_t loadsPerCurve() const;
    [[nodiscard]] std::size_t loadCount() const;
    [[nodiscard]] int loadLaneCount() const { return int(loadLanes_.size()); }
    /// Where one of them lies.
    [[nodiscard]] QRectF loadTrack(int lane) const;

    /// Alone on the page, lanes may be higher.
    void setRoomy(bool roomy);

    [[nodiscard]] bool isFollowing() const { return follow_; }
    void setFollow(bool follow);
    /// What is shown.
    [[nodiscard]] qint64 shownFrom() const { return right() - span(); }
    [[nodiscard]] qint64 shownUntil() const { return right(); }
    [[nodiscard]] qint64 timeAt(qreal x) const;
    [[nodiscard]] qreal xAt(qint64 time) const;
    /// What is said at the left edge where older steps were, and are not kept; empty elsewhere.
    [[nodiscard]] QString olderWords() const;
    [[nodiscard]] const StepLane& lane(int lane) const {
        return lanes_.at(std::size_t(lane)).steps;
    }
    [[nodiscard]] int laneCount() const { return int(lanes_.size()); }
    /// Where a lane lies; that behind the last one is of the checkpoints.
    [[nodiscard]] QRectF track(int row) const;
    /// What is under the mouse, in words.
    [[nodiscard]] QString describe(const QPointF& position) const;
    /// Of each lane, in all at most kMostSteps.
    [[nodiscard]] std::size_t stepsPerLane() const;

    static constexpr std::size_t kMostSteps = 500'000;
    static constexpr std::size_t kMostStepsPerLane = 20'000;
    static constexpr qint64 kLeastSpan = 1'000'000;  ///< A millisecond.
    static constexpr int kMostHosts = 4;             ///< That have load lanes of their own.
    /// Of all load curves together, and at least of each.
    static constexpr std::size_t kMostLoads = 1'500'000;
    static constexpr std::size_t kLeastLoads = 300;

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
    struct Lane {
        Name name;
        StepLane steps;
        std::vector<Mark> losses;
    };

    struct Host {
        QString name;
        std::array<LoadCurve, kLoads> curves{LoadCurve(LoadCurve::Together::Sum),
                                             LoadCurve(LoadCurve::Together::Sum),
                                             LoadCurve(LoadCurve::Together::Mean)};
    };
    struct LoadLane {
        Load load{};
        int host = 0;  ///< -1: all of them.
        bool operator==(const LoadLane&) const = default;
    };

    [[nodiscard]] bool isEmpty() const;
    [[nodiscard]] int rows() const;
    [[nodiscard]] int loadHeight() const;
    [[nodiscard]] double bottom() const;
    void matchLoadLanes();
    [[nodiscard]] QString nameOf(const LoadLane& lane) const;
    [[nodiscard]] std::vector<int> hostsOf(const LoadLane& lane) const;
    [[nodiscard]] const LoadCurve& curveOf(int host, Load load) const {
        return hosts_[std::size_t(host)].curves[std::size_t(load)];
    }
    [[nodiscard]] double topOf(const LoadLane& lane) const;
    [[nodiscard]] bool isDense() const;
    [[nodiscard]] qint64 span() const { return chosenSpan_.value_or(usualSpan_); }
    [[nodiscard]] qint64 right() const { return follow_ ? newestStep_ : right_; }
    [[nodiscard]] qint64 newest() const;
    [[nodiscard]] qint64 earliest() const;
    [[nodiscard]] qint64 longestSpan() const;
    [[nodiscard]] qint64 within(qint64 right) const;
    [[nodiscard]] qint64 stillPoint() const;
    void findNewestStep();
    void matchUsualSpan(const StepLane& steps);
    void measureNames();
    [[nodiscard]] int nameWidth() const;
    void zoom(double factor, qint64 still);
    void pan(qint64 time);

    [[nodiscard]] QColor colourOf(int kind) const;
    void paintNames(QPainter& painter, const QRect& seen) const;
    void paintSteps(QPainter& painter, const StepLane& steps, const QRectF& area) const;
    void paintStepEdges(QPainter& painter, const StepLane& steps, const QRectF& area) const;
    void paintCheckpoints(QPainter& painter) const;
    void paintLoads(QPainter& painter) const;
    void paintTop(QPainter& painter, const QRectF& lane, const QString& words) const;
    void paintLoad(QImage& picture, const LoadCurve& curve, double top, bool isFilled) const;
    void paintLosses(QPainter& painter, const Lane& lane, const QRectF& area) const;
    void paintStarts(QPainter& painter) const;
    void paintStepNumbers(QPainter& painter) const;
    void paintTimeAxis(QPainter& painter) const;
    void paintClock(QPainter& painter, const QRectF& line, qreal from) const;
    void paintMicroseconds(QPainter& painter, const QRectF& line, qreal from) const;
    [[nodiscard]] bool isShown(qint64 time) const {
        return time >= shownFrom() && time <= shownUntil();
    }
    [[nodiscard]] QString describeMark(int lane, const QPointF& position) const;
    [[nodiscard]] QString describeStep(const Lane& lane, const QPointF& position) const;
    [[nodiscard]] QString describeCheckpoint(const QPointF& position) const;
    [[nodiscard]] QString describeLoad(const LoadLane& lane, const QPointF& position) const;

    std::vector<Lane> lanes_;
    std::vector<qint64> starts_;
    std::vector<Write> checkpoints_;
    std::vector<Host> hosts_;  ///< In the order in which they came.
    QHash<QString, int> hostIndex_;
    std::vector<LoadLane> loadLanes_;
    bool isRoomy_ = false;
    QStringList kindNames_;
    QString emptyWords_;
    int widestName_ = 0;                ///< Pixels.
    qint64 newestStep_ = 0;             ///< Its end, which following has at the right edge.
    std::optional<qint64> forgotten_;   ///< The end of the newest step that is not kept any more.
    std::optional<qint64> chosenSpan_;  ///< What the user chose.
    qint64 usualSpan_ = 1'000'000'000;  ///< Else: some steps.
    qint64 right_ = 0;                  ///< While not following.
    bool follow_ = true;
    QPoint dragFrom_;
};

}  // namespace lockstep::ui
