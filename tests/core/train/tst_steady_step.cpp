// SPDX-License-Identifier: Apache-2.0
// A step in the middle of a training allocates nothing, counted for the step threads alone. (Gloo
// allocates about ten small blocks a step within the library; it is left out.)
#include <QtTest>

#include "tests/core/train/small_job.h"
#include "tests/support/counted_allocations.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

/// Passes everything on, and notes at the beginning of every step what its thread has allocated.
class CountingCommunicator final : public collective::Communicator {
public:
    explicit CountingCommunicator(collective::Communicator& inner) : inner_(inner) {
        allocationsBefore_.reserve(10'000);
    }
    [[nodiscard]] const std::vector<std::int64_t>& allocationsBefore() const {
        return allocationsBefore_;
    }

    [[nodiscard]] int replica() const override { return inner_.replica(); }
    [[nodiscard]] int replicaCount() const override { return inner_.replicaCount(); }
    [[nodiscard]] std::string_view backend() const override { return inner_.backend(); }
    [[nodiscard]] std::uint64_t sequence() const override { return inner_.sequence(); }
    [[nodiscard]] std::span<float> gradients() override { return inner_.gradients(); }
    [[nodiscard]] std::span<float> parameters() override { return inner_.parameters(); }
    [[nodiscard]] std::span<const float> sums() override { return inner_.sums(); }
    [[nodiscard]] std::span<float> moments(int index) override { return inner_.moments(index); }
    void setVotes(const collective::StepVotes& mine) override {
        allocationsBefore_.push_back(allocations);
        inner_.setVotes(mine);
    }
    void post(std::size_t bucket) override { inner_.post(bucket); }
    [[nodiscard]] Result<collective::Range> reduce(std::size_t bucket) override {
        return inner_.reduce(bucket);
    }
    [[nodiscard]] const collective::StepVotes& votes() const override { return inner_.votes(); }
    void publish(std::size_t bucket) override { inner_.publish(bucket); }
    [[nodiscard]] Result<void> finishStep() override { return inner_.finishStep(); }
    [[nodiscard]] Result<void> broadcastState() override { return inner_.broadcastState(); }
    [[nodiscard]] Result<void> allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) override {
        return inner_.allGather(mine, all);
    }
    void abort() override { inner_.abort(); }

private:
    collective::Communicator& inner_;
    std::vector<std::int64_t> allocationsBefore_;
};

}  // namespace

class SteadyStepTest : public QObject {
    Q_OBJECT
private slots:
    void aSteadyStepAllocatesNothing_data() {
        QTest::addColumn<int>("processes");
        QTest::newRow("threads of one process") << 1;
        QTest::newRow("processes that share memory") << 2;
    }
    void aSteadyStepAllocatesNothing() {
        QFETCH(int, processes);
        const SmallJob small(smallSpec({64}), smallDigits(3200, 0, 0));
        Spread spread;
        spread.hosts = processes == 1 ? std::vector<std::vector<int>>{{2}}
                                      : std::vector<std::vector<int>>{{1, 1}};
        std::mutex mutex;
        std::vector<std::unique_ptr<CountingCommunicator>> counting;
        spread.wrap = [&](collective::Communicator& inner) -> collective::Communicator& {
            const std::lock_guard lock(mutex);
            return *counting.emplace_back(std::make_unique<CountingCommunicator>(inner));
        };
        const auto result = trainSmall(small, spread);
        QCOMPARE(counting.size(), std::size_t{2});
        for (std::size_t replica = 0; replica < 2; ++replica) {
            QVERIFY(result.outcomes[replica]);
            const auto& before = counting[replica]->allocationsBefore();
            QCOMPARE(before.size(), std::size_t{100});
            QVERIFY(before.front() > 0);  // the counter counts: making the loop allocated
            QCOMPARE(before.back() - before[10], std::int64_t{0});
        }
    }
};

QTEST_GUILESS_MAIN(SteadyStepTest)
#include "tst_steady_step.moc"
