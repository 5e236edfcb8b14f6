// SPDX-License-Identifier: Apache-2.0
#include "core/model/initialise.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/rng.h"
#include "core/model/orthogonal.h"

namespace lockstep::model {

namespace {

/// Deviation of a normal variable that is cut at twice its own, as Keras divides it out.
constexpr double kCutDeviation = .87962566103423978;
constexpr float kCut = 2;

/// exp(-x) for x in [0, 2], to 1e-13: the square of the series at x / 2. Not the library's, whose
/// last bit differs from one machine to the next.
double decay(double x) {
    constexpr int kTerms = 16;
    const double half = -x / 2;
    double sum = 1;
    for (int i = kTerms; i > 0; --i)
        sum = 1 + half / i * sum;
    return sum * sum;
}

/// Standard normal, cut at twice its deviation: a uniform value is kept as often as the bell is
/// high there.
float cutNormal(CounterRng& rng) {
    for (;;) {
        const float x = rng.nextFloat(-kCut, kCut);
        const double height = decay(static_cast<double>(x) * static_cast<double>(x) / 2);
        if (static_cast<double>(rng.nextFloat()) < height) return x;
    }
}

void fillUniform(std::span<float> values, double limit, CounterRng& rng) {
    const auto bound = static_cast<float>(limit);
    for (float& value : values)
        value = rng.nextFloat(-bound, bound);
}

void fillNormal(std::span<float> values, double deviation, CounterRng& rng) {
    const auto scale = static_cast<float>(deviation);
    for (float& value : values)
        value = scale * cutNormal(rng);
}

}  // namespace

void initialise(const Tensor& tensor, std::uint64_t seed, std::span<float> values) {
    LS_CHECK(static_cast<std::int64_t>(values.size()) == tensor.size(),
             "a tensor's values have its size");
    const Initializer& begin = tensor.initializer;
    CounterRng rng(seed, begin.stream);
    switch (begin.kind) {
        case Initializer::Kind::Zeros:
            std::ranges::fill(values, 0.0F);
            break;
        case Initializer::Kind::Ones:
            std::ranges::fill(values, 1.0F);
            break;
        case Initializer::Kind::GlorotUniform:
            fillUniform(values, std::sqrt(6.0 / (begin.fanIn + begin.fanOut)), rng);
            break;
        case Initializer::Kind::HeNormal:
            fillNormal(values, std::sqrt(2.0 / begin.fanIn) / kCutDeviation, rng);
            break;
        case Initializer::Kind::Uniform:
            fillUniform(values, begin.scale, rng);
            break;
        case Initializer::Kind::Orthogonal: {
            const auto rows = static_cast<std::size_t>(tensor.shape.front());
            fillOrthogonal(values, rows, values.size() / rows, rng);
        }
    }
    std::fill(values.begin() + begin.ones.first, values.begin() + begin.ones.second, 1.0F);
}

}  // namespace lockstep::model
