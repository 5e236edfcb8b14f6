// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSet>
#include <QtTest>
#include <cmath>

#include "ui/charts/paint/ticks.h"
#include "ui/charts/paint/y_scale.h"
#include "ui/style/theme.h"

using namespace lockstep::ui;

class TestScales : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ticksAreRoundInsideTheRangeAndUnique_data() {
        QTest::addColumn<double>("first");
        QTest::addColumn<double>("last");
        QTest::newRow("unit") << 0.0 << 1.0;
        QTest::newRow("odd") << 49.8 << 199.1;
        QTest::newRow("deep zoom") << 123'456.0 << 123'466.0;
        QTest::newRow("millions") << 0.0 << 3.2e6;
        QTest::newRow("tiny") << 1e-7 << 3e-7;
        QTest::newRow("negative") << -2.5 << 1.5;
    }
    void ticksAreRoundInsideTheRangeAndUnique() {
        QFETCH(double, first);
        QFETCH(double, last);
        const double slack = (last - first) * 1e-5;
        for (const auto& ticks : {linearTicks({first, last}, 5), stepTicks({first, last}, 5),
                                  timeTicks({first, last}, 5)}) {
            QSet<QString> labels;
            for (const Tick& tick : ticks) {
                QVERIFY(tick.position >= first - slack && tick.position <= last + slack);
                labels.insert(tick.label);
            }
            QCOMPARE(labels.size(), ticks.size());
        }
        QVERIFY(linearTicks({first, last}, 5).size() >= 3);
    }

    void aLogAxisHasTicksBetweenItsPowers() {
        // A plot of 120 pixels: six labels have room.
        for (const AxisRange range : {AxisRange{-1, 0.4}, {-0.6, 0.4}, {-2, 0.4}, {-4.8, 0.4}}) {
            const auto ticks = logTicks(range, 6);
            QVERIFY2(ticks.size() >= 4 && ticks.size() <= 9,
                     qPrintable(QString::number(ticks.size())));
            for (qsizetype i = 1; i < ticks.size(); ++i)
                QVERIFY(ticks[i].position - ticks[i - 1].position >
                        (range.last - range.first) / 6 * 0.9);
            for (const double minor : minorLogTicks(range, 6)) {
                QVERIFY(minor >= range.first - 1e-9 && minor <= range.last + 1e-9);
                for (const Tick& tick : ticks)
                    QVERIFY(std::abs(tick.position - minor) > 1e-6);
            }
        }
        QVERIFY(minorLogTicks({-2, 0.4}, 6).size() > 8);
        // However low the plot and whatever the range.
        for (double last = -4; last < 4; last += 0.37)
            for (const double decades : {0.2, 0.4, 0.69, 0.75, 1.0, 1.4, 2.2, 3.3, 5.1, 12.0})
                for (const int wanted : {2, 3, 6})
                    QVERIFY2(logTicks({last - decades, last}, wanted).size() >= 3,
                             qPrintable(QStringLiteral("%1 decades to %2 in %3")
                                            .arg(decades)
                                            .arg(last)
                                            .arg(wanted)));
    }

    void sixtyFourReplicasHaveColoursOfTheirOwn() {
        for (const Theme& theme : {Theme::light(), Theme::darkTheme()}) {
            for (int a = 0; a < 64; ++a) {
                for (int b = a + 1; b < 64; ++b) {
                    const QColor x = theme.seriesColour(a);
                    const QColor y = theme.seriesColour(b);
                    const int apart =
                        std::max({std::abs(x.red() - y.red()), std::abs(x.green() - y.green()),
                                  std::abs(x.blue() - y.blue())});
                    QVERIFY2(apart >= 12,
                             qPrintable(QStringLiteral("%1 %2: %3").arg(a).arg(b).arg(apart)));
                }
            }
        }
    }

    void aNarrowAxisStillHasTwoTicks() {
        for (double first = 0; first < 1000; first += 7) {
            QVERIFY(stepTicks({first, first * 1.1 + 4096}, 2).size() >= 2);
            QVERIFY(linearTicks({first, first * 1.1 + 0.3}, 2).size() >= 2);
        }
    }

    void anAxisOfSharesHasThreeToSixRoundTicksThatDoNotTouch() {
        constexpr double kLabel = 15;  // pixels
        for (const AxisRange range : {AxisRange{0, 1},
                                      {0, 0.9},
                                      {0, 0.75},
                                      {0.05, 0.95},
                                      {0.24, 0.76},
                                      {0.1, 0.6},
                                      {0.85, 1},
                                      {0.973, 0.991},
                                      {-0.2, 1.3}}) {
            for (int height = 100; height <= 900; height += 4) {
                const double label = (range.last - range.first) / height * kLabel;
                const auto ticks = shareTicks(range, 1.75 * label, 1.1 * label);
                QVERIFY2(ticks.size() >= 3 && ticks.size() <= 6,
                         qPrintable(QStringLiteral("%1 from %2 in %3")
                                        .arg(ticks.size())
                                        .arg(range.first)
                                        .arg(height)));
                for (qsizetype i = 1; i < ticks.size(); ++i)
                    QVERIFY(ticks[i].position - ticks[i - 1].position >= label);
            }
        }
    }

    void sharesAreLabelledInTensTwentiesOrQuarters() {
        const auto labels = [](AxisRange range, double height) {
            const double label = (range.last - range.first) / height * 15;
            QStringList found;
            for (const Tick& tick : shareTicks(range, 1.75 * label, 1.1 * label))
                found << tick.label.chopped(2);  // without " %"
            return found.join(QLatin1Char(' '));
        };
        QCOMPARE(labels({0, 1}, 200), QStringLiteral("0 20 40 60 80 100"));
        QCOMPARE(labels({0, 1}, 108), QStringLiteral("0 25 50 75 100"));
        QCOMPARE(labels({0, 1}, 70), QStringLiteral("0 50 100"));
        QCOMPARE(labels({0, 0.9}, 108), QStringLiteral("0 25 50 75"));
        QCOMPARE(labels({0, 0.9}, 75), QStringLiteral("0 25 50 75"));
        QCOMPARE(labels({0.96, 1}, 108), QStringLiteral("96 97 98 99 100"));
        // Far in, each label is still another.
        QVERIFY(labels({0.9991, 0.9999}, 300).split(QLatin1Char(' ')).removeDuplicates() == 0);
    }

    void logTicksAreOneTwoFive() {
        const QVector<Tick> ticks = logTicks({-1, 1}, 8);
        QStringList labels;
        for (const Tick& tick : ticks)
            labels << tick.label;
        QCOMPARE(labels,
                 QStringList({QStringLiteral("0.1"), QStringLiteral("0.2"), QStringLiteral("0.5"),
                              QStringLiteral("1"), QStringLiteral("2"), QStringLiteral("5"),
                              QStringLiteral("10")}));
    }

    void theYRangeHoldsAllValues() {
        Column column;
        column.append(0, std::vector<float>{0.5f, 2.3f, 1.1f});
        const auto range = automaticYRange({{{column.view(), 0, 3}}, {}, false, {}, {}});
        QVERIFY(range.first <= 0.5 && range.last >= 2.3);
        QVERIFY(range.last - range.first < 3);
    }

    void oneOutlierDoesNotFlattenTheRest() {
        std::vector<float> values(1000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = 0.8f + 0.1f * float(i % 7);
        values[300] = 5000;
        Column column;
        column.append(0, values);
        const auto range = automaticYRange({{{column.view(), 0, 1000}}, {}, false, {}, {}});
        QVERIFY(range.last < 10);
        QVERIFY(range.last > 1.4);
    }

    void whatLiesBehindIsShownButForItsSpikes() {
        std::vector<float> raw(1000);
        for (std::size_t i = 0; i < raw.size(); ++i)
            raw[i] = 1 + 0.5F * float(i % 2);
        raw[0] = 0.25F;
        raw[500] = 7;
        Column noisy;
        noisy.append(0, raw);
        Column smooth;
        smooth.append(0, std::vector<float>(1000, 1.25F));
        const auto range =
            automaticYRange({{{smooth.view(), 0, 1000}}, {{noisy.view(), 0, 1000}}, false, {}, {}});
        QVERIFY(range.first <= 0.25);
        QVERIFY2(range.last >= 1.5 && range.last < 2, qPrintable(QString::number(range.last)));
    }

    void aSlowFirstStepAndRareSpikesAreIgnoredWhereAskedFor() {
        for (const std::size_t count : {std::size_t(20), std::size_t(3000)}) {
            std::vector<float> values(count, 1.2f);
            values[0] = 9;
            for (std::size_t i = 70; i < count; i += 100)
                values[i] = 6;  // in nearly every stretch of pixels, and still rare
            Column column;
            column.append(1, values);
            const YScaleInput::Curve all{column.view(), 0, qint64(count)};
            const auto usual = automaticYRange({{all}, {}, false, 0.0, {}, true});
            QVERIFY(usual.last > 1.2 && usual.last < 3);
            QVERIFY(automaticYRange({{all}, {}, false, 0.0, {}, false}).last >= 6);
        }
    }

    void aConstantStillHasAHeight() {
        Column column;
        column.append(0, std::vector<float>(10, 3.f));
        const auto range = automaticYRange({{{column.view(), 0, 10}}, {}, false, {}, {}});
        QVERIFY(range.first < 3 && range.last > 3);
    }

    void boundsAreKeptWhenTheValuesAllowIt() {
        Column column;
        column.append(0, std::vector<float>{0.2f, 0.9f});
        const auto range = automaticYRange({{{column.view(), 0, 2}}, {}, false, 0.0, 1.0});
        QCOMPARE(range.first, 0.0);
        QCOMPARE(range.last, 1.0);
    }

    void anAxisOfSharesFitsThemAndEndsAtTheWhole() {
        const auto rangeOf = [](std::vector<float> values) {
            Column column;
            column.append(0, values);
            return automaticYRange(
                {{{column.view(), 0, qint64(values.size())}}, {}, false, {}, 1.0});
        };
        const AxisRange low = rangeOf({0.05F, 0.12F});
        QVERIFY2(low.last < 0.2, qPrintable(QString::number(low.last)));
        const AxisRange high = rangeOf({0.965F, 0.98F});
        QVERIFY2(high.last < 0.99, qPrintable(QString::number(high.last)));
        QCOMPARE(rangeOf({0.2F, 1.0F}).last, 1.0);
        const AxisRange perfect = rangeOf({1.0F, 1.0F});
        QCOMPARE(perfect.last, 1.0);
        QVERIFY(perfect.first < 1);
        QVERIFY(rangeOf({0.5F, 1.5F}).last > 1.5);  // what is no share is shown still
    }

    void theFirstStepsDoNotFlattenTheSharesThatWereLearnt() {
        const auto columnOf = [](int rising, float noise) {
            std::vector<float> values(5000);
            for (int i = 0; i < int(values.size()); ++i)
                values[std::size_t(i)] =
                    (i < rising ? 0.1F + 0.86F * float(i) / float(rising) : 0.97F) +
                    noise * float(i % 5 - 2) / 2;
            Column column;
            column.append(1, values);
            return column;
        };
        const auto rangeOf = [](const Column& column, const Column* raw, bool isShare) {
            YScaleInput input{{{column.view(), 0, 5000}}, {}, false, {}, {}};
            if (raw) input.behind = {{raw->view(), 0, 5000}};
            if (isShare) input.ceiling = 1.0;
            return automaticYRange(input);
        };
        const Column curve = columnOf(100, 0.01F);
        const Column raw = columnOf(100, 0.03F);
        const AxisRange fitted = rangeOf(curve, nullptr, true);
        QVERIFY2(fitted.first >= 0.9 && fitted.first < 0.96,
                 qPrintable(QString::number(fitted.first)));
        QVERIFY(fitted.last >= 0.98 && fitted.last <= 1);
        const AxisRange before = rangeOf(curve, &raw, true);
        QVERIFY2(before.first >= 0.88 && before.first <= 0.94,
                 qPrintable(QString::number(before.first)));
        QCOMPARE(before.last, 1.0);
        // While it rises all of it is shown, and always of what is no share.
        QVERIFY(rangeOf(columnOf(1000, 0.01F), nullptr, true).first <= 0.1);
        QVERIFY(rangeOf(curve, nullptr, false).first <= 0.1);
    }

    void sharesThatFallLateOrNeverRiseAreShown() {
        constexpr int kSteps = 5000;
        const auto columnOf = [](float value, int rising, int falling, float least) {
            std::vector<float> values(kSteps);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = value + 0.01F * float(i % 2);
            std::fill_n(values.begin(), rising, 0.1F);
            std::fill_n(values.end() - falling, falling, least);
            Column column;
            column.append(1, values);
            return column;
        };
        const auto lowOf = [](const std::vector<Column>& curves, const std::vector<Column>& raw) {
            YScaleInput input{{}, {}, false, {}, 1.0};
            for (const Column& each : curves)
                input.curves.push_back({each.view(), 0, kSteps});
            for (const Column& each : raw)
                input.behind.push_back({each.view(), 0, kSteps});
            return automaticYRange(input).first;
        };
        // Its last steps come to nothing, and it began so.
        const Column collapse = columnOf(0.97F, 20, 60, 0.1F);
        QVERIFY(lowOf({collapse}, {}) <= 0.1);
        QVERIFY(lowOf({columnOf(0.97F, 0, 60, 0.5F)}, {collapse}) <= 0.1);
        // One replica of forty learns nothing.
        std::vector<Column> replicas;
        for (int i = 0; i < 40; ++i)
            replicas.push_back(columnOf(0.96F + 0.0005F * float(i), 0, 0, 0));
        QVERIFY(lowOf(replicas, {}) > 0.9);
        replicas[7] = columnOf(0.1F, 0, 0, 0);
        QVERIFY(lowOf(replicas, {}) <= 0.1);
    }

    void aLittleNoiseOfTheRiseKeepsTheAxisFitted() {
        std::vector<float> values(128);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = i % 2 == 0 ? 0.94F : 0.98F;
        const std::vector<float> rise{0.1F, 0.925F, 0.915F};  // the second is high enough
        std::ranges::copy(rise, values.begin());
        Column column;
        column.append(1, values);
        const auto range = automaticYRange({{{column.view(), 0, 128}}, {}, false, {}, 1.0});
        QVERIFY2(range.first > 0.85 && range.first <= 0.915,
                 qPrintable(QString::number(range.first)));
    }

    void theLogScaleIgnoresWhatHasNoLogarithm() {
        Column column;
        column.append(0, std::vector<float>{-1, 0, 0.01f, 10});
        const auto range = automaticYRange({{{column.view(), 0, 4}}, {}, true, {}, {}});
        QVERIFY(range.first > -3 && range.first <= -2);
        QVERIFY(range.last >= 1 && range.last < 1.5);
    }
};

QTEST_GUILESS_MAIN(TestScales)
#include "tst_scales.moc"
