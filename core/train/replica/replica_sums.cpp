// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/replica_sums.h"

#include <algorithm>
#include <bit>

#include "core/base/clock.h"
#include "core/base/try.h"

namespace lockstep::train {

Result<void> CommunicatorSum::sum(std::span<double> values) {
    if (communicator_.replicaCount() == 1) return {};
    const wire::Phase interrupted = progress_.read().phase;
    const Nanos begin = SteadyClock::read();
    progress_.enter(wire::PHASE_ALL_REDUCE, begin);
    const auto done = gatherAndAdd(values);
    const Nanos end = SteadyClock::read();
    time_ += end - begin;
    if (done) progress_.enter(interrupted, end);
    return done;
}

Result<void> CommunicatorSum::gatherAndAdd(std::span<double> values) {
    const auto replicas = static_cast<std::size_t>(communicator_.replicaCount());
    mine_.resize(values.size());
    all_.resize(values.size() * replicas);
    std::ranges::transform(values, mine_.begin(),
                           [](double value) { return std::bit_cast<std::uint64_t>(value); });
    TRY(communicator_.allGather(mine_, all_));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = std::bit_cast<double>(all_[i]);
        for (std::size_t replica = 1; replica < replicas; ++replica)
            values[i] += std::bit_cast<double>(all_[replica * values.size() + i]);
    }
    return {};
}

namespace {

/// Every replica's values, a word each.
Result<std::vector<std::uint64_t>> gathered(collective::Communicator& communicator,
                                            std::span<const float> values) {
    std::vector<std::uint64_t> mine(values.size());
    std::ranges::transform(values, mine.begin(),
                           [](float value) { return std::bit_cast<std::uint32_t>(value); });
    std::vector<std::uint64_t> all(mine.size() *
                                   static_cast<std::size_t>(communicator.replicaCount()));
    TRY(communicator.allGather(mine, all));
    return all;
}

float valueOf(std::uint64_t word) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word));
}

}  // namespace

Result<void> shareFromFirst(collective::Communicator& communicator, std::span<float> values) {
    if (values.empty() || communicator.replicaCount() == 1) return {};
    const auto all = TRY(gathered(communicator, values));
    std::transform(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(values.size()),
                   values.begin(), valueOf);
    return {};
}

Result<void> averageOverReplicas(collective::Communicator& communicator, std::span<float> values) {
    if (values.empty() || communicator.replicaCount() == 1) return {};
    const auto all = TRY(gathered(communicator, values));
    const auto replicas = static_cast<std::size_t>(communicator.replicaCount());
    for (std::size_t i = 0; i < values.size(); ++i) {
        double sum = 0;
        for (std::size_t replica = 0; replica < replicas; ++replica)
            sum += valueOf(all[replica * values.size() + i]);
        values[i] = static_cast<float>(sum / static_cast<double>(replicas));
    }
    return {};
}

}  // namespace lockstep::train
