// SPDX-License-Identifier: GPL-3.0-or-later
// The main job by the keyboard alone, in the real window over real processes: a job is opened,
// edited, launched, watched on every page, stopped, and compared with another run. Every key goes
// to whom the keyboard belongs to, and at every step somebody that is seen has it.
#include <QAccessible>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include "core/job/fold/session.h"
#include "tests/ui/support/real_services.h"
#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/evaluation_model.h"
#include "ui/models/log_model.h"
#include "ui/models/words.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/runs/compare_page.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/navigation_rail.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep;
using namespace lockstep::ui;
using Page = MainWindow::Page;

namespace {

// Deadlines, not durations.
constexpr int kSoon = 20'000;
constexpr int kRunning = 90'000;
constexpr int kMostStops = 250;     ///< Tab comes round earlier.
constexpr int kEpochs = 1'000'000;  ///< As many as a job may have: it ends when it is stopped.

constexpr auto kJob = R"([job]
name = "keys-job"

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
epochs = 1
optimizer = "adam"
learning_rate = 0.001
seed = 1

[checkpoint]
every_steps = 100
keep = 3
)";

QString nameOf(const QWidget* widget) {
    if (widget == nullptr) return QStringLiteral("nobody");
    return QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') +
           widget->objectName() + QLatin1Char(' ') + widget->accessibleName();
}

}  // namespace

class WindowKeysTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup() { hasFailed_ = hasFailed_ || QTest::currentTestFailed(); }
    void cleanupTestCase();
    void aJobIsOpenedEditedAndLaunched();
    void aChartHasThePageAndGivesItBack();
    void aReplicaIsLookedAt();
    void aCellOfTheConfusionMatrixIsRead();
    void aWordIsFoundInTheLog();
    void theRunIsStoppedAndAnotherOneLaunched();
    void bothRunsAreCompared();

private:
    template <typename T>
    [[nodiscard]] T& find(const char* name) {
        return *window_->findChild<T*>(QLatin1String(name));
    }
    /// Null: nobody that is seen has the keyboard.
    [[nodiscard]] static QWidget* focus() {
        QWidget* widget = QApplication::focusWidget();
        return widget && widget->isVisible() && !widget->visibleRegion().isEmpty() ? widget
                                                                                   : nullptr;
    }
    /// To whom it belongs.
    [[nodiscard]] static bool press(int key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* widget = focus();
        if (widget == nullptr) return false;
        QTest::keyClick(widget, Qt::Key(key), modifiers);
        return QTest::qWaitFor([] { return focus() != nullptr; }, kSoon);
    }
    [[nodiscard]] static bool hasKeyboard(const char* name) {
        const QWidget* widget = focus();
        return widget && widget->objectName() == QLatin1String(name);
    }
    /// Tab, until the widget of this name has the keyboard.
    [[nodiscard]] static bool tabTo(const char* name) {
        for (int stop = 0; stop < kMostStops && !hasKeyboard(name); ++stop)
            if (!press(Qt::Key_Tab)) return false;
        return hasKeyboard(name);
    }
    /// Ctrl and its number.
    void goTo(Page page);
    [[nodiscard]] QString state() { return find<StatePill>("statePill").word(); }
    [[nodiscard]] std::int64_t step() {
        const View view = window_->bridge().view();
        return view ? view->step : 0;
    }

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    std::filesystem::path firstRun_;
    bool hasFailed_ = false;
};

void WindowKeysTest::initTestCase() {
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
    file.close();
    MainWindow::Options options;
    options.exampleJob = file.fileName();
    options.stateFolder = folder_.filePath(QStringLiteral("state"));
    options.places.runsFolder = folder_.filePath(QStringLiteral("runs")).toStdString();
    options.places.workerProgram = LOCKSTEP_BINARY_DIR "/bin/lockstep-worker";
    window_ = std::make_unique<MainWindow>(testsupport::realServices(), options);
    window_->resize(1280, 900);
    window_->show();
    QVERIFY(QTest::qWaitForWindowActive(window_.get()));
    QTRY_VERIFY_WITH_TIMEOUT(focus() != nullptr, kSoon);
}

/// Each goes on where the one before has ended; what waits for what never comes has no end in time.
void WindowKeysTest::init() {
    if (hasFailed_) QSKIP("what comes before it has failed");
}

/// Leaves no process behind when a check failed half way.
void WindowKeysTest::cleanupTestCase() {
    if (!window_) return;
    if (window_->bridge().isRunning()) {
        window_->bridge().kill();
        QVERIFY(QTest::qWaitFor([this] { return !window_->bridge().isRunning(); }, kSoon));
    }
    window_.reset();
}

void WindowKeysTest::goTo(Page page) {
    QVERIFY(press(Qt::Key_0 + int(page), Qt::ControlModifier));
    QCOMPARE(window_->findChild<NavigationRail*>()->current(), int(page));
    const QWidget* shown = window_->findChild<QStackedWidget*>()->currentWidget();
    QVERIFY2(shown->isAncestorOf(focus()), qPrintable(nameOf(focus())));
}

void WindowKeysTest::aJobIsOpenedEditedAndLaunched() {
    QVERIFY(press(Qt::Key_E, Qt::ControlModifier));
    QTRY_VERIFY_WITH_TIMEOUT(window_->jobs().editor().hasJob(), kSoon);
    goTo(Page::Job);
    if (QTest::currentTestFailed()) return;
    QVERIFY(tabTo("epochsEdit"));
    QVERIFY(press(Qt::Key_A, Qt::ControlModifier));
    QTest::keyClicks(focus(), QString::number(kEpochs));
    QVERIFY(press(Qt::Key_Tab));
    QCOMPARE(window_->jobs().editor().spec().training.epochs, kEpochs);

    QVERIFY(press(Qt::Key_L, Qt::ControlModifier));
    QTRY_VERIFY_WITH_TIMEOUT(step() > 100, kRunning);
    QVERIFY2(focus() != nullptr, "lost while the run came");
    firstRun_ = window_->bridge().view()->runDir;
}

void WindowKeysTest::aChartHasThePageAndGivesItBack() {
    goTo(Page::Live);
    if (QTest::currentTestFailed()) return;
    const auto shown = [this] {
        qsizetype count = 0;
        for (const ChartCard* card : window_->presentPages().live().findChildren<ChartCard*>())
            count += card->isVisible() ? 1 : 0;
        return count;
    };
    QTRY_VERIFY_WITH_TIMEOUT(shown() > 1, kSoon);
    QVERIFY(tabTo("maximize"));
    const QWidget* card = focus();
    while (card != nullptr && !qobject_cast<const ChartCard*>(card))
        card = card->parentWidget();
    QVERIFY(card != nullptr);
    QVERIFY(press(Qt::Key_Space));
    QTRY_COMPARE_WITH_TIMEOUT(shown(), 1, kSoon);
    QVERIFY(card->isVisible());
    QVERIFY(press(Qt::Key_Escape));
    QTRY_VERIFY_WITH_TIMEOUT(shown() > 1, kSoon);
    QVERIFY(card->isAncestorOf(focus()));
}

void WindowKeysTest::aReplicaIsLookedAt() {
    goTo(Page::Replicas);
    if (QTest::currentTestFailed()) return;
    QVERIFY(tabTo("replicaTable"));
    QVERIFY(press(Qt::Key_Down));
    auto& panel = find<QWidget>("replicaPanel");
    QTRY_VERIFY_WITH_TIMEOUT(panel.isVisible(), kSoon);
    QVERIFY(press(Qt::Key_Escape));
    QTRY_VERIFY_WITH_TIMEOUT(!panel.isVisible(), kSoon);
    QVERIFY2(hasKeyboard("replicaTable"), qPrintable(nameOf(focus())));
}

void WindowKeysTest::aCellOfTheConfusionMatrixIsRead() {
    goTo(Page::Evaluator);
    if (QTest::currentTestFailed()) return;
    QTRY_VERIFY_WITH_TIMEOUT(window_->presentPages().evaluations().rowCount() > 0, kRunning);
    // It is hidden again where the newest evaluation that is shown has none.
    QTRY_VERIFY_WITH_TIMEOUT(
        find<QWidget>("confusionMatrix").isVisible() && tabTo("confusionMatrix"), kSoon);
    QVERIFY(press(Qt::Key_Right));
    QAccessibleInterface* matrix = QAccessible::queryAccessibleInterface(focus());
    QVERIFY(matrix != nullptr);
    const QAccessibleInterface* cell = matrix->focusChild();
    QVERIFY(cell != nullptr);
    const QString words = cell->text(QAccessible::Name);
    QVERIFY2(words.contains(QLatin1String(" taken for ")), qPrintable(words));
}

void WindowKeysTest::aWordIsFoundInTheLog() {
    goTo(Page::Logs);
    if (QTest::currentTestFailed()) return;
    QTRY_VERIFY_WITH_TIMEOUT(window_->presentPages().log().rowCount() > 0, kSoon);
    QVERIFY(press(Qt::Key_F, Qt::ControlModifier));
    const QWidget* field = focus();
    QVERIFY2(qobject_cast<const QLineEdit*>(field), qPrintable(nameOf(field)));
    QTest::keyClicks(focus(), QStringLiteral("process"));
    QVERIFY(press(Qt::Key_Return));
    QVERIFY(press(Qt::Key_Escape));                        // nothing is looked for any more,
    if (focus() == field) QVERIFY(press(Qt::Key_Escape));  // and back to the lines
    QVERIFY2(hasKeyboard("logTable"), qPrintable(nameOf(focus())));
}

void WindowKeysTest::theRunIsStoppedAndAnotherOneLaunched() {
    QVERIFY(press(Qt::Key_Period, Qt::ControlModifier));
    QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("Stopped"), kRunning);
    QVERIFY2(focus() != nullptr, "lost while the run ended");

    QVERIFY(press(Qt::Key_L, Qt::ControlModifier));
    QTRY_VERIFY_WITH_TIMEOUT(
        window_->bridge().view() && step() > 50 && window_->bridge().view()->runDir != firstRun_,
        kRunning);
    QVERIFY(press(Qt::Key_Period, Qt::ControlModifier));
    QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("Stopped"), kRunning);
}

void WindowKeysTest::bothRunsAreCompared() {
    goTo(Page::Runs);
    if (QTest::currentTestFailed()) return;
    auto& table = find<QTableView>("runsTable");
    QTRY_COMPARE_WITH_TIMEOUT(table.model()->rowCount(), 2, kSoon);
    QVERIFY(tabTo("runsTable"));
    QVERIFY(press(Qt::Key_A, Qt::ControlModifier));
    QVERIFY(press(Qt::Key_Return, Qt::ControlModifier));
    auto& comparison = find<ComparePage>("comparePage");
    QTRY_VERIFY_WITH_TIMEOUT(comparison.isVisible() && !comparison.isReading(), kSoon);
    QCOMPARE(find<QTableView>("comparedTable").model()->rowCount(), 2);
    QVERIFY2(comparison.isAncestorOf(focus()), qPrintable(nameOf(focus())));
    QVERIFY(find<LiveChart>("comparedLoss").pointCount() > 0);
    QVERIFY(press(Qt::Key_Escape));
    QTRY_VERIFY_WITH_TIMEOUT(table.isVisible(), kSoon);
    QVERIFY2(hasKeyboard("runsTable"), qPrintable(nameOf(focus())));
    for (const Page page : {Page::Home, Page::Job, Page::Live, Page::Replicas, Page::Evaluator,
                            Page::Logs, Page::Runs}) {
        goTo(page);
        if (QTest::currentTestFailed()) return;
    }
}

QTEST_MAIN(WindowKeysTest)
#include "tst_window_keys.moc"
