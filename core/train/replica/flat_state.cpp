// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/flat_state.h"

namespace lockstep::train {

FlatState stateOf(const optim::Optimizer& optimizer, collective::Communicator& communicator) {
    FlatState state{.parameters = communicator.parameters(), .moments = {}};
    for (int i = 0; i < optimizer.momentCount(); ++i)
        state.moments.push_back(communicator.moments(i));
    return state;
}

WholeState::WholeState(const optim::Optimizer& optimizer, const program::Network& network)
    : parameters(network.parameterCount()),
      statistics(network.statisticsCount()),
      moments(static_cast<std::size_t>(optimizer.momentCount()),
              std::vector<float>(network.parameterCount())) {}

void WholeState::clear() {
    parameters = std::vector<float>();
    statistics = std::vector<float>();
    moments = std::vector<std::vector<float>>();
}

FlatState WholeState::buffers() {
    FlatState state{.parameters = parameters, .moments = {}};
    for (std::vector<float>& moment : moments)
        state.moments.emplace_back(moment);
    return state;
}

}  // namespace lockstep::train
