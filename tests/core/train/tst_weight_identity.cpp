// SPDX-License-Identifier: Apache-2.0
// Weights that are not what their updates made of them: found, and named.
#include <QtTest>
#include <bit>
#include <limits>
#include <semaphore>
#include <thread>

#include "core/tensor/cpu/updates.h"
#include "core/train/replica/weight_guard.h"
#include "tests/core/train/mesh_job.h"
#include "tests/core/train/passing_communicator.h"
#include "tests/core/train/small_job.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;

namespace {

constexpr std::int64_t kEvery = 5;

SmallJob tenSteps(std::int64_t identityEverySteps = kEvery) {
    auto spec = smallSpec({64});
    spec.training.identityEverySteps = identityEverySteps;
    return {spec, smallDigits(320, 0, 0)};
}

/// A processor that adds wrongly once: a sum of its share is another one at this step.
class MiscountingCommunicator final : public PassingCommunicator {
public:
    MiscountingCommunicator(collective::Communicator& inner, int wrongStep, float by)
        : PassingCommunicator(inner), wrongStep_(wrongStep), by_(by) {}
    void setVotes(const collective::StepVotes& mine) override {
        ++step_;
        PassingCommunicator::setVotes(mine);
    }
    Result<collective::Range> reduce(std::size_t bucket) override {
        auto share = PassingCommunicator::reduce(bucket);
        if (share && share->size() > 0 && step_ == wrongStep_) {
            auto* sums = const_cast<float*>(sums_().data());
            sums[share->begin] += by_;
        }
        return share;
    }

private:
    std::span<const float> sums_() { return PassingCommunicator::sums(); }
    const int wrongStep_;
    const float by_;
    int step_ = 0;
};

/// Whose others answer late when it compares something with them.
class LateCommunicator final : public PassingCommunicator {
public:
    using PassingCommunicator::PassingCommunicator;
    static constexpr auto kLate = std::chrono::milliseconds(40);
    Result<void> allGather(std::span<const std::uint64_t> mine,
                           std::span<std::uint64_t> all) override {
        std::this_thread::sleep_for(kLate);  // a pause: it is its length that is measured
        return PassingCommunicator::allGather(mine, all);
    }
};

/// Its replica's memory changes the last of its weights behind this step's end, just before they
/// are looked at for the so-manieth time.
class FlippingCommunicator final : public PassingCommunicator {
public:
    FlippingCommunicator(collective::Communicator& inner, int step, int look, float value)
        : PassingCommunicator(inner), flipStep_(step), flipLook_(look), value_(value) {}
    Result<void> finishStep() override {
        auto done = PassingCommunicator::finishStep();
        ++step_;
        look_ = 0;
        return done;
    }
    std::span<float> parameters() override {
        const std::span<float> all = PassingCommunicator::parameters();
        if (step_ == flipStep_ && ++look_ == flipLook_) {
            all.back() = value_ == 0 ? all.back() + 1e-6F : value_;
            hasFlipped.release();
        }
        return all;
    }

    std::binary_semaphore hasFlipped{0};

private:
    const int flipStep_;
    const int flipLook_;
    const float value_;
    int step_ = 0;
    int look_ = 0;
};

/// One of this kind is left for the step thread as the run begins.
struct Ordered {
    explicit Ordered(wire::DrillKind kind) {
        const bool taken = faults.order(
            {.kind = kind,
             .done = [this](const std::string& told, std::int64_t) { sentence = told; },
             .refused = [this](const std::string& why) { refusal = why; }});
        if (!taken) qFatal("nothing was ordered before");
    }
    StepFaults faults;
    std::string sentence;
    std::string refusal;
};

}  // namespace

class WeightIdentityTest : public QObject {
    Q_OBJECT
private slots:
    void aChangeOfAnyBitOfAnyWeightIsFoundInItsBlock() {
        std::vector<float> weights(2 * WeightGuard::kBlock + 77);
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = static_cast<float>(i) * 0.37F - 300.0F;
        const std::vector<collective::Range> buckets{{0, weights.size()}};
        const collective::Range share{13, weights.size()};
        WeightGuard guard(buckets);
        const auto sumOf = [&](std::size_t block) {
            const collective::Range range = WeightGuard::blockOf(share, block);
            return tensor::sumOfBits(tensor::VectorIsa::Baseline,
                                     std::span(weights).subspan(range.begin, range.size()));
        };
        QVERIFY(!guard.findChange(weights));  // nothing is known yet
        for (std::size_t i = 0; i < WeightGuard::blockCount(share); ++i)
            QVERIFY(guard.take(0, share, i, {.found = 7, .left = sumOf(i)}));
        QVERIFY(!guard.findChange(weights));
        for (std::size_t element = 13; element < weights.size(); element += 61) {
            const std::size_t block = (element - share.begin) / WeightGuard::kBlock;
            const std::uint32_t left = sumOf(block);
            QVERIFY(guard.take(0, share, block, {.found = left, .left = left}));
            for (int bit = 0; bit < 32; ++bit) {
                const float before = weights[element];
                weights[element] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(before) ^
                                                        (std::uint32_t{1} << bit));
                const auto change = guard.findChange(weights);
                QVERIFY(change && change->begin <= element && element < change->end);
                QVERIFY(!guard.take(0, share, block, {.found = sumOf(block), .left = left}));
                weights[element] = before;
            }
        }
        weights[12] += 1;  // another replica's
        QVERIFY(!guard.findChange(weights));
    }

    void whatIsGuardedIsUpdatedToTheSameBits() {
        auto hashWith = [](std::int64_t every, const char* clip) {
            auto spec = smallSpec({64});
            spec.training.identityEverySteps = every;
            if (clip != nullptr) spec.training.clipNorm = 0.05;
            const SmallJob small(spec, smallDigits(320, 0, 0));
            Spread spread{.hosts = {{2}}};
            return trainSmall(small, spread).outcomes[0].value().stateHash;
        };
        QCOMPARE(hashWith(kEvery, nullptr), hashWith(0, nullptr));
        QCOMPARE(hashWith(kEvery, "by tensor"), hashWith(0, "by tensor"));
    }

    void aWeightThatChangesWhileItIsCopiedIsInNoCheckpoint() {
        auto spec = smallSpec({64});
        spec.training.identityEverySteps = 100;
        spec.checkpoint.everySteps = 3;
        const SmallJob small(spec, smallDigits(320, 0, 0));
        RecordedEvents events;
        events.onCheckpoint = [](const checkpoint::Snapshot& snapshot) {
            if (snapshot.state.step != 6) return;
            const std::span<const float> values = snapshot.model.back().values;
            const_cast<float&>(values.back()) += 1e-6F;
        };
        Spread spread{.hosts = {{2, 1}}, .events = &events};
        const RunResult result = trainSmall(small, spread);
        QCOMPARE(events.checkpoints, std::vector<std::int64_t>{3});
        std::string found;
        for (const auto& outcome : result.outcomes)
            if (outcome.error().code == ErrorCode::Internal) found = outcome.error().message;
        // By whoever comes first: the share's owner before the next update, or the replicas that
        // say what they have saved.
        const auto says = [&found](const char* words) {
            return found.find(words) != std::string::npos;
        };
        QVERIFY2(says("weights changed between the updates of steps 6 and 7") ||
                     says("replica 2 holds other weights than replica 0 after step 6"),
                 found.c_str());
    }

    void aChangeThatEveryHashHasIsSeenByWhoseShareItIs_data() {
        QTest::addColumn<int>("look");
        QTest::newRow("before the hash") << 1;
        QTest::newRow("behind the hash") << 2;
    }

    /// Replica 0 copies, and hashes, what replica 1's memory has changed in the meantime.
    void aChangeThatEveryHashHasIsSeenByWhoseShareItIs() {
        QFETCH(const int, look);
        auto spec = smallSpec({64});
        spec.checkpoint.everySteps = 3;
        const SmallJob small(spec, smallDigits(320, 0, 0));
        RecordedEvents events;
        std::unique_ptr<FlippingCommunicator> flipping;
        bool isFlipped = false;
        events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
            if (snapshot.state.step == 6)
                isFlipped = flipping->hasFlipped.try_acquire_for(std::chrono::seconds(30));
        };
        Spread spread{.hosts = {{1, 1}}, .events = &events};
        spread.wrap = [&](collective::Communicator& inner) -> collective::Communicator& {
            if (inner.replica() != 1) return inner;
            flipping = std::make_unique<FlippingCommunicator>(inner, 6, look, 0.0F);
            return *flipping;
        };
        const RunResult result = trainSmall(small, spread);
        QVERIFY(isFlipped);
        QCOMPARE(events.checkpoints, std::vector<std::int64_t>{3});
        QVERIFY(!result.outcomes[0] && !result.outcomes[1]);
    }

    void whatOneColumnDeniesNoneKeeps_data() {
        QTest::addColumn<bool>("isHanded");
        QTest::addColumn<float>("value");
        QTest::newRow("whole, a bit") << false << 0.0F;
        QTest::newRow("whole, infinite") << false << std::numeric_limits<float>::infinity();
        QTest::newRow("handed, a bit") << true << 0.0F;
    }

    /// Replica 0 has column 0: of column 1's weights it knows only what that one says.
    void whatOneColumnDeniesNoneKeeps() {
        QFETCH(const bool, isHanded);
        QFETCH(const float, value);
        auto spec = smallSpec({64});
        spec.checkpoint.everySteps = 3;
        spec.checkpoint.sharded = isHanded;
        if (value != 0) spec.training.identityEverySteps = 0;  // not seen as a change
        const SmallJob small(spec, smallDigits(320, 0, 0));
        RecordedEvents events;
        std::unique_ptr<FlippingCommunicator> flipping;
        MeshSpread spread;
        spread.rules = {{"layers.0.weight", "out"}};
        spread.events = &events;
        if (isHanded) spread.handed = {1};
        spread.wrap = [&](collective::Communicator& inner,
                          int replica) -> collective::Communicator& {
            if (replica != 1) return inner;
            flipping = std::make_unique<FlippingCommunicator>(inner, 6, 1, value);
            return *flipping;
        };
        const RunResult result = trainOnMesh(small, spread);
        QVERIFY(flipping->hasFlipped.try_acquire());
        QCOMPARE(events.checkpoints, std::vector<std::int64_t>{3});
        QCOMPARE(result.outcomes[1].error().code,
                 value == 0 ? ErrorCode::Internal : ErrorCode::Diverged);
        QCOMPARE(result.outcomes[0].error().code, ErrorCode::PeerLost);
    }

    void aShareIsNotKnownBeforeAStepAndOfThatADrillIsTold() {
        const SmallJob small = tenSteps();
        Ordered flip(wire::DRILL_KIND_BIT_FLIP);
        Spread spread{.hosts = {{2, 1}}, .faults = {{2, &flip.faults}}};
        QVERIFY(trainSmall(small, spread).outcomes[2]);
        QVERIFY2(flip.refusal.find("not known before a step") != std::string::npos,
                 flip.refusal.c_str());
        Ordered slow(wire::DRILL_KIND_SLOW);
        Spread again{.hosts = {{1}}, .faults = {{0, &slow.faults}}};
        QVERIFY(trainSmall(small, again).outcomes[0]);
        QVERIFY2(slow.refusal.find("first step is not done yet") != std::string::npos,
                 slow.refusal.c_str());
    }

    void aFlippedBitInTheMiddleEndsTheStepThatWouldTrainItOn() {
        const SmallJob small = tenSteps();
        StepFaults faults;
        std::string told;
        Spread spread{.hosts = {{2, 1}}, .faults = {{2, &faults}}};
        class Ordering final : public PassingCommunicator {
        public:
            Ordering(collective::Communicator& inner, std::function<void(int)> atStep)
                : PassingCommunicator(inner), atStep_(std::move(atStep)) {}
            void setVotes(const collective::StepVotes& mine) override {
                atStep_(++step_);
                PassingCommunicator::setVotes(mine);
            }

        private:
            std::function<void(int)> atStep_;
            int step_ = 0;
        };
        std::vector<std::unique_ptr<Ordering>> ordering;
        std::mutex mutex;
        spread.wrap = [&](collective::Communicator& inner) -> collective::Communicator& {
            const std::lock_guard lock(mutex);
            return *ordering.emplace_back(
                std::make_unique<Ordering>(inner, [&, replica = inner.replica()](int step) {
                    if (replica != 2 || step != 6) return;
                    std::ignore = faults.order({.kind = wire::DRILL_KIND_BIT_FLIP,
                                                .done = [&](const std::string& sentence,
                                                            std::int64_t) { told = sentence; },
                                                .refused = [](const std::string&) {}});
                }));
        };
        const auto result = trainSmall(small, spread);
        QVERIFY2(told.find("was flipped in replica 2's share of the weights before step 7") !=
                     std::string::npos,
                 told.c_str());
        QVERIFY(!result.outcomes[2]);
        QCOMPARE(result.outcomes[2].error().code, ErrorCode::Internal);
        const std::string& sentence = result.outcomes[2].error().message;
        QVERIFY2(sentence.starts_with("weights changed between the updates of steps 6 and 7: in "
                                      "tensor"),
                 sentence.c_str());
        QVERIFY2(sentence.find("in replica 2's share") != std::string::npos, sentence.c_str());
        QCOMPARE(result.progress[2].step, 6U);
        for (const std::size_t other : {std::size_t{0}, std::size_t{1}})
            QCOMPARE(result.outcomes[other].error().code, ErrorCode::PeerLost);
    }

    void copiesThatDifferAreFoundWithinTheJobsStepsAndNamed_data() {
        QTest::addColumn<int>("hosts");
        QTest::addColumn<QList<float>>("wrongBy");
        QTest::addColumn<QString>("words");
        QTest::newRow("nobody is most") << 2 << QList<float>{0, 1}
                                        << "replica 1 holds other weights than replica 0 after "
                                           "step 10, first in tensor '";
        QTest::newRow("one of three") << 3 << QList<float>{0, 1, 0}
                                      << "replica 1 holds other weights than replicas 0, 2 after "
                                         "step 10, first in tensor '";
        QTest::newRow("three kinds") << 5 << QList<float>{0, 1, 1, 0, 2}
                                     << "replicas 1, 2, 4 hold other weights than replicas 0, 3 "
                                        "after step 10, first in tensor '";
    }

    void copiesThatDifferAreFoundWithinTheJobsStepsAndNamed() {
        QFETCH(const int, hosts);
        QFETCH(const QList<float>, wrongBy);
        QFETCH(const QString, words);
        auto spec = smallSpec({64});
        spec.training.identityEverySteps = kEvery;
        const SmallJob small(spec, smallDigits(640, 0, 0));  // 20 steps
        Spread spread{.hosts = std::vector<std::vector<int>>(static_cast<std::size_t>(hosts), {1}),
                      .transport = collective::TransportChoice::Gloo};
        std::vector<std::unique_ptr<MiscountingCommunicator>> wrong;
        std::mutex mutex;
        spread.wrap = [&](collective::Communicator& inner) -> collective::Communicator& {
            const float by = wrongBy[inner.replica()];
            if (by == 0) return inner;
            const std::lock_guard lock(mutex);
            return *wrong.emplace_back(std::make_unique<MiscountingCommunicator>(inner, 7, by));
        };
        const bool hasMost = hosts == 3;
        const auto result = trainSmall(small, spread);
        for (const auto& outcome : result.outcomes) {
            QVERIFY(!outcome);
            const QString sentence = QString::fromStdString(outcome.error().message);
            QVERIFY2(sentence.startsWith(words), qPrintable(sentence));
            QCOMPARE(sentence.endsWith("; which are wrong, nothing tells"), !hasMost);
        }
        QCOMPARE(result.outcomes[1].error().code, ErrorCode::Internal);
        QCOMPARE(result.outcomes[0].error().code,
                 hasMost ? ErrorCode::PeerLost : ErrorCode::Internal);
    }

    void whatComparingTakesIsWaitingForTheOthers() {
        Spread spread{.hosts = {{1}, {1}}, .transport = collective::TransportChoice::Gloo};
        std::vector<std::unique_ptr<LateCommunicator>> late;
        std::mutex mutex;
        spread.wrap = [&](collective::Communicator& inner) -> collective::Communicator& {
            const std::lock_guard lock(mutex);
            return *late.emplace_back(std::make_unique<LateCommunicator>(inner));
        };
        const auto result = trainSmall(tenSteps(), spread);
        const wire::StepBatch& steps = result.records[0].front().steps();
        QCOMPARE(steps.all_reduce_us_size(), 10);
        constexpr float kLate = LateCommunicator::kLate / std::chrono::microseconds(1);
        for (const int at : {4, 9}) {  // after steps 5 and 10
            QVERIFY2(steps.step_us(at) >= kLate, qPrintable(QString::number(steps.step_us(at))));
            QVERIFY2(steps.all_reduce_us(at) >= kLate,
                     qPrintable(QString::number(steps.all_reduce_us(at))));
        }
    }
};

QTEST_GUILESS_MAIN(WeightIdentityTest)
#include "tst_weight_identity.moc"
