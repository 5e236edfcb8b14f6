// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::config {

/// What becomes of a cell without a number. Mean: that of the training rows takes its place.
enum class OnMissing : std::uint8_t { Error, Mean, Skip };
/// How a column of a table reaches the network, named as in Keras' FeatureSpace. Normalized: less
/// the training rows' mean, divided by their deviation.
enum class FeatureKind : std::uint8_t {
    Float,
    FloatNormalized,
    IntegerCategorical,
    StringCategorical,
};
/// Int: a column "data.NAME" of whole numbers, for an embedding. OneHot: numbers of the sample.
enum class CategoryOutput : std::uint8_t { Int, OneHot };

struct FeatureSpec {
    std::string name;
    FeatureKind kind = FeatureKind::Float;
    int maxTokens = 0;  ///< Categories at most, the most frequent ones; 0: as many as there are.
    CategoryOutput output = CategoryOutput::OneHot;
};

/// Of dataset = "table".
struct TableSpec {
    std::vector<std::string> targets{};
    double targetScale = 1;  ///< The loss is of the target times this.
    OnMissing missing = OnMissing::Error;
    std::vector<FeatureSpec> features{};
};

/// Of dataset = "text".
struct TextSpec {
    std::string tokenizer = "bytes";  ///< bytes | characters | path of a SentencePiece model.
    int sequenceLength = 0;           ///< Tokens of a sample.
};

/// Of dataset = "arrays": npy files, or "FILE.npz:NAME".
struct ArraysSpec {
    std::string inputs{};
    std::string targets{};
    std::string validationInputs{};
    std::string validationTargets{};
    std::string testInputs{};
    std::string testTargets{};
};

}  // namespace lockstep::config
