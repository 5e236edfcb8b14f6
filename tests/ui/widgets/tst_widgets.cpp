// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAccessible>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>

#include "ui/style/theme.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/figure_label.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/navigation_rail.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/phase_bar.h"
#include "ui/widgets/sample_grid.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep::ui;

namespace {

QString accessibleName(QWidget* widget) {
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
    return face != nullptr ? face->text(QAccessible::Name) : QString();
}

/// How often the layout of a window was told to begin anew.
class LayoutRequests : public QObject {
public:
    explicit LayoutRequests(QWidget& window) { window.installEventFilter(this); }
    bool eventFilter(QObject* watched, QEvent* event) override {
        count += event->type() == QEvent::LayoutRequest ? 1 : 0;
        return QObject::eventFilter(watched, event);
    }
    int count = 0;
};

}  // namespace

class TestWidgets : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, ThemeMode::Light); }

    void whatIsDisabledIsGrey_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void whatIsDisabledIsGrey() {
        QFETCH(bool, dark);
        applyTheme(*qApp, dark ? ThemeMode::Dark : ThemeMode::Light);
        const auto restore = qScopeGuard([] { applyTheme(*qApp, ThemeMode::Light); });
        // The inks of a text, whose edges are mixed with its ground.
        const auto holds = [](QWidget& widget, const QColor& ink) {
            const QImage picture = widget.grab().toImage();
            for (int y = 0; y < picture.height(); ++y)
                for (int x = 0; x < picture.width(); ++x)
                    if (picture.pixelColor(x, y) == ink) return true;
            return false;
        };
        QWidget page;
        const QString text = QStringLiteral("█");
        auto* tool = new QToolButton(&page);
        tool->setText(text);
        auto* box = new QCheckBox(text, &page);
        auto* label = new QLabel(text, &page);
        auto* said = new QLabel(text, &page);
        said->setProperty("secondary", true);
        auto* loses = new QPushButton(text, &page);
        loses->setProperty("danger", true);
        auto* toggle = new QToolButton(&page);
        toggle->setText(text);
        toggle->setProperty("toggle", true);
        auto* layout = new QHBoxLayout(&page);
        page.show();
        for (QWidget* each : QList<QWidget*>{tool, box, label, said, loses, toggle}) {
            layout->addWidget(each);
            QVERIFY(!holds(*each, Theme::current().textDisabled));
            each->setEnabled(false);
            QVERIFY2(holds(*each, Theme::current().textDisabled), each->metaObject()->className());
            for (const QColor& ink :
                 {Theme::current().text, Theme::current().textSecondary, Theme::current().bad})
                QVERIFY2(!holds(*each, ink), each->metaObject()->className());
        }
    }

    void whatFlowsStandsInOneRowAtTheWidthThatItAsksFor() {
        QWidget bar;
        auto* flow = new FlowLayout(&bar, kGrid);
        for (const char* words : {"Follow", "All steps", "Log x"})
            flow->addWidget(new QPushButton(QLatin1String(words), &bar));
        bar.show();
        bar.resize(flow->sizeHint().width(), 200);
        flow->activate();
        for (int i = 1; i < flow->count(); ++i)
            QCOMPARE(flow->itemAt(i)->geometry().top(), flow->itemAt(0)->geometry().top());
        QCOMPARE(flow->itemAt(2)->geometry().right(), bar.width() - 1);
    }

    void everythingThatTakesTheFocusHasAName() {
        QWidget page;
        auto* rail = new NavigationRail(&page);
        rail->addEntry(Icon::Job, QStringLiteral("&Job"));
        rail->addEntry(Icon::Live, QStringLiteral("&Live"));
        new SegmentedControl({QStringLiteral("Step"), QStringLiteral("Time")}, &page);
        new ConfusionMatrix(&page);
        new SampleGrid(&page);
        auto* notice = new NoticeBar(&page);
        notice->showNotice({Tone::Bad, QStringLiteral("It failed."), {}, QStringLiteral("why")});
        auto* empty = new EmptyState(Icon::Live, QStringLiteral("Nothing"), {}, &page);
        empty->addButton(QStringLiteral("Launch"));
        page.show();

        int seen = 0;
        for (QWidget* widget : page.findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible()) continue;
            ++seen;
            QVERIFY2(!accessibleName(widget).isEmpty(), widget->metaObject()->className());
        }
        QVERIFY(seen >= 7);
    }

    void theRailMovesByKeysAndTellsOnce() {
        NavigationRail rail;
        for (const char* word : {"Job", "Live", "Logs"}) {
            rail.addEntry(Icon::Job, QString::fromLatin1(word));
        }
        QSignalSpy changed(&rail, &NavigationRail::currentChanged);

        QTest::keyClick(&rail, Qt::Key_Down);
        QCOMPARE(rail.current(), 1);
        QTest::keyClick(&rail, Qt::Key_End);
        QTest::keyClick(&rail, Qt::Key_Down);
        QCOMPARE(rail.current(), 2);
        QTest::keyClick(&rail, Qt::Key_Home);
        QCOMPARE(rail.current(), 0);
        QCOMPARE(changed.count(), 3);
    }

    void aSegmentIsChosenByMouseAndKeys() {
        SegmentedControl control({QStringLiteral("Step"), QStringLiteral("Time")});
        control.resize(control.sizeHint());
        QSignalSpy changed(&control, &SegmentedControl::currentChanged);

        QTest::mouseClick(&control, Qt::LeftButton, {}, {control.width() - 10, 10});
        QCOMPARE(control.current(), 1);
        QTest::keyClick(&control, Qt::Key_Left);
        QCOMPARE(control.current(), 0);
        QTest::keyClick(&control, Qt::Key_Left);
        QCOMPARE(changed.count(), 2);
    }

    void aNoticeCanBeCopiedAndDismissed() {
        NoticeBar bar;
        QVERIFY(bar.isHidden());
        bar.showNotice({Tone::Warn, QStringLiteral("Slow."), QStringLiteral("Wait."),
                        QStringLiteral("process 1")});
        bar.addAction(QStringLiteral("Stop"));
        QSignalSpy dismissed(&bar, &NoticeBar::dismissed);
        QVERIFY(!bar.isHidden());

        for (QToolButton* button : bar.findChildren<QToolButton*>()) {
            if (!button->text().isEmpty()) button->click();
        }
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("Slow.\nWait.\nprocess 1"));
        QTest::keyClick(&bar, Qt::Key_Escape);
        QVERIFY(bar.isHidden());
        QCOMPARE(dismissed.count(), 1);
    }

    void theMatrixTellsItsCellsInWords() {
        ConfusionMatrix matrix;
        matrix.setCounts({QStringLiteral("cat"), QStringLiteral("dog")}, {8, 2, 1, 9});
        matrix.resize(400, 400);
        QSignalSpy activated(&matrix, &ConfusionMatrix::cellActivated);

        QTest::keyClick(&matrix, Qt::Key_Right);
        QVERIFY(matrix.readout().startsWith(QStringLiteral("cat taken for dog: 2 of 10")));
        QTest::keyClick(&matrix, Qt::Key_Return);

        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated.at(0).at(0).toInt(), 0);
        QCOMPARE(activated.at(0).at(1).toInt(), 1);
    }

    void countsOfTheWrongSizeAreIgnored() {
        ConfusionMatrix matrix;
        matrix.setCounts({QStringLiteral("cat"), QStringLiteral("dog")}, {1, 2, 3});
        QVERIFY(matrix.readout().isEmpty());
        QVERIFY(!matrix.grab().isNull());
    }

    void samplesFlowToTheWidth() {
        SampleGrid grid;
        QVector<SampleGrid::Sample> samples(24);
        for (auto& sample : samples)
            sample.image = QImage(28, 28, QImage::Format_Grayscale8);
        grid.setSamples(samples);

        QVERIFY(grid.heightForWidth(300) > grid.heightForWidth(900));
        grid.resize(540, grid.heightForWidth(540));
        QCOMPARE(grid.columns(), 6);
        QTest::keyClick(&grid, Qt::Key_Down);
        QVERIFY(!grid.accessibleDescription().isEmpty());
    }

    void thePhaseBarKnowsItsParts() {
        PhaseBar bar;
        bar.resize(100, 12);
        bar.setParts({{QStringLiteral("forward"), 1, Qt::red},
                      {QStringLiteral("nothing"), -1, Qt::black},
                      {QStringLiteral("backward"), 3, Qt::blue}});
        QCOMPARE(bar.partAt(10), 0);
        QCOMPARE(bar.partAt(26), 2);
        QCOMPARE(bar.partAt(99), 2);
        bar.setParts({});
        QCOMPARE(bar.partAt(10), -1);
    }

    void longTextIsElided() {
        ElidedLabel label(QStringLiteral("a rather long path that does not fit"));
        label.resize(60, 20);
        QVERIFY(label.isElided());
        label.resize(2000, 20);
        QVERIFY(!label.isElided());
    }

    void aFigureThatFitsDisturbsNoLayout() {
        QWidget window;
        auto* layout = new QHBoxLayout(&window);
        auto* figure = new FigureLabel(&window);
        layout->addWidget(figure);
        figure->setFigure(QStringLiteral("123.4"));
        const int width = figure->width();
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        layout->activate();
        LayoutRequests requests(window);
        for (const char* text : {"99.9", "1", "432.1"})
            figure->setFigure(QString::fromLatin1(text));
        QCoreApplication::processEvents();
        QCOMPARE(requests.count, 0);
        QCOMPARE(figure->text(), QStringLiteral("432.1"));

        figure->setFigure(QStringLiteral("1 234 567.8"));
        QCoreApplication::processEvents();
        QVERIFY(requests.count > 0);
        QVERIFY(figure->width() > width);
    }

    void whatHasNoRoomBesideTheOthersStandsInAFurtherRow() {
        QWidget bar;
        auto* row = new FlowLayout(&bar, 8);
        std::vector<QWidget*> buttons;
        for (int i = 0; i < 3; ++i) {
            buttons.push_back(new QWidget(&bar));
            buttons.back()->setFixedSize(100, 20);
            if (i == 2) row->addStretch();
            row->addWidget(buttons.back());
        }
        bar.show();
        const auto places = [&](int width) {
            bar.resize(width, row->heightForWidth(width));
            row->setGeometry(bar.rect());
            return QList<QRect>{buttons[0]->geometry(), buttons[1]->geometry(),
                                buttons[2]->geometry()};
        };
        const QList<QRect> wide = places(500);
        QCOMPARE(wide[0].x(), 0);
        QCOMPARE(wide[1].x(), 108);
        QCOMPARE(wide[2].right(), 499);  // behind the stretch
        const QList<QRect> narrow = places(210);
        QCOMPARE(narrow[0].y(), narrow[1].y());
        QVERIFY(narrow[2].y() > narrow[1].bottom());
        QVERIFY(row->heightForWidth(210) > row->heightForWidth(500));
        for (const QRect& place : narrow)
            QVERIFY(bar.rect().contains(place));
    }

    void digitsAreAllOfOneWidth() {
        for (const QFont& font : {QApplication::font(), smallFont(), strongFont(), titleFont()}) {
            const QFontMetricsF metrics(font);
            for (const char digit : {'0', '2', '5', '7'}) {
                QCOMPARE(metrics.horizontalAdvance(QLatin1Char(digit)),
                         metrics.horizontalAdvance(QLatin1Char('1')));
            }
        }
    }
};

QTEST_MAIN(TestWidgets)
#include "tst_widgets.moc"
