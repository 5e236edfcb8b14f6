// SPDX-License-Identifier: Apache-2.0
// What a replica's memory is said to be, from plans alone; what processes take: tst_memory.
#include <QtTest>

#include "core/config/document/job_file.h"
#include "core/config/lint/known_dataset.h"
#include "core/train/replica/memory_need.h"

using namespace lockstep;
using namespace lockstep::train;

namespace {

/// Of 784 x 256 x 10 weights and biases: 203,530.
MemoryNeed needOf(const std::string& training, const std::string& rest = {}) {
    const auto job = config::JobDocument::lenient(
        "[data]\ndataset = \"digits\"\n" + rest +
            "[model]\nlayers = [{ type = \"dense\", units = 256, activation = \"relu\" }, "
            "{ type = \"dense\", units = 10 }]\n[training]\n" +
            training,
        "job.toml");
    const auto need = memoryNeedOf(job.spec(), config::knownFacts(job.spec().data).value());
    if (!need) qFatal("%s", need.error().message.c_str());
    return *need;
}

}  // namespace

class MemoryNeedTest : public QObject {
    Q_OBJECT
private slots:
    void theStateGrowsWithWhatTheRuleKeeps() {
        const auto plain = needOf("optimizer = \"sgd\"\nmomentum = 0.0\n").state;
        const auto adam = needOf("optimizer = \"adam\"\n").state;
        constexpr std::uint64_t kMoments = 2 * 203'530 * sizeof(float);
        // Each buffer is rounded up.
        QVERIFY(adam - plain >= kMoments && adam - plain < kMoments * 11 / 10);
    }
    void aLargerBatchTakesMoreOfWhatABatchTakesAlone() {
        const MemoryNeed small = needOf("global_batch_size = 32\n");
        const MemoryNeed large = needOf("global_batch_size = 64\n");
        QVERIFY(large.step > 3 * small.step / 2);
        QVERIFY(large.batches > 3 * small.batches / 2);
        QCOMPARE(large.state, small.state);
        QCOMPARE(large.evaluation, small.evaluation);
    }
    void batchesAheadAreAsManyAsTheJobSays() {
        const auto batches = [](const char* prefetch) {
            return needOf("global_batch_size = 32\n", prefetch).batches;
        };
        QCOMPARE(3 * batches("prefetch = 1\n"), batches("prefetch = 5\n"));  // and the one in use
    }
    void theTotalIsTheSumOfItsParts() {
        const MemoryNeed need = needOf("");
        QCOMPARE(need.total(), need.state + need.step + need.evaluation + need.batches +
                                   need.convolutions + need.exchange);
        QCOMPARE(need.exchange, std::uint64_t{0});  // nobody shares the network
    }
};

QTEST_GUILESS_MAIN(MemoryNeedTest)
#include "tst_memory_need.moc"
