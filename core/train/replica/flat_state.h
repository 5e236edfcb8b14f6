// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/collective/communicator.h"
#include "core/optim/optimizer.h"
#include "core/program/network.h"

namespace lockstep::train {

/// The flat buffers that training changes, besides statistics.
struct FlatState {
    std::span<float> parameters;
    std::vector<std::span<float>> moments;  ///< Of the optimiser.
};

/// Those that a replica works on.
[[nodiscard]] FlatState stateOf(const optim::Optimizer& optimizer,
                                collective::Communicator& communicator);

/// The state of a whole network where nobody trains with it: what a mesh's parts are taken from,
/// and what they are put together to. All zero at first.
struct WholeState {
    WholeState(const optim::Optimizer& optimizer, const program::Network& network);

    [[nodiscard]] FlatState buffers();
    /// Gives its memory back.
    void clear();

    std::vector<float> parameters;
    std::vector<float> statistics;
    std::vector<std::vector<float>> moments;
};

}  // namespace lockstep::train
