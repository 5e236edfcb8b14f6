// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>
#include <thread>

namespace lockstep {

/// Starts a thread whose name (at most 15 characters) shows in `top -H` and gdb.
/// The body must return soon after its stop token is requested; destruction asks and joins.
[[nodiscard]] std::jthread startThread(std::string_view name,
                                       std::function<void(std::stop_token)> body);

/// Ignores SIGPIPE for the whole process. First thing in every main: a peer that vanishes must
/// surface as an error of the write, not as a silent death (Gloo's sockets lack MSG_NOSIGNAL).
void ignoreSigpipe();

/// Sets flush-to-zero and denormals-are-zero for the calling thread. First thing in every thread
/// that computes: Adam's moments decay into denormals, which are 50 times slower.
void flushDenormals();

/// Lets other threads of the machine go first where processors are short (nice 10 for the calling
/// thread alone): for work that somebody watches, beside work that somebody waits for.
void yieldToOthers();

/// Processors this process may run on, at least 1 (sched_getaffinity).
[[nodiscard]] int availableProcessors();

}  // namespace lockstep
