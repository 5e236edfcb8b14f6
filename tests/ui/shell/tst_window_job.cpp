// SPDX-License-Identifier: GPL-3.0-or-later
// The real window over the real services: every process, socket and file of a job is there.
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "core/job/fold/session.h"
#include "tests/ui/support/real_services.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/replica_table_model.h"
#include "ui/models/words.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

// Deadlines, not durations: all of it takes some seconds on an idle machine.
constexpr int kSoon = 20'000;
constexpr int kRunning = 60'000;
constexpr int kFinished = 120'000;

/// Two processes and the evaluator, long enough to be stopped and left, short enough to end.
constexpr auto kJob = R"([job]
name = "window-job"

[cluster]
job_addresses = ["127.0.0.1:0", "127.0.0.1:0"]
evaluator = true

[data]
dataset = "digits"
validation_samples = 2000

[model]
layers = [
  { type = "dense", units = 256, activation = "relu" },
  { type = "dense", units = 256, activation = "relu" },
  { type = "dense", units = 10 },
]

[training]
global_batch_size = 512
epochs = 60
optimizer = "adam"
learning_rate = 0.001
seed = 1

[checkpoint]
every_steps = 1000
keep = 3
)";

/// A window and what the tests look at and press in it.
struct Desk {
    explicit Desk(const MainWindow::Options& options)
        : window(testsupport::realServices(), options) {
        window.show();
    }

    template <typename T>
    [[nodiscard]] T& find(const char* name) {
        return *window.findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] QPushButton& launch() { return find<QPushButton>("launchButton"); }
    [[nodiscard]] QString state() { return find<StatePill>("statePill").word(); }
    [[nodiscard]] QString verdict() { return find<ElidedLabel>("verdict").text(); }
    [[nodiscard]] qint64 lossPoints() { return find<LiveChart>("lossChart").pointCount(); }
    [[nodiscard]] std::int64_t step() { return window.bridge().view()->step; }
    [[nodiscard]] bool canPressLaunch(const QString& text) {
        return launch().isVisible() && launch().isEnabled() && launch().text() == text;
    }
    static void press(QPushButton& button) { QTest::mouseClick(&button, Qt::LeftButton); }

    MainWindow window;
};

}  // namespace

class WindowJobTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanup();
    void aJobIsLaunchedStoppedResumedLeftAndFollowedAgainToItsScore();

private:
    [[nodiscard]] MainWindow::Options options() const;
    void launchAndWatch(Desk& desk);
    void stopAndResume(Desk& desk);
    void leaveRunning(Desk& desk);
    void seeItFinish(Desk& desk);

    QTemporaryDir folder_;
    std::filesystem::path runDir_;
    std::int64_t stoppedAt_ = 0;
};

void WindowJobTest::initTestCase() {
    QVERIFY(folder_.isValid());
    QStandardPaths::setTestModeEnabled(true);
    for (const char* name : {"XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}) {
        const QString place = folder_.filePath(QString::fromLatin1(name).toLower());
        QVERIFY(QDir().mkdir(place));
        QVERIFY(QFile::setPermissions(
            place, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));  // else it is refused
        qputenv(name, place.toUtf8());
    }
    QFile file(folder_.filePath(QStringLiteral("job.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.write(kJob) > 0);
}

/// Leaves no process behind when a check failed half way.
void WindowJobTest::cleanup() {
    if (runDir_.empty()) return;
    const auto session = job::attach(runDir_);
    if (!session) return;
    const auto ended = [&session] { return isEnded((*session)->view()->state); };
    if (QTest::qWaitFor([&session] { return (*session)->view()->caughtUp; }, kSoon) && !ended()) {
        (*session)->kill();
        QVERIFY(QTest::qWaitFor(ended, kSoon));
    }
}

MainWindow::Options WindowJobTest::options() const {
    MainWindow::Options options;
    options.exampleJob = folder_.filePath(QStringLiteral("job.toml"));
    options.stateFolder = folder_.filePath(QStringLiteral("state"));
    options.places.runsFolder = folder_.filePath(QStringLiteral("runs")).toStdString();
    options.places.workerProgram = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
    return options;
}

void WindowJobTest::launchAndWatch(Desk& desk) {
    desk.window.jobs().openExample();  // a job without a file of its own
    QTRY_VERIFY_WITH_TIMEOUT(desk.canPressLaunch(QStringLiteral("Launch")), kSoon);

    Desk::press(desk.launch());

    QTRY_VERIFY_WITH_TIMEOUT(desk.window.bridge().view() != nullptr, kSoon);
    QTRY_VERIFY_WITH_TIMEOUT(!desk.window.bridge().view()->runDir.empty(), kSoon);
    runDir_ = desk.window.bridge().view()->runDir;
    QTRY_VERIFY_WITH_TIMEOUT(desk.lossPoints() > 30, kRunning);
    const auto* table = desk.find<QTableView>("replicaTable").model();
    // Two processes, and the evaluator, which gives way to all else.
    QTRY_COMPARE_WITH_TIMEOUT(table->rowCount(), 3, kRunning);
    const auto step = [table](int row) {
        return table->index(row, int(ReplicaTableModel::Column::Step)).data().toString();
    };
    QTRY_VERIFY_WITH_TIMEOUT(step(0) != QLatin1String("0") && step(1) != QLatin1String("0"), kSoon);
}

void WindowJobTest::stopAndResume(Desk& desk) {
    auto& stop = desk.find<QPushButton>("stopButton");
    QVERIFY(stop.isVisible());

    Desk::press(stop);

    QTRY_COMPARE_WITH_TIMEOUT(desk.state(), QStringLiteral("Stopped"), kRunning);
    QVERIFY2(desk.verdict().startsWith(QLatin1String("Stopped after step ")),
             qPrintable(desk.verdict()));
    stoppedAt_ = desk.step();
    QVERIFY(stoppedAt_ > 0 && stoppedAt_ < desk.window.bridge().view()->totalSteps);
    QTRY_VERIFY_WITH_TIMEOUT(desk.canPressLaunch(QStringLiteral("Resume")), kSoon);

    Desk::press(desk.launch());

    QTRY_VERIFY_WITH_TIMEOUT(
        desk.window.bridge().isRunning() && desk.window.bridge().view() && desk.step() > stoppedAt_,
        kRunning);
    QCOMPARE(desk.window.bridge().view()->runDir, runDir_);
}

void WindowJobTest::leaveRunning(Desk& desk) {
    QSignalSpy left(&desk.window, &MainWindow::runLeftBehind);
    QVERIFY(desk.window.bridge().isRunning());

    QSettings().setValue(QStringLiteral("closing/knowsRunsGoOn"), true);
    QVERIFY(desk.window.close());

    QCOMPARE(left.count(), 1);
    QVERIFY(left[0][0].toString().contains(QString::fromStdString(runDir_.string())));
}

void WindowJobTest::seeItFinish(Desk& desk) {
    QTRY_VERIFY_WITH_TIMEOUT(desk.window.bridge().view() != nullptr, kSoon);
    QTRY_COMPARE_WITH_TIMEOUT(desk.state(), QStringLiteral("Completed"), kFinished);
    const job::RunView& view = *desk.window.bridge().view();
    QCOMPARE(view.step, view.totalSteps);
    // All of the history came: of two replicas and of their mean, also from before the stop, the
    // validation at the end of every epoch, and the scores of the checkpoints.
    QCOMPARE(view.epochResults.size(), std::size_t(view.epochs));
    const auto points = [&desk]() -> qint64 {
        const job::RunView& now = *desk.window.bridge().view();
        return 3 * now.totalSteps + now.epochs + std::int64_t(now.evaluations.size());
    };
    QTRY_COMPARE_WITH_TIMEOUT(desk.lossPoints(), points(), kSoon);

    desk.window.showPage(MainWindow::Page::Evaluator);

    auto& score = desk.find<MetricTile>("evaluatorScore");
    QTRY_VERIFY_WITH_TIMEOUT(score.value().contains(QLatin1Char('%')), kSoon);
    QVERIFY(score.isVisible());
    QVERIFY(view.evaluations.back()->accuracy > 0.9);
    QVERIFY2(desk.verdict().startsWith(QLatin1String("Completed: test accuracy ")),
             qPrintable(desk.verdict()));
}

void WindowJobTest::aJobIsLaunchedStoppedResumedLeftAndFollowedAgainToItsScore() {
    {
        Desk desk(options());
        launchAndWatch(desk);
        if (QTest::currentTestFailed()) return;
        stopAndResume(desk);
        if (QTest::currentTestFailed()) return;
        leaveRunning(desk);
        if (QTest::currentTestFailed()) return;
    }
    MainWindow::Options again = options();
    again.attachRunDir = QString::fromStdString(runDir_.string());
    Desk desk(again);
    seeItFinish(desk);
}

QTEST_MAIN(WindowJobTest)
#include "tst_window_job.moc"
