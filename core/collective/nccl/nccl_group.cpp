// SPDX-License-Identifier: Apache-2.0
#include "core/collective/nccl/nccl_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "core/base/check.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/collective/nccl_ras.h"
#include "core/collective/nccl_words.h"
#include "core/collective/network_interface.h"

namespace lockstep::collective {

namespace {

constexpr Millis kWatchInterval{50};
constexpr Millis kSpin{1};  ///< Most calls are through by then.
constexpr Millis kNap{1};   ///< NCCL can only be asked, again and again.
constexpr std::chrono::seconds kRasTimeout{2};
constexpr std::chrono::seconds kLeaveTimeout{10};
constexpr int kRasLines = 2;
/// NCCL has this code since 2.29.
constexpr auto kTimedOut = static_cast<ncclResult_t>(8);

/// Nobody who set a variable of NCCL is overruled.
void suggest(const char* variable, const std::string& value) {
    ::setenv(variable, value.c_str(), 0);
}

void prepareEnvironment(const NcclOptions& options) {
    const std::string interface = interfaceOf(options.bindHost);
    if (!interface.empty()) suggest("NCCL_SOCKET_IFNAME", "=" + interface);
    const char* fixed = std::getenv("LOCKSTEP_NCCL_DETERMINISTIC");
    const bool deterministic = fixed != nullptr && std::strcmp(fixed, "1") == 0;
    if (deterministic) {
        suggest("NCCL_ALGO", "Ring");
        suggest("NCCL_PROTO", "Simple");
    }
    const char* used = std::getenv("NCCL_SOCKET_IFNAME");
    std::fprintf(stderr, "NCCL: interface %s%s\n", used != nullptr ? used : "of its own choice",
                 deterministic ? ", fixed algorithm and protocol" : "");
}

}  // namespace

Result<std::shared_ptr<NcclGroup>> NcclGroup::join(const NcclOptions& options) {
    std::shared_ptr<NcclGroup> group(new NcclGroup());
    auto opened = group->open(options);
    if (opened) return group;
    {
        const Lock lock(group->mutex_);
        group->kill(opened.error());  // nobody leaves what not all have joined
    }
    return fail(std::move(opened).error());
}

Result<void> NcclGroup::open(const NcclOptions& options) {
    const Nanos deadline = SteadyClock::read() + options.timeout;
    const int replicas = options.topology.replicaCount();
    grid_ = {.rows = replicas / options.members, .members = options.members};
    LS_CHECK(grid_.replicaCount() == replicas, "the mesh has a place for every replica");
    devices_ = options.devices;
    timeout_ = options.timeout;
    {
        const Lock lock(mutex_);
        connections_.assign(devices_.size() * (options.members > 1 ? 2 : 1), nullptr);
    }
    prepareEnvironment(options);
    watch_ = startThread("nccl-watch", [this](const std::stop_token& stop) { watch(stop); });
    for (const Ranks& ranks : ranksOf(options))
        TRY(joinRanks(ranks, options.store, deadline));
    return {};
}

/// One after the other in an order that all processes have.
std::vector<NcclGroup::Ranks> NcclGroup::ranksOf(const NcclOptions& options) {
    const Topology& job = options.topology;
    const int first = job.replica(job.thisProcess, 0);
    const bool isMesh = options.members > 1;
    const MeshGrid grid{.rows = job.replicaCount() / options.members, .members = options.members};
    std::vector<Ranks> all;
    for (const MeshGroupPlan& group : meshGroups(grid)) {
        if (!isMesh && !group.isColumn) continue;  // every replica alone
        Ranks ranks{.topology = topologyOf(job, group),
                    .axis = group.isColumn ? NcclAxis::Batch : NcclAxis::Model,
                    .key = options.prefix + "/nccl/id" + (isMesh ? "/" + group.name() : ""),
                    .own = {}};
        if (ranks.topology.thisProcess < 0) continue;
        for (std::size_t rank = 0; rank < group.replicas.size(); ++rank)
            if (job.processOf(group.replicas[rank]) == job.thisProcess)
                ranks.own.push_back({static_cast<std::size_t>(group.replicas[rank] - first),
                                     static_cast<int>(rank)});
        all.push_back(std::move(ranks));
    }
    return all;
}

Result<void> NcclGroup::joinRanks(const Ranks& ranks, Store* store, Nanos deadline) {
    const auto id = TRY(agreeOnId(ranks, store, deadline));
    TRY(startRanks(ranks, id));
    return awaitRanks(ranks, deadline);
}

Result<ncclUniqueId> NcclGroup::agreeOnId(const Ranks& ranks, Store* store, Nanos deadline) {
    ncclUniqueId id{};
    if (ranks.topology.thisProcess == 0) {
        if (const ncclResult_t code = ncclGetUniqueId(&id); code != ncclSuccess)
            return fail(failureOf(code, "making the job's id"));
        if (ranks.topology.processCount() == 1) return id;
        if (auto told = store->set(ranks.key, {id.internal, sizeof id.internal}); !told)
            return fail(std::move(told).error());
        return id;
    }
    const int first = ranks.topology.nameOfProcess(0);
    const auto text = store->get(ranks.key, std::max(deadline - SteadyClock::read(), Nanos(1)));
    if (!text)
        return failWithin(fmt::format("waiting for process {}'s NCCL id", first), text.error());
    if (text->size() != sizeof id.internal)
        return fail(ErrorCode::Corrupt,
                    fmt::format("process {}'s NCCL id has another length than ours", first),
                    "Use the same version of NCCL on all hosts.");
    std::memcpy(id.internal, text->data(), sizeof id.internal);
    return id;
}

Result<void> NcclGroup::startRanks(const Ranks& ranks, const ncclUniqueId& id) {
    const Lock lock(mutex_);
    ncclResult_t code = ncclGroupStart();
    for (const Ranks::Own& one : ranks.own) {
        if (code != ncclSuccess) break;
        if (cudaSetDevice(devices_[one.local]) != cudaSuccess) code = ncclUnhandledCudaError;
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        if (code == ncclSuccess)
            code = ncclCommInitRankConfig(&connections_[connectionOf(one.local, ranks.axis)],
                                          replicasAlong(ranks.axis), id, one.rank, &config);
        if (code == ncclInProgress) code = ncclSuccess;
    }
    const ncclResult_t ended = ncclGroupEnd();
    if (code == ncclSuccess) code = ended;
    if (code == ncclSuccess || code == ncclInProgress) return {};
    return fail(failureOf(code, "connecting"));
}

Result<void> NcclGroup::awaitRanks(const Ranks& ranks, Nanos deadline) {
    for (const Ranks::Own& one : ranks.own) {
        TRY(call(connectionOf(one.local, ranks.axis), "connecting",
                 [](ncclComm_t) { return ncclSuccess; }));
        if (SteadyClock::read() > deadline)
            return fail(ErrorCode::Timeout, "not all replicas joined by NCCL in time");
    }
    return {};
}

Result<void> NcclGroup::call(std::size_t connection, std::string_view attempt,
                             const std::function<ncclResult_t(ncclComm_t)>& body) {
    const Nanos begin = SteadyClock::read();
    bool started = false;
    for (;;) {
        if (failed_.load()) return healthy();
        {
            const Lock lock(mutex_);
            if (aborted_) continue;  // failed_ is set
            ncclResult_t state = ncclSuccess;
            ncclResult_t code = ncclCommGetAsyncError(connections_[connection], &state);
            if (code == ncclSuccess) code = state;
            if (code == ncclSuccess && started) return {};
            if (code == ncclSuccess) {
                code = body(connections_[connection]);
                started = true;
                if (code == ncclSuccess) return {};
            }
            if (code != ncclInProgress) {
                kill(failureOf(code, attempt));
                continue;
            }
        }
        const Nanos waited = SteadyClock::read() - begin;
        if (waited > timeout_) {
            const Lock lock(mutex_);
            kill(failureOf(kTimedOut, attempt));
            continue;
        }
        if (waited < kSpin)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(kNap);
    }
}

Result<void> NcclGroup::meet() {
    const std::size_t local = devices_.size();
    const std::size_t all = (arrivals_.fetch_add(1) / local + 1) * local;
    const Nanos deadline = SteadyClock::read() + timeout_;
    while (arrivals_.load() < all) {
        if (failed_.load()) return healthy();
        if (SteadyClock::read() > deadline) {
            const Lock lock(mutex_);
            kill({ErrorCode::Timeout, "not all replicas of this process were ready in time"});
        }
        std::this_thread::sleep_for(kNap);
    }
    return {};
}

Result<void> NcclGroup::healthy() const {
    if (!failed_.load()) return {};
    const Lock lock(mutex_);
    return fail(cause_);
}

void NcclGroup::abort() {
    abortAsked_.store(true);
}

void NcclGroup::watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        // Without the mutex: NCCL waits there until every graph with its sums is destroyed, and who
        // is to destroy one asks healthy() first.
        for (ncclComm_t connection : takeFailed())
            ncclCommAbort(connection);
        std::this_thread::sleep_for(kWatchInterval);
    }
}

/// Looks for failures; the connections, which are nobody's any more, once there is one.
std::vector<ncclComm_t> NcclGroup::takeFailed() {
    const Lock lock(mutex_);
    if (abortAsked_.load() && !failed_.load())
        kill({ErrorCode::PeerLost, "the replicas of this job were told to give up"});
    for (ncclComm_t connection : connections_) {
        ncclResult_t state = ncclSuccess;
        if (aborted_) break;
        if (connection == nullptr) continue;  // it is not joined yet
        const ncclResult_t code = ncclCommGetAsyncError(connection, &state);
        const ncclResult_t worst = code != ncclSuccess ? code : state;
        if (worst != ncclSuccess && worst != ncclInProgress)
            kill(failureOf(worst, "summing gradients"));
    }
    if (!failed_.load() || aborted_) return {};
    aborted_ = true;
    std::vector<ncclComm_t> failed;
    std::ranges::copy_if(connections_, std::back_inserter(failed),
                         [](ncclComm_t connection) { return connection != nullptr; });
    connections_.assign(connections_.size(), nullptr);
    return failed;
}

/// Keeps the first cause; its waiters see it at once. The watch then ends the connections.
void NcclGroup::kill(Error cause) {
    if (failed_.load()) return;
    cause_ = std::move(cause);
    failed_.store(true);
}

Error NcclGroup::failureOf(ncclResult_t code, std::string_view attempt) const {
    const NcclWords words = ncclWords(static_cast<int>(code));
    Error error{words.remote ? ErrorCode::PeerLost : ErrorCode::Unavailable,
                fmt::format("NCCL failed while {}: {}", attempt, words.meaning), words.remedy};
    if (!words.remote || grid_.replicaCount() == 1) return error;
    const auto ras = askNcclRas(kRasTimeout);
    if (!ras) return error;
    std::fprintf(stderr, "NCCL's view of the job (RAS):\n%s\n", ras->c_str());
    if (const std::string findings = rasFindings(*ras, kRasLines); !findings.empty())
        error.remedy = findings + "\n" + error.remedy;
    return error;
}

NcclGroup::~NcclGroup() {
    if (watch_.joinable()) {
        watch_.request_stop();
        watch_.join();
    }
    const Lock lock(mutex_);
    if (aborted_) return;
    const Nanos deadline = SteadyClock::read() + kLeaveTimeout;
    bool left = !failed_.load();
    // All are begun before one is awaited: two of a group may be in this process.
    std::vector<ncclResult_t> states(connections_.size(), ncclSuccess);
    for (std::size_t i = 0; left && i < connections_.size(); ++i)
        if (connections_[i] != nullptr) states[i] = ncclCommFinalize(connections_[i]);
    for (std::size_t i = 0; left && i < connections_.size(); ++i) {
        while (states[i] == ncclInProgress && SteadyClock::read() < deadline) {
            std::this_thread::sleep_for(kNap);
            if (ncclCommGetAsyncError(connections_[i], &states[i]) != ncclSuccess) break;
        }
        left = states[i] == ncclSuccess;
    }
    for (ncclComm_t connection : connections_)
        if (connection != nullptr) {
            if (left)
                ncclCommDestroy(connection);
            else
                ncclCommAbort(connection);
        }
}

}  // namespace lockstep::collective
