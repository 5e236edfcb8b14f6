// SPDX-License-Identifier: GPL-3.0-or-later
// What the mean of a curve is, however many pieces it is computed in.
#include <QtTest>
#include <cmath>
#include <limits>

#include "ui/charts/store/smoothing.h"

using namespace lockstep::ui;

namespace {

const auto kNever = [] { return false; };

}  // namespace

class TestSmoothing : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void smoothingIsTheDebiasedMeanOfTheFiniteValues() {
        Column column;
        column.append(1, std::vector<float>{1, 2, std::numeric_limits<float>::quiet_NaN(), 4});
        Smoother smoother;

        const ColumnView mean = smoother.smooth(0, column.view(), 0.5, kNever);

        // last: 0.5, 1.25, -, 2.625; divided by 1 - 0.5^n: n = 1, 2, -, 3
        QCOMPARE(mean.at(0), 1.f);
        QCOMPARE(mean.at(1), float(1.25 / 0.75));
        QVERIFY(std::isnan(mean.at(2)));
        QCOMPARE(mean.at(3), 3.f);
    }

    void theMeanLiesAtTheStepsOfItsCurve() {
        Column column;
        for (int point = 0; point < 100; ++point)
            column.append(1000 + 10 * point, std::vector<float>{float(point)});
        Smoother smoother;
        ColumnView mean = smoother.smooth(0, column.view(), 0.5, kNever);
        QCOMPARE(mean.stepAt(0), 1000);
        QCOMPARE(mean.stepAt(99), 1990);
        QCOMPARE(mean.lowerBound(1500), 50);

        column.append(3000, std::vector<float>{7});
        mean = smoother.smooth(0, column.view(), 0.5, kNever);
        QCOMPARE(mean.stepAt(100), 3000);
    }

    void smoothingGoesOnWhereItWasInterrupted() {
        std::vector<float> values(200'000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float(i % 100);
        Column column;
        column.append(1, values);
        Smoother whole;
        Smoother broken;

        const ColumnView expected = whole.smooth(0, column.view(), 0.9, kNever);
        ColumnView actual = broken.smooth(0, column.view(), 0.9, [] { return true; });
        QVERIFY(actual.size() < expected.size());
        for (int i = 0; i < 10; ++i)
            actual = broken.smooth(0, column.view(), 0.9, [] { return true; });

        QCOMPARE(actual.size(), expected.size());
        for (qint64 i = 0; i < expected.size(); i += 997)
            QCOMPARE(actual.at(i), expected.at(i));
    }
};

QTEST_MAIN(TestSmoothing)
#include "tst_smoothing.moc"
