// SPDX-License-Identifier: Apache-2.0
#include "core/collective/host_segment.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/base/check.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/collective/lost_connection.h"
#include "core/collective/race_detector.h"

namespace lockstep::collective {

namespace {

constexpr std::size_t kPage = 4096;
constexpr int kMostProcesses = 512;

/// One process of the group; `pid` is 0 until it has joined.
struct ProcessRecord {
    std::atomic<std::int32_t> pid;
};

constexpr std::size_t roundUp(std::size_t bytes, std::size_t unit) {
    return (bytes + unit - 1) / unit * unit;
}

/// Bytes from one array to the next. The optimiser walks through four arrays at once, and
/// processors that guess a cache way by a hash of the address (AMD's: bits 12 to 27, folded) miss
/// at every line where the arrays' hashes are equal: the update then takes twice its time. One page
/// more than a whole number of 64 KiB keeps the hashes of neighbours apart.
constexpr std::size_t arrayStride(std::size_t bytes) {
    constexpr std::size_t kRound = 16 * kPage;
    return bytes <= kPage ? kPage : roundUp(bytes - kPage, kRound) + kPage;
}

constexpr std::uint64_t pack(GroupFailure failure) {
    return (static_cast<std::uint64_t>(failure.kind) << 32) |
           static_cast<std::uint32_t>(failure.culprit);
}

Result<std::byte*> mapPrivate(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail(
            ErrorCode::Unavailable,
            fmt::format("{} bytes of memory for the replicas of this process cannot be had: "
                        "{}",
                        bytes, errnoText()));
    madvise(memory, bytes, MADV_HUGEPAGE);  // An advice: the step is right without it.
    return static_cast<std::byte*>(memory);
}

Result<std::byte*> mapShared(int fd, std::size_t offset, std::size_t bytes) {
    // fallocate, not ftruncate: it never shrinks the file under a process that came first with
    // another size, and finds out now, not at a later SIGBUS, when there is no memory.
    int status = 0;
    do
        status = fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    while (status != 0 && errno == EINTR);
    void* memory = MAP_FAILED;
    if (status == 0)
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                      static_cast<off_t>(offset));
    if (memory == MAP_FAILED)
        return fail(ErrorCode::Unavailable,
                    fmt::format("{} bytes of memory shared by the replicas of this host cannot be "
                                "had: {}",
                                bytes, errnoText()),
                    "Give the host more memory, use fewer replicas, or a smaller model.");
    return static_cast<std::byte*>(memory);
}

/// What the job calls a process of the group.
int nameOf(const SegmentShape& shape, int process) {
    const auto found = std::ranges::find(shape.processes, process);
    const auto index = static_cast<std::size_t>(found - shape.processes.begin());
    return index < shape.processNames.size() ? shape.processNames[index] : process;
}

/// Where in a segment everything lies, in bytes, and the arrays of floats by their positions.
struct Places {
    Places(const SegmentShape& shape, std::size_t headerBytes) {
        const std::size_t replicas = shape.replicas.size();
        const auto world = static_cast<std::size_t>(shape.worldReplicas);
        records = roundUp(headerBytes, kPage);
        gather = records + roundUp(replicas * sizeof(ReplicaRecord), kPage);
        arrays = gather + roundUp(world * shape.gatherWords * sizeof(std::uint64_t), kPage);
        arrayBytes = arrayStride(shape.parameters * sizeof(float));
        std::size_t next = replicas;  // The gradients come first.
        const bool shares = replicas > 1;
        sums = shares || shape.exchanges ? next++ : 0;
        groupSums = shares && shape.exchanges ? next++ : sums;
        weights = next++;
        moments = next;
        bytes = arrays + (moments + static_cast<std::size_t>(shape.moments)) * arrayBytes;
    }

    std::size_t records = 0;
    std::size_t gather = 0;
    std::size_t arrays = 0;
    std::size_t arrayBytes = 0;
    std::size_t sums = 0;
    std::size_t groupSums = 0;
    std::size_t weights = 0;
    std::size_t moments = 0;
    std::size_t bytes = 0;
};

}  // namespace

struct HostSegment::Header {
    std::atomic<std::uint64_t> fingerprint;
    alignas(64) Doorbell bell;
    alignas(64) std::atomic<std::uint64_t> failure;
    alignas(64) std::atomic<std::uint64_t> exchanged;
    StepVotes totalVotes;
    alignas(64) std::atomic<std::uint64_t> relayed;
    alignas(64) std::array<ProcessRecord, kMostProcesses> processes;
};

Error GroupFailure::toError() const {
    switch (kind) {
        case Kind::Aborted:
            return {ErrorCode::PeerLost, "the step was given up because another process failed"};
        case Kind::ProcessEnded:
            return {ErrorCode::PeerLost, fmt::format("process {} ended during a step", culprit)};
        case Kind::ReplicaSilent:
            return {ErrorCode::Timeout,
                    fmt::format("replica {} did not finish its part in time", culprit)};
        case Kind::ModelDiffers:
            return {
                ErrorCode::BadInput,
                fmt::format("process {} computes another model, or was told of another cluster, "
                            "than the first process of its host",
                            culprit),
                "Start all processes with the same job file."};
        case Kind::PeerLost:
            return {ErrorCode::PeerLost, lostConnectionTo(static_cast<std::uint32_t>(culprit))};
        case Kind::PeerSilent:
            return {ErrorCode::Timeout, fmt::format("replica {} did not answer in time", culprit)};
        case Kind::None:
            break;
    }
    return {ErrorCode::Internal, "the group of replicas has not failed"};
}

HostSegment::HostSegment(const SegmentShape& shape, std::byte* memory, std::size_t bytes)
    : memory_(memory), bytes_(bytes), parameters_(shape.parameters) {}

Result<std::unique_ptr<HostSegment>> HostSegment::open(const SegmentShape& shape, Nanos deadline) {
    LS_CHECK(!shape.replicas.empty() && !shape.processes.empty(), "a group has replicas");
    if (shape.processes.size() > kMostProcesses)
        return lockstep::fail(
            ErrorCode::BadInput,
            fmt::format("a host has {}; at most {} can share memory",
                        counted(shape.processes.size(), "process"), kMostProcesses));
    const Places places(shape, sizeof(Header));
    const Result<std::byte*> memory = shape.fd >= 0
                                          ? mapShared(shape.fd, shape.fdOffset, places.bytes)
                                          : mapPrivate(places.bytes);
    if (!memory) return lockstep::fail(memory.error());
    std::unique_ptr<HostSegment> segment(new HostSegment(shape, *memory, places.bytes));
    segment->raceDetectorKey_ = raceDetectorKey(shape.fd);
    segment->header_ = reinterpret_cast<Header*>(*memory);
    segment->records_ = reinterpret_cast<ReplicaRecord*>(*memory + places.records);
    segment->gather_ = reinterpret_cast<std::uint64_t*>(*memory + places.gather);
    segment->gatherCapacity_ = shape.gatherWords;
    segment->arrays_ = places.arrays;
    segment->arrayBytes_ = places.arrayBytes;
    segment->sums_ = places.sums;
    segment->groupSums_ = places.groupSums;
    segment->weights_ = places.weights;
    segment->moments_ = places.moments;
    TRY(segment->enter(shape));
    TRY(segment->awaitOthers(shape, deadline));
    return segment;
}

std::size_t HostSegment::bytesOf(const SegmentShape& shape) {
    return Places(shape, sizeof(Header)).bytes;
}

HostSegment::~HostSegment() {
    munmap(memory_, bytes_);
}

/// Signs in, and compares the job with that of whoever came first.
Result<void> HostSegment::enter(const SegmentShape& shape) {
    std::uint64_t first = 0;
    header_->fingerprint.compare_exchange_strong(first, shape.fingerprint);
    if (first != 0 && first != shape.fingerprint) {
        const GroupFailure differs{GroupFailure::Kind::ModelDiffers,
                                   nameOf(shape, shape.thisProcess)};
        fail(differs);
        return lockstep::fail(differs.toError());
    }
    for (std::size_t position = 0; position < shape.processes.size(); ++position) {
        if (shape.processes[position] != shape.thisProcess) continue;
        std::int32_t nobody = 0;
        if (!header_->processes[position].pid.compare_exchange_strong(nobody, getpid()))
            return lockstep::fail(ErrorCode::Internal,
                                  fmt::format("process {} joined its host's memory a second time",
                                              shape.thisProcess));
    }
    bell().ring();
    return {};
}

Result<void> HostSegment::awaitOthers(const SegmentShape& shape, Nanos deadline) {
    for (std::size_t position = 0; position < shape.processes.size(); ++position) {
        const int process = shape.processes[position];
        if (process == shape.thisProcess) continue;
        const std::atomic<std::int32_t>& pid = header_->processes[position].pid;
        const WaitEnd end = waitUntil(
            bell(), WaitPolicy{}, deadline, [&] { return pid.load() != 0; },
            [&] { return failure().has_value(); });
        if (end == WaitEnd::Interrupted) return lockstep::fail(failure()->toError());
        if (end == WaitEnd::TimedOut)
            return lockstep::fail(
                ErrorCode::Timeout,
                fmt::format("process {} did not join the memory of its host in time",
                            nameOf(shape, process)));
        watch_.add(process, pid.load());
    }
    return {};
}

std::span<std::uint64_t> HostSegment::gatherWords(int worldReplica) {
    return {gather_ + at(worldReplica) * gatherCapacity_, gatherCapacity_};
}

std::atomic<std::uint64_t>& HostSegment::exchanged() {
    return header_->exchanged;
}
StepVotes& HostSegment::totalVotes() {
    return header_->totalVotes;
}
std::atomic<std::uint64_t>& HostSegment::relayed() {
    return header_->relayed;
}
Doorbell& HostSegment::bell() {
    return header_->bell;
}

void HostSegment::announce(std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    tellAnnounced(raceDetectorKey_);
    counter.store(value, std::memory_order_seq_cst);
    header_->bell.ring();
}

void HostSegment::seen() const {
    tellSeen(raceDetectorKey_);
}

void HostSegment::fail(GroupFailure failure) {
    std::uint64_t none = 0;
    header_->failure.compare_exchange_strong(none, pack(failure));
    header_->bell.ring();
}

std::optional<GroupFailure> HostSegment::failure() const {
    const std::uint64_t packed = header_->failure.load(std::memory_order_acquire);
    if (packed == 0) return std::nullopt;
    return GroupFailure{static_cast<GroupFailure::Kind>(packed >> 32),
                        static_cast<int>(packed & 0xffffffffU)};
}

}  // namespace lockstep::collective
