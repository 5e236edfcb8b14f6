// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "tests/support/reference_network.h"

namespace lockstep::testing {

/// One pass of a reference: computes node after node into `y`.
struct ReferenceOperations {
    const model::Graph& graph;
    bool isTraining = true;
    const KeepsUnit& keepsUnit;
    std::int64_t rows = 0;
    std::span<const float> samples;
    TensorValues tensors;

    const model::Node* node = nullptr;          ///< The one that is computed.
    std::vector<double> y{};                    ///< What it gives.
    std::vector<std::vector<double>> values{};  ///< What those before it gave.
    double kinkDistance = std::numeric_limits<double>::infinity();
    double magnification = 1;
    double leastVariance = 1;  ///< That the node has divided by, epsilon included.
    double itsEpsilon = 0;
    std::uint64_t branches = 14695981039346656037ULL;

    void operator()(const model::Input& operation);
    void operator()(const model::Dense& operation);
    void operator()(const model::Convolution& operation);
    void operator()(const model::Pooling& operation);
    void operator()(const model::GlobalPooling& operation);
    void operator()(const model::BatchNormalization& operation);
    void operator()(const model::LayerNormalization& operation);
    void operator()(const model::GroupNormalization& operation);
    void operator()(const model::Dropout& operation);
    void operator()(const model::Activation& operation);
    void operator()(const model::Add& operation);
    void operator()(const model::Multiply& operation);
    void operator()(const model::Concatenate& operation);
    void operator()(const model::Affine& operation);
    void operator()(const model::ZeroPadding& operation);
    void operator()(const model::Reshape& operation);
    void operator()(const model::Flatten& operation);
    void operator()(const model::Embedding& operation);
    void operator()(const model::PositionEmbedding& operation);
    void operator()(const model::Attention& operation);
    void operator()(const model::UpSampling& operation);
    void operator()(const model::TransposedConvolution& operation);
    void operator()(const model::Recurrence& operation);
    void operator()(const model::MeshExchange& operation);

    /// Behind each node.
    void noteVariance();

private:
    /// What a normalisation divides by.
    double divisor(double variance, double epsilon);
    /// Height, width and channels; sequences and rows have a height of one.
    struct Image {
        std::int64_t height = 1;
        std::int64_t width = 1;
        std::int64_t channels = 1;
        [[nodiscard]] std::int64_t places() const { return height * width; }
        /// Of one channel at one place of one row.
        [[nodiscard]] std::size_t at(std::int64_t row, std::int64_t down, std::int64_t right,
                                     std::int64_t channel) const {
            return static_cast<std::size_t>(((row * height + down) * width + right) * channels +
                                            channel);
        }
    };
    [[nodiscard]] static Image imageOf(const model::Shape& shape);
    [[nodiscard]] const model::Shape& inputShape(std::size_t which = 0) const;
    [[nodiscard]] const std::vector<double>& x(std::size_t which = 0) const;
    [[nodiscard]] std::vector<double>& tensor(std::size_t which);
    [[nodiscard]] bool hasTensor(std::size_t which) const { return which < node->tensors.size(); }

    /// A number whose function bends at zero.
    void noteSign(double number);
    /// The largest of some numbers.
    [[nodiscard]] double largest(std::span<const double> numbers);
    [[nodiscard]] double activate(const model::Activation& operation, double number);
    void softmax(std::span<double> numbers) const;
    /// The numbers of a window over an image: those that are not padding.
    template <typename Use>
    void visitWindow(const model::Window& window, const Image& image, std::int64_t down,
                     std::int64_t right, const Use& use) const;
    /// y = (x - mean) / sqrt(variance + epsilon) for the numbers at `places`; mean 0 and the mean
    /// square instead where isRootMeanSquare. With weight and bias of `channels`.
    void normalise(std::span<const std::size_t> places, std::int64_t channels, double epsilon,
                   bool isRootMeanSquare, bool hasScale, bool hasCenter);
    /// One step of one row: from the state (and cell) before to those after.
    void stepOf(const model::Recurrence& operation, std::span<const double> x,
                std::vector<double>& state, std::vector<double>& cell);
    void attendHead(const model::Attention& operation, std::int64_t row, std::int64_t head);
};

}  // namespace lockstep::testing
