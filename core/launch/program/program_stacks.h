// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>

namespace lockstep::launch {

/// What the threads of a user's program are doing. A Python program that has imported
/// lockstep_report has said, by a file stacks-PID in `reportFolder`, that it answers the signal of
/// stacks: it is sent it, and writes its stacks itself, into the log. Of all others `say` is given
/// what the kernel knows of their threads: a signal might end them.
/// `program`: its first process, whose whole group is meant where it shares this process's own.
void tellProgramStacks(pid_t program, const std::filesystem::path& reportFolder,
                       const std::string& whose,
                       const std::function<void(const std::string&)>& say);

}  // namespace lockstep::launch
