// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/kept_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstdio>
#include <utility>

#include "core/base/hash.h"

namespace lockstep::launch {

namespace {

/// Containers of one machine may share a file system, and so the folder of the keepers' sockets.
std::string networkHere() {
    std::error_code unknown;
    return std::filesystem::read_symlink("/proc/self/ns/net", unknown).string();
}

}  // namespace

KeptMemory::KeptMemory(std::filesystem::path program, const std::string& run, KeeperTerms terms)
    : program_(std::move(program)),
      name_(run.empty() ? std::string()
                        : fmt::format("{:016x}", shortHash(run + "\n" + networkHere()))),
      terms_(std::move(terms)) {}

Result<int> KeptMemory::of(std::uint32_t process) {
    if (!name_.empty() && !std::exchange(isReached_, true)) reachKeeper();
    UniqueFd& piece = pieces_[process];
    if (piece.valid()) return piece.get();
    piece.reset(::memfd_create("lockstep-kept-steps", MFD_CLOEXEC));
    if (!piece.valid())
        return fail(ErrorCode::Io, "cannot create memory for steps to be kept in: " + errnoText());
    handOver(process, piece.get());
    return piece.get();
}

void KeptMemory::reachKeeper() {
    auto keeper = KeeperLine::open(name_, program_, terms_, pieces_);
    if (keeper)
        keeper_ = std::move(*keeper);
    else
        std::fprintf(stderr, "warning: the steps in memory go with this agent: %s\n",
                     keeper.error().message.c_str());
}

void KeptMemory::handOver(std::uint32_t process, int piece) {
    if (!keeper_) return;
    const auto handed = keeper_->hand(process, piece);
    if (handed) return;
    keeper_.reset();
    std::fprintf(stderr, "warning: the steps in memory go with this agent: %s\n",
                 handed.error().message.c_str());
}

void KeptMemory::letGo() {
    if (keeper_) keeper_->letGo();
    keeper_.reset();
}

}  // namespace lockstep::launch
