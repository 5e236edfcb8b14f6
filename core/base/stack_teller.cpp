// SPDX-License-Identifier: Apache-2.0
#include "core/base/stack_teller.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/file.h"
#include "core/base/thread.h"

namespace lockstep {

namespace {

/// Not by way of the C library's stream, whose lock the stuck thread may hold.
void sayInLog(const std::string& text) {
    std::ignore = writeAll(STDERR_FILENO, text);
}

}  // namespace

void StackTeller::tell(const std::string& process, double seconds) {
    if (isTelling_.exchange(true)) return;
    const std::string whose = fmt::format("{} (stuck for {:.0f} s)", process, std::floor(seconds));
    thread_ = startThread("stacks", [this, whose](const std::stop_token&) {
        tell_(whose, sayInLog);
        isTelling_.store(false);
    });
}

}  // namespace lockstep
