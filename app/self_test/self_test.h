// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep::app {

/// `lockstep-worker --self-test`: checks the GPU and all that is computed on it against the CPU,
/// and prints a line a check. Without a usable GPU each is skipped and the reason said. Exit
/// status 0: all passed or were skipped; 1: one failed. Takes seconds; needs nothing but the
/// program and its module.
[[nodiscard]] int runSelfTest();

}  // namespace lockstep::app
