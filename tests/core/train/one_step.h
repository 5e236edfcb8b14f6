// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/core/train/passing_communicator.h"
#include "tests/core/train/small_job.h"

// One step of a training from one of its checkpoints, on any number of replicas, with all that it
// computes: what N replicas do is held against what one does.
namespace lockstep::tests {

/// Keeps a replica's shares of the job's gradient in `gradient`, which all replicas fill together.
class GradientTap final : public PassingCommunicator {
public:
    GradientTap(collective::Communicator& inner, std::vector<float>& gradient)
        : PassingCommunicator(inner), gradient_(gradient) {}

    [[nodiscard]] Result<collective::Range> reduce(std::size_t bucket) override {
        auto share = PassingCommunicator::reduce(bucket);
        if (!share) return share;
        const auto summed = sums().subspan(share->begin, share->size());
        std::ranges::copy(summed, gradient_.begin() + static_cast<std::ptrdiff_t>(share->begin));
        return share;
    }

private:
    std::vector<float>& gradient_;
};

inline checkpoint::LoadedCheckpoint ownCopy(const checkpoint::Snapshot& snapshot) {
    checkpoint::LoadedCheckpoint copy;
    copy.state = snapshot.state;
    for (const auto& [from, to] :
         {std::pair{&snapshot.model, &copy.model}, std::pair{&snapshot.optimizer, &copy.optimizer}})
        for (const checkpoint::TensorRef& tensor : *from)
            to->push_back(
                {tensor.name, tensor.shape, {tensor.values.begin(), tensor.values.end()}});
    return copy;
}

using Tensors = std::map<std::string, std::vector<float>>;

struct StepTaken {
    double loss = 0;  ///< Mean over the global batch.
    Tensors gradients;
    Tensors statistics;  ///< After the step.
    std::uint64_t pixels = 0;
    std::string failure{};  ///< Why there is nothing of this.
};

/// Where training stands after `from`, one step later. `hosts`: as Spread's.
inline StepTaken stepFrom(const SmallJob& small, const checkpoint::LoadedCheckpoint& from,
                          std::vector<std::vector<int>> hosts) {
    std::vector<float> gradient(small.network.parameterCount());
    std::vector<std::unique_ptr<GradientTap>> taps;
    std::mutex mutex;
    StepTaken taken;
    RecordedEvents events;
    events.onCheckpoint = [&](const checkpoint::Snapshot& snapshot) {
        for (const program::PlacedTensor& tensor : small.network.tensors())
            for (const checkpoint::TensorRef& saved : snapshot.model)
                if (tensor.isStatistic() && saved.name == tensor.name)
                    taken.statistics[saved.name].assign(saved.values.begin(), saved.values.end());
    };
    Spread spread{.hosts = std::move(hosts),
                  .start = {.step = from.state.step, .seed = from.state.seed, .checkpoint = from},
                  .totalSteps = from.state.step + 1,
                  .events = &events,
                  .wrap = [&](collective::Communicator& inner) -> collective::Communicator& {
                      const std::lock_guard lock(mutex);
                      return *taps.emplace_back(std::make_unique<GradientTap>(inner, gradient));
                  },
                  .sumsBatches = true};
    const RunResult result = trainSmall(small, spread);
    for (const auto& outcome : result.outcomes)
        if (!outcome) taken.failure = outcome.error().message;
    if (!taken.failure.empty() || result.losses.size() != 1) return taken;
    taken.loss = result.losses.front();
    taken.pixels = result.batchSums.at(from.state.step + 1);
    for (const program::PlacedTensor& tensor : small.network.tensors()) {
        if (tensor.isStatistic()) continue;
        const auto values = tensor.in(std::span<const float>(gradient));
        taken.gradients[tensor.name].assign(values.begin(), values.end());
    }
    return taken;
}

/// How far two steps are from each other: each tensor's largest difference over its largest value.
struct Apart {
    double loss = 0;
    double gradients = 0;
    double statistics = 0;
    std::string worstGradient{};
    bool samePixels = true;

    void add(const Apart& other) {
        loss = std::max(loss, other.loss);
        if (other.gradients > gradients) worstGradient = other.worstGradient;
        gradients = std::max(gradients, other.gradients);
        statistics = std::max(statistics, other.statistics);
        samePixels = samePixels && other.samePixels;
    }
};

inline double apart(const std::vector<float>& a, const std::vector<float>& b) {
    constexpr double kNoMatch = 1e9;
    if (a.size() != b.size() || a.empty()) return kNoMatch;
    double difference = 0;
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double away = std::abs(double(a[i]) - double(b[i]));
        if (!std::isfinite(away)) return kNoMatch;
        difference = std::max(difference, away);
        largest = std::max(largest, std::abs(double(a[i])));
    }
    return difference == 0 ? 0 : difference / largest;
}

inline Apart apart(const StepTaken& a, const StepTaken& b) {
    Apart all{.loss = std::abs(b.loss / a.loss - 1), .samePixels = a.pixels == b.pixels};
    if (a.gradients.size() != b.gradients.size() || a.gradients.empty()) all.gradients = 1e9;
    for (const auto& [name, values] : a.gradients)
        all.add({.gradients = apart(values, b.gradients.at(name)), .worstGradient = name});
    for (const auto& [name, values] : a.statistics)
        all.add({.statistics = apart(values, b.statistics.at(name))});
    return all;
}

}  // namespace lockstep::tests
