// SPDX-License-Identifier: GPL-3.0-or-later
// The slider over a real job: four processes and an evaluator, one of which is killed and started
// again. At random moments every page must show what a window shows that was given the journal up
// to there, and nothing else.
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <random>

#include "core/base/file.h"
#include "core/job/folding_session.h"
#include "core/job/source/journal_source.h"
#include "tests/ui/support/page_text.h"
#include "tests/ui/support/real_services.h"
#include "tests/ui/support/settle.h"
#include "ui/models/words.h"
#include "ui/shell/main_window.h"
#include "ui/shell/time_bar.h"
#include "ui/shell/time_travel.h"
#include "ui/widgets/notice_bar.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::differenceOf;

namespace {

/// `words`: of differenceOf(); what differs is told.
#define NO_DIFFERENCE(words)                            \
    do {                                                \
        const std::string different = words;            \
        QVERIFY2(different.empty(), different.c_str()); \
    } while (false)

// Deadlines, not durations.
constexpr int kSoon = 20'000;
constexpr int kFinished = 240'000;
/// LOCKSTEP_MOMENTS: how many; the acceptance is 100, with QTEST_FUNCTION_TIMEOUT=1200000 (ms).
int moments() {
    const int wanted = qEnvironmentVariableIntValue("LOCKSTEP_MOMENTS");
    return wanted > 0 ? wanted : 12;
}

constexpr auto kJob = R"([job]
name = "past-job"

[cluster]
job_addresses = ["127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"]
evaluator = true

[data]
dataset = "digits"
validation_samples = 2000

[model]
layers = [
  { type = "dense", units = 64, activation = "relu" },
  { type = "dense", units = 10 },
]

[training]
global_batch_size = 256
epochs = 10
optimizer = "adam"
learning_rate = 0.001
seed = 1

[checkpoint]
every_steps = 200
keep = 100

[launch]
max_restarts = 2
)";

/// What was copied of a journal, and then nothing more: as from a coordinator that is silent.
class Prefix final : public job::JournalSource {
public:
    explicit Prefix(std::string frames) : frames_(std::move(frames)) {}

    Result<std::optional<Piece>> next(Nanos timeout) override {
        if (!frames_.empty()) {
            isRead_ = true;
            return Piece{0, std::exchange(frames_, {})};
        }
        // a pause: a source waits for news as long as it may
        std::this_thread::sleep_for(std::min<Nanos>(timeout, std::chrono::milliseconds(5)));
        return std::nullopt;
    }
    Status status() const override {
        Status status;
        status.link.sentence = isRead_ ? "all is read" : "reading";
        return status;
    }

private:
    std::string frames_;
    bool isRead_ = false;
};

/// A window that knows the beginning of a journal.
class Reference {
public:
    Reference(const MainWindow::Options& options, const std::filesystem::path& runDir,
              std::string frames) {
        JobServices services = testsupport::realServices();
        services.attach = [&frames](const std::filesystem::path& folder,
                                    const job::ConnectOptions&) -> JobServices::OpenedSession {
            return std::make_unique<job::FoldingSession>(
                folder, std::make_unique<Prefix>(std::move(frames)));
        };
        MainWindow::Options mine = options;
        mine.attachRunDir = QString::fromStdString(runDir.string());
        window_ = std::make_unique<MainWindow>(services, mine);
        window_->resize(1280, 900);
        window_->showPage(MainWindow::Page::Live);
        window_->show();
        const auto isRead = [this] {
            const View view = window_->bridge().view();
            return view && view->connectionSentence == "all is read";
        };
        QVERIFY(QTest::qWaitFor(isRead, kSoon));
    }
    MainWindow& window() { return *window_; }

private:
    std::unique_ptr<MainWindow> window_;
};

}  // namespace

class TimeTravelTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanupTestCase();
    void theRunGoesOnWhileItsPastIsLookedAt();
    void theSliderReproducesTheWindowAtRandomMoments();
    void keysGoAStepAJumpAndBack();
    void marksStandWhereThingsHappened();
    void theLastSecondsArePlayedAndPaused();

private:
    [[nodiscard]] MainWindow::Options options() const;
    [[nodiscard]] TimeSlider& slider() {
        return *window_->findChild<TimeSlider*>(QStringLiteral("timeSlider"));
    }
    template <typename T>
    [[nodiscard]] T& find(const char* name) {
        return *window_->findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] bool comesToRest() {
        return QTest::qWaitFor([this] { return window_->travel().isSettled(); }, kSoon);
    }
    void goTo(double seconds) {
        slider().setPlace(seconds);
        Q_EMIT slider().wanted(seconds);
    }
    void compareAt(const job::RunMoment& moment);
    void picture(const QString& name);

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    std::filesystem::path runDir_;
    double killedAt_ = 0;
};

MainWindow::Options TimeTravelTest::options() const {
    MainWindow::Options options;
    options.exampleJob = folder_.filePath(QStringLiteral("job.toml"));
    options.stateFolder = folder_.filePath(QStringLiteral("state"));
    options.places.runsFolder = folder_.filePath(QStringLiteral("runs")).toStdString();
    options.places.workerProgram = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
    return options;
}

void TimeTravelTest::initTestCase() {
    QVERIFY(folder_.isValid());
    QStandardPaths::setTestModeEnabled(true);
    QSettings().setValue(QStringLiteral("theme"), int(ThemeMode::Light));
    const QString place = folder_.filePath(QStringLiteral("xdg_runtime_dir"));
    QVERIFY(QDir().mkdir(place));
    QVERIFY(QFile::setPermissions(
        place, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));  // else it is refused
    qputenv("XDG_RUNTIME_DIR", place.toUtf8());
    QFile file(folder_.filePath(QStringLiteral("job.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.write(kJob) > 0);
    file.close();
    window_ = std::make_unique<MainWindow>(testsupport::realServices(), options());
    window_->resize(1280, 900);
    window_->show();
    window_->jobs().openExample();
    auto& launch = find<QPushButton>("launchButton");
    QTRY_VERIFY_WITH_TIMEOUT(launch.isEnabled(), kSoon);
    QTest::mouseClick(&launch, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window_->bridge().view() && window_->bridge().view()->step > 100,
                             kFinished);
    runDir_ = window_->bridge().view()->runDir;
}

/// Leaves no process behind when a check failed half way.
void TimeTravelTest::cleanupTestCase() {
    if (!window_) return;
    if (window_->bridge().isRunning()) {
        window_->travel().goBack();
        window_->bridge().kill();
        QVERIFY(QTest::qWaitFor([this] { return !window_->bridge().isRunning(); }, kSoon));
    }
    window_.reset();
}

void TimeTravelTest::picture(const QString& name) {
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    for (const auto& [mode, word] :
         {std::pair(ThemeMode::Dark, "dark"), {ThemeMode::Light, "light"}}) {
        applyTheme(*qApp, mode);
        testsupport::settle(*window_);
        window_->grab().save(QStringLiteral("%1/%2-%3.png").arg(folder, name, QLatin1String(word)));
    }
}

void TimeTravelTest::theRunGoesOnWhileItsPastIsLookedAt() {
    // It may be looked at first when the run has told nothing yet.
    QTRY_VERIFY_WITH_TIMEOUT(window_->travel().timeline() && !window_->travel().timeline()->empty(),
                             kSoon);
    const View before = window_->bridge().view();
    const job::ReplicaView& victim = before->replicas.at(1);
    QCOMPARE(victim.processId, 1);
    QVERIFY(victim.pid > 1);
    QCOMPARE(::kill(pid_t(victim.pid), SIGKILL), 0);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->bridge().view()->failures.empty(), kSoon);
    killedAt_ = window_->bridge().view()->failures.front().wallTime;

    goTo(window_->travel().timeline()->seconds() / 2);
    QVERIFY(window_->travel().isInPast());
    QVERIFY(comesToRest());
    auto& notice = find<NoticeBar>("pastNotice");
    QVERIFY(notice.isVisible());
    QVERIFY2(notice.notice().sentence.startsWith(QLatin1String("You see ")),
             qPrintable(notice.notice().sentence));
    // Nothing acts on the run, and the buttons say why.
    QVERIFY(!find<QAction>("stopAction").isEnabled());
    QVERIFY(!find<QAction>("killAction").isEnabled());
    QVERIFY(!find<QAction>("drillAction").isEnabled());
    QVERIFY(find<QAction>("stopAction").toolTip().contains(QLatin1String("Back to now")) ||
            find<QAction>("stopAction").toolTip().contains(QLatin1String("Go back to now")));
    QVERIFY(!find<QPushButton>("stopButton").isEnabled());
    const auto before1 = testsupport::textOf(*window_->pastPages());
    const qint64 points = window_->presentPages().live().chart(LiveFeed::Loss).pointCount();
    // Behind it the present goes on, and what is shown does not change.
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->presentPages().live().chart(LiveFeed::Loss).pointCount() > points, kSoon);
    NO_DIFFERENCE(differenceOf(before1, testsupport::textOf(*window_->pastPages())));
    const std::int64_t was = window_->travel().view()->step;

    QTest::mouseClick(&find<QPushButton>("backToNow"), Qt::LeftButton);
    QVERIFY(!window_->travel().isInPast());
    QVERIFY(!notice.isVisible());
    QVERIFY(window_->pastPages() == nullptr);
    QVERIFY(window_->bridge().view()->step > was);
    if (window_->bridge().isRunning()) QVERIFY(find<QAction>("stopAction").isEnabled());

    QTRY_VERIFY_WITH_TIMEOUT(!window_->bridge().isRunning(), kFinished);
    QCOMPARE(window_->bridge().view()->state, job::RunState::Completed);
    QVERIFY(window_->bridge().view()->starts.size() >= 2);
    QVERIFY(window_->bridge().view()->evaluations.size() >= 3);
    const double newest = window_->bridge().view()->endedWallTime;
    QTRY_VERIFY_WITH_TIMEOUT(window_->travel().timeline()->points.back().moment.wallTime >= newest,
                             kSoon);
}

void TimeTravelTest::compareAt(const job::RunMoment& moment) {
    auto journal = readFile(runDir_ / "journal", std::uint64_t{1} << 30);
    QVERIFY(journal.has_value());
    Reference reference(options(), runDir_, journal->substr(0, moment.offset));
    if (QTest::currentTestFailed()) return;
    // The clock that silences are judged by, at that time.
    for (auto* chart : reference.window().findChildren<HeartbeatChart*>())
        chart->setMoment(moment.wallTime);
    const View expected = reference.window().bridge().view();
    const View shown = window_->travel().view();
    QVERIFY(shown != nullptr);
    NO_DIFFERENCE(differenceOf(testsupport::textOf(*expected), testsupport::textOf(*shown)));
    QCOMPARE(shown->momentWallTime, moment.wallTime);
    std::string difference;
    // What the reference reads comes piece by piece.
    std::ignore = QTest::qWaitFor(
        [&] {
            difference = differenceOf(testsupport::textOf(reference.window().presentPages()),
                                      testsupport::textOf(*window_->pastPages()));
            return difference.empty();
        },
        kSoon);
    QVERIFY2(difference.empty(), difference.c_str());
    if (shown->name.empty()) return;  // before the run's first word the head names the job
    NO_DIFFERENCE(differenceOf(testsupport::frameTextOf(reference.window()),
                               testsupport::frameTextOf(*window_)));
}

void TimeTravelTest::theSliderReproducesTheWindowAtRandomMoments() {
    const auto seed = qEnvironmentVariableIsSet("LOCKSTEP_SEED")
                          ? qEnvironmentVariable("LOCKSTEP_SEED").toUInt()
                          : std::random_device()();
    qInfo("seed %u (LOCKSTEP_SEED replays it)", seed);
    std::mt19937 random(seed);
    const double length = window_->travel().timeline()->seconds();
    QVERIFY(length > 0);
    std::uniform_real_distribution<double> anywhere(0, length);
    std::uniform_int_distribution<int> page(int(MainWindow::Page::Live),
                                            int(MainWindow::Page::Logs));
    const int count = moments();
    qint64 slowest = 0;
    for (int i = 0; i < count; ++i) {
        window_->showPage(MainWindow::Page(page(random)));
        QElapsedTimer time;
        time.start();
        goTo(anywhere(random));
        if (!window_->travel().isInPast()) continue;
        QVERIFY(comesToRest());
        slowest = std::max(slowest, time.elapsed());
        compareAt(*window_->travel().place());
        if (QTest::currentTestFailed()) {
            qInfo("at moment %d, byte %llu", i,
                  static_cast<unsigned long long>(window_->travel().place()->offset));
            return;
        }
    }
    qInfo("%zu records' moments over %.1f s; the slowest of %d was shown after %lld ms",
          window_->travel().timeline()->points.size(), length, count, slowest);
    for (const auto& [at, name] : {std::pair(MainWindow::Page::Live, "past-live"),
                                   {MainWindow::Page::Replicas, "past-replicas"},
                                   {MainWindow::Page::Evaluator, "past-evaluator"},
                                   {MainWindow::Page::Logs, "past-logs"}}) {
        window_->showPage(at);
        picture(QLatin1String(name));
    }
}

void TimeTravelTest::keysGoAStepAJumpAndBack() {
    window_->travel().goBack();
    window_->showPage(MainWindow::Page::Live);
    slider().setFocus();
    QTest::keyClick(&slider(), Qt::Key_Left);
    QVERIFY(window_->travel().isInPast());
    QVERIFY(comesToRest());
    const std::int64_t last = window_->bridge().view()->step;
    const std::int64_t before = window_->travel().view()->step;
    QVERIFY(before < last);
    QTest::keyClick(&slider(), Qt::Key_Left);
    QVERIFY(comesToRest());
    QVERIFY(window_->travel().view()->step < before);
    QTest::keyClick(&slider(), Qt::Key_Right);
    QVERIFY(comesToRest());
    QCOMPARE(window_->travel().view()->step, before);
    QTest::keyClick(&slider(), Qt::Key_PageUp);
    QVERIFY(comesToRest());
    const double length = window_->travel().timeline()->seconds();
    QVERIFY(slider().place() < length * 0.96);
    QTest::keyClick(&slider(), Qt::Key_Home);
    QVERIFY(comesToRest());
    QCOMPARE(slider().place(), 0.0);
    QTest::keyClick(&slider(), Qt::Key_End);
    QVERIFY(!window_->travel().isInPast());
    // From anywhere in the window, too.
    goTo(length / 2);
    QVERIFY(comesToRest());
    window_->showPage(MainWindow::Page::Replicas);
    window_->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTest::keyClick(window_.get(), Qt::Key_End);
    QTRY_VERIFY(!window_->travel().isInPast());
}

void TimeTravelTest::marksStandWhereThingsHappened() {
    using Shape = TimeSlider::Shape;
    const auto& timeline = *window_->travel().timeline();
    QMap<Shape, int> counts;
    for (const TimeSlider::Mark& mark : slider().marks())
        ++counts[mark.shape];
    const job::RunView& view = *window_->bridge().view();
    QCOMPARE(counts[Shape::Cross], int(view.failures.size()));
    QCOMPARE(counts[Shape::Dot], int(view.evaluations.size()));
    QVERIFY(counts[Shape::Ring] >= int(view.checkpoints.size()));  // some were written again
    QCOMPARE(counts[Shape::Tick], int(view.starts.size()) + 1);    // and the end
    const auto failure =
        std::ranges::find(slider().marks(), Shape::Cross, &TimeSlider::Mark::shape);
    QVERIFY(failure->words.contains(QLatin1String("process 1")));
    QVERIFY(std::abs(failure->seconds - timeline.secondsAt(killedAt_)) < 0.1);

    // A click on it shows that moment.
    QTest::mouseClick(&slider(), Qt::LeftButton, {}, {qRound(slider().xAt(failure->seconds)), 6});
    QVERIFY(comesToRest());
    QVERIFY(window_->travel().isInPast());
    QVERIFY(std::abs(window_->travel().place()->wallTime - killedAt_) < 5);
    QCOMPARE(window_->travel().view()->failures.size(), std::size_t{1});  // it has happened
    window_->showPage(MainWindow::Page::Live);
    picture(QStringLiteral("past-failure"));
    window_->travel().goBack();
}

void TimeTravelTest::theLastSecondsArePlayedAndPaused() {
    window_->travel().replayEnd(3);
    QVERIFY(window_->travel().isPlaying());
    QVERIFY(comesToRest());
    const double begin = window_->travel().place()->wallTime;
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->travel().place() && window_->travel().place()->wallTime > begin + 0.5, kSoon);
    picture(QStringLiteral("playing"));
    QTest::mouseClick(&find<QToolButton>("timePlay"), Qt::LeftButton);
    QVERIFY(!window_->travel().isPlaying());
    QVERIFY(comesToRest());
    const auto paused = *window_->travel().place();
    QVERIFY(paused.wallTime > begin);
    compareAt(paused);
    // It ends in the present.
    QTest::mouseClick(&find<QToolButton>("timePlay"), Qt::LeftButton);
    QVERIFY(window_->travel().isPlaying());
    QTRY_VERIFY_WITH_TIMEOUT(!window_->travel().isInPast(), kSoon);
    QVERIFY(!window_->travel().isPlaying());
}

QTEST_MAIN(TimeTravelTest)
#include "tst_time_travel.moc"
