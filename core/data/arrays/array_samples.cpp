// SPDX-License-Identifier: Apache-2.0
#include "core/data/arrays/array_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/data/finish_dataset.h"

namespace lockstep::data {

namespace {

constexpr std::uint64_t kMostSamples = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 31;  ///< Of a sample.
constexpr double kLargestWhole = 1 << 24;                       ///< Above, float32 leaves some out.
constexpr double kMostClasses = 65'535;

std::uint64_t samplesIn(const NpyArray& array) {
    return array.shape.empty() ? 0 : array.shape[0];
}

std::uint64_t numbersOfSample(const NpyArray& array) {
    const std::uint64_t samples = samplesIn(array);
    return samples == 0 ? 0 : array.elements() / samples;
}

/// Why float32 cannot take the place of the number, or nothing.
const char* objectionTo(double number, NpyType type) {
    if (std::isnan(number)) return "is not a number";
    if (isFloat(type))
        return std::abs(number) <= std::numeric_limits<float>::max() ? nullptr : "is not finite";
    return std::abs(number) <= kLargestWhole ? nullptr : "is not exact as float32";
}

/// Samples in which no number is objected to, in order.
std::vector<std::uint32_t> soundSamples(const ArrayPair& pair, ProblemList& problems) {
    std::vector<std::uint32_t> sound;
    const auto count = static_cast<std::uint32_t>(samplesIn(pair.inputs));
    for (std::uint32_t sample = 0; sample < count; ++sample) {
        const char* objection = nullptr;
        for (const auto& [key, array] : {std::pair{&pair.inputsKey, &pair.inputs},
                                         std::pair{&pair.targetsKey, &pair.targets}}) {
            if (bytesOf(array->type) == 1) continue;
            const std::uint64_t width = numbersOfSample(*array);
            for (std::uint64_t i = 0; i < width && objection == nullptr; ++i) {
                objection = objectionTo(array->at(sample * width + i), array->type);
                if (objection != nullptr)
                    problems.add(
                        fmt::format("{}: sample {}: number {} {}", *key, sample, i, objection));
            }
        }
        if (objection == nullptr) sound.push_back(sample);
    }
    return sound;
}

/// Numbers of these samples as float32.
std::vector<float> floatsOf(const NpyArray& array, const std::vector<std::uint32_t>& samples,
                            double scale) {
    const std::uint64_t width = numbersOfSample(array);
    std::vector<float> floats;
    floats.reserve(samples.size() * width);
    for (const std::uint32_t sample : samples)
        for (std::uint64_t i = 0; i < width; ++i)
            floats.push_back(static_cast<float>(array.at(sample * width + i) * scale));
    return floats;
}

/// Bytes of these samples as they are; those of the file itself where none is left out.
SharedBytes bytesOfSamples(const NpyArray& array, const std::vector<std::uint32_t>& samples) {
    if (samples.size() == samplesIn(array)) return array.bytes;
    const std::size_t width = numbersOfSample(array) * bytesOf(array.type);
    std::vector<std::uint8_t> bytes;
    bytes.reserve(samples.size() * width);
    for (const std::uint32_t sample : samples) {
        const std::uint8_t* from = array.bytes.data() + sample * width;
        bytes.insert(bytes.end(), from, from + width);
    }
    return bytes;
}

Result<std::vector<std::uint16_t>> labelsOf(const ArrayPair& pair,
                                            const std::vector<std::uint32_t>& samples,
                                            ArrayFacts& facts) {
    std::vector<std::uint16_t> labels;
    labels.reserve(samples.size());
    for (const std::uint32_t sample : samples) {
        const double label = pair.targets.at(sample);
        if (label < 0 || label >= kMostClasses)
            return fail(ErrorCode::BadInput,
                        fmt::format("{}: the class of sample {} is {}, and classes are from 0 to "
                                    "{}",
                                    pair.targetsKey, sample, label, kMostClasses - 1),
                        "Save targets that are no classes as float32.");
        labels.push_back(static_cast<std::uint16_t>(label));
        facts.highestLabel = std::max(facts.highestLabel, static_cast<std::int64_t>(label));
    }
    return labels;
}

void lookForTokens(const NpyArray& inputs, const std::vector<float>& floats, ArrayFacts& facts) {
    facts.areTokens = facts.areTokens && !isFloat(inputs.type) &&
                      std::ranges::all_of(floats, [](float number) { return number >= 0; });
    if (facts.areTokens && !floats.empty())
        facts.highestToken =
            std::max(facts.highestToken, static_cast<std::int64_t>(std::ranges::max(floats)));
}

void setInputs(const ArrayPair& pair, const std::vector<std::uint32_t>& samples, Split& split,
               ArrayFacts& facts) {
    split.shape = sampleShape(pair.inputs);
    if (holdsImages(pair.inputs)) {
        split.inputKind = InputKind::Pixels;
        split.inputs = bytesOfSamples(pair.inputs, samples);
        facts.areTokens = false;
        return;
    }
    split.inputKind = InputKind::Floats;
    if (pair.inputs.type == NpyType::Float32) {
        split.inputs = bytesOfSamples(pair.inputs, samples);
        facts.areTokens = false;
        return;
    }
    std::vector<float> floats = floatsOf(pair.inputs, samples, 1);
    lookForTokens(pair.inputs, floats, facts);
    split.inputs = ownedBytes(std::move(floats));
}

}  // namespace

bool holdsImages(const NpyArray& inputs) {
    return inputs.type == NpyType::UInt8 && (inputs.shape.size() == 3 || inputs.shape.size() == 4);
}

bool holdsClasses(const NpyArray& targets) {
    return !isFloat(targets.type) && numbersOfSample(targets) == 1;
}

model::Shape sampleShape(const NpyArray& inputs) {
    model::Shape shape;
    for (std::size_t i = 1; i < inputs.shape.size(); ++i)
        shape.push_back(static_cast<std::int64_t>(inputs.shape[i]));
    if (shape.empty() || (holdsImages(inputs) && shape.size() == 2)) shape.push_back(1);
    return shape;
}

Result<void> checkShapes(const ArrayPair& pair) {
    const std::uint64_t samples = samplesIn(pair.inputs);
    for (const auto& [key, array] :
         {std::pair{&pair.inputsKey, &pair.inputs}, std::pair{&pair.targetsKey, &pair.targets}}) {
        if (array->elements() == 0 || array->shape.empty())
            return fail(ErrorCode::BadInput,
                        fmt::format("{}: the array is {}, so it holds no samples", *key,
                                    shapeText(array->shape)),
                        "Its first dimension should count the samples.");
        if (numbersOfSample(*array) > kMostNumbers || samplesIn(*array) > kMostSamples)
            return fail(ErrorCode::BadInput,
                        fmt::format("{}: the array is {}, larger than can be trained on", *key,
                                    shapeText(array->shape)));
    }
    if (samplesIn(pair.targets) != samples)
        return fail(
            ErrorCode::BadInput,
            fmt::format("{} holds {}, and {} holds {}", pair.inputsKey, counted(samples, "sample"),
                        pair.targetsKey, counted(samplesIn(pair.targets), "target")),
            "Name arrays that belong together.");
    if (pair.targets.shape.size() > 2)
        return fail(ErrorCode::BadInput,
                    fmt::format("{}: the array is {}, and the target of a sample is a number or a "
                                "row of numbers",
                                pair.targetsKey, shapeText(pair.targets.shape)),
                    "Save it as samples x numbers.");
    if (holdsImages(pair.inputs) && sampleShape(pair.inputs)[2] != 1 &&
        sampleShape(pair.inputs)[2] != 3)
        return fail(ErrorCode::BadInput,
                    fmt::format("{}: the images are {}, and their last dimension should be 1 or 3 "
                                "channels",
                                pair.inputsKey, shapeText(pair.inputs.shape)),
                    "Put the channels last, or save it as float32: numbers are taken as they are.");
    return {};
}

Result<Split> samplesOf(const ArrayPair& pair, double targetScale, ProblemList& problems,
                        ArrayFacts& facts) {
    const std::vector<std::uint32_t> samples = soundSamples(pair, problems);
    Split split;
    split.count = static_cast<std::uint32_t>(samples.size());
    setInputs(pair, samples, split, facts);
    if (holdsClasses(pair.targets)) {
        split.targetKind = TargetKind::Class;
        split.targets = ownedBytes(TRY(labelsOf(pair, samples, facts)));
        return split;
    }
    split.targetKind = TargetKind::Values;
    split.valuesPerSample = static_cast<std::uint32_t>(numbersOfSample(pair.targets));
    split.targets = ownedBytes(floatsOf(pair.targets, samples, targetScale));
    return split;
}

}  // namespace lockstep::data
