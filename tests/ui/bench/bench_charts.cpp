// SPDX-License-Identifier: GPL-3.0-or-later
// A live chart of 64 replicas with a million points each: building it, memory, exactness, and the
// time of a picture over the whole run, zooming, panning, at single steps and while points arrive;
// beside Qt Charts' own line series, raw at a size that ends and fed from the same pyramid, in the
// same rounds. Offscreen, and on a virtual X server where one is installed.
//
// The time of a picture goes from the chart's request to the end of its painting. All that the UI
// thread handles in between, and the call that changed the chart, count as its being blocked. The
// latency goes from that call to the painting: it holds the pause that keeps the chart from making
// more pictures than a screen shows.
#include <QApplication>
#include <QProcess>
#include <QStandardPaths>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>

#include "tests/bench/figures.h"
#include "tests/ui/bench/chart_exactness.h"
#include "tests/ui/bench/chart_losses.h"
#include "tests/ui/bench/chart_peers.h"
#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace lockstep::ui;

namespace {

constexpr int kReplicas = 64;
constexpr int kPoints = 1'000'000;
constexpr int kStepsAPicture = 40;  // that arrive between two pictures
constexpr int kRounds = 3;
constexpr int kPicturesARound = 20;
constexpr int kRawPoints = 100'000;
constexpr int kThinnedPoints = 100'000;
constexpr int kPeerPicturesARound = 3;
constexpr QSize kSize(1280, 720);
constexpr Nanos kPatience = std::chrono::seconds(180);
constexpr double kPictureGoalMillis = 16.6;
constexpr double kBlockedGoalMillis = 4;
constexpr double kBytesGoal = 8;

/// What a thread, or all threads of this process, have computed.
double computedSeconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

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
            if (type == QEvent::Timer && qobject_cast<QTimer*>(receiver) != nullptr)
                refreshed = begin_;
        }
        ++depth_;
        const bool handled = QApplication::notify(receiver, event);
        --depth_;
        if (type == QEvent::Paint && receiver == viewport && chart->isUpToDate()) shown_ = true;
        if (depth_ == 0) {
            const Nanos end = SteadyClock::read();
            busy += end - begin_;
            if (shown_ && painted == Nanos{0}) painted = end;
        }
        return handled;
    }

    /// Before the chart is changed.
    void beginPicture() {
        refreshed = painted = busy = Nanos{0};
        shown_ = false;
    }

    const LiveChart* chart = nullptr;
    const QObject* viewport = nullptr;  ///< The chart's.
    Nanos refreshed{0};                 ///< When the chart asked for its last picture; 0: not yet.
    Nanos painted{0};                   ///< When it was on the screen; 0: not yet.
    Nanos busy{0};

private:
    int depth_ = 0;
    Nanos begin_{0};
    bool shown_ = false;
};

struct Pictures {
    std::vector<double> total, latency, blocked, own, all;  ///< Seconds.
};

/// Changes the chart by `change` and waits for its picture.
template <typename Change>
void take(TimedApplication& application, Pictures& pictures, Change change) {
    application.beginPicture();
    const Nanos begin = SteadyClock::read();
    const double own = computedSeconds(CLOCK_THREAD_CPUTIME_ID);
    const double all = computedSeconds(CLOCK_PROCESS_CPUTIME_ID);
    const double changing = secondsOf(change);
    const Nanos deadline = SteadyClock::read() + kPatience;
    while (application.painted == Nanos{0}) {
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
        if (SteadyClock::read() > deadline)
            valueOrExit(Result<void>(fail(ErrorCode::Timeout, "the chart was not painted")));
    }
    pictures.total.push_back(Seconds(application.painted - application.refreshed).count());
    pictures.latency.push_back(Seconds(application.painted - begin).count());
    pictures.own.push_back(computedSeconds(CLOCK_THREAD_CPUTIME_ID) - own);
    pictures.all.push_back(computedSeconds(CLOCK_PROCESS_CPUTIME_ID) - all);
    pictures.blocked.push_back(changing + Seconds(application.busy).count());
}

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
        for (int first = 1; first <= kPoints; first += Losses::kMost)
            append(Losses::kMost, &buildSeconds);
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

    /// Everything, every time a little further, so that every column is another one.
    void showAll(int picture) { group.setXRange({-10.0 * picture, kPoints + 10.0 * picture + 1}); }

    /// A fifth of the run, on and on.
    void pan(int picture) {
        const double first = kPoints * (0.2 + 0.6 * picture / kPicturesARound) + 0.3 * picture;
        group.setXRange({first, first + 0.2 * kPoints});
    }

    /// So near that single steps are told apart and joined by smooth lines.
    void panSteps(int picture) {
        const double first = kPoints / 2.0 + 7 * picture;
        group.setXRange({first, first + 500});
    }

    ChartGroup group;
    LiveChart chart;
    double buildSeconds = 0;
    double bytesAPoint = 0;

private:
    Losses losses_;
    int next_ = 1;
};

/// Pixel columns that are not as a full scan says, over all series at several zooms, each with
/// one spike.
int differingColumns() {
    int different = 0;
    for (int replica = 0; replica < kReplicas; ++replica) {
        Losses losses;
        Column column;
        for (int first = 1; first <= kPoints; first += Losses::kMost) {
            const auto values = losses.at(replica, first, Losses::kMost);
            column.append(first, values);
        }
        const float spike = 30;
        column.append(kPoints + 1, std::span(&spike, 1));
        LayerRequest request;
        request.y = {0, 4};
        request.series.push_back({0, column.view(), {}, Qt::black, false});
        const double middle = kPoints * (0.2 + 0.6 * replica / kReplicas);
        for (const double span : {1e6, 123'456.0, 7'890.0, 1'000.0}) {
            request.x = {middle - span / 2, middle + span / 2};
            different += bench::differingColumns(request, {kSize.width(), kSize.height()});
        }
    }
    return different;
}

struct Results {
    Pictures whole, zooming, panning, appending, steps;
    std::vector<double> raw, thinned;
};

void measure(TimedApplication& application, Subject& subject, Results& results) {
    RawLine raw(kRawPoints, kSize);
    ThinnedLines thinned(kReplicas, kThinnedPoints, kSize);
    Pictures warmUp;
    take(application, warmUp, [&] { subject.append(kStepsAPicture); });
    for (int round = 0; round < kRounds; ++round) {
        for (int i = 0; i < kPicturesARound; ++i)
            take(application, results.whole, [&] { subject.showAll(i); });
        for (int i = 0; i < kPicturesARound; ++i)
            take(application, results.zooming, [&] { subject.zoom(i); });
        for (int i = 0; i < kPicturesARound; ++i)
            take(application, results.panning, [&] { subject.pan(i); });
        for (int i = 0; i < kPicturesARound; ++i)
            take(application, results.steps, [&] { subject.panSteps(i); });
        take(application, warmUp, [&] { subject.chart.fit(); });
        for (int i = 0; i < kPicturesARound; ++i)
            take(application, results.appending, [&] { subject.append(kStepsAPicture); });
        for (int i = 0; i < kPeerPicturesARound; ++i) {
            raw.picture(results.raw);
            thinned.picture(i, kThinnedPoints, results.thinned);
        }
    }
}

void print(const char* what, const Pictures& pictures) {
    const std::string name(what);
    row(name + ": picture, p50", quantile(pictures.total, 0.5) * 1e3, "ms");
    rowWithGoal(name + ": picture, p95", quantile(pictures.total, 0.95) * 1e3, "ms",
                kPictureGoalMillis);
    row(name + ": latency, p95", quantile(pictures.latency, 0.95) * 1e3, "ms");
    row(name + ": computed for a picture, p50", median(pictures.all) * 1e3, "ms",
        fmt::format("by all threads; {:.2f} ms of it by the UI thread",
                    median(pictures.own) * 1e3));
    row(name + ": UI thread blocked, p50", quantile(pictures.blocked, 0.5) * 1e3, "ms");
    rowWithGoal(name + ": UI thread blocked, p95", quantile(pictures.blocked, 0.95) * 1e3, "ms",
                kBlockedGoalMillis);
}

void report(const Subject& subject, const Results& results) {
    fmt::print("  {} series of {} points, {}x{} on {}, {} rounds of {} pictures each\n", kReplicas,
               kPoints, kSize.width(), kSize.height(),
               QGuiApplication::platformName().toStdString(), kRounds, kPicturesARound);
    row("building", subject.buildSeconds, "s",
        fmt::format("{:.1f} ns a point", subject.buildSeconds / kReplicas / kPoints * 1e9));
    rowWithGoal("resident memory, a point", subject.bytesAPoint, "bytes", kBytesGoal);
    rowWithGoal("pixel columns unlike a full scan", differingColumns(), "", 0);
    print("whole run", results.whole);
    print("zooming", results.zooming);
    print("panning", results.panning);
    print("single steps", results.steps);
    print("growing", results.appending);
    row("peer, QLineSeries of 100,000 points once", median(results.raw) * 1e3, "ms",
        fmt::format("as many as the chart's: {:.0f} s, extrapolated",
                    median(results.raw) * kReplicas * kPoints / kRawPoints));
    row("peer, pyramid and QLineSeries, 64 x 100,000", median(results.thinned) * 1e3, "ms",
        fmt::format("{:.0f} times the whole run's picture",
                    median(results.thinned) / median(results.whole.total)));
}

/// Runs this program again on a virtual X server.
void repeatOnVirtualServer(const QString& self) {
    const QString server = QStandardPaths::findExecutable(QStringLiteral("xvfb-run"));
    if (server.isEmpty()) {
        fmt::print("  xvfb-run is not installed: not measured on an X server\n");
        return;
    }
    std::fflush(stdout);
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.start(server, {QStringLiteral("-a"), QStringLiteral("-s"),
                           QStringLiteral("-screen 0 1920x1200x24"), self});
    if (!process.waitForFinished(
            int(std::chrono::duration_cast<std::chrono::milliseconds>(kPatience).count())))
        process.kill();
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    TimedApplication application(argc, argv);
    applyTheme(application, ThemeMode::Light);
    {
        Subject subject;
        subject.build();
        subject.chart.show();
        application.chart = &subject.chart;
        application.viewport = subject.chart.findChild<ChartSurface*>()->viewport();
        Results results;
        measure(application, subject, results);
        report(subject, results);
        application.viewport = nullptr;
    }
    if (QGuiApplication::platformName() == QLatin1String("offscreen"))
        repeatOnVirtualServer(QCoreApplication::applicationFilePath());
    return 0;
}
