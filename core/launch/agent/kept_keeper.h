// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/result.h"

namespace lockstep::launch {

/// Pieces of memory, by the worker that keeps its steps there.
using KeptPieces = std::map<std::uint32_t, UniqueFd>;

/// For so long a keeper waits at least for the next agent of its run: a host may be rebooting
/// meanwhile.
inline constexpr std::chrono::seconds kKeeperPatience{180};

/// For what a keeper waits that has lost its agent.
struct KeeperTerms {
    std::chrono::seconds patience{};  ///< For the next one; two hours at most.
    /// Of the run, as this host has it: where it is noted that a user has ended the agent by force
    /// (RunPaths::forced()), nobody is waited for.
    std::filesystem::path folder{};
};

/// The other end of a keeper: a process that holds an agent's pieces of memory beside it, so that
/// they are there when the agent has been killed, or has ended with its launcher's connection, and
/// another one takes its place. A keeper ends when it is let go of, or nobody has come for as long
/// as it was told. One thread.
class KeeperLine {
public:
    /// To the keeper of this name, which is started where there is none: `program --keep`. What it
    /// has held of a former agent's is added to `pieces`. Io, Unavailable, Timeout: none can be
    /// had.
    [[nodiscard]] static Result<KeeperLine> open(const std::string& name,
                                                 const std::filesystem::path& program,
                                                 const KeeperTerms& terms, KeptPieces& pieces);

    /// It holds this one, too, from now on. Io: it is not there any more.
    [[nodiscard]] Result<void> hand(std::uint32_t process, int piece);
    /// Nobody will want them. Best effort.
    void letGo();

private:
    explicit KeeperLine(UniqueFd line) : line_(std::move(line)) {}

    UniqueFd line_;
};

/// What `lockstep-worker --keep` does: the keeper that listens at `listening`, until it ends.
/// `patience`: until an agent has told it another one, and never less.
[[nodiscard]] int runKeeper(int listening, Nanos patience = kKeeperPatience);

}  // namespace lockstep::launch
