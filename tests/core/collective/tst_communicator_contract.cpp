// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>

#include "core/base/try.h"
#include "tests/core/collective/run_job.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

QString firstError(const std::vector<Result<void>>& outcomes) {
    for (const auto& outcome : outcomes)
        if (!outcome) return QString::fromStdString(outcome.error().message);
    return {};
}

struct World {
    const char* name;
    std::vector<std::vector<int>> perHost;
};

/// Worlds of 1, 2, 3, 4, 5 and 8 replicas, in even and uneven groups.
const std::vector<World>& worlds() {
    static const std::vector<World> all = {
        {"one", {{1}}},
        {"two threads", {{2}}},
        {"two processes", {{1, 1}}},
        {"two hosts", {{1}, {1}}},
        {"three processes", {{1, 1, 1}}},
        {"three hosts", {{1}, {1}, {1}}},
        {"hosts of 1 and 3", {{1}, {1, 1, 1}}},
        {"hosts of 3 and 1", {{2, 1}, {1}}},
        {"hosts of 2 and 3", {{1, 1}, {2, 1}}},
        {"hosts of 1, 3 and 1", {{1}, {1, 2}, {1}}},
        {"two processes of four", {{4, 4}}},
        {"eight in threes", {{1, 2}, {3}, {1, 1}}},
    };
    return all;
}

}  // namespace

class CommunicatorContractTest : public QObject {
    Q_OBJECT
private:
    static void transportRows() {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("transport");
        for (std::size_t world = 0; world < worlds().size(); ++world) {
            for (const auto transport : {TransportChoice::Auto, TransportChoice::Gloo}) {
                const char* name = transport == TransportChoice::Auto ? "auto" : "gloo";
                QTest::addRow("%s, %s", worlds()[world].name, name)
                    << static_cast<int>(world) << static_cast<int>(transport);
            }
        }
    }
    static SampleJob jobOfRow() {
        QFETCH(int, world);
        QFETCH(int, transport);
        SampleJob job;
        job.topology = topologyOf(worlds()[static_cast<std::size_t>(world)].perHost);
        job.transport = static_cast<TransportChoice>(transport);
        job.layout = layoutOf(1003, 3);
        return job;
    }

private slots:
    void everyTransportGivesTheBitsOfThePlainSum_data() { transportRows(); }
    void everyTransportGivesTheBitsOfThePlainSum() {
        SampleJob job = jobOfRow();
        // No elements; fewer than replicas; odd; pieces larger than what is sent whole.
        const std::vector<std::pair<std::size_t, std::size_t>> sizes = {
            {0, 1}, {3, 1}, {17, 2}, {1003, 1}, {1003, 7}, {40'003, 1}, {80'003, 3}};
        job.steps = 2;
        for (const auto& [parameters, buckets] : sizes) {
            job.layout = layoutOf(parameters, buckets);
            const ReplicaResult expected = expectedResult(job);
            const auto outcomes = runInThreads(job, [&](Communicator& communicator) {
                return runAndCompare(communicator, job, expected);
            });
            QCOMPARE(firstError(outcomes), QString());
        }
    }

    void realProcessesGiveTheSameBits_data() { transportRows(); }
    void realProcessesGiveTheSameBits() {
        SKIP_FORKS_UNDER_THREAD_SANITIZER();
        SampleJob job = jobOfRow();
        job.layout = layoutOf(30'001, 3);
        job.steps = 5;
        const ReplicaResult expected = expectedResult(job);
        const QTemporaryDir folder;
        ForkedJob forked(job, folder.path().toStdString(), [&](Communicator& communicator) {
            return runAndCompare(communicator, job, expected);
        });
        for (int process = 0; process < job.topology.processCount(); ++process)
            QCOMPARE(forked.wait(process, std::chrono::seconds(30)), int(ForkedJob::kDone));
    }

    void hostsMayBeInterleavedAmongTheProcesses() {
        SampleJob job;
        job.topology.processes = {{1, 1}, {0, 2}, {1, 2}, {0, 1}};
        job.layout = layoutOf(40'000, 2);
        const ReplicaResult expected = expectedResult(job);
        for (const auto transport : {TransportChoice::Auto, TransportChoice::Gloo}) {
            job.transport = transport;
            const auto outcomes = runInThreads(job, [&](Communicator& communicator) {
                return runAndCompare(communicator, job, expected);
            });
            QCOMPARE(firstError(outcomes), QString());
        }
    }

    void oneReplicaOnEachOfNHostsEqualsNOnOne() {
        SampleJob together;
        together.topology = topologyOf({{1, 1, 1, 1}});
        together.layout = layoutOf(5'000, 2);
        SampleJob apart = together;
        apart.topology = topologyOf({{1}, {1}, {1}, {1}});
        QVERIFY(expectedResult(together) == expectedResult(apart));
        SampleJob grouped = together;
        grouped.topology = topologyOf({{1, 1}, {1, 1}});
        // The test's numbers can tell orders apart.
        QVERIFY(!(expectedResult(together) == expectedResult(grouped)));
    }

    void aThousandStepsWithRandomDelaysComeToTheirEnd_data() {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("transport");
        const int automatic = static_cast<int>(TransportChoice::Auto);
        QTest::newRow("threads") << 1 << automatic;
        QTest::newRow("processes") << 4 << automatic;
        QTest::newRow("shm and gloo") << 6 << automatic;
        QTest::newRow("gloo") << 4 << static_cast<int>(TransportChoice::Gloo);
    }
    void aThousandStepsWithRandomDelaysComeToTheirEnd() {
        SampleJob job = jobOfRow();
        job.layout = layoutOf(333, 3);
        job.steps = 1000;
        job.mostDelayMicros = 100;
        const ReplicaResult expected = expectedResult(job);
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) {
            return runAndCompare(communicator, job, expected);
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    void randomJobsOnRandomSchedulesGiveTheSameBits_data() {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 24; ++seed)
            QTest::addRow("seed %d", seed) << seed;
    }
    void randomJobsOnRandomSchedulesGiveTheSameBits() {
        QFETCH(int, seed);
        CounterRng rng(static_cast<std::uint64_t>(seed));
        SampleJob job;
        for (std::uint32_t process = 1 + rng.nextBelow(4); process > 0; --process)
            job.topology.processes.push_back(
                {static_cast<int>(rng.nextBelow(3)), 1 + static_cast<int>(rng.nextBelow(2))});
        job.transport = rng.nextBelow(2) == 0 ? TransportChoice::Auto : TransportChoice::Gloo;
        std::vector<std::size_t> layers;
        std::size_t parameters = 0;
        for (std::uint32_t layer = 1 + rng.nextBelow(5); layer > 0; --layer) {
            layers.push_back(parameters);
            parameters += rng.nextBelow(rng.nextBelow(2) == 0 ? 40 : 20'000);
        }
        job.layout = {parameters, planBuckets(layers, parameters, 400 + rng.nextBelow(60'000)), 1};
        job.steps = 4;
        job.mostDelayMicros = static_cast<int>(rng.nextBelow(500));
        const ReplicaResult expected = expectedResult(job);
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) {
            return runAndCompare(communicator, job, expected);
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    void wordsOfAllReplicasAreGatheredInTheirOrder_data() { transportRows(); }
    void wordsOfAllReplicasAreGatheredInTheirOrder() {
        const SampleJob job = jobOfRow();
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            for (const std::size_t words : {1U, 2U, 2048U, 5000U, 0U, 3U}) {
                const auto word = [&](int replica, std::size_t at) {
                    return static_cast<std::uint64_t>(replica) * 10'000 + words * 1'000'000 + at;
                };
                std::vector<std::uint64_t> mine;
                for (std::size_t at = 0; at < words; ++at)
                    mine.push_back(word(communicator.replica(), at));
                std::vector<std::uint64_t> all(
                    words * static_cast<std::size_t>(communicator.replicaCount()));
                const auto gathered = communicator.allGather(mine, all);
                if (!gathered) return gathered;
                for (std::size_t i = 0; i < all.size(); ++i)
                    if (all[i] != word(static_cast<int>(i / words), i % words))
                        return fail(ErrorCode::Corrupt, "a word is not where it belongs");
            }
            return {};
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    /// As many as one round takes, more, and none.
    void piecesAreDealtOutToWhomTheyAreFor_data() { transportRows(); }
    void piecesAreDealtOutToWhomTheyAreFor() {
        const SampleJob job = jobOfRow();
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            const auto replicas = static_cast<std::size_t>(communicator.replicaCount());
            const auto self = static_cast<std::size_t>(communicator.replica());
            for (const std::size_t words : {1U, 2U, 2048U, 5000U, 0U, 3U}) {
                const auto word = [&](std::size_t from, std::size_t to, std::size_t at) {
                    return (from * 100 + to) * 10'000 + words * 100'000'000 + at;
                };
                std::vector<std::uint64_t> mine;
                for (std::size_t to = 0; to < replicas; ++to)
                    for (std::size_t at = 0; at < words; ++at)
                        mine.push_back(word(self, to, at));
                std::vector<std::uint64_t> pieces(mine.size());
                TRY(communicator.allToAll(mine, pieces));
                for (std::size_t i = 0; i < pieces.size(); ++i)
                    if (pieces[i] != word(i / words, self, i % words))
                        return fail(ErrorCode::Corrupt, "a word is not where it belongs");
            }
            return {};
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    void theFirstReplicasStateReachesAll_data() { transportRows(); }
    void whoIsWaitedForHasReachedTheFewestPoints_data() {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("late");
        for (const int world : {1, 2, 6, 8})
            for (const int late : {0, 1})
                QTest::addRow("%s, replica %d is late",
                              worlds()[static_cast<std::size_t>(world)].name, late)
                    << world << late;
    }
    void whoIsWaitedForHasReachedTheFewestPoints() {
        QFETCH(int, world);
        QFETCH(int, late);
        SampleJob job;
        job.topology = topologyOf(worlds()[static_cast<std::size_t>(world)].perHost);
        job.layout = layoutOf(1003, 3);
        std::vector<CollectivePlace> places(static_cast<std::size_t>(job.topology.replicaCount()));
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            CollectivePlace& mine = places[static_cast<std::size_t>(communicator.replica())];
            communicator.showPlaceIn(mine);
            // Those of its host say whom they wait for; another host may be done already.
            const auto othersWait = [&] {
                return std::ranges::all_of(places, [&](const CollectivePlace& one) {
                    return &one == &mine || (one.points > mine.points &&
                                             (job.topology.hosts().size() > 1 || one.awaited >= 0));
                });
            };
            // It comes only once all others are further; were they not, this would end in time.
            const auto comeLate = [&]() -> Result<void> {
                if (communicator.replica() != late) return {};
                const Nanos until = SteadyClock::read() + job.timeout / 2;
                while (!othersWait()) {
                    if (SteadyClock::read() > until)
                        return fail(ErrorCode::Timeout, "who waits has not reached more points");
                    std::this_thread::yield();
                }
                return {};
            };
            std::vector<std::uint64_t> all(places.size());
            for (int step = 0; step < 2; ++step) {
                TRY(comeLate());
                TRY(communicator.broadcastState());
                TRY(comeLate());
                TRY(communicator.allGather(std::array{std::uint64_t{1}}, all));
                for (std::size_t bucket = 0; bucket < job.layout.buckets.size(); ++bucket) {
                    TRY(comeLate());
                    communicator.post(bucket);
                    if (const auto share = communicator.reduce(bucket); !share)
                        return fail(share.error());
                }
                for (std::size_t bucket = 0; bucket < job.layout.buckets.size(); ++bucket) {
                    if (bucket + 1 == job.layout.buckets.size()) TRY(comeLate());
                    communicator.publish(bucket);
                }
                TRY(communicator.finishStep());
            }
            return {};
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    void theFirstReplicasStateReachesAll() {
        SampleJob job = jobOfRow();
        job.layout = layoutOf(30'001, 2);
        job.layout.moments = 2;
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            CounterRng delays(1);
            for (int round = 0; round < 3; ++round) {
                const float mark = static_cast<float>(round) + 0.5F;
                const std::uint64_t here[] = {1};
                std::vector<std::uint64_t> all(
                    static_cast<std::size_t>(communicator.replicaCount()));
                if (const auto met = communicator.allGather(here, all); !met) return met;
                if (communicator.replica() == 0) {
                    drawGradients(7, round, communicator.parameters());
                    std::ranges::fill(communicator.moments(0), mark);
                    std::ranges::fill(communicator.moments(1), -mark);
                }
                if (const auto sent = communicator.broadcastState(); !sent) return sent;
                std::vector<float> expected(job.layout.parameters);
                drawGradients(7, round, expected);
                if (!std::ranges::equal(communicator.parameters(), expected))
                    return fail(ErrorCode::Corrupt, "the parameters are not those of replica 0");
                for (std::size_t i = 0; i < expected.size(); ++i)
                    if (communicator.moments(0)[i] != mark || communicator.moments(1)[i] != -mark)
                        return fail(ErrorCode::Corrupt, "the moments are not those of replica 0");
                if (const auto done = runStep(communicator, job, round, delays); !done) return done;
            }
            return {};
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    void theBackendIsNamedAfterWhatIsUsed() {
        struct Case {
            std::vector<std::vector<int>> perHost;
            TransportChoice transport;
            std::string backend;
        };
        const std::vector<Case> cases = {
            {{{1}}, TransportChoice::Auto, "local"},
            {{{3}}, TransportChoice::Gloo, "local"},
            {{{1, 1}}, TransportChoice::Auto, "shm"},
            {{{1, 2}}, TransportChoice::Shm, "shm"},
            {{{1, 1}}, TransportChoice::Gloo, "gloo"},
            {{{1}, {2}}, TransportChoice::Auto, "gloo"},
            {{{1}, {1, 1}}, TransportChoice::Auto, "shm+gloo"},
        };
        for (const Case& one : cases) {
            SampleJob job;
            job.topology = topologyOf(one.perHost);
            job.transport = one.transport;
            job.layout = layoutOf(10, 1);
            const auto outcomes =
                runInThreads(job, [&](Communicator& communicator) -> Result<void> {
                    if (communicator.backend() == one.backend) return {};
                    return fail(ErrorCode::Corrupt, std::string(communicator.backend()));
                });
            QCOMPARE(firstError(outcomes), QString());
        }
    }

    void whoLeavesAsSoonAsItHasJoinedKeepsNobodyFromJoining() {
        for (const auto& perHost : {std::vector<std::vector<int>>{{1}, {1}}, {{1}, {1}, {1}}}) {
            SampleJob job;
            job.topology = topologyOf(perHost);
            job.layout = layoutOf(10, 1);
            for (int round = 0; round < 100; ++round) {
                const auto outcomes =
                    runInThreads(job, [](Communicator&) -> Result<void> { return {}; });
                QCOMPARE(firstError(outcomes), QString());
            }
        }
    }

    void replicasThatShareMemoryHoldOneCopyOfTheWeights() {
        SampleJob job;
        job.topology = topologyOf({{2}});
        job.layout = layoutOf(1003, 3);
        std::array<const float*, 2> weights{};
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            weights.at(static_cast<std::size_t>(communicator.replica())) =
                communicator.parameters().data();
            return {};
        });
        QCOMPARE(firstError(outcomes), QString());
        QVERIFY(weights[0] == weights[1]);
    }

    void theWeightsOfAStepAreSeenWholeUntilTheNextIsPosted_data() { transportRows(); }
    void theWeightsOfAStepAreSeenWholeUntilTheNextIsPosted() {
        SampleJob job = jobOfRow();
        job.layout = layoutOf(333, 3);
        job.mostDelayMicros = 200;
        std::vector<std::vector<float>> expected;
        constexpr int kSteps = 20;
        for (job.steps = 1; job.steps <= kSteps; ++job.steps)
            expected.push_back(expectedResult(job).parameters);
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            CounterRng delays(5, static_cast<std::uint64_t>(communicator.replica()));
            for (int step = 0; step < kSteps; ++step) {
                if (const auto done = runStep(communicator, job, step, delays); !done) return done;
                for (int look = 0; look < 2; ++look) {
                    if (!std::ranges::equal(communicator.parameters(),
                                            expected[static_cast<std::size_t>(step)]))
                        return fail(ErrorCode::Corrupt, fmt::format("weights of step {}", step));
                    maybeSleep(delays, job.mostDelayMicros);
                }
            }
            return {};
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    void oneReplicaCopiesNothing() {
        SampleJob job;
        job.topology = topologyOf({{1}});
        job.layout = layoutOf(100, 1);
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            if (communicator.sums().data() == communicator.gradients().data()) return {};
            return fail(ErrorCode::Corrupt, "the sums are a copy");
        });
        QCOMPARE(firstError(outcomes), QString());
    }

    void whoIsDoneFirstMayLeaveAtOnce_data() { transportRows(); }
    void whoIsDoneFirstMayLeaveAtOnce() {
        SKIP_FORKS_UNDER_THREAD_SANITIZER();
        SampleJob job = jobOfRow();
        job.layout = layoutOf(60'000, 3);
        job.steps = 2;
        const ReplicaResult expected = expectedResult(job);
        const QTemporaryDir folder;
        // Each process takes its connections along when it ends.
        ForkedJob forked(job, folder.path().toStdString(), [&](Communicator& communicator) {
            const auto done = runAndCompare(communicator, job, expected);
            // a pause: one ends after the other
            std::this_thread::sleep_for(Millis(5) * communicator.replica());
            return done;
        });
        for (int process = 0; process < job.topology.processCount(); ++process)
            QCOMPARE(forked.wait(process, std::chrono::seconds(30)), int(ForkedJob::kDone));
    }
};

QTEST_GUILESS_MAIN(CommunicatorContractTest)
#include "tst_communicator_contract.moc"
