// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/rng.h"
#include "core/checkpoint/snapshot.h"

namespace lockstep::checkpoint::test {

/// A snapshot whose content is a function of its step: what is read back can be checked.
struct Sample {
    explicit Sample(std::int64_t step, std::size_t floats = 64) : values(3 * floats) {
        CounterRng rng(static_cast<std::uint64_t>(step), 77);
        for (float& value : values)
            value = rng.nextFloat(-1, 1);
        const std::span<const float> all(values);
        const auto rows = static_cast<std::int64_t>(floats / 2);
        snapshot.state = {.step = step,
                          .epoch = step / 10,
                          .samplePosition = 32,
                          .epochLossSum = 0.1,
                          .epochCorrect = 30,
                          .epochSamples = 32,
                          .seed = 5,
                          .optimizer = "adam",
                          .worldSize = 2,
                          .globalBatchSize = 32,
                          .jobName = "sample \"job\"",
                          .dataFingerprint = "f00d",
                          .buildId = "build",
                          .wallTime = 1.5};
        snapshot.model = {{"layers.0.weight", {rows, 2}, all.first(floats)}};
        snapshot.optimizer = {{"layers.0.weight.exp_avg", {rows, 2}, all.subspan(floats, floats)},
                              {"layers.0.weight.exp_avg_sq", {rows, 2}, all.subspan(2 * floats)}};
    }
    Sample(const Sample&) = delete;
    Sample& operator=(const Sample&) = delete;

    [[nodiscard]] bool equals(const LoadedCheckpoint& loaded) const {
        return loaded.state == snapshot.state && same(loaded.model, snapshot.model) &&
               same(loaded.optimizer, snapshot.optimizer);
    }

    std::vector<float> values;
    Snapshot snapshot;

private:
    static bool same(const std::vector<Tensor>& loaded, const std::vector<TensorRef>& saved) {
        if (loaded.size() != saved.size()) return false;
        for (std::size_t i = 0; i < saved.size(); ++i) {
            const std::vector<float> values(saved[i].values.begin(), saved[i].values.end());
            if (loaded[i].name != saved[i].name || loaded[i].shape != saved[i].shape ||
                loaded[i].values != values)
                return false;
        }
        return true;
    }
};

}  // namespace lockstep::checkpoint::test
