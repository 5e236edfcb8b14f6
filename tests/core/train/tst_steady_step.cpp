// SPDX-License-Identifier: Apache-2.0
// A step in the middle of a training allocates nothing, counted for the step threads alone. (Gloo
// allocates about ten small blocks a step within the library; it is left out.)
#include <QtTest>

#include "tests/core/train/passing_communicator.h"
#include "tests/core/train/small_job.h"
#include "tests/support/counted_allocations.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

/// Notes at the beginning of every step what its thread has allocated.
class CountingCommunicator final : public PassingCommunicator {
public:
    explicit CountingCommunicator(collective::Communicator& inner) : PassingCommunicator(inner) {
        allocationsBefore_.reserve(10'000);
    }
    [[nodiscard]] const std::vector<std::int64_t>& allocationsBefore() const {
        return allocationsBefore_;
    }
    void setVotes(const collective::StepVotes& mine) override {
        allocationsBefore_.push_back(allocations);
        PassingCommunicator::setVotes(mine);
    }

private:
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
