// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "core/base/rng.h"
#include "ui/charts/store/column_store.h"

using namespace lockstep::ui;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

MinMax scan(const std::vector<float>& values, qint64 first, qint64 last) {
    MinMax result = MinMax::none();
    for (qint64 i = first; i < last; ++i)
        result.add(values[std::size_t(i)]);
    return result;
}

bool same(const MinMax& a, const MinMax& b) {
    return a.min == b.min && a.max == b.max && a.nonFinite == b.nonFinite;
}

MinMax boundsOf(const ColumnView& view, qint64 first, qint64 last) {
    Stretch result;
    view.stretches(std::array{first, last}, std::span(&result, 1));
    return result.bounds;
}

}  // namespace

class TestColumnStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pyramidEqualsAFullScanForRandomRangesAndAppends() {
        std::mt19937 chance(1);
        std::normal_distribution<float> value(0, 10);
        std::vector<float> all;
        Column column;
        while (all.size() < 60'000) {
            std::vector<float> piece(1 + chance() % 700);
            for (float& each : piece)
                each = chance() % 97 == 0 ? kNan : value(chance);
            column.append(qint64(all.size()), piece);
            all.insert(all.end(), piece.begin(), piece.end());
            for (int i = 0; i < 20; ++i) {
                const qint64 a = qint64(chance() % (all.size() + 1));
                const qint64 b = qint64(chance() % (all.size() + 1));
                const auto [first, last] = std::minmax(a, b);
                QVERIFY(same(boundsOf(column.current(), first, last), scan(all, first, last)));
            }
        }
    }

    void valuesAboveALimitAreCountedAsAFullScanDoes() {
        std::mt19937 chance(3);
        std::normal_distribution<float> value(0, 10);
        std::vector<float> all(30'000);
        for (float& each : all)
            each = chance() % 97 == 0   ? kNan
                   : chance() % 89 == 0 ? std::numeric_limits<float>::infinity()
                                        : value(chance);
        std::fill(all.begin() + 5'000, all.begin() + 15'000, -1.0F);  // whole blocks below it
        Column column;
        column.append(0, all);
        for (int i = 0; i < 400; ++i) {
            const qint64 a = qint64(chance() % (all.size() + 1));
            const qint64 b = qint64(chance() % (all.size() + 1));
            const auto [first, last] = std::minmax(a, b);
            const double limit = double(chance() % 30);
            const auto above = std::count_if(all.begin() + first, all.begin() + last, [&](float v) {
                return std::isfinite(v) && double(v) > limit;
            });
            QCOMPARE(column.current().countAbove(first, last, limit, 1'000'000), qint64(above));
            QCOMPARE(column.current().countAbove(first, last, limit, 7),
                     std::min<qint64>(above, 7));
        }
    }

    void infiniteAndMissingValuesAreCountedNotCompared() {
        Column column;
        const float inf = std::numeric_limits<float>::infinity();
        column.append(1, std::vector<float>{1, kNan, inf, -inf, 3});

        const MinMax all = boundsOf(column.current(), 0, 5);

        QCOMPARE(all.min, 1.f);
        QCOMPARE(all.max, 3.f);
        QCOMPARE(all.nonFinite, 3u);
        QVERIFY(boundsOf(column.current(), 1, 4).isEmpty());
    }

    void aPointTakesAtMostEightBytes() {
        const std::vector<float> values(1'000'000, 1.f);
        const std::vector<double> wallTimes(1'000'000, 1e9);
        Column figure;
        TimeColumn times;
        figure.append(1, values);
        times.append(1, wallTimes);

        // A replica has four figures (loss, accuracy, throughput, step time) and one time column.
        const double each =
            double(4 * figure.memoryBytes() + times.memoryBytes()) / (4.0 * 1'000'000);

        QVERIFY2(each <= 8, qPrintable(QString::number(each)));
    }

    void aRepeatedStepReplacesWhatFollowedIt() {
        Column column;
        column.append(1, std::vector<float>(5000, 1.f));
        const ColumnView before = column.view();

        column.append(4501, std::vector<float>{7, 8});

        QCOMPARE(column.size(), qint64(4502));
        QCOMPARE(column.current().at(4500), 7.f);
        QCOMPARE(column.current().stepAt(4501), qint64(4502));
        QCOMPARE(boundsOf(column.current(), 0, 4502).max, 8.f);
        QVERIFY(column.current().generation() != before.generation());
        // A reader that still holds the former values is not disturbed.
        QCOMPARE(before.size(), qint64(5000));
        QCOMPARE(boundsOf(before, 0, 5000).max, 1.f);
    }

    void whatIsReplacedWithinAFullBlockIsSeenAtOnce_data() {
        QTest::addColumn<int>("kept");
        for (const int kept : {3'000, 4'095, 4'096, 4'097, 8'192})
            QTest::newRow(qPrintable(QString::number(kept))) << kept;
    }
    void whatIsReplacedWithinAFullBlockIsSeenAtOnce() {
        QFETCH(int, kept);
        Column column;
        column.append(1, std::vector<float>(10'000, 1));
        const ColumnView before = column.view();

        column.append(kept + 1, std::vector<float>(100, 9));

        const ColumnView& after = column.current();
        QCOMPARE(after.size(), qint64(kept + 100));
        QCOMPARE(boundsOf(after, 0, kept).max, 1.f);
        QCOMPARE(boundsOf(after, 0, kept + 1).max, 9.f);
        QCOMPARE(boundsOf(after, kept, kept + 100).min, 9.f);
        std::vector<Stretch> stretches(2);
        after.stretches(std::vector<qint64>{kept - 1'000, kept, kept + 100}, stretches);
        QCOMPARE(stretches[0].bounds.max, 1.f);
        QVERIFY(!stretches[0].holdsEnd && !stretches[1].holdsBegin);
        QCOMPARE(boundsOf(before, 0, 10'000).max, 1.f);
    }

    void aLastBlockThatIsJustFullCounts() {
        for (const int blocks : {1, 2, 3}) {
            std::vector<float> values(std::size_t(blocks) * 4'096);
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = float(i);
            Column column;
            column.append(0, values);
            const auto count = qint64(values.size());
            for (const qint64 first : {qint64(0), qint64(1), count - 4'097 + 1, count - 1})
                QVERIFY(same(boundsOf(column.current(), first, count), scan(values, first, count)));
        }
    }

    void stepsWithGapsAndStridesAreFoundAgain() {
        Column column;
        for (const qint64 step : {500, 1000, 1500, 1700}) {
            column.append(step, std::vector<float>{float(step)});
        }
        column.append(1701, std::vector<float>{1701, 1702});
        column.append(2000, std::vector<float>{2000, 2001, 2002});

        const std::vector<qint64> steps{500, 1000, 1500, 1700, 1701, 1702, 2000, 2001, 2002};
        QCOMPARE(column.size(), qint64(steps.size()));
        for (qint64 i = 0; i < column.size(); ++i) {
            QCOMPARE(column.current().stepAt(i), steps[std::size_t(i)]);
        }
        for (double step = 0; step < 2100; step += 0.5) {
            const auto expected =
                std::lower_bound(steps.begin(), steps.end(), step,
                                 [](qint64 a, double b) { return double(a) < b; }) -
                steps.begin();
            QCOMPARE(column.current().lowerBound(step), qint64(expected));
        }
    }

    void aReaderSeesWholeValuesWhileTheColumnGrows() {
        Column column;
        std::mutex mutex;  // hands the newest view over, as the request to the render thread does
        ColumnView shared;
        std::atomic<bool> done = false;
        std::atomic<int> wrong = 0;
        std::jthread reader([&] {
            while (!done) {
                ColumnView view;
                {
                    const std::lock_guard lock(mutex);
                    view = shared;
                }
                const MinMax all = boundsOf(view, 0, view.size());
                if (view.size() > 0 && (all.min != 0 || all.max != float(view.size() - 1))) ++wrong;
            }
        });

        for (int i = 0; i < 50'000; ++i) {
            const float value = float(i);
            column.append(i, std::span(&value, 1));
            const std::lock_guard lock(mutex);
            shared = column.view();
        }
        done = true;
        reader.join();

        QCOMPARE(wrong.load(), 0);
    }

    void timesAndStepsAreTranslatedBothWays() {
        TimeColumn times;
        std::vector<double> wallTimes;
        for (int i = 0; i < 10'000; ++i)
            wallTimes.push_back(1.7e9 + i * 0.25);
        times.append(1, wallTimes);
        const TimeView& view = times.current();

        QVERIFY(std::abs(view.atStep(5001) - (1.7e9 + 1250)) < 1e-3);
        QVERIFY(std::abs(view.stepAtTime(1.7e9 + 1250.125) - 5001.5) < 0.01);
        QCOMPARE(view.stepAtTime(0), 1.0);
        QVERIFY(view.stepAtTime(2e9) > 10'000);
    }

    void stretchesEqualAFullScanAndHoldWhatTheySay_data() {
        QTest::addColumn<bool>("finite");
        QTest::newRow("finite values") << true;
        QTest::newRow("some chunks with a value that is not finite") << false;
    }
    void stretchesEqualAFullScanAndHoldWhatTheySay() {
        QFETCH(bool, finite);
        lockstep::CounterRng rng(3);
        std::vector<float> values(200'000);
        for (float& value : values)
            value = rng.nextFloat(-1, 1);
        if (!finite) values[30'000] = values[150'001] = kNan;
        Column column;
        column.append(1, values);

        int held = 0;
        for (const qint64 length : {1, 7, 16, 63, 64, 65, 255, 300, 1'000, 5'000, 20'000}) {
            std::vector<qint64> edges{-5, 0};
            while (edges.size() < 40)
                edges.push_back(edges.back() + length + qint64(rng.nextBelow(3)) - 1);
            edges.push_back(edges.back());  // an empty one
            edges.push_back(edges.back() + 100);
            std::vector<Stretch> stretches(edges.size() - 1);
            column.current().stretches(edges, stretches);
            const auto inside = [&](const MinMax& bounds, qint64 index) {
                const float value = values[static_cast<std::size_t>(index)];
                return std::isnan(value) || (value >= bounds.min && value <= bounds.max);
            };
            for (std::size_t i = 0; i < stretches.size(); ++i) {
                const auto end = qint64(values.size());
                const qint64 first = std::clamp<qint64>(edges[i], 0, end);
                const qint64 last = std::clamp<qint64>(edges[i + 1], first, end);
                const Stretch& stretch = stretches[i];
                QVERIFY(same(stretch.bounds, scan(values, first, last)));
                if (stretch.holdsBegin) {
                    ++held;
                    QVERIFY(inside(stretch.bounds, first - 1) && inside(stretch.bounds, first));
                }
                if (stretch.holdsEnd)
                    QVERIFY(inside(stretch.bounds, last - 1) && inside(stretch.bounds, last));
            }
        }
        QVERIFY(held > 100);  // or else it would save nothing
    }

    void aHintFindsTheSameStep() {
        TimeColumn times;
        std::vector<double> ends;
        for (int i = 0; i < 10'000; ++i)
            ends.push_back(1.7e9 + i * 0.25 + (i % 7) * 0.01);
        times.append(1, ends);
        qint64 hint = 0;
        for (double time = 1.7e9 - 10; time < 1.7e9 + 2'600; time += 1.37)
            QCOMPARE(times.current().stepAtTime(time, hint), times.current().stepAtTime(time));
        QCOMPARE(times.current().stepAtTime(1.7e9 + 100, hint),
                 times.current().stepAtTime(1.7e9 + 100));
    }

    void aClockThatGoesBackDoesNotTurnTheAxis() {
        TimeColumn times;
        times.append(1, std::vector<double>{10, 12, 11, kNan, 13});

        for (qint64 i = 1; i < times.current().size(); ++i) {
            QVERIFY(times.current().at(i) >= times.current().at(i - 1));
        }
    }

    void stepsThatFollowNoRuleAreAppendedInAMoment() {
        Column column;
        const float value = 1;
        QElapsedTimer timer;
        timer.start();
        qint64 step = 0;
        for (int i = 0; i < 100'000; ++i) {
            step += 1 + i % 3;
            column.append(step, std::span(&value, 1));
        }
        QVERIFY2(timer.elapsed() < 5000, qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(column.current().stepAt(column.size() - 1), step);
        QCOMPARE(column.current().stepAt(3), 7);
    }

    void aViewKeepsItsStepsWhileTheColumnGrowsOn() {
        Column column;
        const float value = 1;
        for (const qint64 step : {1, 5, 6})
            column.append(step, std::span(&value, 1));
        const ColumnView view = column.view();
        for (const qint64 step : {20, 21, 40})
            column.append(step, std::span(&value, 1));
        QCOMPARE(view.stepAt(2), 6);
        QCOMPARE(view.lowerBound(20), 3);
        QCOMPARE(column.current().stepAt(5), 40);
    }
};

QTEST_GUILESS_MAIN(TestColumnStore)
#include "tst_column_store.moc"
