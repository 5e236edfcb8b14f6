// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <numbers>

#include "core/base/plain_math.h"

using namespace lockstep;

namespace {

bool near(double found, double wanted) {
    const bool isNear = std::abs(found - wanted) <= 4e-15 * std::max(1.0, std::abs(wanted));
    if (!isNear) qWarning("%.17g instead of %.17g", found, wanted);
    return isNear;
}

}  // namespace

class PlainMathTest : public QObject {
    Q_OBJECT
private slots:
    void anglesAreThoseOfTheLibrary() {
        for (int i = 0; i <= 1000; ++i) {
            const double x = i / 1000.0;
            QVERIFY(near(cosOfPi(x), std::cos(std::numbers::pi * x)));
            QVERIFY(near(sinOfPi(x), std::sin(std::numbers::pi * x)));
        }
        QCOMPARE(cosOfPi(0.5), 0.0);
        QCOMPARE(sinOfPi(1), 0.0);
    }
    void powersAndLogarithmsAreThoseOfTheLibrary() {
        for (int i = -200; i <= 200; ++i) {
            const double x = i / 7.0;
            QVERIFY(near(exponential(x) / std::exp(x), 1));
            QVERIFY(near(naturalLog(std::exp(x)), x));
        }
        QCOMPARE(exponential(0), 1.0);
        QCOMPARE(exponential(-1000), 0.0);
        QCOMPARE(naturalLog(1), 0.0);
    }
    void sharesOfANormalDistributionAreThoseOfTheLibrary() {
        for (int i = -80; i <= 80; ++i) {
            const double x = i / 10.0;
            QVERIFY(near(normalShareBelow(x), 0.5 * std::erfc(-x / std::numbers::sqrt2)));
        }
    }
};

QTEST_APPLESS_MAIN(PlainMathTest)
#include "tst_plain_math.moc"
