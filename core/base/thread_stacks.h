// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace lockstep {

/// SIGRTMIN+5: asks a thread where it stands, and a program that has said that it answers.
[[nodiscard]] int stackSignal();

/// From now on each thread of this process can be asked where it stands, by that signal.
/// First thing in a process of ours; not for that of somebody else, who may use the signal.
void answerStackSignal();

/// Hands the lines of each thread but the calling one to `say`, a thread a call: its name and its
/// calls, the innermost first; of one that does not answer, or is not asked, what the kernel knows
/// of it, and which of the two. Threads that train (train-K, and gloo-loop, which carries what is
/// summed) come first; before anything is said `report`, which may be empty, is called with how
/// many of them are deaf: held, or without an answer, but for those that do not hear this signal.
/// `whose` stands behind its name: "process 2 (stuck for 12 s)". Takes ten seconds at most, or
/// twelve. Without answerStackSignal() no thread is asked.
void tellStacks(const std::string& whose, const std::function<void(const std::string&)>& say,
                const std::function<void(std::uint32_t deaf)>& report = {});

/// Likewise of another process, of which only the kernel's facts are known.
void tellThreads(int process, const std::string& whose,
                 const std::function<void(const std::string&)>& say);

}  // namespace lockstep
