// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/launch/agent/kept_keeper.h"

namespace lockstep::launch {

/// The memory in which the workers of a host keep their newest steps, one piece for each: the agent
/// holds it, so that it outlives them, and hands it to whoever takes their place. A keeper holds it
/// beside the agent, so that it outlives that as well: the next agent of the run's processes here
/// finds it again. It has no name in any file system.
class KeptMemory {
public:
    /// Of the processes of a run on this host. `run`: by which all its agents here know them, on
    /// whatever start; empty: no keeper. `program`: the keeper's.
    KeptMemory(std::filesystem::path program, const std::string& run, KeeperTerms terms);

    /// That of worker `process`, made when it is first asked for. Io where none can be had. Where
    /// no keeper can be had, that is said once on standard error: then it goes with this agent.
    [[nodiscard]] Result<int> of(std::uint32_t process);
    /// The run is over: nobody will take these processes' place.
    void letGo();

private:
    void reachKeeper();
    void handOver(std::uint32_t process, int piece);

    const std::filesystem::path program_;
    const std::string name_;
    const KeeperTerms terms_;
    KeptPieces pieces_;
    std::optional<KeeperLine> keeper_;
    bool isReached_ = false;
};

}  // namespace lockstep::launch
