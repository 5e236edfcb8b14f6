// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/augmentation_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"

namespace lockstep::config {

namespace {

using Spec = AugmentationSpec;
using K = AugmentationKind;
using Pair = std::array<double, 2>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kLargestSide = 4096;

/// What one number means where two are taken.
enum class Single : std::uint8_t { PlusMinus, FromZero, Both };

bool isNumber(const TomlValue& value, const KeyHelp& help) {
    return checkScalar(value,
                       [&help] {
                           KeyHelp number = help;
                           number.kind = ValueKind::Number;
                           return number;
                       }())
        .empty();
}

Pair pairOf(double number, Single single) {
    switch (single) {
        case Single::PlusMinus:
            return {-std::abs(number), std::abs(number)};
        case Single::FromZero:
            return {0, number};
        case Single::Both:
            break;
    }
    return {number, number};
}

/// A number, or [lower, upper]. `isOrdered`: lower is not above upper.
Key<Spec> pairKey(Pair Spec::*member, Range range, Single single, bool isOrdered = true) {
    Key<Spec> key;
    key.help.kind = ValueKind::NumberOrPair;
    key.help.minimum = range.minimum;
    key.help.maximum = range.maximum;
    key.help.aboveMinimum = range.aboveMinimum;
    key.help.belowMaximum = range.belowMaximum;
    const KeyHelp help = key.help;
    key.read = [member, help, single, isOrdered](const TomlValue& value, Spec& spec) -> Problems {
        const auto& both = value.elements;
        if (isNumber(value, help)) {
            spec.*member = pairOf(value.number, single);
            return {};
        }
        const bool isPair = value.kind == TomlValue::Kind::Array && both.size() == 2 &&
                            isNumber(both[0], help) && isNumber(both[1], help);
        if (!isPair)
            return {{placeOf(value),
                     {},
                     fmt::format("is {}, but must be {}", shownValue(value), expectation(help)),
                     {}}};
        if (isOrdered && both[0].number > both[1].number)
            return {{placeOf(value),
                     {},
                     fmt::format("is [{}, {}], whose lower number is the larger one",
                                 both[0].number, both[1].number),
                     "Write the smaller number first."}};
        spec.*member = {both[0].number, both[1].number};
        return {};
    };
    key.write = [member](const Spec& spec) {
        const Pair& pair = spec.*member;
        return std::isnan(pair[0])
                   ? std::string()
                   : fmt::format("[{}, {}]", tomlNumber(pair[0]), tomlNumber(pair[1]));
    };
    return key;
}

/// A number that is left open without one.
Key<Spec> openValueKey() {
    Key<Spec> key = numberKey<Spec>(at<&Spec::value>, {0, 1});
    key.write = [](const Spec& spec) {
        return std::isnan(spec.value) ? std::string() : tomlNumber(spec.value);
    };
    return key;
}

AugmentationOption option(std::string name, Key<Spec> key, bool isRequired = false) {
    key.help.key = std::move(name);
    return {std::move(key), isRequired};
}

AugmentationOption required(std::string name, Key<Spec> key) {
    return option(std::move(name), std::move(key), true);
}

std::vector<AugmentationOption> fillOptions() {
    return {option("fill_mode", wordKey<Spec>(at<&Spec::fill>, {{"reflect", FillMode::Reflect},
                                                                {"constant", FillMode::Constant},
                                                                {"nearest", FillMode::Nearest},
                                                                {"wrap", FillMode::Wrap}})),
            option("fill_value", numberKey<Spec>(at<&Spec::value>, {0, 1}))};
}

std::vector<AugmentationOption> sizeOptions() {
    return {option("height", integerKey<Spec>(at<&Spec::height>, {0, kLargestSide})),
            option("width", integerKey<Spec>(at<&Spec::width>, {0, kLargestSide}))};
}

std::vector<AugmentationOption> joined(std::vector<AugmentationOption> options,
                                       std::vector<AugmentationOption> more) {
    std::ranges::move(more, std::back_inserter(options));
    return options;
}

Spec with(K kind, Pair range = {}, Pair across = {}, double value = 0) {
    Spec spec;
    spec.kind = kind;
    spec.range = range;
    spec.across = across;
    spec.value = value;
    return spec;
}

std::vector<AugmentationType> placingTypes() {
    const Range around{-1, 1};
    const Range beyondNothing{-1, 1, true, false};
    const auto factor = [&around] {
        return required("factor", pairKey(&Spec::range, around, Single::PlusMinus));
    };
    return {
        {"random_crop", K::RandomCrop, with(K::RandomCrop),
         joined(sizeOptions(),
                {option("padding", integerKey<Spec>(at<&Spec::padding>, {0, kLargestSide}))})},
        {"random_resized_crop", K::RandomResizedCrop,
         with(K::RandomResizedCrop, {0.08, 1}, {3.0 / 4, 4.0 / 3}),
         joined(sizeOptions(),
                {option("scale", pairKey(&Spec::range, {0, 1, true, false}, Single::Both)),
                 option("ratio", pairKey(&Spec::across, {0, 1000, true, false}, Single::Both))})},
        {"random_flip",
         K::RandomFlip,
         with(K::RandomFlip),
         {option("mode", wordKey<Spec>(at<&Spec::mode>, {{"horizontal", FlipMode::Horizontal},
                                                         {"vertical", FlipMode::Vertical},
                                                         {"horizontal_and_vertical",
                                                          FlipMode::HorizontalAndVertical}}))}},
        {"random_rotation", K::RandomRotation, with(K::RandomRotation),
         joined({factor()}, fillOptions())},
        {"random_zoom", K::RandomZoom, with(K::RandomZoom, {}, {kNone, kNone}),
         joined({required("height_factor", pairKey(&Spec::range, beyondNothing, Single::PlusMinus)),
                 option("width_factor", pairKey(&Spec::across, beyondNothing, Single::PlusMinus))},
                fillOptions())},
        {"random_translation", K::RandomTranslation, with(K::RandomTranslation),
         joined({required("height_factor", pairKey(&Spec::range, around, Single::PlusMinus)),
                 required("width_factor", pairKey(&Spec::across, around, Single::PlusMinus))},
                fillOptions())},
    };
}

std::vector<AugmentationType> paintingTypes() {
    const Range share{0, 1};
    return {
        {"random_brightness",
         K::RandomBrightness,
         with(K::RandomBrightness),
         {required("factor", pairKey(&Spec::range, {-1, 1}, Single::PlusMinus))}},
        {"random_contrast",
         K::RandomContrast,
         with(K::RandomContrast),
         {required("factor", pairKey(&Spec::range, share, Single::Both, false))}},
        {"random_erasing",
         K::RandomErasing,
         with(K::RandomErasing, {0, 1}, {0.02, 0.33}, kNone),
         {option("factor", pairKey(&Spec::range, share, Single::FromZero)),
          option("scale", pairKey(&Spec::across, share, Single::FromZero)),
          option("fill_value", openValueKey())}},
        {"mix_up",
         K::MixUp,
         with(K::MixUp),
         {option("alpha", numberKey<Spec>(at<&Spec::alpha>, {0, 1, true, false}))}},
        {"cut_mix",
         K::CutMix,
         with(K::CutMix, {0, 1}),
         {option("factor", pairKey(&Spec::range, share, Single::FromZero))}},
    };
}

std::vector<AugmentationType> makeTypes() {
    std::vector<AugmentationType> types = placingTypes();
    std::ranges::move(paintingTypes(), std::back_inserter(types));
    for (AugmentationType& type : types)
        type.options.push_back(
            option("probability", numberKey<Spec>(at<&Spec::probability>, {0, 1})));
    return types;
}

}  // namespace

const AugmentationOption* AugmentationType::find(std::string_view option) const {
    const auto found = std::ranges::find_if(
        options, [option](const AugmentationOption& one) { return one.key.help.key == option; });
    return found == options.end() ? nullptr : &*found;
}

std::vector<std::string> AugmentationType::optionNames() const {
    std::vector<std::string> names;
    for (const AugmentationOption& one : options)
        names.push_back(one.key.help.key);
    return names;
}

const std::vector<AugmentationType>& augmentationTypes() {
    static const std::vector<AugmentationType> kTypes = makeTypes();
    return kTypes;
}

const AugmentationType& typeOf(AugmentationKind kind) {
    const auto& types = augmentationTypes();
    const auto found = std::ranges::find(types, kind, &AugmentationType::kind);
    LS_CHECK(found != types.end(), "every kind of augmentation is in the table");
    return *found;
}

const AugmentationType* findAugmentationType(std::string_view name) {
    const auto& types = augmentationTypes();
    const auto found = std::ranges::find(types, name, &AugmentationType::name);
    return found == types.end() ? nullptr : &*found;
}

}  // namespace lockstep::config
