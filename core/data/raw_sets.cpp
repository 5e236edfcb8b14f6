// SPDX-License-Identifier: Apache-2.0
#include "core/data/raw_sets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/hash.h"
#include "core/base/plural.h"

namespace lockstep::data {

namespace {

/// `split` without its last `count` samples, which are returned.
Split splitOffLast(Split& split, std::uint32_t count) {
    const std::uint32_t kept = split.count - count;
    Split last = split;
    last.count = count;
    for (auto [bytes, of, taken] :
         {std::tuple{split.bytesPerSample(), &split.inputs, &last.inputs},
          std::tuple{split.bytesPerTarget(), &split.targets, &last.targets}}) {
        *taken = of->part(kept * bytes, count * bytes);
        *of = of->part(0, kept * bytes);
    }
    split.count = kept;
    return last;
}

std::span<const std::byte> bytesOf(std::span<const std::uint8_t> bytes) {
    return std::as_bytes(bytes);
}

/// Images with classes have the fingerprint that they had before there were other data.
void addHeader(ContentHash& hash, const Split& split) {
    if (split.inputKind == InputKind::Pixels && split.targetKind == TargetKind::Class) {
        hash.add(fmt::format("{} x {} x {}", split.count, split.height(), split.width()));
        hash.add(split.channels() == 1 ? "\n" : fmt::format(" x {}\n", split.channels()));
        return;
    }
    hash.add(fmt::format("{} x {} + {} of kind {}, stride {}, targets {} of kind {}\n", split.count,
                         fmt::join(split.shape, " x "), split.extras,
                         static_cast<int>(split.inputKind), split.stride, split.valuesPerSample,
                         static_cast<int>(split.targetKind)));
}

}  // namespace

std::vector<std::uint8_t> packedLabels(const Split& split) {
    std::vector<std::uint8_t> narrow(split.count);
    for (std::uint32_t i = 0; i < split.count; ++i) {
        const std::uint16_t label = split.label(i);
        if (label > 255) return {split.targets.begin(), split.targets.end()};
        narrow[i] = static_cast<std::uint8_t>(label);
    }
    return narrow;
}

std::string fingerprintOf(const std::vector<const Split*>& splits) {
    ContentHash hash;
    for (const Split* split : splits) {
        addHeader(hash, *split);
        hash.add(bytesOf(split->inputs));
        if (split->targetKind == TargetKind::Class)
            hash.add(bytesOf(packedLabels(*split)));
        else
            hash.add(bytesOf(split->targets));
    }
    return hash.digits();
}

Result<Dataset> assemble(RawSets sets, int validationSamples) {
    const bool isSplitOff = sets.validation.count == 0;
    if (isSplitOff && (validationSamples < 0 ||
                       static_cast<std::uint32_t>(validationSamples) >= sets.train.count))
        return fail(
            ErrorCode::BadInput,
            fmt::format("data.validation_samples is {}, but the training set has {}",
                        validationSamples, counted(sets.train.count, "sample")),
            fmt::format("Choose from 0 to {}: what is left is trained on.", sets.train.count - 1));
    Split validation = isSplitOff
                           ? splitOffLast(sets.train, static_cast<std::uint32_t>(validationSamples))
                           : std::move(sets.validation);
    Dataset dataset;
    dataset.facts.input = sets.train.shape;
    dataset.fingerprint = fingerprintOf({&sets.train, &validation, &sets.test});
    dataset.train = std::make_shared<const Split>(std::move(sets.train));
    dataset.validation = std::make_shared<const Split>(std::move(validation));
    dataset.test = std::make_shared<const Split>(std::move(sets.test));
    return dataset;
}

}  // namespace lockstep::data
