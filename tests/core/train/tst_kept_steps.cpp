// SPDX-License-Identifier: Apache-2.0
// What replicas keep of their steps in memory: whole or not there, whoever is killed while it is
// written.
#include <sys/mman.h>

#include <QtTest>
#include <numeric>

#include "core/base/file.h"
#include "core/train/checkpoints/kept_start.h"
#include "core/train/replica/kept_steps.h"
#include "tests/support/memory_store.h"

using namespace lockstep;
using namespace lockstep::train;
using namespace lockstep::tests;
using collective::Range;

namespace {

constexpr std::size_t kParameters = 10'000;
constexpr int kMoments = 2;

/// A replica of its process: what it trains, and which part of it is its own.
struct Trained {
    std::vector<float> parameters = std::vector<float>(kParameters);
    std::vector<std::vector<float>> moments{kMoments, std::vector<float>(kParameters)};
    std::vector<double> metrics{0, 0};
    std::vector<float> statistics{0, 0, 0};

    /// As it is behind a step: every number is another one.
    void train(std::int64_t step) {
        std::iota(parameters.begin(), parameters.end(), static_cast<float>(step) * 7);
        for (std::size_t i = 0; i < moments.size(); ++i)
            std::iota(moments[i].begin(), moments[i].end(),
                      static_cast<float>(step) * 11 + static_cast<float>(i));
        metrics = {static_cast<double>(step), 0.5};
        statistics = {static_cast<float>(step), 1, 2};
    }
    [[nodiscard]] std::vector<std::span<float>> views() { return {moments.begin(), moments.end()}; }
};

const std::vector<Range> kBuckets{{6'000, 10'000}, {0, 6'000}};

/// The second half of each bucket is replica 1's.
Range shareOf(std::size_t bucket, int replica) {
    const Range whole = kBuckets[bucket];
    const std::size_t middle = whole.begin + whole.size() / 2;
    return replica == 0 ? Range{whole.begin, middle} : Range{middle, whole.end};
}

struct Kept {
    UniqueFd memory{memfd_create("kept", MFD_CLOEXEC)};
    Trained trained;
    int replicas = 1;
    std::uint64_t fingerprint = 42;

    [[nodiscard]] std::unique_ptr<KeptSteps> open() const {
        auto kept = KeptSteps::open(memory.get(), {.parameters = kParameters,
                                                   .moments = kMoments,
                                                   .statistics = 3,
                                                   .metrics = 2,
                                                   .buckets = kBuckets.size(),
                                                   .replicas = replicas,
                                                   .fingerprint = fingerprint});
        return kept ? std::move(*kept) : nullptr;
    }
    /// As a replica's step does it; `pieces`: after so many copies it is killed.
    void keep(KeptReplica& replica, int index, std::int64_t step,
              int pieces = 1000) {  // it has three
        trained.train(step);
        replica.begin(step);
        for (std::size_t bucket = 0; bucket < kBuckets.size(); ++bucket) {
            const Range share = shareOf(bucket, index);
            QVERIFY(replica.takeShare(bucket, share));
            for (std::size_t begin = share.begin; begin < share.end; begin += KeptReplica::kBlock) {
                if (pieces-- == 0) return;
                replica.copy({begin, std::min(share.end, begin + KeptReplica::kBlock)},
                             trained.parameters, trained.views());
            }
        }
        if (pieces == 0) return;
        replica.complete({.lossSum = static_cast<double>(step) / 3,
                          .correct = 5,
                          .samples = 32,
                          .skippedSteps = 1,
                          .metrics = trained.metrics,
                          .statistics = trained.statistics},
                         {.step = static_cast<std::uint64_t>(step), .loss = 0.5F});
    }
};

using Steps = std::vector<std::int64_t>;

}  // namespace

class KeptStepsTest : public QObject {
    Q_OBJECT

private slots:
    void theNewestTwoStepsAreThereForWhoeverComesNext() {
        Kept kept;
        {
            const auto first = kept.open();
            QVERIFY(first);
            QCOMPARE(first->wholeSteps(), Steps());
            QVERIFY(first->replica(0).setText("what epochs have led to"));
            for (const std::int64_t step : {1, 2, 3})
                kept.keep(first->replica(0), 0, step);
        }
        const auto next = kept.open();
        QCOMPARE(next->wholeSteps(), (Steps{3, 2}));
        QCOMPARE(next->trouble(), std::string());
        const KeptReplica& replica = next->replica(0);
        Trained wanted;
        wanted.train(2);
        Trained restored;
        replica.restore(2, restored.parameters, restored.views());
        for (std::size_t bucket = 0; bucket < kBuckets.size(); ++bucket)
            for (std::size_t i = shareOf(bucket, 0).begin; i < shareOf(bucket, 0).end; ++i) {
                QCOMPARE(restored.parameters[i], wanted.parameters[i]);
                QCOMPARE(restored.moments[1][i], wanted.moments[1][i]);
            }
        QCOMPARE(restored.parameters[shareOf(1, 1).begin], 0.0F);  // another replica's
        const KeptFigures figures = replica.figures(2);
        QCOMPARE(figures.lossSum, 2.0 / 3);
        QCOMPARE(figures.skippedSteps, std::int64_t{1});
        QVERIFY(std::ranges::equal(figures.metrics, wanted.metrics));
        QVERIFY(std::ranges::equal(figures.statistics, wanted.statistics));
        QCOMPARE(replica.text(2), std::string("what epochs have led to"));
    }

    void wheneverItsReplicaIsKilledAStepIsWholeOrNotThere() {
        for (int pieces = 0; pieces < 4; ++pieces) {
            Kept kept;
            {
                const auto first = kept.open();
                for (const std::int64_t step : {1, 2})
                    kept.keep(first->replica(0), 0, step);
                kept.keep(first->replica(0), 0, 3, pieces);
            }
            const auto next = kept.open();
            QCOMPARE(next->wholeSteps(), Steps{2});
            QCOMPARE(next->trouble(), std::string());
        }
    }
    void aStepIsWholeOnceAllReplicasOfTheProcessHaveKeptIt() {
        Kept kept;
        kept.replicas = 2;
        const auto both = kept.open();
        for (const int index : {0, 1})
            kept.keep(both->replica(index), index, 1);
        kept.keep(both->replica(0), 0, 2);
        QCOMPARE(both->wholeSteps(), Steps{1});
        kept.keep(both->replica(1), 1, 2);
        QCOMPARE(both->wholeSteps(), (Steps{2, 1}));
    }

    // The control: a word that comes too early, and a byte that changes behind it.
    void aStepThatIsCalledWholeTooEarlyIsFoundByItsSum() {
        for (int pieces = 0; pieces < 4; ++pieces) {
            Kept kept;
            const auto first = kept.open();
            kept.keep(first->replica(0), 0, 1);
            kept.keep(first->replica(0), 0, 3);  // its word, its sum, its figures
            const auto before = wordPlace(kept, 3);
            QVERIFY(before >= 0);
            kept.keep(first->replica(0), 0, 5, pieces);
            const std::int64_t word = 5;
            QCOMPARE(::pwrite(kept.memory.get(), &word, sizeof word, before),
                     static_cast<ssize_t>(sizeof word));
            QCOMPARE(first->wholeSteps(), Steps());
            QVERIFY2(QString::fromStdString(first->trouble()).contains("of step 5 is damaged"),
                     first->trouble().c_str());
        }
    }
    void aByteThatChangesIsFound() {
        Kept kept;
        const auto first = kept.open();
        kept.keep(first->replica(0), 0, 1);
        kept.keep(first->replica(0), 0, 2);
        QCOMPARE(first->wholeSteps(), (Steps{2, 1}));
        first->replica(0).restore(2, kept.trained.parameters, kept.trained.views());
        // An element of step 2's share: 3000 of bucket 1 is replica 1's, 2999 replica 0's.
        const float wanted = 2 * 7 + 2999;
        QVERIFY(flip(kept, wanted));
        QCOMPARE(first->wholeSteps(), Steps{1});
        QVERIFY(QString::fromStdString(first->trouble()).contains("of step 2 is damaged"));
    }

    void whatAnotherJobHasKeptIsNotUsed() {
        Kept kept;
        kept.keep(kept.open()->replica(0), 0, 1);
        kept.fingerprint = 43;
        const auto other = kept.open();
        QCOMPARE(other->wholeSteps(), Steps());
        QVERIFY(QString::fromStdString(other->trouble()).contains("another job"));
    }
    void whatIsNotTrustedIsForgottenAndTheFirstReasonStays() {
        Kept kept;
        const auto first = kept.open();
        kept.keep(first->replica(0), 0, 1);
        first->distrust("a weight has changed");
        first->distrust("something else");
        const auto next = kept.open();
        QCOMPARE(next->wholeSteps(), Steps());
        QCOMPARE(next->trouble(), std::string("a weight has changed"));
        next->keepOnly(0);  // the run goes on from elsewhere
        QCOMPARE(next->trouble(), std::string());
    }
    void whoGoesOnFromAStepForgetsTheOthers() {
        Kept kept;
        const auto first = kept.open();
        kept.keep(first->replica(0), 0, 1);
        kept.keep(first->replica(0), 0, 2);
        first->keepOnly(1);
        QCOMPARE(first->wholeSteps(), Steps{1});
    }
    void recordsThatNobodyWasToldAreThereForTheNextLife() {
        Kept kept;
        {
            const auto first = kept.open();
            for (const std::int64_t step : {1, 2, 3, 4, 5})
                kept.keep(first->replica(0), 0, step);
            first->replica(0).told(3);
        }
        const auto next = kept.open();
        const auto untold = next->replica(0).untold(5);
        QCOMPARE(untold.size(), std::size_t{2});
        QCOMPARE(untold[0].step, std::uint64_t{4});
        QCOMPARE(untold[1].loss, 0.5F);
        next->keepOnly(0);  // from the disk: every step comes again
        kept.keep(next->replica(0), 0, 1);
        QCOMPARE(next->replica(0).untold(1).size(), std::size_t{1});
    }
    void aTextThatIsTooLongIsRefused() {
        Kept kept;
        const auto first = kept.open();
        const auto refused = first->replica(0).setText(std::string((1U << 20U) + 1, 'x'));
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::Unavailable);
    }

    void allGoOnFromTheNewestStepThatAllHave() {
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}, {}}, {{7}, {}}, {{8, 7}, {}}}),
                 (KeptChoice{7, {}}));
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{7}, {}}, {{8, 7}, {}}}), (KeptChoice{7, {}}));
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}, {}}}), (KeptChoice{8, {}}));
    }
    void whereAProcessHasNoneTheReasonIsItsOwn() {
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}, {}}, {{}, "a weight has changed"}}),
                 (KeptChoice{0, "process 1: a weight has changed"}));
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{}, {}}, {{}, "later"}}),
                 (KeptChoice{0, "process 0 had completed no step, or has lost what it kept"}));
    }
    void whereStepsHaveNothingInCommonThatIsTheReason() {
        const auto choice = newestOfAll(std::vector<KeptOffer>{{{8, 7}, {}}, {{5, 6}, {}}});
        QCOMPARE(choice,
                 (KeptChoice{0, "process 0 has kept steps 8 and 7, process 1 steps 5 and 6"}));
    }
    void whoHasLostAStepIsGivenItByTheHostOfProcess0() {
        const KeptFeeding shared{.source = {0, 1}};
        // Its agent was lost.
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}}, {{8, 7}}, {}}, shared),
                 (KeptChoice{8, {}, {2}}));
        // Who has any has the older one as well: nobody but the lost one needs it.
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}}, {{8, 7}}, {{7, 6}}, {}}, shared),
                 (KeptChoice{7, {}, {3}}));
        // What is there of a host that was away is older.
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}}, {{7}}, {{3, 2}}}, shared),
                 (KeptChoice{7, {}, {2}}));
        QCOMPARE(newestOfAll(
                     std::vector<KeptOffer>{
                         {{8, 7}}, {{8, 7}}, {{7}, "what was kept of step 8 is damaged"}, {}},
                     shared),
                 (KeptChoice{7, {}, {3}}));
    }
    void whereNobodyHasAStepWholeNobodyIsGivenIt() {
        const KeptFeeding shared{.source = {0, 1}};
        // A half of it is lost.
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}}, {}, {{8, 7}}}, shared).why,
                 std::string("process 1 had completed no step, or has lost what it kept"));
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{}, {{8, 7}}, {{8, 7}}}, shared).step, 0);
        // What one has seen may be in what all have kept.
        const KeptOffer doubtful{{}, "a weight has changed", true};
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8, 7}}, {{8, 7}}, doubtful}, shared),
                 (KeptChoice{0, "process 2: a weight has changed"}));
        const KeptFeeding refused{.source = {0}, .whyNot = "it cannot be given"};
        QCOMPARE(newestOfAll(std::vector<KeptOffer>{{{8}}, {}}, refused).why,
                 std::string("process 1 had completed no step, or has lost what it kept, and it "
                             "cannot be given"));
    }
    void whatIsOfAnotherRunCountsAsNothing() {
        MemoryStore store;
        QVERIFY(announceKept(store, 1, {{8, 7}, {}, false, 2}));
        QCOMPARE(chooseKept(store, 2, {{8, 7}, {}, false, 1}, std::chrono::seconds(5)).value(),
                 (KeptChoice{0, "process 1: what it kept is of another run"}));
        QCOMPARE(chooseKept(store, 2, {{8, 7}, {}, false, 1}, std::chrono::seconds(5), {{0}, {}})
                     .value(),
                 (KeptChoice{8, {}, {1}}));
    }
    void aRunsNumberIsKeptWithItsSteps() {
        Kept kept;
        kept.open()->keepOnly(0, 77);
        const auto next = kept.open();
        QCOMPARE(next->lineage(), std::uint64_t{77});
        QVERIFY(!next->isDistrusted());
        next->distrust("a weight has changed");
        QCOMPARE(offerOf(*kept.open()), (KeptOffer{{}, "a weight has changed", true, 77}));
        next->keepOnly(0, 78);
        QCOMPARE(offerOf(*kept.open()), (KeptOffer{{}, {}, false, 78}));
    }
    void offersComeThroughTheJobsStore() {
        MemoryStore store;
        QVERIFY(announceKept(store, 1, {{12, 11}, {}}));
        QVERIFY(announceKept(store, 2, {{11}, "what was kept of step 12 is damaged"}));
        const auto choice = chooseKept(store, 3, {{12, 11}, {}}, std::chrono::seconds(5));
        QCOMPARE(choice.value(), (KeptChoice{11, {}}));
        MemoryStore other;
        QVERIFY(announceKept(other, 1, {{}, "a weight has changed"}));
        QCOMPARE(chooseKept(other, 2, {{12}, {}}, std::chrono::seconds(5)).value(),
                 (KeptChoice{0, "process 1: a weight has changed"}));
    }

private:
    static std::vector<std::byte> bytesOf(const Kept& kept, std::size_t most) {
        std::vector<std::byte> bytes(most);
        const ssize_t got = ::pread(kept.memory.get(), bytes.data(), bytes.size(), 0);
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return bytes;
    }
    /// Where a slot's word says `step`: slots begin at whole pages.
    static off_t wordPlace(const Kept& kept, std::int64_t step) {
        const auto bytes = bytesOf(kept, std::size_t{8} << 20);
        for (std::size_t at = 4096; at + 8 <= bytes.size(); at += 4096)
            if (std::memcmp(bytes.data() + at, &step, sizeof step) == 0)
                return static_cast<off_t>(at);
        return -1;
    }
    /// A bit of the last place where this number lies.
    static bool flip(const Kept& kept, float number) {
        auto bytes = bytesOf(kept, std::size_t{8} << 20);
        for (std::size_t at = bytes.size() - 4; at > 4096; at -= 4)
            if (std::memcmp(bytes.data() + at, &number, sizeof number) == 0) {
                bytes[at] ^= std::byte{1};
                return ::pwrite(kept.memory.get(), &bytes[at], 1, static_cast<off_t>(at)) == 1;
            }
        return false;
    }
};

QTEST_GUILESS_MAIN(KeptStepsTest)
#include "tst_kept_steps.moc"
