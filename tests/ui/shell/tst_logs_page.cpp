// SPDX-License-Identifier: GPL-3.0-or-later
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/log_model.h"
#include "ui/pages/logs/logs_page.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::settle;
using testsupport::WindowFixture;

namespace {

/// The page over a log that the test writes.
struct Page {
    Page() {
        page.resize(1000, 611);
        model.follow(book);
        page.show();
    }
    void say(int process, const std::string& text, int level = 1) {
        book->add({{wallTime += 1, process, job::Role::Worker, level, text}});
    }
    void lines(int count) {
        for (int i = 0; i < count; ++i)
            say(0, "line " + std::to_string(++number));
        model.follow(book);
    }
    bool shows(int rows) {
        return QTest::qWaitFor([&] { return model.rowCount() == rows; }, kWait);
    }
    template <typename T>
    T* find(const char* name) {
        return page.findChild<T*>(QLatin1String(name));
    }
    QString chosen() {
        const int row = find<QTableView>("logTable")->currentIndex().row();
        return model.index(row, int(LogModel::Column::Text)).data().toString();
    }
    double wallTime = 1'790'000'000;
    int number = 0;
    std::shared_ptr<job::LogBook> book = std::make_shared<job::LogBook>("/nowhere");
    LogModel model;
    LogsPage page{model};
};

}  // namespace

class LogsPageTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void theLogStaysWhereItIsReadAndFollowsToItsLowerEdge() {
        Page page;
        page.lines(3000);
        QVERIFY(page.shows(3000));
        auto* table = page.find<QTableView>("logTable");
        auto* follow = page.find<QCheckBox>("logFollow");
        const auto lastBottom = [&] {
            return table->visualRect(page.model.index(page.model.rowCount() - 1, 3)).bottom();
        };
        page.lines(10);
        QVERIFY(page.shows(3010));
        QVERIFY(follow->isChecked());
        QCOMPARE(lastBottom(), table->viewport()->height() - 1);

        table->verticalScrollBar()->triggerAction(QScrollBar::SliderPageStepSub);
        QVERIFY(!follow->isChecked());
        const auto middle = [&] {
            return table->indexAt({300, table->viewport()->height() / 2})
                .siblingAtColumn(int(LogModel::Column::Text))
                .data()
                .toString();
        };
        const QString read = middle();
        QVERIFY(read.startsWith("line "));
        for (int i = 1; i <= 20; ++i) {
            page.lines(401);
            QVERIFY(page.shows(3010 + 401 * i));
            QCOMPARE(middle(), read);
        }
        follow->setChecked(true);
        QCOMPARE(lastBottom(), table->viewport()->height() - 1);
    }
    void theLogsProcessesAreInOrderWhoeverWritesFirst() {
        Page page;
        page.book->add({{1, 1, job::Role::Worker, 1, "a"},
                        {1, 0, job::Role::Evaluator, 1, "b"},
                        {1, 10, job::Role::Worker, 1, "c"},
                        {1, 0, job::Role::Worker, 1, "d"}});
        page.model.follow(page.book);
        const auto* process = page.find<QComboBox>("logProcess");
        QStringList names;
        for (int i = 0; i < process->count(); ++i)
            names << process->itemText(i);
        QCOMPARE(names.join(QLatin1Char('|')),
                 QStringLiteral("All processes|process 0|process 1|process 10|evaluator"));
    }
    void theSearchGoesFromMatchToMatchAndCountsThem() {
        Page page;
        page.lines(500);
        QVERIFY(page.shows(500));
        auto* field = page.find<QLineEdit>("logFindEdit");
        auto* count = page.find<QLabel>("logFindCount");
        field->setFocus();
        QTest::keyClicks(field, "line 12");  // 12, 120 to 129
        QTRY_COMPARE_WITH_TIMEOUT(page.chosen(), QStringLiteral("line 12"), kWait);
        QTRY_COMPARE_WITH_TIMEOUT(count->text(), QStringLiteral("1 of 11"), kWait);
        QVERIFY(!page.find<QCheckBox>("logFollow")->isChecked());
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(page.chosen(), QStringLiteral("line 120"));
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);  // round
        QCOMPARE(page.chosen(), QStringLiteral("line 129"));
        QCOMPARE(count->text(), QStringLiteral("11 of 11"));
        QTest::keyClick(&page.page, Qt::Key_F3);
        QCOMPARE(page.chosen(), QStringLiteral("line 12"));
        QTest::keyClick(&page.page, Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(page.chosen(), QStringLiteral("line 129"));
        field->setText(QStringLiteral("nowhere"));
        QTRY_COMPARE_WITH_TIMEOUT(count->text(), QStringLiteral("No line has it"), kWait);
        QCOMPARE(page.model.rowCount(), 500);  // it is no filter
    }
    void aWrongExpressionIsSaidAndNothingIsLost() {
        Page page;
        page.lines(300);
        auto* filter = page.find<QLineEdit>("logFilterEdit");
        auto* said = page.find<QLabel>("logSaid");
        page.find<QToolButton>("logFilterRegex")->setChecked(true);
        filter->setText(QStringLiteral("line [12]$"));
        QVERIFY(page.shows(2));
        filter->setText(QStringLiteral("line [12"));
        QVERIFY2(said->text().startsWith(QStringLiteral("Not a regular expression: ")),
                 qPrintable(said->text()));
        QVERIFY(said->isVisible());
        QCOMPARE(page.model.rowCount(), 2);
        page.find<QToolButton>("logFilterRegex")->setChecked(false);
        QVERIFY(!said->isVisible());
        filter->clear();
        QVERIFY(page.shows(300));

        page.find<QToolButton>("logFindRegex")->setChecked(true);
        auto* field = page.find<QLineEdit>("logFindEdit");
        field->setText(QStringLiteral("line (1|2)$"));
        QTRY_COMPARE_WITH_TIMEOUT(page.model.found().size(), std::size_t(2), kWait);
        field->setText(QStringLiteral("line (1|2"));
        QVERIFY(said->isVisible());
        QCOMPARE(page.model.found().size(), std::size_t(2));
    }
    void aTracebackIsUnfoldedByKeyAndByClick() {
        Page page;
        page.say(0, "before");
        page.say(0, "Traceback (most recent call last):", 3);
        page.say(0, "  File \"a.py\", line 1", 3);
        page.say(0, "ValueError: bad", 3);
        page.lines(1);
        QVERIFY(page.shows(3));
        auto* table = page.find<QTableView>("logTable");
        table->selectRow(1);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Right);
        QCOMPARE(page.model.rowCount(), 5);
        table->selectRow(3);
        QTest::keyClick(table, Qt::Key_Left);  // from inside it
        QCOMPARE(page.model.rowCount(), 3);
        QCOMPARE(table->currentIndex().row(), 1);
        const QRect cell = table->visualRect(page.model.index(1, int(LogModel::Column::Text)));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                          {cell.left() + 14, cell.center().y()});
        QCOMPARE(page.model.rowCount(), 5);
    }
    void oneGoesToALineAndToATime() {
        Page page;
        page.lines(4000);
        QVERIFY(page.shows(4000));
        auto* field = page.find<QLineEdit>("logGoEdit");
        const auto go = [&](const QString& to) {
            field->setText(to);
            QTest::keyClick(field, Qt::Key_Return);
            return page.chosen();
        };
        QCOMPARE(go(QStringLiteral("2,500")), QStringLiteral("line 2500"));
        const auto moment = QDateTime::fromSecsSinceEpoch(1'790'000'000 + 700);
        QCOMPARE(go(moment.toString(QStringLiteral("HH:mm:ss"))), QStringLiteral("line 700"));
        auto* said = page.find<QLabel>("logSaid");
        QCOMPARE(go(QStringLiteral("9999")), QStringLiteral("line 4000"));
        QVERIFY2(said->text().startsWith(QStringLiteral("There are ")), qPrintable(said->text()));
        go(QStringLiteral("soon"));
        QVERIFY2(said->text().contains(QStringLiteral("neither")), qPrintable(said->text()));
        QTest::keyClick(&page.page, Qt::Key_G, Qt::ControlModifier);
        QVERIFY(field->hasFocus());
    }
    void ofOneLineAndOfNoneItIsSaidWhereTheyAreGoneTo() {
        Page page;
        page.book->add({{1, 1, job::Role::Worker, 1, "10 %", true}});
        page.model.follow(page.book);
        QVERIFY(page.shows(1));
        auto* field = page.find<QLineEdit>("logGoEdit");
        auto* said = page.find<QLabel>("logSaid");
        for (const char* to : {"1", "14:05:12"}) {
            field->setText(QLatin1String(to));
            QTest::keyClick(field, Qt::Key_Return);
            QCOMPARE(said->text(), QStringLiteral("No line is finished yet."));
        }
        page.lines(1);
        QVERIFY(page.shows(2));
        field->setText(QStringLiteral("7"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(said->text(), QStringLiteral("There is one line. This is it."));
        QCOMPARE(page.chosen(), QStringLiteral("line 1"));
    }
    void theLastLineIsGoneToBesideOneThatIsNotFinished() {
        Page page;
        page.book->add({{1, 1, job::Role::Worker, 1, "10 %", true}});
        page.lines(100);
        QVERIFY(page.shows(101));
        auto* field = page.find<QLineEdit>("logGoEdit");
        field->setText(QStringLiteral("9999"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(page.chosen(), QStringLiteral("line 100"));
    }
    void theChosenProcessStaysWhenAnotherMomentOfTheRunComes() {
        Page page;
        const auto moment = [&page] {
            page.book = std::make_shared<job::LogBook>("/nowhere");
            page.say(1, "of one");
            page.say(0, "of none");
            page.model.follow(page.book);
        };
        moment();
        auto* process = page.find<QComboBox>("logProcess");
        process->setCurrentText(QStringLiteral("process 1"));
        QVERIFY(page.shows(1));
        moment();
        QCOMPARE(process->currentText(), QStringLiteral("process 1"));
        QVERIFY(page.shows(1));
        QTest::qWait(50);  // a pause: more would come
        QCOMPARE(page.model.rowCount(), 1);
        // Where it has not written yet, all lines are shown; and those of another run.
        page.book = std::make_shared<job::LogBook>("/nowhere");
        page.say(0, "of none");
        page.model.follow(page.book);
        QCOMPARE(process->currentIndex(), 0);
        QVERIFY(page.shows(1));
        moment();
        process->setCurrentText(QStringLiteral("process 1"));
        page.model.clear();
        moment();
        QCOMPARE(process->currentIndex(), 0);
        QVERIFY(page.shows(2));
    }
    void copiedIsWhatIsChosen() {
        Page page;
        page.lines(50);
        QVERIFY(page.shows(50));
        auto* table = page.find<QTableView>("logTable");
        table->selectRow(7);
        page.find<QPushButton>("logCopyButton")->click();
        auto* said = page.find<QLabel>("logSaid");
        QTRY_COMPARE_WITH_TIMEOUT(said->text(), QStringLiteral("Copied 1 line."), kWait);
        QVERIFY(QGuiApplication::clipboard()->text().endsWith(QStringLiteral("  line 8")));
        table->clearSelection();
        page.find<QPushButton>("logCopyButton")->click();
        QTRY_COMPARE_WITH_TIMEOUT(said->text(), QStringLiteral("Copied 50 lines."), kWait);
    }
    void aTimeThatIsClickedMovesTheChartsCursor() {
        WindowFixture fixture;
        {
            const std::lock_guard lock(fixture.script().mutex);
            fixture.script().steps = ExampleRun::steps(1, 600);
            for (int i = 0; i < 100; ++i)
                fixture.script().logs.push_back(
                    {ExampleRun::kStartWallTime + 0.0019 * 600 * i / 100, 0, job::Role::Worker, 1,
                     "line " + std::to_string(i)});
        }
        QVERIFY(fixture.showLaunched(ExampleRun::view(600)));
        auto* loss = fixture.find<LiveChart>("lossChart");
        QTRY_COMPARE_WITH_TIMEOUT(loss->pointCount(), 3 * 600 + 2, kWait);
        auto* table = fixture.find<QTableView>("logTable");
        fixture.window().showPage(MainWindow::Page::Logs);
        settle(fixture.window());
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 100, kWait);
        table->scrollTo(table->model()->index(50, 0), QAbstractItemView::PositionAtCenter);
        const QRect cell = table->visualRect(table->model()->index(50, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
        QVERIFY(table->isVisible());  // the page stays
        const auto at = loss->group().crosshair();
        QVERIFY(at);
        QVERIFY2(std::abs(*at - 300) <= 12, qPrintable(QString::number(*at)));
        QTest::keyClick(table, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(loss->isVisible());
        fixture.window().showPage(MainWindow::Page::Logs);
    }
};

QTEST_MAIN(LogsPageTest)
#include "tst_logs_page.moc"
