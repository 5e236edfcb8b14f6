// SPDX-License-Identifier: GPL-3.0-or-later
// How long the window's own thread is busy at a time: the real window, in this process, follows a
// real coordinator to whose journal 1 to 1,024 replicas report, and somebody walks through its
// pages, changes its size and comes back to the charts.
//
// What counts is what that thread computes between two rests, in which a key or the mouse would
// have to wait: its own processor time, which is the same on a machine that others use, too. A
// picture is the handling of one UpdateRequest: layout and painting of all that has changed in the
// window.
#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QDir>
#include <QMetaEnum>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <ctime>

#include "core/job/journal_session.h"
#include "tests/bench/streaming_run.h"
#include "tests/ui/support/long_run.h"
#include "tests/ui/support/real_services.h"
#include "ui/pages/runs/compare_page.h"
#include "ui/shell/main_window.h"
#include "ui/style/theme.h"

using namespace lockstep;
using namespace lockstep::bench;
using namespace lockstep::ui;
using namespace std::chrono_literals;

namespace {

constexpr double kStallGoalMillis = 50;
constexpr double kPictureGoalMillis = 33;
constexpr auto kFollowing = 5s;
constexpr auto kLooking = 700ms;  // at a page, before the next one
constexpr int kWalks = 2;         // the first one makes what the second one only shows

double ownSeconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

/// An application that knows what its thread computes, by what it does.
class WatchedApplication final : public QApplication {
public:
    WatchedApplication(int& count, char** words) : QApplication(count, words) {
        // Once a turn of the loop: input, posted events and timers of one turn lie between two.
        connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::awake, this,
                [this] { endTurn(); });
    }

    bool notify(QObject* receiver, QEvent* event) override {
        if (depth_ > 0) return QApplication::notify(receiver, event);
        const QEvent::Type type = event->type();  // both may be gone afterwards
        const char* name = receiver->metaObject()->className();
        const double begin = ownSeconds();
        ++depth_;
        const bool handled = QApplication::notify(receiver, event);
        --depth_;
        const double took = ownSeconds() - begin;
        if (type == QEvent::UpdateRequest) pictures.push_back(took);
        if (took > longest_) {
            longest_ = took;
            longestName_ =
                fmt::format("{} of {}", QMetaEnum::fromType<QEvent::Type>().valueToKey(type), name);
        }
        return handled;
    }

    /// What comes is counted with `name`.
    void beginAct(std::string name) {
        endTurn();
        act_ = std::move(name);
    }

    std::vector<double> pictures;  ///< Seconds.
    std::vector<double> turns;     ///< Of the loop, seconds.
    std::string worst;             ///< In which act the longest was, and what took most of it.

private:
    void endTurn() {
        const double turn = ownSeconds() - begin_;
        if (turns.empty() || turn > *std::ranges::max_element(turns))
            worst = fmt::format("{}: {:.0f} ms of it {}", act_, longest_ * 1e3, longestName_);
        turns.push_back(turn);
        longest_ = 0;
        begin_ = ownSeconds();
    }

    int depth_ = 0;
    double begin_ = ownSeconds();
    double longest_ = 0;
    std::string longestName_;
    std::string act_;
};

void goOn(Nanos length) {
    QEventLoop loop;
    QTimer::singleShot(std::chrono::duration_cast<std::chrono::milliseconds>(length), &loop,
                       &QEventLoop::quit);
    loop.exec();
}

void walk(WatchedApplication& application, MainWindow& window) {
    const auto act = [&](const char* name, auto&& does) {
        application.beginAct(name);
        QTimer::singleShot(0, &window, does);
        goOn(kLooking);
    };
    using Page = MainWindow::Page;
    act("to Replicas", [&] { window.showPage(Page::Replicas); });
    act("to Evaluator", [&] { window.showPage(Page::Evaluator); });
    act("to Logs", [&] { window.showPage(Page::Logs); });
    act("to Runs", [&] { window.showPage(Page::Runs); });
    act("to Home", [&] { window.showPage(Page::Home); });
    act("to Job", [&] { window.showPage(Page::Job); });
    act("to Live", [&] { window.showPage(Page::Live); });
    act("larger", [&] { window.resize(1600, 1000); });
    act("smaller", [&] { window.resize(1024, 700); });
}

void measure(WatchedApplication& application, int replicas) {
    const QTemporaryDir place;
    const std::filesystem::path folder = place.path().toStdString();
    const StreamingRun run(folder, {.replicas = replicas, .heartbeats = true});
    MainWindow::Options options;
    options.stateFolder = place.filePath(QStringLiteral("state"));
    options.attachRunDir = QString::fromStdString(run.folder());
    options.startPage = QStringLiteral("live");
    application.setStyleSheet({});  // a window before this one has set it
    application.pictures.clear();
    application.turns.clear();
    application.beginAct("opening");
    MainWindow window(testsupport::realServices(), options);
    window.resize(1280, 800);
    window.show();
    goOn(kLooking);
    const double opening = *std::ranges::max_element(application.turns);
    const std::string opened = application.worst;
    application.turns.clear();
    application.pictures.clear();

    application.beginAct("following");
    goOn(kFollowing);
    for (int i = 0; i < kWalks; ++i)
        walk(application, window);
    application.beginAct("following");
    goOn(kFollowing);

    const std::string who = fmt::format("window, {} replicas", replicas);
    row(who + ": opening, busy at a time", opening * 1e3, "ms", opened);
    print({.what = who + ": busy at a time, the longest",
           .value = *std::ranges::max_element(application.turns) * 1e3,
           .unit = "ms",
           .goal = kStallGoalMillis,
           .peer = application.worst});
    rowWithGoal(who + ": a picture, p99", quantile(application.pictures, 0.99) * 1e3, "ms",
                kPictureGoalMillis);
}

/// Ten ended runs, chosen among those that are listed, from the click to the last of their points.
void compareTen(WatchedApplication& application) {
    constexpr int kRuns = 10;
    constexpr int kReplicas = 4;
    constexpr int kSteps = 20'000;
    const QTemporaryDir place;
    std::vector<job::RunEntry> runs;
    for (int run = 0; run < kRuns; ++run) {
        const QString folder = place.filePath(QStringLiteral("run-%1").arg(run));
        QDir().mkpath(folder);
        testsupport::writeLongRun(folder, kReplicas, kSteps);
        job::RunEntry entry;
        entry.runDir = folder.toStdString();
        entry.name = "long";
        runs.push_back(std::move(entry));
    }
    JobServices services;
    services.attach = [](const std::filesystem::path& folder,
                         const job::ConnectOptions&) -> JobServices::OpenedSession {
        return job::openJournalSession(folder);
    };
    ComparePage page(services);
    page.resize(1180, 760);
    page.show();
    goOn(kLooking);
    application.turns.clear();
    application.beginAct("comparing");
    const Nanos begin = SteadyClock::read();
    page.compare(std::move(runs));
    while (page.isReading())
        goOn(10ms);
    const double seconds = Seconds(SteadyClock::read() - begin).count();
    goOn(kLooking);
    const std::string what =
        fmt::format("compare {} runs of {} x {} steps", kRuns, kReplicas, kSteps);
    row(what + ": all is read", seconds, "s");
    print({.what = what + ": busy at a time, the longest",
           .value = *std::ranges::max_element(application.turns) * 1e3,
           .unit = "ms",
           .goal = kStallGoalMillis,
           .peer = application.worst});
}

}  // namespace

int main(int count, char** words) {
    qputenv("QT_NO_GLIB", "1");  // its dispatcher does not tell when it rests
    qputenv("QT_QPA_PLATFORM", qEnvironmentVariable("QT_QPA_PLATFORM", "offscreen").toUtf8());
    QStandardPaths::setTestModeEnabled(true);
    WatchedApplication application(count, words);
    QCoreApplication::setOrganizationName(QStringLiteral("lockstep-bench-stalls"));
    QSettings().clear();
    QSettings().setValue(QStringLiteral("theme"), int(ThemeMode::Light));
    const QByteArray asked =
        qgetenv("LOCKSTEP_STALLS");  // one number of replicas; 0: the comparison
    for (const int replicas : {1, 2, 16, 64, 256, 1024})
        if (asked.isEmpty() || asked.toInt() == replicas) measure(application, replicas);
    if (asked.isEmpty() || asked.toInt() == 0) compareTen(application);
    return 0;
}
