// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <cmath>

#include "ui/charts/surface/value_plot.h"

using namespace lockstep::ui;

class ValuePlotTest : public QObject {
    Q_OBJECT
private slots:
    void valuesAreCountedByHowFarOffTheyAre() {
        ValuePlot plot;
        plot.setValues(QStringLiteral("price"),
                       {{1, 1}, {2, 2.5}, {3, 1}, {4, 4}, {5, std::nan("")}});
        int all = 0;
        for (const int bar : plot.bars())
            all += bar;
        QCOMPARE(all, 4);  // what is no number is left out
        QCOMPARE(plot.bars().front(), 1);
        QCOMPARE(plot.bars()[plot.bars().size() / 2], 2);
        QVERIFY(plot.accessibleDescription().contains(QStringLiteral("4 values of price")));
        plot.resize(420, 460);
        plot.show();
        QTest::keyClick(&plot, Qt::Key_Right);
        QCOMPARE(plot.readout(), QStringLiteral("true 3.000, predicted 1.000: 2.000 too low"));
        QTest::keyClick(&plot, Qt::Key_Right);
        QCOMPARE(plot.readout(), QStringLiteral("true 2.000, predicted 2.500: 0.5000 too high"));
        QVERIFY(!plot.grab().isNull());
    }
    void equalValuesAndNoneHaveAPlotToo() {
        ValuePlot plot;
        plot.resize(420, 460);
        for (const QVector<QPointF>& values :
             {QVector<QPointF>{}, QVector<QPointF>{{2, 2}}, QVector<QPointF>{{2, 2}, {2, 2}}}) {
            plot.setValues(QStringLiteral("x"), values);
            QVERIFY(!plot.grab().isNull());
        }
    }
    void axesAndBarsHaveRoundNumbers() {
        ValuePlot plot;
        plot.setValues(QStringLiteral("price"),
                       {{14999, 81234}, {500001, 423456.7}, {251000, 250000}});
        const QVector<Tick> ticks = plot.ticks();
        QVERIFY(ticks.size() >= 3);
        for (const Tick& tick : ticks)
            QCOMPARE(std::fmod(tick.position, 50000), 0.0);
        // Off by 76 544 at most: bars of 5 000 each, fifteen on either side of the one around 0.
        QCOMPARE(plot.barWidth(), 5000.0);
        QCOMPARE(plot.bars().size(), qsizetype(31));
        QCOMPARE(plot.bars()[15], 1);  // 1 000 too low
        QCOMPARE(plot.bars()[0], 1);   // 76 544 too low
        QCOMPARE(plot.bars()[28], 1);  // 66 234 too high
        plot.resize(420, 460);
        QTest::keyClick(&plot, Qt::Key_Right);
        QCOMPARE(plot.readout().replace(QChar(0x202f), QLatin1Char(' ')),
                 QStringLiteral("true 500 001, predicted 423 457: 76 544 too low"));
    }
};

QTEST_MAIN(ValuePlotTest)
#include "tst_value_plot.moc"
