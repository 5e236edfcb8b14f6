// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace lockstep::app {

/// `lockstep-worker --probe`: what this machine has to train on, as one line of JSON on standard
/// output. `gpu_state` is "usable" or why not; `gpu_sentence` says it to people. Exit status 0
/// also where there is no GPU.
[[nodiscard]] int printProbe();

}  // namespace lockstep::app
