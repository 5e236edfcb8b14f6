// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/drill_refusals.h"

#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/coordination/state/drill_words.h"

namespace lockstep::coordination::refusals {

std::string underWay(wire::DrillKind kind, std::uint32_t process) {
    return fmt::format("a drill ({} of process {}) is still under way", wordOf(kind), process);
}

std::string tooMany() {
    return fmt::format(
        "this start of the run has had {}, and no more are measured: resume it first",
        counted(kMostDrills, "drill"));
}

std::string noProcess(std::uint32_t process, std::uint32_t processes) {
    return fmt::format("there is no process {}: the job has {}", process,
                       counted(processes, "process"));
}

std::string isSlowAlready(std::uint32_t process) {
    return fmt::format(
        "process {} is called slow already: that it is slowed down would not be seen", process);
}

std::string onlyFirst(wire::DrillKind kind) {
    return fmt::format("process 0 commits the checkpoints: {} is for it", wordOf(kind));
}

std::string hasGone(std::uint32_t process) {
    return fmt::format("process {} has gone", process);
}

std::string tooFewCheckpoints(std::string_view folder, int count) {
    return fmt::format("{} has {}: without another one nothing is left to go on from", folder,
                       counted(count, "checkpoint"));
}

}  // namespace lockstep::coordination::refusals
