// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_emulation/nccl_collective.h"

#include <algorithm>
#include <cstring>

namespace cuda_emulation {

namespace {

template <typename T>
void addUp(const Meeting& meeting, std::byte* to, std::size_t bytes) {
    T* sums = reinterpret_cast<T*>(to);
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
        T sum = reinterpret_cast<const T*>(meeting.dataOf(0))[i];
        for (int rank = 1; rank < meeting.ranks(); ++rank)
            sum += reinterpret_cast<const T*>(meeting.dataOf(rank))[i];
        sums[i] = sum;
    }
}

}  // namespace

Collective::Collective(std::shared_ptr<Membership> member, Share share, const void* from, void* to)
    : member_(std::move(member)),
      share_(share),
      from_(static_cast<const std::byte*>(from)),
      to_(static_cast<std::byte*>(to)),
      bytes_(share.elements * sizeOf(static_cast<ncclDataType_t>(share.type))) {}

std::size_t Collective::sizeOf(ncclDataType_t type) {
    switch (type) {
        case ncclFloat32:
            return 4;
        case ncclFloat64:
        case ncclUint64:
            return 8;
        default:
            return 0;
    }
}

/// An aborted operation ends with whatever there is; one whose peer is lost, or does something
/// else, goes on until it is aborted.
Progress Collective::operator()() {
    while (!member_->aborted) {
        if (member_->active != nullptr && member_->active != this) return Progress::Waiting;
        member_->active = this;
        if (!put_ && !putPart()) break;
        if (!takePart()) break;
        if (done_ < bytes_) continue;
        member_->active = nullptr;
        return Progress::Done;
    }
    if (member_->aborted) return Progress::Done;
    if (member_->meeting->lostSomebody()) member_->error = ncclRemoteError;
    return Progress::Waiting;
}

bool Collective::putPart() {
    Meeting& meeting = *member_->meeting;
    if (!meeting.mayPut(member_->turn + 1)) return false;
    ++member_->turn;
    part_ = std::min(Meeting::kBytes, bytes_ - done_);
    share_.offset = done_;
    const bool gives =
        share_.kind != Share::Kind::Broadcast || static_cast<int>(share_.root) == meeting.rank();
    meeting.put(member_->turn, share_, from_ + done_, gives ? part_ : 0);
    put_ = true;
    return true;
}

bool Collective::takePart() {
    Meeting& meeting = *member_->meeting;
    if (!meeting.allPut(member_->turn)) return false;
    for (int rank = 0; rank < meeting.ranks(); ++rank)
        if (meeting.shareOf(rank) != share_) {
            member_->error = ncclInvalidUsage;
            return false;
        }
    switch (share_.kind) {
        case Share::Kind::Sum:
            sumPart();
            break;
        case Share::Kind::Broadcast:
            std::memcpy(to_ + done_, meeting.dataOf(static_cast<int>(share_.root)), part_);
            break;
        case Share::Kind::Gather:
            for (int rank = 0; rank < meeting.ranks(); ++rank)
                std::memcpy(to_ + static_cast<std::size_t>(rank) * bytes_ + done_,
                            meeting.dataOf(rank), part_);
            break;
    }
    meeting.taken(member_->turn);
    done_ += part_;
    put_ = false;
    return true;
}

void Collective::sumPart() {
    if (share_.type == ncclFloat32)
        addUp<float>(*member_->meeting, to_ + done_, part_);
    else if (share_.type == ncclFloat64)
        addUp<double>(*member_->meeting, to_ + done_, part_);
    else
        addUp<std::uint64_t>(*member_->meeting, to_ + done_, part_);
}

}  // namespace cuda_emulation
