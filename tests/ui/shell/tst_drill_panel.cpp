// SPDX-License-Identifier: GPL-3.0-or-later
// Faults that are made on purpose from the window, in a real job.
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QRadioButton>
#include <QTemporaryDir>
#include <QtTest>

#include "core/job/fold/session.h"
#include "tests/ui/shell/next_dialog.h"
#include "tests/ui/support/real_services.h"
#include "ui/models/words.h"
#include "ui/shell/main_window.h"
#include "ui/widgets/notice_bar.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::NextDialog;

namespace {

// Deadlines, not durations.
constexpr int kSoon = 20'000;
constexpr int kRunning = 60'000;

/// Longer than all drills take; stopped at the end.
constexpr auto kJob = R"([job]
name = "drilled"

[cluster]
job_addresses = ["127.0.0.1:0", "127.0.0.1:0"]
evaluator = false

[data]
dataset = "digits"
validation_samples = 2000

[model]
layers = [{ type = "dense", units = 64, activation = "relu" }, { type = "dense", units = 10 }]

[training]
global_batch_size = 512
epochs = 100000
optimizer = "adam"

[checkpoint]
every_steps = 200

[launch]
max_restarts = 1
)";

}  // namespace

class DrillPanelTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanup();
    void withoutARunThereIsNoDrillAndTheMenuSaysWhy();
    void aDrillIsChosenAgreedToFollowedAndListed();

private:
    template <typename T>
    [[nodiscard]] T& find(const char* name) {
        return *window_->findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] QAction& action() { return find<QAction>("drillAction"); }
    [[nodiscard]] QString line(const char* name) { return find<QLabel>(name).text(); }
    [[nodiscard]] const job::RunView& view() { return *window_->bridge().view(); }
    [[nodiscard]] bool isOver(std::size_t count) {
        return view().drills.size() == count && view().drills.back().recoveredWallTime > 0;
    }

    void picture(const QString& name);
    void launch();
    void refusedFaultsAreGrey();
    void aClosedPanelLeavesItGoing();
    void thoseOfTheCommandLineAreListed();
    void aKilledProcessIsRecoveredFrom();
    void whatTheSummarySaysIsTheSame();

    QTemporaryDir folder_;
    std::unique_ptr<MainWindow> window_;
    std::filesystem::path runDir_;
    QString recovered_;
};

void DrillPanelTest::initTestCase() {
    QVERIFY(folder_.isValid());
    QStandardPaths::setTestModeEnabled(true);
    for (const char* name : {"XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}) {
        const QString place = folder_.filePath(QString::fromLatin1(name).toLower());
        QVERIFY(QDir().mkdir(place));
        QVERIFY(
            QFile::setPermissions(place, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
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
    window_->show();
}

/// Leaves no process behind when a check failed half way.
void DrillPanelTest::cleanup() {
    if (runDir_.empty() || !window_->bridge().isRunning()) return;
    window_->bridge().kill();
    QVERIFY(QTest::qWaitFor([this] { return !window_->bridge().isRunning(); }, kSoon));
}

void DrillPanelTest::withoutARunThereIsNoDrillAndTheMenuSaysWhy() {
    QVERIFY(!action().isEnabled());
    QVERIFY2(action().toolTip().startsWith(QLatin1String("No run is followed")),
             qPrintable(action().toolTip()));
}

void DrillPanelTest::picture(const QString& name) {
    const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    for (const auto& [mode, word] :
         {std::pair(ThemeMode::Dark, "dark"), {ThemeMode::Light, "light"}}) {
        applyTheme(*qApp, mode);
        QCoreApplication::processEvents();
        find<QDialog>("drillPanel")
            .grab()
            .save(QStringLiteral("%1/%2-%3.png").arg(folder, name, QLatin1String(word)));
    }
}

void DrillPanelTest::launch() {
    window_->jobs().openExample();
    auto& button = find<QPushButton>("launchButton");
    QTRY_VERIFY_WITH_TIMEOUT(button.isVisible() && button.isEnabled(), kSoon);
    QTest::mouseClick(&button, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(window_->bridge().view() && !view().runDir.empty(), kSoon);
    runDir_ = view().runDir;
    QTRY_VERIFY_WITH_TIMEOUT(view().step > 0 && view().connected, kRunning);
}

void DrillPanelTest::refusedFaultsAreGrey() {
    QTRY_VERIFY_WITH_TIMEOUT(action().isEnabled(), kSoon);
    action().trigger();
    QVERIFY(find<QDialog>("drillPanel").isVisible());
    QVERIFY(!find<QRadioButton>("drill_cut").isEnabled());
    QVERIFY2(line("drillWords_cut").contains(QLatin1String("replicas of a host share memory")),
             qPrintable(line("drillWords_cut")));
    QVERIFY(find<QRadioButton>("drill_kill").isEnabled());

    auto& process = find<QComboBox>("drillProcess");
    QTRY_COMPARE_WITH_TIMEOUT(process.count(), 2, kSoon);
    process.setCurrentIndex(1);
    QVERIFY(!find<QRadioButton>("drill_disk-full").isEnabled());
    QVERIFY2(
        line("drillWords_disk-full").contains(QLatin1String("process 0 commits the checkpoints")),
        qPrintable(line("drillWords_disk-full")));
    QCOMPARE(line("drillEffect"), QStringLiteral("Process 1 kills itself (SIGKILL)."));
    QVERIFY2(line("drillPolicy").contains(QLatin1String("launch.max_restarts leaves 1 restart")),
             qPrintable(line("drillPolicy")));
    QVERIFY(!find<QDoubleSpinBox>("drillSeconds").isEnabled());
    picture(QStringLiteral("drill-choice"));
}

void DrillPanelTest::aClosedPanelLeavesItGoing() {
    {
        NextDialog no(testsupport::press("cancelDrillButton"));
        find<QPushButton>("drillButton").click();
        QCOMPARE(no.name(), QStringLiteral("drillQuestion"));
        QVERIFY(view().drills.empty());
    }
    find<QRadioButton>("drill_stuck").setChecked(true);
    find<QDoubleSpinBox>("drillSeconds").setValue(3);
    NextDialog yes(testsupport::press("confirmDrillButton"));
    find<QPushButton>("drillButton").click();
    find<QDialog>("drillPanel").close();
    auto& notice = find<NoticeBar>("noticeBar");
    QVERIFY2(notice.notice().sentence.contains(QLatin1String("The drill goes on")),
             qPrintable(notice.notice().sentence));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

    find<QPushButton>("noticeShowDrill").click();

    QTRY_VERIFY_WITH_TIMEOUT(line("drillLanded").startsWith(QLatin1String("Landed after ")), kSoon);
    picture(QStringLiteral("drill-landed"));
    QTRY_VERIFY_WITH_TIMEOUT(isOver(1), kRunning);
    QVERIFY2(line("drillRecovered").startsWith(QLatin1String("Recovered after ")),
             qPrintable(line("drillRecovered")));
}

void DrillPanelTest::thoseOfTheCommandLineAreListed() {
    QProcess command;
    command.start(QStringLiteral(LOCKSTEP_BINARY_DIR "/bin/lockstepctl"),
                  {QStringLiteral("drill"), QString::fromStdString(runDir_.string()),
                   QStringLiteral("stuck"), QStringLiteral("--process"), QStringLiteral("0"),
                   QStringLiteral("--seconds"), QStringLiteral("1"), QStringLiteral("--yes")});
    QTRY_VERIFY_WITH_TIMEOUT(command.state() == QProcess::NotRunning, kRunning);
    QCOMPARE(command.exitCode(), 0);
    QTRY_VERIFY_WITH_TIMEOUT(isOver(2), kSoon);
    auto& list = find<QListWidget>("drillList");
    QCOMPARE(list.count(), 2);
    QVERIFY2(list.item(0)->text().contains(QLatin1String("stuck of process 0: recovered after")),
             qPrintable(list.item(0)->text()));
    // The terminal and the panel say the same.
    const QString said = QString::fromUtf8(command.readAllStandardOutput());
    QVERIFY2(said.contains(line("drillRecovered").mid(1)), qPrintable(said));
}

void DrillPanelTest::aKilledProcessIsRecoveredFrom() {
    find<QRadioButton>("drill_kill").setChecked(true);
    find<QComboBox>("drillProcess").setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(find<QPushButton>("drillButton").isEnabled(), kSoon);
    NextDialog yes(testsupport::press("confirmDrillButton"));
    find<QPushButton>("drillButton").click();
    QTRY_VERIFY_WITH_TIMEOUT(isOver(3), kRunning);
    QVERIFY2(line("drillLanded").startsWith(QLatin1String("Landed after ")),
             qPrintable(line("drillLanded")));
    QVERIFY2(
        line("drillDetected").endsWith(QLatin1String("(the right process, named for what it is)")),
        qPrintable(line("drillDetected")));
    recovered_ = line("drillRecovered");
    picture(QStringLiteral("drill-recovered"));
    QVERIFY2(recovered_.startsWith(QLatin1String("Recovered after ")), qPrintable(recovered_));
}

void DrillPanelTest::whatTheSummarySaysIsTheSame() {
    window_->bridge().requestStop();
    QTRY_VERIFY_WITH_TIMEOUT(!window_->bridge().isRunning(), kRunning);
    QVERIFY2(line("drillEffect").contains(QLatin1String("the run is over")),
             qPrintable(line("drillEffect")));
    QVERIFY(!find<QPushButton>("drillButton").isEnabled());
    const QByteArray text = QByteArray::fromStdString(view().summaryJson);
    const QJsonArray drills = QJsonDocument::fromJson(text).object()["drills"].toArray();
    QCOMPARE(drills.size(), 3);
    const QJsonObject kill = drills[2].toObject();
    QCOMPARE(kill["kind"], QJsonValue("kill"));
    QVERIFY(kill["named_process"].toBool() && kill["named_kind"].toBool());
    const int lost = kill["steps_lost"].toInt();
    QCOMPARE(recovered_, QStringLiteral("Recovered after %1 s: trains on at step %2; %3 %4 lost")
                             .arg(kill["recovered_after_seconds"].toDouble(), 0, 'f', 1)
                             .arg(kill["recovered_step"].toInt())
                             .arg(lost)
                             .arg(QLatin1String(lost == 1 ? "step" : "steps")));
}

void DrillPanelTest::aDrillIsChosenAgreedToFollowedAndListed() {
    for (const auto step : {&DrillPanelTest::launch, &DrillPanelTest::refusedFaultsAreGrey,
                            &DrillPanelTest::aClosedPanelLeavesItGoing,
                            &DrillPanelTest::thoseOfTheCommandLineAreListed,
                            &DrillPanelTest::aKilledProcessIsRecoveredFrom,
                            &DrillPanelTest::whatTheSummarySaysIsTheSame}) {
        (this->*step)();
        if (QTest::currentTestFailed()) return;
    }
}

QTEST_MAIN(DrillPanelTest)
#include "tst_drill_panel.moc"
