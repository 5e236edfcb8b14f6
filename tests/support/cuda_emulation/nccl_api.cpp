// SPDX-License-Identifier: Apache-2.0
// libnccl, for communicators that do not block: joining, and the first use of a size, are under way
// for a while, and until then nothing else may be asked of the communicator.
#include <nccl.h>

#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "tests/support/cuda_emulation/device.h"
#include "tests/support/cuda_emulation/memory.h"
#include "tests/support/cuda_emulation/nccl_collective.h"

using namespace cuda_emulation;

struct ncclComm {
    std::shared_ptr<Membership> member = std::make_shared<Membership>();
    int device = 0;
    int questions = 2;  ///< That are still answered with ncclInProgress.
    bool joining = true;
    std::function<ncclResult_t()> next;  ///< What happens when they are answered.
    std::set<std::size_t> known;         ///< Sizes that were used.
};

namespace {

std::string nameOf(const ncclUniqueId& id) {
    return "/cuda-emulation-" + std::string(id.internal);
}

ncclResult_t stateOf(ncclComm& comm) {
    Membership& member = *comm.member;
    if (member.error != ncclSuccess) return member.error;
    if (comm.joining && member.meeting->sharesDevice()) return member.error = ncclInvalidUsage;
    if (comm.joining && !member.meeting->complete()) {
        if (member.meeting->lostSomebody()) return member.error = ncclRemoteError;
        return ncclInProgress;
    }
    if (comm.questions > 0) {
        --comm.questions;
        return ncclInProgress;
    }
    comm.joining = false;
    if (!comm.next) return ncclSuccess;
    const ncclResult_t code = std::exchange(comm.next, nullptr)();
    return code == ncclSuccess ? code : member.error = code;
}

/// All ranks must capture an operation, and at the same time: NCCL may exchange what it needs then.
std::uint64_t captureOf(Membership& member, cudaStream_t stream) {
    const auto capture = Devices::get().real(stream)->capture;
    if (capture == nullptr) return 0;
    if (member.capture.lock() != capture) ++member.captures;
    member.capture = capture;
    return member.captures;
}

/// Enqueued now; or, for a size that is new, only when the communicator was asked for its state.
ncclResult_t collective(ncclComm_t comm, Share share, const void* from, std::size_t fromBytes,
                        void* to, std::size_t toBytes, cudaStream_t stream) {
    Devices& devices = Devices::get();
    const auto lock = devices.lock();
    if (comm->joining || comm->next || comm->questions > 0) return ncclInvalidArgument;
    if (comm->device != currentDevice()) return ncclInvalidUsage;
    Memory& memory = Memory::get();
    if (Collective::sizeOf(static_cast<ncclDataType_t>(share.type)) == 0 || fromBytes == 0 ||
        !memory.holds(from, fromBytes) || !memory.holds(to, toBytes))
        return ncclInvalidArgument;
    share.capture = captureOf(*comm->member, stream);
    const auto enqueue = [=, &devices] {
        const cudaError_t code =
            devices.enqueue(stream, "nccl", Collective(comm->member, share, from, to));
        return code == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
    };
    if (!comm->known.insert(fromBytes).second) return enqueue();
    comm->questions = 1;
    comm->next = enqueue;
    return ncclInProgress;
}

Share shareOf(Share::Kind kind, std::size_t count, ncclDataType_t type, int root) {
    return {kind, static_cast<std::uint32_t>(type), static_cast<std::uint32_t>(root), count};
}

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    std::random_device random;
    const std::string text = std::to_string(random()) + "-" + std::to_string(random());
    *id = {};
    std::memcpy(id->internal, text.data(), text.size());
    return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    return ncclInProgress;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
    if (config == nullptr || config->blocking != 0) return ncclInvalidArgument;
    if (ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
    *comm = new ncclComm;
    (*comm)->device = currentDevice();
    (*comm)->member->meeting = std::make_unique<Meeting>(nameOf(id), ranks, rank, currentDevice());
    return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
    const auto lock = Devices::get().lock();
    *state = stateOf(*comm);
    return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
    const auto lock = Devices::get().lock();
    comm->questions = 1;
    return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    const auto lock = Devices::get().lock();
    delete comm;
    return ncclSuccess;
}
/// As in NCCL itself, it does not return before every graph that holds a sum is destroyed.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    Devices& devices = Devices::get();
    auto lock = devices.lock();
    const std::shared_ptr<Membership> member = comm->member;
    member->aborted = true;
    delete comm;
    devices.runUntil(lock, [&member] { return member.use_count() == 1; });
    return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
    if (operation != ncclSum) return ncclInvalidArgument;
    const std::size_t bytes = count * Collective::sizeOf(type);
    return collective(comm, shareOf(Share::Kind::Sum, count, type, 0), from, bytes, to, bytes,
                      stream);
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
    const std::size_t bytes = count * Collective::sizeOf(type);
    return collective(comm, shareOf(Share::Kind::Broadcast, count, type, root), from, bytes, to,
                      bytes, stream);
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
    const std::size_t bytes = count * Collective::sizeOf(type);
    const auto ranks = static_cast<std::size_t>(comm->member->meeting->ranks());
    return collective(comm, shareOf(Share::Kind::Gather, count, type, 0), from, bytes, to,
                      bytes * ranks, stream);
}
}
