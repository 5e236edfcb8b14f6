// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/support/reference_operations.h"

// Normalisations, embeddings and attention.
namespace lockstep::testing {

namespace {

struct Moments {
    double mean = 0;
    double variance = 0;  ///< Biased.
};

Moments momentsOf(const std::vector<double>& x, std::span<const std::size_t> places) {
    const auto count = static_cast<double>(places.size());
    Moments moments;
    for (const std::size_t place : places)
        moments.mean += x[place] / count;
    for (const std::size_t place : places)
        moments.variance += (x[place] - moments.mean) * (x[place] - moments.mean) / count;
    return moments;
}

}  // namespace

double ReferenceOperations::divisor(double variance, double epsilon) {
    leastVariance = std::min(leastVariance, variance + epsilon);
    itsEpsilon = epsilon;
    return std::sqrt(variance + epsilon);
}

void ReferenceOperations::noteVariance() {
    if (leastVariance < 2 * itsEpsilon) magnification /= std::sqrt(leastVariance);
    itsEpsilon = 0;
}

void ReferenceOperations::normalise(std::span<const std::size_t> places, std::int64_t channels,
                                    double epsilon, bool isRootMeanSquare, bool hasScale,
                                    bool hasCenter) {
    Moments moments = momentsOf(x(), places);
    if (isRootMeanSquare)
        moments = {.mean = 0, .variance = moments.variance + moments.mean * moments.mean};
    for (const std::size_t place : places) {
        const std::size_t channel = place % static_cast<std::size_t>(channels);
        y[place] = (x()[place] - moments.mean) / divisor(moments.variance, epsilon);
        if (hasScale) y[place] *= tensor(0)[channel];
        if (hasCenter) y[place] += tensor(hasScale ? 1 : 0)[channel];
    }
}

void ReferenceOperations::operator()(const model::BatchNormalization& operation) {
    const auto channels = static_cast<std::size_t>(imageOf(node->shape).channels);
    const std::size_t first = static_cast<std::size_t>(operation.hasScale) +
                              static_cast<std::size_t>(operation.hasCenter);
    std::vector<double>& means = tensor(first);
    std::vector<double>& variances = tensor(first + 1);
    const auto momentum = static_cast<double>(operation.momentum);
    const bool isFrozen =
        !graph.tensors[static_cast<std::size_t>(node->tensors.back())].isTrainable;
    for (std::size_t channel = 0; channel < channels; ++channel) {
        std::vector<std::size_t> places;
        for (std::size_t i = channel; i < y.size(); i += channels)
            places.push_back(i);
        Moments moments{.mean = means[channel], .variance = variances[channel]};
        if (isTraining && !isFrozen && !places.empty()) {
            moments = momentsOf(x(), places);
            means[channel] = momentum * means[channel] + (1 - momentum) * moments.mean;
            variances[channel] = momentum * variances[channel] + (1 - momentum) * moments.variance;
        }
        for (const std::size_t i : places) {
            y[i] = (x()[i] - moments.mean) /
                   divisor(moments.variance, static_cast<double>(operation.epsilon));
            if (operation.hasScale) y[i] *= tensor(0)[channel];
            if (operation.hasCenter) y[i] += tensor(operation.hasScale ? 1 : 0)[channel];
        }
    }
}

void ReferenceOperations::operator()(const model::LayerNormalization& operation) {
    const auto width = static_cast<std::size_t>(imageOf(node->shape).channels);
    std::vector<std::size_t> places(width);
    for (std::size_t begin = 0; begin < y.size(); begin += width) {
        for (std::size_t i = 0; i < width; ++i)
            places[i] = begin + i;
        normalise(places, node->shape.back(), static_cast<double>(operation.epsilon),
                  operation.isRootMeanSquare, operation.hasScale,
                  operation.hasCenter && !operation.isRootMeanSquare);
    }
}

void ReferenceOperations::operator()(const model::GroupNormalization& operation) {
    const Image image = imageOf(node->shape);
    const std::int64_t each = image.channels / operation.groups;
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t group = 0; group < operation.groups; ++group) {
            std::vector<std::size_t> places;
            for (std::int64_t h = 0; h < image.height; ++h)
                for (std::int64_t w = 0; w < image.width; ++w)
                    for (std::int64_t c = group * each; c < (group + 1) * each; ++c)
                        places.push_back(image.at(row, h, w, c));
            normalise(places, image.channels, static_cast<double>(operation.epsilon), false,
                      operation.hasScale, operation.hasCenter);
        }
}

void ReferenceOperations::operator()(const model::Embedding& /*operation*/) {
    const auto width = static_cast<std::size_t>(node->shape.back());
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = tensor(0)[static_cast<std::size_t>(x()[i / width]) * width + i % width];
}

void ReferenceOperations::operator()(const model::PositionEmbedding& /*operation*/) {
    const auto perRow = static_cast<std::size_t>(model::elementCount(node->shape));
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = x()[i] + tensor(0)[i % perRow];
}

void ReferenceOperations::operator()(const model::Attention& operation) {
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t head = 0; head < operation.heads; ++head)
            attendHead(operation, row, head);
}

void ReferenceOperations::attendHead(const model::Attention& operation, std::int64_t row,
                                     std::int64_t head) {
    const std::int64_t positions = node->shape[0];
    const std::int64_t width = node->shape[1];
    const std::int64_t each = width / operation.heads;
    // Part 0: queries, 1: keys, 2: values.
    const auto part = [&](std::int64_t position, std::int64_t which, std::int64_t i) {
        return x()[static_cast<std::size_t>((row * positions + position) * 3 * width +
                                            which * width + head * each + i)];
    };
    for (std::int64_t query = 0; query < positions; ++query) {
        const std::int64_t keys = operation.isCausal ? query + 1 : positions;
        std::vector<double> weights(static_cast<std::size_t>(keys));
        for (std::int64_t key = 0; key < keys; ++key) {
            double& weight = weights[static_cast<std::size_t>(key)];
            for (std::int64_t i = 0; i < each; ++i)
                weight += part(query, 0, i) * part(key, 1, i);
            weight /= std::sqrt(static_cast<double>(each));
        }
        softmax(weights);
        for (std::int64_t key = 0; key < keys; ++key) {
            double weight = weights[static_cast<std::size_t>(key)];
            const std::int64_t unit = (head * positions + query) * positions + key;
            if (isTraining && operation.dropout > 0) {
                const bool isKept =
                    !keepsUnit || keepsUnit(operation.layer, operation.dropout, row, unit);
                weight = isKept ? weight / (1 - static_cast<double>(operation.dropout)) : 0;
            }
            for (std::int64_t i = 0; i < each; ++i)
                y[static_cast<std::size_t>((row * positions + query) * width + head * each + i)] +=
                    weight * part(key, 2, i);
        }
    }
}

}  // namespace lockstep::testing
