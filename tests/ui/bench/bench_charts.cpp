// SPDX-License-Identifier: GPL-3.0-or-later
// A live chart of 64 replicas with a million points each: building it, memory, and the time of a
// picture while the user zooms and while points arrive; beside Qt Charts' own line series with
// one hundred thousand points, in the same rounds.
//
// The time of a picture goes from the refresh of the chart to the end of its painting; the pause
// that the chart keeps between two pictures is not in it. All that the UI thread handles in
// between, and the call that changed the chart, count as its being blocked.
#include <QApplication>
#include <QChartView>
#include <QLineSeries>
#include <QScreen>
#include <QTimer>
#include <QValueAxis>
#include <cmath>
#include <cstdio>
#include <memory>

#include "core/base/rng.h"
#include "tests/bench/figures.h"
#include "ui/charts/live_chart.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace lockstep::ui;

namespace {

constexpr int kReplicas = 64;
constexpr int kPoints = 1'000'000;
constexpr int kPiece = 10'000;      // points a call while the chart is built
constexpr int kStepsAPicture = 40;  // that arrive between two pictures
constexpr int kRounds = 3;
constexpr int kPicturesARound = 15;
constexpr int kLinePoints = 100'000;
constexpr int kLinePicturesARound = 5;
constexpr QSize kSize(1280, 720);
constexpr Nanos kPatience = std::chrono::seconds(180);
constexpr double kPictureGoalMillis = 16.6;
constexpr double kBlockedGoalMillis = 4;
constexpr double kBytesGoal = 8;

/// Resident memory of this process.
double residentBytes() {
    long pages = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%*d %ld", &pages) != 1)
        valueOrExit(Result<void>(fail(ErrorCode::Io, "cannot read /proc/self/statm")));
    std::fclose(file);
    return double(pages) * 4096;
}

/// An application that knows how long its event handlers run.
class TimedApplication final : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        const QEvent::Type type = event->type();  // the event may be gone afterwards
        if (depth_ == 0) {
            begin_ = SteadyClock::read();
            if (type == QEvent::Timer && qobject_cast<QTimer*>(receiver) != nullptr &&
                refreshed == Nanos{0})
                refreshed = begin_;
        }
        ++depth_;
        const bool handled = QApplication::notify(receiver, event);
        --depth_;
        if (depth_ == 0) {
            const Nanos end = SteadyClock::read();
            busy += end - begin_;
            afterEvent(type, end);
        }
        return handled;
    }

    /// Before the chart is changed.
    void beginPicture() {
        refreshed = painted = busy = Nanos{0};
        delivered_ = false;
    }

    const LiveChart* chart = nullptr;
    Nanos refreshed{0};  ///< When the chart began with its picture; 0: not yet.
    Nanos painted{0};    ///< When it was on the screen; 0: not yet.
    Nanos busy{0};

private:
    /// The new layer comes by a call; the first painting after it shows it.
    void afterEvent(QEvent::Type type, Nanos now) {
        if (chart == nullptr || painted != Nanos{0} || !chart->isUpToDate()) return;
        if (delivered_ && type == QEvent::UpdateRequest) painted = now;
        delivered_ = true;
    }

    int depth_ = 0;
    Nanos begin_{0};
    bool delivered_ = false;
};

struct Pictures {
    std::vector<double> total, blocked;  ///< Seconds.
};

/// Changes the chart by `change` and waits for its picture.
template <typename Change>
void take(TimedApplication& application, Pictures& pictures, Change change) {
    application.beginPicture();
    const double changing = secondsOf(change);
    const Nanos deadline = SteadyClock::read() + kPatience;
    while (application.painted == Nanos{0}) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        if (SteadyClock::read() > deadline)
            valueOrExit(Result<void>(fail(ErrorCode::Timeout, "the chart was not painted")));
    }
    pictures.total.push_back(Seconds(application.painted - application.refreshed).count());
    pictures.blocked.push_back(changing + Seconds(application.busy).count());
}

/// Noisy losses that fall: `count` of them from `first` on.
class Losses {
public:
    Losses() {
        CounterRng rng(1);
        for (float& value : noise_)
            value = rng.nextFloat(0.8F, 1.2F);
    }
    std::span<const float> at(int replica, int first, int count) {
        for (int i = 0; i < count; ++i) {
            const auto place = static_cast<std::size_t>(replica * 7919 + first + i);
            values_[static_cast<std::size_t>(i)] =
                noise_[place % noise_.size()] * 2.3F / (1 + float(first + i) * 1e-5F);
        }
        return std::span<const float>(values_).first(static_cast<std::size_t>(count));
    }

private:
    std::vector<float> noise_ = std::vector<float>(1 << 20);
    std::vector<float> values_ = std::vector<float>(kPiece);
};

/// The chart under test, its group and what was put into it.
class Subject {
public:
    Subject() : chart(&group) {
        QVector<SeriesInfo> series;
        for (int replica = 0; replica < kReplicas; ++replica)
            series.append({QStringLiteral("replica %1").arg(replica), {}, false, -1});
        group.setSeries(series);
        chart.resize(kSize);
    }

    void build() {
        const double before = residentBytes();
        for (int first = 1; first <= kPoints; first += kPiece)
            append(kPiece, &buildSeconds);
        bytesAPoint = (residentBytes() - before) / (double(kReplicas) * kPoints);
    }
    /// Adds to `seconds`, where given, what the chart itself took.
    void append(int count, double* seconds = nullptr) {
        for (int replica = 0; replica < kReplicas; ++replica) {
            const std::span<const float> values = losses_.at(replica, next_, count);
            const double took = secondsOf([&] { chart.appendSteps(replica, next_, values); });
            if (seconds != nullptr) *seconds += took;
        }
        next_ += count;
    }
    /// In and out again, from everything to 2,000 steps, around a wandering middle.
    void zoom(int picture) {
        const double phase = 2 * M_PI * picture / kPicturesARound;
        const double span = kPoints * std::pow(10, -1.35 * (1 - std::cos(phase)));
        const double middle = kPoints * (0.5 + 0.2 * std::sin(phase));
        group.setXRange({middle - span / 2, middle + span / 2});
    }

    /// So near that single steps are told apart and joined by smooth lines.
    void zoomToSteps() { group.setXRange({kPoints / 2.0, kPoints / 2.0 + 500}); }

    ChartGroup group;
    LiveChart chart;
    double buildSeconds = 0;
    double bytesAPoint = 0;

private:
    Losses losses_;
    int next_ = 1;
};

/// Qt Charts' line series in its own view of the same size.
class LineView {
public:
    LineView() {
        view_.setRenderHint(QPainter::Antialiasing, false);
        view_.chart()->addSeries(series_);
        view_.chart()->createDefaultAxes();
        view_.chart()->axes(Qt::Horizontal).first()->setRange(0, kLinePoints);
        view_.chart()->axes(Qt::Vertical).first()->setRange(0, 4);
        view_.resize(kSize);
        view_.show();
        Losses losses;
        for (int first = 0; first < kLinePoints; first += kPiece)
            for (const float value : losses.at(0, first, kPiece))
                points_.append({double(points_.size()), double(value)});
    }
    void picture(std::vector<double>& seconds) {
        points_.last().ry() += 0.001;
        seconds.push_back(secondsOf([&] {
            series_->replace(points_);
            view_.viewport()->repaint();
        }));
    }

private:
    QChartView view_;
    QLineSeries* series_ = new QLineSeries;  // of the chart
    QList<QPointF> points_;
};

void print(const char* what, const Pictures& pictures) {
    const std::string name(what);
    row(name + ", picture, p50", quantile(pictures.total, 0.5) * 1e3, "ms");
    rowWithGoal(name + ", picture, p95", quantile(pictures.total, 0.95) * 1e3, "ms",
                kPictureGoalMillis);
    row(name + ", UI thread blocked, p50", quantile(pictures.blocked, 0.5) * 1e3, "ms");
    rowWithGoal(name + ", UI thread blocked, p95", quantile(pictures.blocked, 0.95) * 1e3, "ms",
                kBlockedGoalMillis);
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    TimedApplication application(argc, argv);
    applyTheme(application, ThemeMode::Light);
    Subject subject;
    subject.build();
    LineView lines;
    subject.chart.show();
    application.chart = &subject.chart;

    Pictures zooming, appending, nearest, warmUp;
    std::vector<double> line;
    take(application, warmUp, [&] { subject.append(kStepsAPicture); });
    for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < kPicturesARound; ++i)
            take(application, zooming, [&] { subject.zoom(i); });
        subject.chart.fit();
        for (int i = 0; i < kPicturesARound; ++i)
            take(application, appending, [&] { subject.append(kStepsAPicture); });
        for (int i = 0; i < kLinePicturesARound; ++i)
            lines.picture(line);
    }

    take(application, nearest, [&] { subject.zoomToSteps(); });

    fmt::print("  {} series of {} points, {}x{}, {} rounds of {} pictures\n", kReplicas, kPoints,
               kSize.width(), kSize.height(), kRounds, kPicturesARound);
    row("building", subject.buildSeconds, "s",
        fmt::format("{:.1f} ns a point", subject.buildSeconds / kReplicas / kPoints * 1e9));
    rowWithGoal("resident memory, a point", subject.bytesAPoint, "bytes", kBytesGoal);
    print("zooming", zooming);
    print("appending", appending);
    rowWithGoal("zoomed to 500 steps, one picture", nearest.total.front() * 1e3, "ms",
                kPictureGoalMillis);
    row("QLineSeries::replace of 100,000 points, p50", median(line) * 1e3, "ms");
    row("the same for as many points as the chart's", median(line) * 640, "s",
        fmt::format("extrapolated; {:.0f} times the picture while zooming",
                    median(line) * 640 / median(zooming.total)));
    return 0;
}
