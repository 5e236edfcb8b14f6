// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/config/job/augmentation_spec.h"
#include "core/data/shared_bytes.h"
#include "core/model/data_facts.h"
#include "core/model/shape.h"

namespace lockstep::data {

/// How a sample's input is stored, and what becomes of it on its way into the network.
enum class InputKind : std::uint8_t {
    Pixels,  ///< Bytes; the network gets value / 255.
    Floats,  ///< float32, as they are.
    Tokens,  ///< uint16 below the vocabulary; the network gets them as floats.
};

/// What a sample is to be answered with.
enum class TargetKind : std::uint8_t {
    Class,      ///< One of the classes: uint16.
    NextToken,  ///< For each position of the input the token behind it; lies in `inputs`.
    Values,     ///< Numbers, float32: one for each of Dataset::targetNames.
};

/// Samples with their targets. Immutable once in a Dataset, so any thread may read it. Numbers
/// lie in the processor's byte order and need not be aligned.
struct Split {
    std::uint32_t count = 0;
    InputKind inputKind = InputKind::Pixels;
    /// Of a sample: {height, width, channels} of pixels, {features} of a row, {positions} of text.
    model::Shape shape;
    std::uint32_t extras = 0;  ///< Floats only: numbers of named columns behind the shape's own.
    /// Pixels: count x height x width x channels, row-major; Floats: count x (features + extras);
    /// Tokens: one stream.
    SharedBytes inputs;
    std::uint32_t stride = 0;  ///< Tokens: sample i begins at token i x stride.
    TargetKind targetKind = TargetKind::Class;
    std::uint32_t valuesPerSample = 0;  ///< Values only.
    SharedBytes targets;                ///< count of them; NextToken: empty.

    /// Numbers of a sample that the network gets.
    [[nodiscard]] std::size_t features() const;
    [[nodiscard]] std::size_t bytesPerSample() const;
    /// Of sample `index`, as they are stored.
    [[nodiscard]] std::span<const std::uint8_t> input(std::uint32_t index) const;
    /// A uint16 of a class, one for each position, or a float for each value.
    [[nodiscard]] std::size_t bytesPerTarget() const;
    [[nodiscard]] std::span<const std::uint8_t> target(std::uint32_t index) const;
    /// Of sample `index`, where targets are classes.
    [[nodiscard]] std::uint16_t label(std::uint32_t index) const;

    // Of pixels only.
    [[nodiscard]] int height() const { return static_cast<int>(shape.at(0)); }
    [[nodiscard]] int width() const { return static_cast<int>(shape.at(1)); }
    [[nodiscard]] int channels() const { return static_cast<int>(shape.at(2)); }
};

/// Classes as Split::targets holds them.
[[nodiscard]] SharedBytes labelBytes(std::span<const std::uint16_t> labels);
[[nodiscard]] SharedBytes labelBytes(std::span<const std::uint8_t> labels);
/// Numbers as Split holds them.
[[nodiscard]] SharedBytes floatBytes(std::span<const float> values);

/// Images with classes: `shape` is {height, width, channels}, `labels` as labelBytes() gives them.
[[nodiscard]] Split imageSplit(std::uint32_t count, model::Shape shape, SharedBytes pixels,
                               SharedBytes labels);

/// What a job trains and is evaluated on. All splits have inputs and targets of the same kind and
/// shape; none is null.
struct Dataset {
    std::shared_ptr<const Split> train;
    std::shared_ptr<const Split> validation;  ///< count 0 when the job asks for none.
    std::shared_ptr<const Split> test;
    /// Training samples of each file, in the order of files and samples; empty: not known.
    std::vector<std::uint32_t> trainFiles{};
    model::DataFacts facts;  ///< Every label is below facts.classes.
    /// What becomes of training images, at random.
    std::vector<config::AugmentationSpec> augment{};
    std::vector<std::string> classNames;   ///< As many as classes.
    std::vector<std::string> targetNames;  ///< Values only.
    double targetScale = 1;                ///< Targets are what people know, times this.
    /// JSON, kept in every checkpoint: how raw input becomes a sample. Empty: it is one already.
    std::string preparation;
    /// XXH3-128 of all inputs and targets and of what they mean, 32 hexadecimal digits.
    std::string fingerprint;
    std::vector<std::string> notes;  ///< What was left out or taken twice: sentences for the log.
    std::vector<Error> warnings{};   ///< What is probably a mistake, with the way out.
};

}  // namespace lockstep::data
