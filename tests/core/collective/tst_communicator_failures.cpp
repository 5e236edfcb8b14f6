// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <latch>

#include "core/base/try.h"
#include "core/collective/lost_connection.h"
#include "tests/core/collective/run_job.h"

using namespace lockstep;
using namespace lockstep::tests;
using namespace std::chrono_literals;

namespace {

constexpr int kManySteps = 1'000'000;

/// Three replicas in three processes, which the rows join in different ways.
SampleJob jobOf(const std::vector<std::vector<int>>& perHost, TransportChoice transport) {
    SampleJob job;
    job.topology = topologyOf(perHost);
    job.transport = transport;
    job.layout = layoutOf(20'000, 2);
    job.steps = kManySteps;
    return job;
}

/// Counts, across processes, the replicas that have made their first steps.
class Running {
public:
    Running()
        : count_(static_cast<std::atomic<int>*>(mmap(nullptr, sizeof(std::atomic<int>),
                                                     PROT_READ | PROT_WRITE,
                                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
    ~Running() { munmap(count_, sizeof(std::atomic<int>)); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void add() { ++*count_; }
    [[nodiscard]] int count() const { return *count_; }

private:
    std::atomic<int>* const count_;
};

/// A training that tells when it runs, and goes on until it fails.
ReplicaBody endlessTraining(const SampleJob& job, Running& running) {
    return [&](Communicator& communicator) -> Result<void> {
        SampleJob first = job;
        first.steps = 3;
        if (const auto begun = runReplica(communicator, first); !begun) return fail(begun.error());
        running.add();
        return runReplica(communicator, job).map([](const auto&) {});
    };
}

bool contains(const Result<void>& outcome, const char* text) {
    return !outcome && outcome.error().message.find(text) != std::string::npos;
}

}  // namespace

class CommunicatorFailuresTest : public QObject {
    Q_OBJECT
private:
    static void transportRows() {
        QTest::addColumn<int>("kind");
        QTest::newRow("shm") << 0;
        QTest::newRow("gloo") << 1;
        QTest::newRow("shm and gloo") << 2;
    }
    static SampleJob jobOfRow() {
        QFETCH(int, kind);
        if (kind == 0) return jobOf({{1, 1, 1}}, TransportChoice::Shm);
        if (kind == 1) return jobOf({{1, 1, 1}}, TransportChoice::Gloo);
        return jobOf({{1}, {1, 1}}, TransportChoice::Auto);
    }

private slots:
    void aKilledProcessIsLostAtOnceForAllOthers_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("victim");
        for (const int victim : {0, 1, 2}) {
            QTest::addRow("shm, process %d", victim) << 0 << victim;
            QTest::addRow("gloo, process %d", victim) << 1 << victim;
            QTest::addRow("shm and gloo, process %d", victim) << 2 << victim;
        }
    }
    void aKilledProcessIsLostAtOnceForAllOthers() {
        SKIP_FORKS_UNDER_THREAD_SANITIZER();
        QFETCH(int, victim);
        const SampleJob job = jobOfRow();
        const QTemporaryDir folder;
        Running running;
        ForkedJob forked(job, folder.path().toStdString(), endlessTraining(job, running));
        QTRY_COMPARE_WITH_TIMEOUT(running.count(), 3, 15'000);
        QTest::qWait(50);  // a pause: by then they are anywhere in a step
        forked.signal(victim, SIGKILL);
        QCOMPARE(forked.wait(victim, 10s), -SIGKILL);
        // The timeout is 20 s: they must notice, not wait. SIGPIPE would end them with a signal.
        const Nanos most = SteadyClock::read() + 5s;
        for (int process = 0; process < 3; ++process)
            if (process != victim)
                QCOMPARE(forked.wait(process, most - SteadyClock::read()),
                         static_cast<int>(ErrorCode::PeerLost));
    }

    void aStoppedProcessIsATimeoutForAllOthers_data() { transportRows(); }
    void aStoppedProcessIsATimeoutForAllOthers() {
        SKIP_FORKS_UNDER_THREAD_SANITIZER();
        QFETCH(int, kind);
        SampleJob job = jobOfRow();
        job.timeout = 1s;
        const QTemporaryDir folder;
        Running running;
        ForkedJob forked(job, folder.path().toStdString(), endlessTraining(job, running));
        QTRY_COMPARE_WITH_TIMEOUT(running.count(), 3, 15'000);
        QTest::qWait(50);  // a pause: by then they are anywhere in a step
        forked.signal(2, SIGSTOP);
        const Nanos stopped = SteadyClock::read();
        int timeouts = 0;
        for (int process = 0; process < 2; ++process) {
            const int status = forked.wait(process, 10s);
            // Who waits for the first to give up, over Gloo, may see it leave instead.
            QVERIFY2(status == static_cast<int>(ErrorCode::Timeout) ||
                         (kind != 0 && status == static_cast<int>(ErrorCode::PeerLost)),
                     qPrintable(QString::number(status)));
            if (status == static_cast<int>(ErrorCode::Timeout)) ++timeouts;
        }
        QVERIFY(timeouts >= 1);
        const Nanos waited = SteadyClock::read() - stopped;
        QVERIFY2(waited > 800ms && waited < 4s, qPrintable(QString::number(waited.count())));
    }

    void abortWakesABlockedReduceAtOnce_data() { transportRows(); }
    void abortWakesABlockedReduceAtOnce() {
        const SampleJob job = jobOfRow();
        std::latch blocked(3);
        std::latch looked(3);
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            CounterRng delays(1);
            if (const auto first = runStep(communicator, job, 0, delays); !first) return first;
            // Replica 2 never comes to the second step, so all others block in it.
            std::atomic<std::int64_t> woken{0};
            std::jthread step;
            if (communicator.replica() != 2)
                step = std::jthread([&] {
                    const auto second = runStep(communicator, job, 1, delays);
                    if (!second && second.error().code == ErrorCode::PeerLost)
                        woken = SteadyClock::read().count();
                });
            blocked.arrive_and_wait();
            std::this_thread::sleep_for(100ms);  // a pause: nobody may wake meanwhile
            if (woken != 0) return fail(ErrorCode::Internal, "woke before anybody aborted");
            looked.arrive_and_wait();
            const std::int64_t aborted = SteadyClock::read().count();
            communicator.abort();
            communicator.abort();
            if (step.joinable()) step.join();
            if (communicator.replica() == 2) return {};
            if (woken == 0) return fail(ErrorCode::Internal, "no PeerLost");
            if (Nanos(woken - aborted) > 1s) return fail(ErrorCode::Internal, "woke late");
            const auto after = communicator.allGather({}, {});
            std::uint64_t word = 0;
            std::vector<std::uint64_t> all(3);
            const auto dead = communicator.allGather({&word, 1}, all);
            if (!after || dead) return fail(ErrorCode::Internal, "it lives on");
            return {};
        });
        for (const auto& outcome : outcomes)
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
    }

    void closingTellsThePeersOfOtherHosts() {
        const SampleJob job = jobOf({{1}, {1}}, TransportChoice::Auto);
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            CounterRng delays(1);
            if (const auto first = runStep(communicator, job, 0, delays); !first) return first;
            if (communicator.replica() == 1) {
                communicator.abort();
                return {};
            }
            return runStep(communicator, job, 1, delays);
        });
        QVERIFY(outcomes[1]);
        QVERIFY(!outcomes[0]);
        QCOMPARE(outcomes[0].error().code, ErrorCode::PeerLost);
        QVERIFY(contains(outcomes[0], "lost the connection to replica 1 in bucket 0"));
        QVERIFY(collective::lostReplicaIn(outcomes[0].error().message) == 1U);
    }

    void theSilentReplicaIsNamed() {
        SampleJob job = jobOf({{1, 1, 1}}, TransportChoice::Shm);
        job.timeout = 300ms;
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            CounterRng delays(1);
            if (const auto first = runStep(communicator, job, 0, delays); !first) return first;
            if (communicator.replica() == 1) return {};
            return runStep(communicator, job, 1, delays);
        });
        for (const int waiting : {0, 2}) {
            const auto& outcome = outcomes[static_cast<std::size_t>(waiting)];
            QVERIFY(contains(outcome, "replica 1 did not finish its part in time in bucket 0"));
            QCOMPARE(outcome.error().code, ErrorCode::Timeout);
        }
    }

    void anotherModelIsRefused_data() { transportRows(); }
    void anotherModelIsRefused() {
        const SampleJob job = jobOfRow();
        MemoryStore store;
        const HostMemories memories(job.topology);
        const Nanos begin = SteadyClock::read();
        std::vector<Result<void>> outcomes(3);
        {
            std::vector<std::jthread> threads;
            for (int process = 0; process < 3; ++process)
                threads.emplace_back([&, process] {
                    auto options = optionsOf(job, process, memories, store);
                    if (process == 1) options.layout = layoutOf(9'000, 1);
                    outcomes[static_cast<std::size_t>(process)] =
                        runProcess(options, [](Communicator&) { return Result<void>{}; });
                });
        }
        QVERIFY(SteadyClock::read() - begin < 10s);
        for (const auto& outcome : outcomes) {
            QVERIFY(!outcome);
            // A process of the refused one's host may only learn that its leader gave up.
            QVERIFY(outcome.error().code == ErrorCode::BadInput ||
                    outcome.error().code == ErrorCode::PeerLost);
        }
        const bool named = std::ranges::any_of(outcomes, [](const Result<void>& outcome) {
            return contains(outcome, "computes another model");
        });
        QVERIFY(named);
    }

    void sharedMemoryAcrossHostsIsRefused() {
        const SampleJob job = jobOf({{1}, {1}}, TransportChoice::Shm);
        MemoryStore store;
        const HostMemories memories(job.topology);
        const auto made = makeCommunicators(optionsOf(job, 0, memories, store));
        QVERIFY(!made);
        QCOMPARE(made.error().code, ErrorCode::BadInput);
        QVERIFY(made.error().message.find("cannot join 2 hosts") != std::string::npos);
    }

    void aProcessWithoutItsHostsMemoryIsRefused() {
        const SampleJob job = jobOf({{1, 1}}, TransportChoice::Auto);
        MemoryStore store;
        const HostMemories memories(job.topology);
        auto options = optionsOf(job, 0, memories, store);
        options.segmentFd = -1;
        const auto made = makeCommunicators(options);
        QVERIFY(!made);
        QCOMPARE(made.error().code, ErrorCode::BadInput);
    }

    void aProcessThatNeverComesIsATimeout_data() { transportRows(); }
    void aProcessThatNeverComesIsATimeout() {
        SampleJob job = jobOfRow();
        job.timeout = 500ms;
        MemoryStore store;
        const HostMemories memories(job.topology);
        const Nanos begin = SteadyClock::read();
        std::vector<Result<void>> outcomes(2);
        {
            std::vector<std::jthread> threads;
            for (int process = 0; process < 2; ++process)  // Process 2 is missing.
                threads.emplace_back([&, process] {
                    outcomes[static_cast<std::size_t>(process)] =
                        runProcess(optionsOf(job, process, memories, store),
                                   [](Communicator&) { return Result<void>{}; });
                });
        }
        QVERIFY(SteadyClock::read() - begin < 5s);
        for (const auto& outcome : outcomes) {
            QVERIFY(!outcome);
            // Whose time is over first tells the leader of the other host.
            if (!contains(outcome, "did not come together"))
                QCOMPARE(outcome.error().code, ErrorCode::Timeout);
        }
        QCOMPARE(outcomes[1].error().code, ErrorCode::Timeout);
    }

    void anAddressOfAnotherMachineIsRefused_data() {
        QTest::addColumn<QString>("address");
        QTest::newRow("of another machine") << "192.0.2.1";  // Reserved for documents.
        QTest::newRow("no address") << "300.1.1.1";
    }
    void anAddressOfAnotherMachineIsRefused() {
        QFETCH(QString, address);
        const SampleJob job = jobOf({{1}, {1}}, TransportChoice::Auto);
        MemoryStore store;
        const HostMemories memories(job.topology);
        std::vector<Result<void>> outcomes(2);
        {
            std::vector<std::jthread> threads;
            for (int process = 0; process < 2; ++process)
                threads.emplace_back([&, process] {
                    auto options = optionsOf(job, process, memories, store);
                    options.bindHost = address.toStdString();
                    options.timeout = 2s;
                    outcomes[static_cast<std::size_t>(process)] =
                        runProcess(options, [](Communicator&) { return Result<void>{}; });
                });
        }
        for (const auto& outcome : outcomes) {
            QVERIFY(contains(outcome, qPrintable(address)));
            QCOMPARE(outcome.error().code, ErrorCode::Unavailable);
        }
    }

    void theNextGenerationRunsInTheSameProcesses() {
        SampleJob job = jobOf({{1}, {1, 1}}, TransportChoice::Auto);
        job.steps = 3;
        const ReplicaResult expected = expectedResult(job);
        MemoryStore store;
        for (const bool dies : {true, false}) {
            const HostMemories memories(job.topology);  // One memory serves one generation.
            std::vector<Result<void>> outcomes(3);
            {
                std::vector<std::jthread> threads;
                for (int process = 0; process < 3; ++process)
                    threads.emplace_back([&, process] {
                        auto options = optionsOf(job, process, memories, store);
                        options.prefix = dies ? "generation-1" : "generation-2";
                        outcomes[static_cast<std::size_t>(process)] =
                            runProcess(options, [&](Communicator& communicator) -> Result<void> {
                                if (dies && communicator.replica() == 1) {
                                    communicator.abort();
                                    return fail(ErrorCode::PeerLost, "on purpose");
                                }
                                return runAndCompare(communicator, job, expected);
                            });
                    });
            }
            for (const auto& outcome : outcomes) {
                QCOMPARE(outcome.has_value(), !dies);
                if (dies) QCOMPARE(outcome.error().code, ErrorCode::PeerLost);
            }
        }
    }

    /// Who watches one that does not come back asks it.
    void aPlaceNamesTheCollective_data() { transportRows(); }
    void aPlaceNamesTheCollective() {
        const SampleJob job = jobOfRow();
        std::array<CollectivePlace, 3> places;
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            const CollectivePlace& place = places[static_cast<std::size_t>(communicator.replica())];
            communicator.showPlaceIn(places[static_cast<std::size_t>(communicator.replica())]);
            std::vector<Collective> seen{place.collective()};
            const auto look = [&] { seen.push_back(place.collective()); };
            communicator.post(0);
            communicator.post(1);
            for (const std::size_t bucket : {0U, 1U}) {
                std::ignore = TRY(communicator.reduce(bucket));
                look();
                communicator.publish(bucket);
            }
            TRY(communicator.finishStep());
            look();
            TRY(communicator.broadcastState());
            look();
            const std::array<std::uint64_t, 3> mine{};
            std::array<std::uint64_t, 9> all{};
            TRY(communicator.allGather(mine, all));
            look();
            std::array<std::uint64_t, 3> pieces{};
            TRY(communicator.allToAll(mine, pieces));
            look();
            const std::vector<Collective> expected{{},
                                                   {CollectiveKind::Sum, 0},
                                                   {CollectiveKind::Sum, 1},
                                                   {CollectiveKind::Shares, {}},
                                                   {CollectiveKind::Broadcast, {}},
                                                   {CollectiveKind::Gather, {}},
                                                   {CollectiveKind::AllToAll, {}}};
            if (seen != expected) return fail(ErrorCode::Internal, "another collective is named");
            return {};
        });
        for (const auto& outcome : outcomes)
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
    }

    /// One that comes slowly is no standstill, and those who share memory wait no longer than who
    /// speaks for them.
    void aLargeStateReachesAPointWithEachPiece() {
        SampleJob job;
        job.topology = topologyOf({{1}, {1, 1}});
        job.layout = layoutOf(2 * kStatePiece + 1, 1);
        std::array<CollectivePlace, 3> places;
        const auto outcomes = runInThreads(job, [&](Communicator& communicator) -> Result<void> {
            communicator.showPlaceIn(places[static_cast<std::size_t>(communicator.replica())]);
            const std::array<std::span<float>, 2> arrays{communicator.parameters(),
                                                         communicator.moments(0)};
            if (communicator.replica() == 0)
                for (const std::span<float> array : arrays)
                    for (std::size_t at = 0; at < array.size(); at += kStatePiece)
                        array[at] = static_cast<float>(at) + 1;
            TRY(communicator.broadcastState());
            for (const std::span<float> array : arrays)
                for (std::size_t at = 0; at < array.size(); at += kStatePiece)
                    if (array[at] != static_cast<float>(at) + 1)
                        return fail(ErrorCode::Corrupt, "a piece is not that of replica 0");
            return {};
        });
        for (const auto& outcome : outcomes)
            QVERIFY2(outcome, outcome ? "" : outcome.error().message.c_str());
        for (const CollectivePlace& place : places) {
            QVERIFY(place.points >= 6);
            QCOMPARE(place.points.load(), places[0].points.load());
        }
    }
};

QTEST_GUILESS_MAIN(CommunicatorFailuresTest)
#include "tst_communicator_failures.moc"
