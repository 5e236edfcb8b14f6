// SPDX-License-Identifier: GPL-3.0-or-later
// The cards of named figures in the real window: searched, pinned, hidden, moved, by keys too; and
// found again as they were left.
#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QToolButton>
#include <QtTest>
#include <ctime>

#include "tests/ui/shell/window_fixture.h"
#include "ui/charts/surface/chart_card.h"
#include "ui/charts/surface/chart_surface.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/figure_layout.h"
#include "ui/pages/live/chart_grid.h"
#include "ui/pages/live/figure_shelf.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/live/scalar_feed.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;
using testsupport::kWait;
using testsupport::WindowFixture;

namespace {

struct Desk {
    WindowFixture fixture;

    explicit Desk(const std::string& job = "digits-mlp", int replicas = 2) {
        fixture.feed(600);
        fixture.feedScalars(ExampleRun::scalars(6, 600, replicas));
        job::RunView view = ExampleRun::view(600);
        view.name = job;
        view.replicaCount = replicas;
        fixture.showLaunched(view);
        fixture.window().showPage(MainWindow::Page::Live);
        (void)QTest::qWaitFor([this] { return grid() != nullptr && shown().size() == 6; }, kWait);
        (void)QTest::qWaitForWindowActive(&fixture.window());
    }
    [[nodiscard]] ChartGrid* grid() { return fixture.find<ChartGrid>("figureGrid"); }
    [[nodiscard]] ChartCard* card(const char* name) {
        const QByteArray whole = QByteArray("scalarChart ") + name;
        return qobject_cast<ChartCard*>(fixture.find<LiveChart>(whole.constData())->parentWidget());
    }
    /// The names of the figures as they stand on the page.
    [[nodiscard]] QStringList shown() {
        QStringList names;
        for (const ChartCard* each : grid()->cards())
            if (grid()->isShown(each)) names << each->property("figure").toString();
        return names;
    }
    [[nodiscard]] QString order() { return shown().join(QLatin1Char(' ')); }
    void type(const QString& words) {
        auto* search = fixture.find<QLineEdit>("figureSearch");
        search->clear();
        QTest::keyClicks(search, words);
    }
    [[nodiscard]] QString said() { return fixture.find<QLabel>("figureSearchSays")->text(); }
    void press(const char* name, Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        card(name)->chart().setFocus();
        QTest::keyClick(card(name)->findChild<ChartSurface*>(), key, modifiers);
    }
};

/// `count` named figures "0", "1" … of each replica at the steps 10 to 60, or at one step alone.
std::vector<job::ScalarColumns> figures(int count, int replicas, std::int64_t step = 0) {
    std::vector<job::ScalarColumns> all;
    for (int figure = 0; figure < count; ++figure)
        for (int replica = 0; replica < replicas; ++replica) {
            job::ScalarColumns columns;
            columns.name = std::to_string(figure);
            columns.replica = replica;
            for (std::int64_t at = step > 0 ? step : 10; at <= std::max<std::int64_t>(step, 60);
                 at += 10) {
                columns.steps.push_back(at);
                columns.wallTimes.push_back(ExampleRun::kStartWallTime + double(at));
                columns.values.push_back(figure + replica);
            }
            all.push_back(std::move(columns));
        }
    return all;
}

/// The page alone, with many figures.
struct WideDesk {
    LivePage page;

    WideDesk(int count, int replicas) {
        job::RunView view = ExampleRun::view(600);
        view.replicaCount = replicas;
        view.replicas.resize(std::size_t(replicas));
        for (int i = 0; i < replicas; ++i) {
            view.replicas[std::size_t(i)].role = job::Role::Worker;
            view.replicas[std::size_t(i)].replica = i;
            view.replicas[std::size_t(i)].processId = i;
        }
        view.starts = {{.firstStep = 0, .replicas = replicas}};
        page.resize(1280, 800);
        page.showView(view);
        page.addScalars(figures(count, replicas));
    }
    template <typename T>
    [[nodiscard]] T* find(const char* name) {
        return page.findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] LiveChart* chart(const char* figure) {
        return find<LiveChart>((QByteArray("scalarChart ") + figure).constData());
    }
    [[nodiscard]] QStringList shown() {
        QStringList names;
        const auto* grid = find<ChartGrid>("figureGrid");
        for (const ChartCard* each : grid->cards())
            if (grid->isShown(each)) names << each->property("figure").toString();
        return names;
    }
    [[nodiscard]] qsizetype cards() { return find<ChartGrid>("figureGrid")->cards().size(); }
    void type(const QString& words) { find<QLineEdit>("figureSearch")->setText(words); }
    [[nodiscard]] QString said() { return find<QLabel>("figureSearchSays")->text(); }
};

}  // namespace

class FigureShelfTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("lockstep-figure-shelf"));
    }
    void init() { QSettings().clear(); }

    void figuresAreSearchedByARegularExpression_data() {
        QTest::addColumn<int>("replicas");
        for (const int count : {1, 2, 16, 64})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }

    void figuresAreSearchedByARegularExpression() {
        QFETCH(int, replicas);
        Desk desk("digits-mlp", replicas);
        QCOMPARE(desk.order(),
                 QStringLiteral("train/f1 learning_rate grad_norm precision recall auc"));
        desk.type(QStringLiteral("^(pre|re)c"));
        QCOMPARE(desk.order(), QStringLiteral("precision recall"));
        QVERIFY(desk.said().contains(QStringLiteral("2")));
        desk.type(QStringLiteral("gradient"));  // as the card is called
        QCOMPARE(desk.order(), QStringLiteral("grad_norm"));

        desk.type(QStringLiteral("(auc"));
        QVERIFY2(desk.said().contains(QStringLiteral("regular expression")),
                 qPrintable(desk.said()));
        QVERIFY(desk.fixture.find<QLineEdit>("figureSearch")->property("invalid").toBool());
        QCOMPARE(desk.shown().size(), 6);  // what was right before it: nothing was sought

        desk.type(QStringLiteral("nothing of this"));
        QVERIFY(desk.shown().isEmpty());
        QVERIFY(!desk.said().isEmpty());
        desk.type({});
        QCOMPARE(desk.shown().size(), 6);
        QVERIFY(desk.said().isEmpty());
    }

    /// Patterns with a repetition of a repetition try more ways than there are atoms.
    void aPatternThatTriesTooMuchIsGivenUpAndSaid() {
        ChartGroup group;
        FigureShelf shelf;
        shelf.setCardMaker([&](const QString& name) {
            auto* chart = new LiveChart(&group);
            chart->setTitle(name);
            return new ChartCard(chart, &shelf);
        });
        QVector<FigureShelf::Name> names;
        for (int i = 0; i < 50; ++i) {
            const QString name = QString(100, QLatin1Char('a')) + QStringLiteral("-%1").arg(i);
            names.push_back({name, name});
        }
        shelf.add(names);
        auto* words = shelf.findChild<QLineEdit*>(QStringLiteral("figureSearch"));
        const auto* said = shelf.findChild<QLabel*>(QStringLiteral("figureSearchSays"));
        words->setText(QStringLiteral("a-4"));
        QVERIFY2(said->text().contains(QStringLiteral("11")), qPrintable(said->text()));
        const std::clock_t before = std::clock();
        words->setText(QStringLiteral("(a+)+$"));
        const double milliseconds = 1e3 * double(std::clock() - before) / CLOCKS_PER_SEC;
        QVERIFY2(said->text().startsWith(QStringLiteral("Too slow")), qPrintable(said->text()));
        QVERIFY2(milliseconds < 100, qPrintable(QString::number(milliseconds)));
        QVERIFY(words->property("invalid").toBool());
        qsizetype shown = 0;
        for (const ChartCard* card : shelf.grid().cards())
            shown += shelf.grid().isShown(card) ? 1 : 0;
        QCOMPARE(shown, 11);  // as before
    }

    void ofMoreFiguresThanAPageHasEachIsReached_data() {
        QTest::addColumn<int>("replicas");
        for (const int count : {1, 16, 100})
            QTest::newRow(qPrintable(QString::number(count))) << count;
    }
    void ofMoreFiguresThanAPageHasEachIsReached() {
        QFETCH(int, replicas);
        constexpr int kAll = 150;
        WideDesk desk(kAll, replicas);
        QCOMPARE(desk.shown().size(), qsizetype(64));
        QCOMPARE(desk.cards(), qsizetype(64));
        QCOMPARE(desk.said(), QStringLiteral("1 to 64 of 150 figures; search to see others"));

        // What a search finds has a card, with all that was said of it.
        desk.type(QStringLiteral("^149$"));
        QCOMPARE(desk.shown(), QStringList{QStringLiteral("149")});
        QCOMPARE(desk.said(), QStringLiteral("Found: 1 of 150"));
        const auto* chart = desk.chart("149");
        QVERIFY(chart != nullptr);
        const int lines = replicas > 1 ? replicas + 1 : 1;  // and the mean
        QCOMPARE(chart->pointCount(), qint64(lines) * 6);
        desk.page.addScalars(figures(kAll, replicas, 70));  // the next step of each
        QCOMPARE(chart->pointCount(), qint64(lines) * 7);

        // Pages have the others, and the last one no more than there are.
        desk.type({});
        desk.find<QToolButton>("figuresBehind")->click();
        QCOMPARE(desk.said(), QStringLiteral("65 to 128 of 150 figures; search to see others"));
        QCOMPARE(desk.shown().front(), QStringLiteral("64"));
        QCOMPARE(desk.chart("64")->pointCount(), qint64(lines) * 7);
        desk.find<QToolButton>("figuresBehind")->click();
        QCOMPARE(desk.shown().size(), qsizetype(150 - 128));
        QVERIFY(!desk.find<QToolButton>("figuresBehind")->isEnabled());

        // One that is pinned is on the first page, and so is whoever pinned it.
        desk.find<LiveChart>("scalarChart 140")
            ->parentWidget()
            ->findChild<QToolButton*>(QStringLiteral("pin"))
            ->click();
        QCOMPARE(desk.shown().front(), QStringLiteral("140"));
        QVERIFY(!desk.find<QToolButton>("figuresBefore")->isEnabled());
        desk.type(QStringLiteral("1"));
        QVERIFY2(desk.said().startsWith(QStringLiteral("Found: 69 of 150, here 1 to 64")),
                 qPrintable(desk.said()));
    }

    void figuresBeyondAllThatAreKeptAreTold() {
        WideDesk desk(int(ScalarFeed::kMostFigures) + 3, 1);
        const auto* leftOut = desk.find<QLabel>("figuresLeftOut");
        QVERIFY2(!leftOut->isHidden() && leftOut->text().contains(QStringLiteral(": 3.")),
                 qPrintable(leftOut->text()));
        QVERIFY(desk.said().contains(QString::number(ScalarFeed::kMostFigures)));
        QCOMPARE(desk.cards(), qsizetype(64));
        desk.page.reset();
        QCOMPARE(desk.cards(), qsizetype(0));
    }

    /// Who waits for a card takes no memory without end; that its chart begins later is said.
    void whatWaitsWithoutEndIsCutAndTold() {
        WideDesk desk(65, 1);
        job::ScalarColumns columns;
        columns.name = "64";
        for (std::int64_t step = 100; step < 1'000'100; ++step) {
            columns.steps.push_back(step);
            columns.wallTimes.push_back(double(step));
            columns.values.push_back(1);
        }
        const auto* leftOut = desk.find<QLabel>("figuresLeftOut");
        for (int i = 0; i < 9; ++i) {
            QVERIFY(i >= 8 || leftOut->isHidden());
            desk.page.addScalars({columns});
            for (std::int64_t& step : columns.steps)
                step += 1'000'000;
        }
        QVERIFY(!leftOut->isHidden());
        desk.find<QToolButton>("figuresBehind")->click();
        QVERIFY(desk.chart("64") != nullptr);
        const qint64 points = desk.chart("64")->pointCount();
        QVERIFY2(points > 3'000'000 && points < 8'000'000, qPrintable(QString::number(points)));
        QCOMPARE(desk.chart("64")->newestValue(0), 1.0F);
    }

    void tabReachesThePinBeforeItsChart() {
        Desk desk;
        for (ChartCard* card : desk.grid()->cards()) {
            const auto* pin = card->findChild<QToolButton*>(QStringLiteral("pin"));
            const QWidget* chart = card->findChild<ChartSurface*>();
            const QWidget* next = pin;
            do
                next = next->nextInFocusChain();
            while (next != pin && next != chart && card->isAncestorOf(next));
            QVERIFY2(next == chart, qPrintable(card->title()));
        }
        const QWidget* search = desk.fixture.find<QLineEdit>("figureSearch");
        const QWidget* next = search;  // the rail and the header come before all of this
        do
            next = next->nextInFocusChain();
        while (next != search && !((next->focusPolicy() & Qt::TabFocus) && next->isVisible()));
        QVERIFY2(desk.grid()->cards().first()->isAncestorOf(next),
                 qPrintable(next->accessibleName()));
    }

    void keysPinHideAndMove() {
        Desk desk;
        desk.press("recall", Qt::Key_P);
        QCOMPARE(desk.order(),
                 QStringLiteral("recall train/f1 learning_rate grad_norm precision auc"));
        QVERIFY(desk.card("recall")->findChild<QToolButton*>(QStringLiteral("pin"))->isChecked());
        desk.press("grad_norm", Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(desk.order(),
                 QStringLiteral("recall train/f1 grad_norm learning_rate precision auc"));
        const AxisRange range = desk.card("auc")->chart().group().xRange();
        desk.press("train/f1", Qt::Key_Left, Qt::AltModifier);  // not before what is pinned
        QCOMPARE(desk.order(),
                 QStringLiteral("recall train/f1 grad_norm learning_rate precision auc"));
        QCOMPARE(desk.card("auc")->chart().group().xRange(), range);  // nothing was panned
        desk.press("auc", Qt::Key_H);
        QCOMPARE(desk.order(), QStringLiteral("recall train/f1 grad_norm learning_rate precision"));
        QVERIFY(desk.card("precision")->isAncestorOf(desk.fixture.window().focusWidget()));
        QVERIFY(desk.fixture.find<QPushButton>("hiddenFigures")->text().contains(QLatin1Char('1')));
        desk.press("recall", Qt::Key_P);
        QCOMPARE(desk.shown().last(), QStringLiteral("recall"));
    }

    void menusOfferTheSame() {
        Desk desk;
        QMenu menu;
        Q_EMIT desk.grid()->menuAsked(desk.card("auc"), &menu);
        QStringList verbs;
        for (const QAction* action : menu.actions())
            if (!action->isSeparator()) verbs << action->objectName();
        QCOMPARE(verbs,
                 QStringList({QStringLiteral("pinFigure"), QStringLiteral("hideFigure"),
                              QStringLiteral("moveFigureEarlier"),
                              QStringLiteral("moveFigureLater"), QStringLiteral("copyChart"),
                              QStringLiteral("copyChartPoints"), QStringLiteral("saveChart")}));
        menu.findChild<QAction*>(QStringLiteral("pinFigure"))->trigger();
        QCOMPARE(desk.shown().first(), QStringLiteral("auc"));
        QTest::mouseClick(desk.card("auc")->findChild<QToolButton*>(QStringLiteral("pin")),
                          Qt::LeftButton);
        QCOMPARE(desk.shown().last(), QStringLiteral("auc"));
    }

    void theArrangementIsThatOfTheJobsName() {
        const QString job = QStringLiteral("vision/resnet 18");
        {
            Desk desk(job.toStdString());
            desk.press("precision", Qt::Key_P);
            desk.press("learning_rate", Qt::Key_Right, Qt::AltModifier);
            desk.press("auc", Qt::Key_H);
        }
        const QString arranged =
            QStringLiteral("precision train/f1 grad_norm learning_rate recall");
        {
            Desk other("another");
            QCOMPARE(other.order(),
                     QStringLiteral("train/f1 learning_rate grad_norm precision recall auc"));
        }
        FigureLayout layout;
        layout.open(job);
        QVERIFY(layout.isPinned(QStringLiteral("precision")));
        QVERIFY(layout.isHidden(QStringLiteral("auc")));
        {
            WindowFixture fixture;
            fixture.feed(600);
            fixture.feedScalars(ExampleRun::scalars(6, 600));
            job::RunView view = ExampleRun::view(600);
            view.name = job.toStdString();
            QVERIFY(fixture.showLaunched(view));
            fixture.window().showPage(MainWindow::Page::Live);
            const auto order = [&fixture] {
                QStringList names;
                const auto* grid = fixture.find<ChartGrid>("figureGrid");
                for (const ChartCard* each : grid->cards())
                    if (grid->isShown(each)) names << each->property("figure").toString();
                return names.join(QLatin1Char(' '));
            };
            QTRY_COMPARE_WITH_TIMEOUT(order(), arranged, kWait);

            auto* hidden = fixture.find<QPushButton>("hiddenFigures");
            Q_EMIT hidden->menu()->aboutToShow();
            hidden->menu()->findChild<QAction*>(QStringLiteral("showAllFigures"))->trigger();
            QCOMPARE(order(),
                     QStringLiteral("train/f1 learning_rate grad_norm precision recall auc"));
            QVERIFY(hidden->isHidden());
        }
    }

    void ctrlFSearchesTheFiguresOfLive() {
        Desk desk;
        QTest::keyClick(&desk.fixture.window(), Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(desk.fixture.window().focusWidget(),
                 static_cast<QWidget*>(desk.fixture.find<QLineEdit>("figureSearch")));
    }

    void whatIsMovedPassesWhatIsHidden() {
        FigureLayout layout;
        layout.open(QStringLiteral("job"));
        const QStringList names{QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")};
        layout.setHidden(QStringLiteral("b"), true);
        const QStringList seen{QStringLiteral("a"), QStringLiteral("c")};
        QVERIFY(layout.move(QStringLiteral("c"), false, seen));
        QVERIFY(!layout.move(QStringLiteral("c"), false, seen));
        QStringList arranged = layout.arranged(names);
        arranged.removeAll(QStringLiteral("b"));
        QCOMPARE(arranged, QStringList({QStringLiteral("c"), QStringLiteral("a")}));
    }
};

QTEST_MAIN(FigureShelfTest)
#include "tst_figure_shelf.moc"
