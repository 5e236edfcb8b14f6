// SPDX-License-Identifier: Apache-2.0
// The connections of a process, with NCCL pretended: who waits for what when one is lost.
#include <QtTest>
#include <array>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>

#include "core/collective/nccl/nccl_group.h"

using namespace lockstep;
using namespace lockstep::collective;

struct ncclComm {
    ncclResult_t state = ncclSuccess;
    int looksUntilDone = 0;  ///< Then what is in progress has succeeded.
    int aborts = 0;
    int finalized = 0;
    int destroyed = 0;
};

namespace {

constexpr std::chrono::seconds kLong{10};

/// A graph that has sums of the connections in it, as NCCL counts them.
struct Nccl {
    std::mutex mutex;
    std::condition_variable changed;
    std::array<ncclComm, 2> connections;
    int graphs = 0;
    int abortsBegun = 0;
};
Nccl& nccl() {
    static Nccl one;
    return one;
}

void change(const std::function<void(Nccl&)>& body) {
    const std::lock_guard lock(nccl().mutex);
    body(nccl());
    nccl().changed.notify_all();
}

}  // namespace

extern "C" {
cudaError_t cudaSetDevice(int /*device*/) {
    return cudaSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    *id = {};
    return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    return ncclInProgress;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* connection, int /*ranks*/, ncclUniqueId /*id*/,
                                    int rank, ncclConfig_t* config) {
    if (config->blocking != 0) return ncclInvalidUsage;
    *connection = &nccl().connections[static_cast<std::size_t>(rank)];
    change([&](Nccl&) { **connection = {ncclInProgress, 3, 0, 0, 0}; });
    return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t connection, ncclResult_t* state) {
    const std::lock_guard lock(nccl().mutex);
    if (connection->state == ncclInProgress && --connection->looksUntilDone <= 0)
        connection->state = ncclSuccess;
    *state = connection->state;
    return ncclSuccess;
}
/// As NCCL: blocks until every graph with sums of the connection is destroyed.
ncclResult_t ncclCommAbort(ncclComm_t connection) {
    std::unique_lock lock(nccl().mutex);
    ++nccl().abortsBegun;
    nccl().changed.notify_all();
    nccl().changed.wait_for(lock, kLong, [] { return nccl().graphs == 0; });
    ++connection->aborts;
    return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t connection) {
    change([&](Nccl&) {
        ++connection->finalized;
        connection->state = ncclInProgress;
        connection->looksUntilDone = 3;
    });
    return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t connection) {
    change([&](Nccl&) { ++connection->destroyed; });
    return ncclSuccess;
}
}

class NcclGroupTest : public QObject {
    Q_OBJECT
private:
    std::shared_ptr<NcclGroup> joined_;

    static Result<std::shared_ptr<NcclGroup>> join() {
        NcclOptions options;
        options.topology.processes = {{0, 2}};
        options.devices = {0, 1};
        options.prefix = "job";
        options.bindHost = "127.0.0.1";
        options.timeout = kLong;
        return NcclGroup::join(options);
    }

private slots:
    void init() {
        change([](Nccl& one) { one.graphs = one.abortsBegun = 0; });
        auto group = join();
        QVERIFY2(group.has_value(), group ? "" : group.error().message.c_str());
        joined_ = std::move(*group);
    }
    void cleanup() {
        change([](Nccl& one) { one.graphs = 0; });
        joined_.reset();
    }

    void connectionsThatNothingHappenedToAreFinalizedAndDestroyed() {
        joined_.reset();
        for (const ncclComm& one : nccl().connections) {
            QCOMPARE(one.finalized, 1);
            QCOMPARE(one.destroyed, 1);
            QCOMPARE(one.aborts, 0);
        }
    }

    void aCallReturnsWhenItsWorkIsDone() {
        int calls = 0;
        const auto done = joined_->call(1, "summing", [&](ncclComm_t connection) {
            ++calls;
            change([&](Nccl&) {
                connection->state = ncclInProgress;
                connection->looksUntilDone = 5;
            });
            return ncclInProgress;
        });
        QVERIFY(done.has_value());
        QCOMPARE(calls, 1);
        QCOMPARE(nccl().connections[1].state, ncclSuccess);
    }

    /// Graphs are destroyed with the engine, which asks for the group's health before.
    void whoDestroysAGraphDoesNotWaitForTheAbortThatWaitsForIt() {
        change([](Nccl& one) { one.graphs = 1; });
        joined_->abort();
        {
            std::unique_lock lock(nccl().mutex);
            QVERIFY(nccl().changed.wait_for(lock, kLong, [] { return nccl().abortsBegun > 0; }));
        }
        auto health = std::async(std::launch::async, [this] { return joined_->healthy(); });
        const bool answered = health.wait_for(kLong / 5) == std::future_status::ready;
        change([](Nccl& one) { one.graphs = 0; });
        QVERIFY(answered);
        const auto lost = health.get();
        QVERIFY(!lost.has_value());
        QCOMPARE(lost.error().code, ErrorCode::PeerLost);
        const auto refused = joined_->call(0, "summing", [](ncclComm_t) { return ncclSuccess; });
        QVERIFY(!refused.has_value());
        joined_.reset();
        for (const ncclComm& one : nccl().connections) {
            QCOMPARE(one.aborts, 1);
            QCOMPARE(one.destroyed, 0);
        }
    }

    void aFailureOfOneConnectionAbortsAll() {
        change([](Nccl& one) { one.connections[0].state = ncclUnhandledCudaError; });
        QTRY_VERIFY_WITH_TIMEOUT(!joined_->healthy().has_value(), 5000);
        QCOMPARE(joined_->healthy().error().code, ErrorCode::Unavailable);
        joined_.reset();
        for (const ncclComm& one : nccl().connections)
            QCOMPARE(one.aborts, 1);
    }
};

QTEST_GUILESS_MAIN(NcclGroupTest)
#include "tst_nccl_group.moc"
