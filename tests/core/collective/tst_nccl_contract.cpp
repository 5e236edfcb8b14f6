// SPDX-License-Identifier: Apache-2.0
// The communicator's contract on NCCL: as many replicas as there are GPUs, in threads. Skipped
// where there is none.
#include <QtTest>
#include <mutex>
#include <thread>

#include "core/collective/nccl_loader.h"
#include "core/tensor/gpu_support.h"
#include "tests/core/collective/sample_job.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

/// Runs `body` in a thread for each replica of one process that has a GPU each.
QString runOnGpus(const SampleJob& job, const std::function<Result<void>(Communicator&)>& body) {
    NcclOptions options;
    options.topology = job.topology;
    options.layout = job.layout;
    for (int i = 0; i < job.topology.replicaCount(); ++i)
        options.devices.push_back(i);
    options.prefix = "contract";
    options.bindHost = "127.0.0.1";
    options.timeout = job.timeout;
    auto replicas = makeNcclReplicas(options);
    if (!replicas) return QString::fromStdString(replicas.error().message);
    std::mutex mutex;
    QString problem;
    std::vector<std::jthread> threads;
    for (const NcclReplica& one : *replicas)
        threads.emplace_back([&, communicator = one.communicator.get()] {
            const auto done = body(*communicator);
            const std::lock_guard lock(mutex);
            if (!done && problem.isEmpty()) problem = QString::fromStdString(done.error().message);
        });
    threads.clear();
    return problem;
}

}  // namespace

class NcclContractTest : public QObject {
    Q_OBJECT
private:
    SampleJob job_;

private slots:
    void initTestCase() {
        const tensor::GpuSupport support =
            tensor::findGpuSupport({.module = LOCKSTEP_BINARY_DIR "/bin/lockstep-cuda.so"});
        if (!support.usable()) QSKIP(support.sentence.c_str());
        job_.topology.processes = {{0, static_cast<int>(support.devices.size())}};
        job_.layout = layoutOf(40'003, 3);
    }

    /// One replica's sums are its gradients to the bit; several are added in NCCL's own order.
    void theSumsAreThePlainSums() {
        job_.steps = 3;
        const ReplicaResult expected = expectedResult(job_);
        const QString problem = runOnGpus(job_, [&](Communicator& communicator) -> Result<void> {
            const auto result = runReplica(communicator, job_);
            if (!result) return fail(result.error());
            const bool alone = job_.topology.replicaCount() == 1;
            if (alone && !(*result == expected))
                return fail(ErrorCode::Corrupt, "one replica's result is not the plain sum's");
            for (std::size_t i = 0; i < expected.parameters.size(); ++i)
                if (std::abs(result->parameters[i] - expected.parameters[i]) >
                    1e-4F * (1 + std::abs(expected.parameters[i])))
                    return fail(ErrorCode::Corrupt, "a parameter is not near the plain sum's");
            return {};
        });
        QCOMPARE(problem, QString());
    }

    void theFirstReplicasStateReachesAll() {
        const QString problem = runOnGpus(job_, [&](Communicator& communicator) -> Result<void> {
            std::ranges::fill(communicator.parameters(), float(communicator.replica()) + 1);
            std::ranges::fill(communicator.moments(0), float(communicator.replica()) + 2);
            if (auto sent = communicator.broadcastState(); !sent) return sent;
            for (const float value : communicator.parameters())
                if (value != 1) return fail(ErrorCode::Corrupt, "other parameters");
            for (const float value : communicator.moments(0))
                if (value != 2) return fail(ErrorCode::Corrupt, "other moments");
            return {};
        });
        QCOMPARE(problem, QString());
    }

    /// One that comes slowly is no standstill.
    void aLargeStateReachesAPointWithEachPiece() {
        SampleJob job = job_;
        job.layout = layoutOf(2 * kStatePiece + 1, 1);
        const QString problem = runOnGpus(job, [&](Communicator& communicator) -> Result<void> {
            CollectivePlace place;
            communicator.showPlaceIn(place);
            const auto replica = static_cast<float>(communicator.replica());
            for (std::size_t at = 0; at < job.layout.parameters; at += kStatePiece) {
                communicator.parameters()[at] = static_cast<float>(at) + replica;
                communicator.moments(0)[at] = static_cast<float>(at) - replica;
            }
            if (auto sent = communicator.broadcastState(); !sent) return sent;
            for (std::size_t at = 0; at < job.layout.parameters; at += kStatePiece)
                if (communicator.parameters()[at] != static_cast<float>(at) ||
                    communicator.moments(0)[at] != static_cast<float>(at))
                    return fail(ErrorCode::Corrupt, "a piece is not that of replica 0");
            if (place.points != 6) return fail(ErrorCode::Internal, "not a point for each piece");
            return {};
        });
        QCOMPARE(problem, QString());
    }

    void wordsOfAllReplicasAreGatheredInTheirOrder() {
        const QString problem = runOnGpus(job_, [&](Communicator& communicator) -> Result<void> {
            std::vector<std::uint64_t> mine(150);
            for (std::size_t i = 0; i < mine.size(); ++i)
                mine[i] = static_cast<std::uint64_t>(communicator.replica()) * 1000 + i;
            std::vector<std::uint64_t> all(mine.size() *
                                           static_cast<std::size_t>(communicator.replicaCount()));
            if (auto gathered = communicator.allGather(mine, all); !gathered) return gathered;
            for (std::size_t i = 0; i < all.size(); ++i)
                if (all[i] != i / mine.size() * 1000 + i % mine.size())
                    return fail(ErrorCode::Corrupt, "a word is not where it belongs");
            return {};
        });
        QCOMPARE(problem, QString());
    }

    void anAbortEndsEveryWait() {
        const QString problem = runOnGpus(job_, [&](Communicator& communicator) -> Result<void> {
            communicator.abort();
            const Nanos begin = SteadyClock::read();
            CounterRng delays(1);
            for (;;) {
                const auto done = runStep(communicator, job_, 0, delays);
                if (!done && done.error().code == ErrorCode::PeerLost) return {};
                if (!done) return done;
                if (SteadyClock::read() - begin > std::chrono::seconds(10))
                    return fail(ErrorCode::Timeout, "the abort was not noticed");
            }
        });
        QCOMPARE(problem, QString());
    }
};

QTEST_GUILESS_MAIN(NcclContractTest)
#include "tst_nccl_contract.moc"
