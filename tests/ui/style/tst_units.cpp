// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <limits>

#include "ui/style/units.h"

using namespace lockstep::ui;

class TestUnits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersReadAsIntended_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QTest::newRow("bytes") << units::bytes(512) << "512 B";
        QTest::newRow("mebibytes") << units::bytes(3.5 * 1024 * 1024) << "3.50 MiB";
        QTest::newRow("almost the next unit") << units::bytes(1023.9) << "1.00 KiB";
        QTest::newRow("rate") << units::rate(12'345) << "12.3 k/s";
        QTest::newRow("samples a second") << units::thousands(2219) << "2.22 k";
        QTest::newRow("few samples a second") << units::thousands(950) << "950";
        QTest::newRow("short") << units::duration(0.42) << "0.42 s";
        QTest::newRow("seconds") << units::duration(59.4) << "59 s";
        QTest::newRow("a minute") << units::duration(59.6) << "1 m 00 s";
        QTest::newRow("minutes") << units::duration(125) << "2 m 05 s";
        QTest::newRow("hours") << units::duration(3720) << "1 h 02 m";
        QTest::newRow("days") << units::duration(90'000) << "1 d 01 h";
        QTest::newRow("count") << units::count(1'234'567) << "1 234 567";
        QTest::newRow("negative count") << units::count(-123) << "-123";
        QTest::newRow("percent") << units::percent(0.9732, 2) << "97.32 %";
        QTest::newRow("short percent") << units::shortPercent(0.98) << "98 %";
        QTest::newRow("short percent of a zoom") << units::shortPercent(0.9825) << "98.25 %";
        QTest::newRow("nan") << units::percent(nan) << "NaN";
        QTest::newRow("milliseconds") << units::milliseconds(0.834) << "0.83 ms";
        QTest::newRow("seconds of milliseconds") << units::milliseconds(1204) << "1.20 s";
        QTest::newRow("number") << units::number(0.12345) << "0.1235";
        QTest::newRow("small number") << units::number(0.0912) << "0.0912";
        QTest::newRow("tiny number") << units::number(1.234e-7) << "1.23e-07";
        QTest::newRow("compact") << units::compact(12'345) << "12.35 k";
        QTest::newRow("compact whole") << units::compact(4e6) << "4 M";
    }
    void numbersReadAsIntended() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(text.replace(QChar(0x202f), QLatin1Char(' ')), expected);
    }
};

QTEST_GUILESS_MAIN(TestUnits)
#include "tst_units.moc"
