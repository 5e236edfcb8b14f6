// SPDX-License-Identifier: GPL-3.0-or-later
// What a run warns of, and what is lost of its records, is read in the window on every page.
#include <QAbstractButton>
#include <QPointer>
#include <QPushButton>
#include <QStackedWidget>
#include <QtTest>

#include "core/base/clock.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/shell/header_bar.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/figure_label.h"
#include "ui/widgets/navigation_rail.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::WindowFixture;

namespace {

job::NoticeView warning(const char* sentence) {
    return {0, job::Role::Worker, sentence, ExampleRun::kStartWallTime};
}

}  // namespace

class RunWarningsTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void everyWarningIsShownOnceAndAllOfThemAreKept() {
        WindowFixture fixture;
        job::RunView run = ExampleRun::view(600);
        fixture.feed(600);
        QVERIFY(fixture.showLaunched(run));
        auto* bar = fixture.find<NoticeBar>("warningNotice");
        QVERIFY(bar->isHidden());

        run.notices.push_back(warning("the disk of the journal has not answered for 3 s"));
        fixture.script().publish(run);
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kWait);
        QCOMPARE(bar->notice().sentence,
                 QStringLiteral("The disk of the journal has not answered for 3 s"));
        QVERIFY(bar->notice().remedy.isEmpty());

        for (QAbstractButton* each : bar->findChildren<QAbstractButton*>())
            if (each->accessibleName() == QStringLiteral("Dismiss this message")) each->click();
        QVERIFY(bar->isHidden());
        run.step = 601;  // nothing new to say
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.window().bridge().view()->step, 601, kWait);
        QVERIFY(bar->isHidden());

        run.notices.push_back(warning("a checkpoint could not be written"));
        fixture.script().publish(run);
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kWait);
        QCOMPARE(bar->notice().sentence, QStringLiteral("A checkpoint could not be written"));
        QCOMPARE(bar->notice().remedy,
                 QStringLiteral("Warnings before it: 1. The log has them all."));
        QVERIFY(bar->notice().details.contains(QStringLiteral("has not answered for 3 s")));
        QTest::mouseClick(fixture.find<QPushButton>("warningShowLog"), Qt::LeftButton);
        QCOMPARE(fixture.window().findChild<QStackedWidget*>()->currentIndex(),
                 int(MainWindow::Page::Logs));

        fixture.window().bridge().release();
        QTRY_VERIFY_WITH_TIMEOUT(bar->isHidden(), kWait);
    }

    void aSlowProcessIsSaidInThePillAndAtTheFoot() {
        WindowFixture fixture;
        job::RunView run = ExampleRun::view(600);
        fixture.feed(600);
        QVERIFY(fixture.showLaunched(run));
        auto* pill = fixture.find<StatePill>("statePill");
        auto* foot = fixture.find<ElidedLabel>("verdict");
        run.verdictSeverity = 4;
        run.sentence = "process 1 (node-b) costs the others 18 %";
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(pill->word(), QStringLiteral("Slow"), kWait);
        QCOMPARE(foot->text(), QStringLiteral("Process 1 (node-b) costs the others 18 %"));
        const auto ways =
            fixture.window().findChild<NavigationRail*>()->findChildren<QAbstractButton*>();
        QCOMPARE(ways[int(MainWindow::Page::Replicas)]->accessibleDescription(),
                 QStringLiteral("a replica makes the others wait"));
        QCOMPARE(replicaBadge(4).tone, Tone::Warn);
        QCOMPARE(replicaBadge(3).tone, Tone::Bad);
        run.verdictSeverity = 1;
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(pill->word(), QStringLiteral("Silent"), kWait);
        run.verdictSeverity = 0;
        run.sentence = "training";
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(pill->word(), QStringLiteral("Training"), kWait);
    }

    void aRunThatIsStuckCountsDownAndCanBeGivenTimeOrEnded() {
        WindowFixture fixture;
        job::RunView run = ExampleRun::view(600);
        fixture.feed(600);
        QVERIFY(fixture.showLaunched(run));
        auto* bar = fixture.find<NoticeBar>("stuckNotice");
        QVERIFY(bar->isHidden());
        run.verdictSeverity = 2;
        run.sentence = "process 1 (node-b) has been in forward for 14 s at step 601";
        run.stuckEnd = {wallSeconds() + 45, true};
        fixture.script().publish(run);
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kWait);
        QCOMPARE(bar->notice().sentence,
                 QStringLiteral("Process 1 (node-b) has been in forward for 14 s at step 601"));
        const QRegularExpression words(
            QStringLiteral("^It restarts from its newest checkpoint in ([0-9]+) s\\.$"));
        const int first = words.match(bar->notice().remedy).captured(1).toInt();
        QVERIFY2(first > 15 && first <= 45, qPrintable(bar->notice().remedy));
        QTRY_VERIFY_WITH_TIMEOUT(words.match(bar->notice().remedy).captured(1).toInt() < first,
                                 kWait);

        // The seconds that its words tell go on; the buttons stay, and what was pressed is pressed.
        const QPointer<QPushButton> longer = fixture.find<QPushButton>("stuckWaitLonger");
        QTest::mousePress(longer, Qt::LeftButton);
        run.sentence = "process 1 (node-b) has been in forward for 15 s at step 601";
        fixture.script().publish(run);
        QTRY_VERIFY_WITH_TIMEOUT(bar->notice().sentence.contains(QStringLiteral("for 15 s")),
                                 kWait);
        QCOMPARE(fixture.find<QPushButton>("stuckWaitLonger"), longer.data());
        QTest::mouseRelease(longer, Qt::LeftButton);
        QCOMPARE(fixture.script().waits, 1);
        run.stuckEnd = {wallSeconds() + 60, false};
        fixture.script().publish(run);
        QTRY_VERIFY_WITH_TIMEOUT(
            bar->notice().remedy.startsWith(QStringLiteral("The run ends in ")), kWait);

        run.verdictSeverity = 0;
        run.stuckEnd = {};
        fixture.script().publish(run);
        QTRY_VERIFY_WITH_TIMEOUT(bar->isHidden(), kWait);

        run.stuckEnd = {wallSeconds() - 5, false};  // its clock may be ahead of ours
        fixture.script().publish(run);
        QTRY_COMPARE_WITH_TIMEOUT(bar->notice().remedy, QStringLiteral("The run ends in 0 s."),
                                  kWait);
        QTest::mouseClick(fixture.find<QPushButton>("stuckEndNow"), Qt::LeftButton);
        QCOMPARE(fixture.script().kills, 1);
    }

    void aCompletedRunThatLacksRecordsSaysWhatIsMissing() {
        WindowFixture fixture;
        job::RunView run = ExampleRun::view(3126, job::RunState::Completed);
        run.missing = "600 bytes of its journal are damaged: about 3 records are lost";
        QVERIFY(fixture.showLaunched(run));
        auto* bar = fixture.find<NoticeBar>("warningNotice");
        QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kWait);
        QCOMPARE(bar->notice().sentence,
                 QStringLiteral("600 bytes of its journal are damaged: about 3 records are lost"));
        QVERIFY(fixture.find<QPushButton>("warningShowLog") == nullptr);  // nothing of it is there
    }

    void aRateIsSaidOnlyWhereThereIsOne() {
        WindowFixture fixture;
        job::RunView run = ExampleRun::view(600);
        QVERIFY(fixture.showLaunched(run));
        auto* rate = fixture.find<FigureLabel>("samplesPerSecond");
        QTRY_VERIFY_WITH_TIMEOUT(rate->isVisible(), kWait);
        run.samplesPerSecond = 0;
        fixture.script().publish(run);
        QTRY_VERIFY_WITH_TIMEOUT(rate->isHidden(), kWait);
    }
};

QTEST_MAIN(RunWarningsTest)
#include "tst_run_warnings.moc"
