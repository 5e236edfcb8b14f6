// SPDX-License-Identifier: GPL-3.0-or-later
// What widgets that paint themselves tell a screen reader of what is in them.
#include <QAccessible>
#include <QtTest>

#include "ui/style/units.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/heat_map.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/sample_grid.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/sparkline.h"
#include "ui/widgets/state_pill.h"
#include "ui/widgets/time_slider.h"

using namespace lockstep::ui;

namespace {

QAccessibleInterface* told(QWidget& widget) {
    return QAccessible::queryAccessibleInterface(&widget);
}

QString nameOf(const QAccessibleInterface* face) {
    return face ? face->text(QAccessible::Name) : QStringLiteral("nothing");
}

}  // namespace

class AccessiblePartsTest : public QObject {
    Q_OBJECT
private slots:
    void everyWidgetSaysWhatItIs() {
        StatePill pill(nullptr);
        pill.setState(QStringLiteral("Training"), Icon::Live, Tone::Good);
        QCOMPARE(told(pill)->role(), QAccessible::StaticText);
        QVERIFY(nameOf(told(pill)).contains(QLatin1String("Training")));
        Sparkline line;
        line.append(0.25F);
        QCOMPARE(told(line)->role(), QAccessible::Chart);
        QVERIFY(told(line)->text(QAccessible::Description).contains(QLatin1String("0.25")));
    }
    void aConfusionMatrixIsATableOfCells() {
        ConfusionMatrix matrix;
        matrix.resize(400, 420);
        matrix.setCounts({QStringLiteral("cat"), QStringLiteral("dog"), QStringLiteral("owl")},
                         {8, 2, 0, 1, 9, 0, 0, 3, 7});
        QAccessibleInterface* face = told(matrix);
        QCOMPARE(face->role(), QAccessible::Table);
        QCOMPARE(face->childCount(), 9);
        QAccessibleTableInterface* table = face->tableInterface();
        QVERIFY(table != nullptr);
        QCOMPARE(table->rowCount(), 3);
        QCOMPARE(table->columnCount(), 3);
        QCOMPARE(table->rowDescription(2), QStringLiteral("owl"));
        QAccessibleInterface* cell = table->cellAt(0, 1);
        QCOMPARE(cell, face->child(1));
        QCOMPARE(nameOf(cell),
                 QStringLiteral("cat taken for dog: 2 of 10 (%1)").arg(units::percent(0.2)));
        QCOMPARE(cell->role(), QAccessible::Cell);
        QCOMPARE(cell->tableCellInterface()->rowIndex(), 0);
        QCOMPARE(cell->tableCellInterface()->columnIndex(), 1);
        QCOMPARE(face->indexOfChild(cell), 1);
        QCOMPARE(cell->parent(), face);
        QCOMPARE(table->cellAt(0, 3), nullptr);
        // Where it is painted.
        const QPoint middle = cell->rect().center();
        QCOMPARE(face->childAt(middle.x(), middle.y()), cell);
        const QPoint corner = matrix.mapToGlobal(QPoint(0, 0));
        QCOMPARE(face->childAt(corner.x(), corner.y()), nullptr);

        QCOMPARE(table->selectedCellCount(), 0);
        matrix.reveal(2, 1);
        QCOMPARE(table->selectedCells(), QList{table->cellAt(2, 1)});
        QVERIFY(table->cellAt(2, 1)->state().selected);
        QVERIFY(!cell->state().selected);
    }
    void aCellThatIsGoneIsNotValid() {
        auto matrix = std::make_unique<ConfusionMatrix>();
        matrix->setCounts({QStringLiteral("cat"), QStringLiteral("dog")}, {1, 2, 3, 4});
        QAccessibleInterface* cell = told(*matrix)->child(3);
        const QAccessible::Id id = QAccessible::uniqueId(cell);
        QVERIFY(cell->isValid());
        matrix->clear();
        QVERIFY(!cell->isValid());
        QCOMPARE(nameOf(cell), QString());
        QCOMPARE(told(*matrix)->childCount(), 0);
        matrix.reset();
        QCOMPARE(QAccessible::accessibleInterface(id), nullptr);
    }
    void aMapWithRowsOfDifferentLengthsHasNoCellsBeyondTheirEnds() {
        const auto cell = [](const char* words) {
            HeatMap::Cell one;
            one.words = QLatin1String(words);
            return one;
        };
        HeatMap map;
        map.resize(400, 300);
        map.setRows({{QStringLiteral("a"), {cell("a 0"), cell("a 1")}},
                     {QStringLiteral("b"), {cell("b 0")}}},
                    std::nullopt);
        QAccessibleTableInterface* table = told(map)->tableInterface();
        QVERIFY(table != nullptr);
        QCOMPARE(told(map)->childCount(), 3);
        QCOMPARE(table->rowCount(), 2);
        QCOMPARE(table->columnCount(), 2);
        QCOMPARE(nameOf(table->cellAt(0, 1)), QStringLiteral("a 1"));
        QCOMPARE(nameOf(table->cellAt(1, 0)), QStringLiteral("b 0"));
        QCOMPARE(table->cellAt(1, 1), nullptr);
        QCOMPARE(table->rowDescription(1), QStringLiteral("b"));
        map.setCurrent(2);
        QCOMPARE(table->selectedCells(), QList{table->cellAt(1, 0)});
    }
    void samplesAreAListAndChoicesAreTabs() {
        SampleGrid grid;
        SampleGrid::Sample sample;
        sample.truth = QStringLiteral("seven");
        sample.prediction = QStringLiteral("two");
        grid.setSamples({sample, sample});
        QCOMPARE(told(grid)->role(), QAccessible::List);
        QCOMPARE(told(grid)->childCount(), 2);
        QCOMPARE(told(grid)->child(1)->role(), QAccessible::ListItem);
        QVERIFY(nameOf(told(grid)->child(1)).contains(QLatin1String("seven, taken for two")));

        SegmentedControl choice({QStringLiteral("Map"), QStringLiteral("Table")});
        choice.setCurrent(1);
        QCOMPARE(told(choice)->child(1)->role(), QAccessible::PageTab);
        QCOMPARE(nameOf(told(choice)->child(1)), QStringLiteral("Table"));
        QVERIFY(told(choice)->child(1)->state().selected);
        QVERIFY(!told(choice)->child(0)->state().selected);
    }
    void figuresAreWithinTheirLimits() {
        ProgressStrip strip;
        strip.setFraction(0.25);
        QAccessibleValueInterface* shown = told(strip)->valueInterface();
        QVERIFY(shown != nullptr);
        QCOMPARE(told(strip)->role(), QAccessible::ProgressBar);
        QCOMPARE(shown->currentValue().toDouble(), 25.0);
        QCOMPARE(shown->maximumValue().toDouble(), 100.0);
        shown->setCurrentValue(80);  // it is only shown
        QCOMPARE(strip.fraction(), 0.25);

        TimeSlider slider;
        slider.setSeconds(60);
        slider.setPlace(15);
        QAccessibleValueInterface* time = told(slider)->valueInterface();
        QVERIFY(time != nullptr);
        QCOMPARE(told(slider)->role(), QAccessible::Slider);
        QCOMPARE(time->currentValue().toDouble(), 15.0);
        QCOMPARE(time->maximumValue().toDouble(), 60.0);
        QSignalSpy wanted(&slider, &TimeSlider::wanted);
        time->setCurrentValue(30);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted[0][0].toDouble(), 30.0);
    }
};

QTEST_MAIN(AccessiblePartsTest)
#include "tst_accessible_parts.moc"
