// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/base/rng.h"
#include "core/fit/model.h"

namespace lockstep::tests {

/// Samples of two classes that no line divides: {count, 2} of float32 and {count} of int64.
struct Moons {
    fit::Tensor x;
    fit::Tensor y;

    explicit Moons(std::uint64_t count, std::uint64_t seed = 1) {
        CounterRng random(seed);
        std::vector<float> points;
        std::vector<std::int64_t> classes;
        for (std::uint64_t i = 0; i < count; ++i) {
            const bool second = random.nextFloat() < 0.5F;
            const double angle = static_cast<double>(random.nextFloat()) * std::numbers::pi;
            const auto noise = [&] { return random.nextFloat(-0.1F, 0.1F); };
            const auto cosine = static_cast<float>(std::cos(angle));
            const auto sine = static_cast<float>(std::sin(angle));
            points.push_back((second ? 1 - cosine : cosine) + noise());
            points.push_back((second ? 0.5F - sine : sine) + noise());
            classes.push_back(second ? 1 : 0);
        }
        x = fit::Tensor::make(points, {count, 2}).value();
        y = fit::Tensor::make(classes, {count}).value();
    }

    [[nodiscard]] fit::Dataset dataset() const { return fit::Dataset::fromTensors(x, y); }
};

inline fit::Model moonsModel(const std::vector<std::string>& metrics = {}) {
    auto model = fit::Model::sequential({{"dense", {{"units", 16}, {"activation", "relu"}}},
                                         {"dense", {{"units", 16}, {"activation", "relu"}}},
                                         {"dense", {{"units", 2}}}})
                     .value();
    const auto compiled = model.compile({"adam", {{"learning_rate", 0.01}}},
                                        {"sparse_categorical_crossentropy"}, metrics);
    if (!compiled) qFatal("%s", compiled.error().message.c_str());
    return model;
}

/// A sentence of what went wrong; "it went well" where nothing did.
template <typename T>
std::string refusal(const Result<T>& result) {
    return result ? "it went well" : result.error().message;
}

}  // namespace lockstep::tests
