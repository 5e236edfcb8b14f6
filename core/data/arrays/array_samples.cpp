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

namespace lockstep::data {

namespace {

constexpr std::uint64_t kMostSamples = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 31;  ///< Of a sample.
constexpr double kLargestWhole = 1 << 24;                       ///< Above, float32 leaves some out.
constexpr double kMostClasses = 65'535;
constexpr std::size_t kAtATime = std::size_t{1} << 16;  ///< Numbers that are converted.

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

/// Writes numbers of these samples as `convert(number, sample, place)` gives them.
template <typename Number, typename Convert>
Result<void> writeNumbers(const NpyArray& array, const std::vector<std::uint32_t>& samples,
                          PackedWriter& writer, Convert convert) {
    const std::uint64_t width = numbersOfSample(array);
    std::vector<Number> numbers;
    for (const std::uint32_t sample : samples) {
        for (std::uint64_t i = 0; i < width; ++i)
            numbers.push_back(TRY(convert(array.at(sample * width + i), sample, i)));
        if (numbers.size() < kAtATime) continue;
        TRY(writer.appendNumbers(std::span<const Number>(numbers)));
        numbers.clear();
    }
    TRY(writer.appendNumbers(std::span<const Number>(numbers)));
    return writer.endSection();
}

/// Writes bytes of these samples as they are; nothing, and true, where the file's own will do.
Result<bool> writeAsTheyAre(const NpyArray& array, const std::vector<std::uint32_t>& samples,
                            PackedWriter& writer) {
    const bool lies = samples.size() == samplesIn(array) && array.bytes.isMapped();
    const std::size_t width = numbersOfSample(array) * bytesOf(array.type);
    if (!lies)
        for (const std::uint32_t sample : samples)
            TRY(writer.append({array.bytes.data() + sample * width, width}));
    TRY(writer.endSection());
    return lies;
}

Result<void> writeLabels(const ArrayPair& pair, const std::vector<std::uint32_t>& samples,
                         PackedWriter& writer, ArrayFacts& facts) {
    return writeNumbers<std::uint16_t>(
        pair.targets, samples, writer,
        [&](double label, std::uint32_t sample, std::uint64_t /*i*/) -> Result<std::uint16_t> {
            if (label < 0 || label >= kMostClasses)
                return fail(ErrorCode::BadInput,
                            fmt::format("{}: the class of sample {} is {}, and classes are from 0 "
                                        "to {}",
                                        pair.targetsKey, sample, label, kMostClasses - 1),
                            "Save targets that are no classes as float32.");
            facts.highestLabel = std::max(facts.highestLabel, static_cast<std::int64_t>(label));
            return static_cast<std::uint16_t>(label);
        });
}

Result<bool> writeValues(const ArrayPair& pair, const std::vector<std::uint32_t>& samples,
                         double scale, PackedWriter& writer) {
    if (pair.targets.type == NpyType::Float32 && scale == 1)
        return writeAsTheyAre(pair.targets, samples, writer);
    TRY(writeNumbers<float>(
        pair.targets, samples, writer,
        [&](double number, std::uint32_t sample, std::uint64_t i) -> Result<float> {
            const auto value = static_cast<float>(number * scale);
            if (std::isfinite(value)) return value;
            return fail(ErrorCode::BadInput,
                        fmt::format("data.target_scale is {}, and number {} of sample {} of {} is "
                                    "{}: their product is beyond float32, whose largest number is "
                                    "{:.3g}",
                                    scale, i, sample, pair.targetsKey, number,
                                    std::numeric_limits<float>::max()),
                        "Choose a data.target_scale that brings the targets near 1.");
        }));
    return false;
}

Result<bool> writeInputs(const ArrayPair& pair, const std::vector<std::uint32_t>& samples,
                         PackedWriter& writer, Split& split, ArrayFacts& facts) {
    split.shape = sampleShape(pair.inputs);
    const bool areImages = holdsImages(pair.inputs);
    split.inputKind = areImages ? InputKind::Pixels : InputKind::Floats;
    facts.areTokens = facts.areTokens && !areImages && !isFloat(pair.inputs.type);
    if (areImages || pair.inputs.type == NpyType::Float32)
        return writeAsTheyAre(pair.inputs, samples, writer);
    TRY(writeNumbers<float>(
        pair.inputs, samples, writer,
        [&](double number, std::uint32_t /*sample*/, std::uint64_t /*i*/) -> Result<float> {
            facts.areTokens = facts.areTokens && number >= 0;
            if (facts.areTokens)
                facts.highestToken =
                    std::max(facts.highestToken, static_cast<std::int64_t>(number));
            return static_cast<float>(number);
        }));
    return false;
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

Result<PackedSamples> packSamples(const ArrayPair& pair, double targetScale, PackedWriter& writer,
                                  ProblemList& problems, ArrayFacts& facts) {
    const std::vector<std::uint32_t> samples = soundSamples(pair, problems);
    PackedSamples packed;
    packed.split.count = static_cast<std::uint32_t>(samples.size());
    packed.inputsLie = TRY(writeInputs(pair, samples, writer, packed.split, facts));
    if (holdsClasses(pair.targets)) {
        packed.split.targetKind = TargetKind::Class;
        TRY(writeLabels(pair, samples, writer, facts));
        return packed;
    }
    packed.split.targetKind = TargetKind::Values;
    packed.split.valuesPerSample = static_cast<std::uint32_t>(numbersOfSample(pair.targets));
    packed.targetsLie = TRY(writeValues(pair, samples, targetScale, writer));
    return packed;
}

}  // namespace lockstep::data
