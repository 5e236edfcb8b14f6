// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <thread>

#include "core/telemetry/journal.h"
#include "core/telemetry/step_ring.h"
#include "core/wire/codec.h"

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {
StepRecord stepRecord(std::uint64_t step) {
    const auto number = static_cast<float>(step);
    return {step, static_cast<double>(step) * 0.25, number, number / 2, number * 3, 1, 2, 3, 4, 5};
}
}  // namespace

class StepRingTest : public QObject {
    Q_OBJECT
private slots:
    void consecutiveStepsBecomeOneBatch() {
        StepRing ring(2, 16);
        for (std::uint64_t step = 1; step <= 10; ++step)
            ring.push(stepRecord(step));
        std::vector<wire::Record> records;
        ring.drain(99.5, records);
        QCOMPARE(records.size(), std::size_t{1});
        QCOMPARE(records[0].wall_time(), 99.5);
        const wire::StepBatch& batch = records[0].steps();
        QCOMPARE(batch.replica(), 2U);
        QCOMPARE(batch.first_step(), 1U);
        QCOMPARE(batch.first_end_wall_time(), 0.25);
        QCOMPARE(batch.loss_size(), 10);
        QCOMPARE(batch.loss(9), 10.0F);
        QCOMPARE(batch.accuracy(9), 5.0F);
        QCOMPARE(batch.step_us(9), 30.0F);
        QCOMPARE(batch.data_us(0), 1.0F);
        QCOMPARE(batch.forward_us(0), 2.0F);
        QCOMPARE(batch.backward_us(0), 3.0F);
        QCOMPARE(batch.all_reduce_us(0), 4.0F);
        QCOMPARE(batch.update_us(0), 5.0F);
        records.clear();
        ring.drain(100, records);
        QVERIFY(records.empty());
    }
    void aStepWithoutSamplesSaysSo() {
        StepRing ring(0, 16);
        for (std::uint64_t step = 1; step <= 4; ++step) {
            StepRecord record = stepRecord(step);
            record.hasSamples = step != 3;
            ring.push(record);
        }
        std::vector<wire::Record> records;
        ring.drain(0, records);
        QCOMPARE(records[0].steps().loss_size(), 4);
        QCOMPARE(records[0].steps().without_samples_size(), 1);
        QCOMPARE(records[0].steps().without_samples(0), 2U);
    }
    void aFullRingDropsTheNewestAndSaysWhich() {
        StepRing ring(0, 4);
        for (std::uint64_t step = 1; step <= 7; ++step)
            ring.push(stepRecord(step));
        QCOMPARE(ring.droppedCount(), 3U);
        std::vector<wire::Record> records;
        ring.drain(0, records);
        ring.push(stepRecord(8));
        ring.drain(0, records);
        QCOMPARE(records.size(), std::size_t{3});
        QCOMPARE(records[0].steps().loss_size(), 4);
        QCOMPARE(records[1].drops().first_step(), 5U);
        QCOMPARE(records[1].drops().count(), 3U);
        QCOMPARE(records[2].steps().first_step(), 8U);
    }
    void dropsAtTheVeryEndAreReportedToo() {
        StepRing ring(0, 4);
        for (std::uint64_t step = 1; step <= 6; ++step)
            ring.push(stepRecord(step));
        std::vector<wire::Record> records;
        ring.drainLast(0, records);
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[1].drops().first_step(), 5U);
        QCOMPARE(records[1].drops().count(), 2U);
    }
    void batchesAreLimited() {
        StepRing ring(0, 8192);
        for (std::uint64_t step = 1; step <= 5000; ++step)
            ring.push(stepRecord(step));
        std::vector<wire::Record> records;
        ring.drain(0, records);
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[0].steps().loss_size(), 4096);
        QCOMPARE(records[1].steps().first_step(), 4097U);
        QVERIFY(wire::encode(records[0]).has_value());  // within the limit of a record
    }
    void underTwoThreadsEveryStepArrivesOrIsCounted() {
        constexpr std::uint64_t kSteps = 400'000;
        StepRing ring(1, 64);
        std::atomic<bool> ended{false};
        std::jthread producer([&] {
            for (std::uint64_t step = 1; step <= kSteps; ++step)
                ring.push(stepRecord(step));
            ended = true;
        });
        std::uint64_t next = 1;
        std::uint64_t arrived = 0;
        std::uint64_t reported = 0;
        std::vector<wire::Record> records;
        const auto check = [&] {
            for (const wire::Record& record : records) {
                if (record.has_drops()) {
                    QCOMPARE(record.drops().first_step(), next);
                    next += record.drops().count();
                    reported += record.drops().count();
                    continue;
                }
                QCOMPARE(record.steps().first_step(), next);
                for (const float loss : record.steps().loss())
                    QCOMPARE(loss, static_cast<float>(next++));
                arrived += static_cast<std::uint64_t>(record.steps().loss_size());
            }
            records.clear();
        };
        while (!ended) {
            ring.drain(0, records);
            check();
        }
        producer.join();
        ring.drainLast(0, records);
        check();
        QCOMPARE(next, kSteps + 1);
        QCOMPARE(reported, ring.droppedCount());
        QCOMPARE(arrived + reported, kSteps);
    }
    void aMillionStepsTakeLessThan40BytesEachInTheJournal() {
        constexpr std::uint64_t kSteps = 1'000'000;
        constexpr std::uint64_t kStepsPerDrain = 33;  // 1,000 steps a second sent at 30 Hz
        StepRing ring(3);
        std::string frames;
        std::uint64_t bytes = 0;
        std::vector<wire::Record> records;
        for (std::uint64_t step = 1; step <= kSteps; ++step) {
            ring.push(stepRecord(step));
            if (step % kStepsPerDrain != 0 && step != kSteps) continue;
            ring.drain(1.7e9, records);
            for (const wire::Record& record : records)
                appendFrame(record.SerializeAsString(), frames);
            records.clear();
            bytes += frames.size();
            frames.clear();
        }
        QCOMPARE(ring.droppedCount(), 0U);
        qInfo("%.2f bytes a step", static_cast<double>(bytes) / kSteps);
        QVERIFY(bytes < 40 * kSteps);
    }
};

QTEST_GUILESS_MAIN(StepRingTest)
#include "tst_step_ring.moc"
