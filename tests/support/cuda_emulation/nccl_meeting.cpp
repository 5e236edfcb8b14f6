// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_emulation/nccl_meeting.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace cuda_emulation {

Meeting::Meeting(const std::string& name, int ranks, int rank, int device)
    : name_(name), ranks_(ranks), rank_(rank) {
    const std::size_t bytes = sizeof(Rank) * static_cast<std::size_t>(ranks);
    const int file = ::shm_open(name.c_str(), O_CREAT | O_RDWR, 0600);
    void* memory = MAP_FAILED;
    if (file >= 0 && ::ftruncate(file, static_cast<off_t>(bytes)) == 0)
        memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) {
        std::perror("cuda emulation: the ranks' memory");
        std::abort();
    }
    all_ = static_cast<Rank*>(memory);  // zeros are its initial state
    all_[rank].device = device;
    all_[rank].process.store(::getpid());
}

Meeting::~Meeting() {
    ::shm_unlink(name_.c_str());  // whoever comes later was not waited for
    ::munmap(all_, sizeof(Rank) * static_cast<std::size_t>(ranks_));
}

bool Meeting::complete() const {
    return std::ranges::all_of(std::span(all_, static_cast<std::size_t>(ranks_)),
                               [](const Rank& one) { return one.process.load() != 0; });
}

bool Meeting::sharesDevice() const {
    for (int i = 0; i < ranks_; ++i)
        if (i != rank_ && all_[i].process.load() != 0 && all_[i].device == all_[rank_].device)
            return true;
    return false;
}

bool Meeting::lostSomebody() const {
    return std::ranges::any_of(std::span(all_, static_cast<std::size_t>(ranks_)),
                               [](const Rank& one) {
                                   const int process = one.process.load();
                                   return process != 0 && ::kill(process, 0) != 0;
                               });
}

bool Meeting::mayPut(std::uint64_t turn) const {
    return std::ranges::all_of(std::span(all_, static_cast<std::size_t>(ranks_)),
                               [&](const Rank& one) { return one.taken.load() + 1 >= turn; });
}

void Meeting::put(std::uint64_t turn, const Share& share, const void* data, std::size_t bytes) {
    Rank& mine = all_[rank_];
    mine.share = share;
    if (bytes > 0) std::memcpy(mine.data, data, bytes);
    mine.put.store(turn);
}

bool Meeting::allPut(std::uint64_t turn) const {
    return std::ranges::all_of(std::span(all_, static_cast<std::size_t>(ranks_)),
                               [&](const Rank& one) { return one.put.load() >= turn; });
}

const Share& Meeting::shareOf(int rank) const {
    return all_[rank].share;
}

const std::byte* Meeting::dataOf(int rank) const {
    return all_[rank].data;
}

void Meeting::taken(std::uint64_t turn) {
    all_[rank_].taken.store(turn);
}

}  // namespace cuda_emulation
