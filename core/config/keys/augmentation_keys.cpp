// SPDX-License-Identifier: Apache-2.0
#include "core/config/keys/augmentation_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/config/keys/augmentation_options.h"

namespace lockstep::config {

namespace {

using Kind = TomlValue::Kind;

constexpr std::size_t kMostChanges = 64;
constexpr std::size_t kMostChannels = 4;

std::vector<std::string> typeNames() {
    std::vector<std::string> names;
    for (const AugmentationType& type : augmentationTypes())
        names.push_back(type.name);
    return names;
}

/// Reads the elements of data.augment.
class ListReader {
public:
    std::vector<AugmentationSpec> read(const TomlValue& list) {
        std::vector<AugmentationSpec> specs;
        for (std::size_t i = 0; i < list.elements.size(); ++i) {
            place_ = fmt::format("[{}]", i);
            const AugmentationType* type = typeIn(list.elements[i]);
            if (type == nullptr) continue;
            AugmentationSpec spec = type->defaults;
            readOptions(list.elements[i], *type, spec);
            specs.push_back(spec);
        }
        return specs;
    }
    [[nodiscard]] Problems take() { return std::move(problems_); }

private:
    const AugmentationType* typeIn(const TomlValue& table) {
        if (table.kind != Kind::Table) {
            problems_.push_back(
                {placeOf(table), place_,
                 fmt::format("is {}, but must be a table", shownValue(table)),
                 "Write a change as { type = \"random_flip\", mode = \"horizontal\" }."});
            return nullptr;
        }
        const TomlValue* name = table.find("type");
        const AugmentationType* type = name != nullptr && name->kind == Kind::String
                                           ? findAugmentationType(name->text)
                                           : nullptr;
        if (type != nullptr) return type;
        const std::string remedy = fmt::format("The types are {}.", joinWords(typeNames()));
        if (name == nullptr)
            problems_.push_back({placeOf(table), place_, "has no type", remedy});
        else
            problems_.push_back({placeOf(*name), place_ + ".type",
                                 fmt::format("is {}, which is no augmentation{}", shownValue(*name),
                                             didYouMean(name->text, typeNames())),
                                 remedy});
        return nullptr;
    }

    void readOptions(const TomlValue& table, const AugmentationType& type, AugmentationSpec& spec) {
        for (const TomlEntry& entry : table.entries) {
            if (entry.key == "type") continue;
            if (const AugmentationOption* option = type.find(entry.key))
                readOption(entry, *option, type, spec);
            else
                problems_.push_back(
                    {{entry.line, entry.column},
                     place_ + "." + sanitizeLine(entry.key, 60),
                     fmt::format("is no option of {}{}", type.name,
                                 didYouMean(entry.key, type.optionNames())),
                     fmt::format("Its options are {}.", joinWords(type.optionNames()))});
        }
        for (const AugmentationOption& option : type.options) {
            const std::string& name = option.key.help.key;
            if (option.isRequired && table.find(name) == nullptr)
                problems_.push_back(
                    {placeOf(table), place_, fmt::format("is a {} without {}", type.name, name),
                     fmt::format("Give {}: {}.", name, expectation(option.key.help))});
        }
    }

    void readOption(const TomlEntry& entry, const AugmentationOption& option,
                    const AugmentationType& type, AugmentationSpec& spec) {
        for (Problem problem : option.key.read(entry.value, spec)) {
            problem.suffix = place_ + "." + entry.key;
            if (problem.remedy.empty())
                problem.remedy = fmt::format("Set {} of {} to {}.", entry.key, type.name,
                                             expectation(option.key.help));
            problems_.push_back(std::move(problem));
        }
    }

    std::string place_;  ///< "[2]": of the element that is being read.
    Problems problems_;
};

std::string writtenAs(const AugmentationSpec& spec) {
    const AugmentationType& type = typeOf(spec.kind);
    std::string text = "{ type = " + tomlString(type.name);
    for (const AugmentationOption& option : type.options) {
        const std::string value = option.key.write(spec);
        const bool isSaid = option.isRequired || value != option.key.write(type.defaults);
        if (isSaid && !value.empty()) text += fmt::format(", {} = {}", option.key.help.key, value);
    }
    return text + " }";
}

/// One number for all channels, or an array of one each.
Key<JobSpec> channelsKey(std::vector<double> NormalizeSpec::*member, Range range) {
    Key<JobSpec> key;
    key.help.kind = ValueKind::NumberList;
    key.help.minimum = range.minimum;
    key.help.maximum = range.maximum;
    key.help.aboveMinimum = range.aboveMinimum;
    KeyHelp each = key.help;
    each.kind = ValueKind::Number;
    key.read = [member, each](const TomlValue& value, JobSpec& spec) -> Problems {
        const std::vector<TomlValue> numbers =
            value.kind == Kind::Array ? value.elements : std::vector<TomlValue>{value};
        const bool fits = !numbers.empty() && numbers.size() <= kMostChannels &&
                          std::ranges::all_of(numbers, [&each](const TomlValue& number) {
                              return checkScalar(number, each).empty();
                          });
        if (!fits)
            return {{placeOf(value),
                     {},
                     fmt::format("is {}, but must be {} for each channel", shownValue(value),
                                 expectation(each)),
                     "Pixels are 0 to 1 here: divide what is of 0 to 255 by 255."}};
        std::vector<double>& variable = spec.data.normalize.*member;
        variable.clear();
        for (const TomlValue& number : numbers)
            variable.push_back(number.number);
        return {};
    };
    key.write = [member](const JobSpec& spec) {
        std::string text;
        for (const double number : spec.data.normalize.*member)
            text += (text.empty() ? "" : ", ") + tomlNumber(number);
        return text.empty() ? text : "[" + text + "]";
    };
    return key;
}

KeyHelp optionHelp(const char* name, ValueKind kind, const char* text) {
    KeyHelp help;
    help.key = fmt::format("data.augment[].{}", name);
    help.kind = kind;
    help.help = text;
    return help;
}

/// The words and the range of an option, as a type that has it reads it; of what types take in
/// different ranges none.
void takeRange(KeyHelp& help) {
    if (help.kind == ValueKind::Integer) help.unit = "pixels";
    for (const AugmentationType& type : augmentationTypes()) {
        const auto* option = type.find(help.key.substr(help.key.rfind('.') + 1));
        if (option == nullptr || help.kind == ValueKind::NumberOrPair) continue;
        const KeyHelp& known = option->key.help;
        help.words = known.words;
        help.minimum = known.minimum;
        help.maximum = known.maximum;
        help.aboveMinimum = known.aboveMinimum;
    }
}

std::vector<KeyHelp> makeOptionHelp() {
    using V = ValueKind;
    std::vector<KeyHelp> all = {
        optionHelp("type", V::Word,
                   "What is done to an image, as Keras' layer of that name does; "
                   "random_resized_crop as torchvision's."),
        optionHelp("height", V::Integer,
                   "Of random_crop and random_resized_crop: rows of what it gives; 0: the "
                   "image's."),
        optionHelp("width", V::Integer, "The same for columns."),
        optionHelp("padding", V::Integer,
                   "Of random_crop: so many black pixels are put around the image first."),
        optionHelp("scale", V::NumberOrPair,
                   "Of random_resized_crop: the crop's share of the image's area, [0.08, 1.0]; of "
                   "random_erasing: from which the patch's height and width are drawn, as square "
                   "roots, [0.02, 0.33]."),
        optionHelp("ratio", V::NumberOrPair,
                   "Of random_resized_crop: the crop's width divided by its height, [3/4, 4/3]."),
        optionHelp("mode", V::Word,
                   "Of random_flip: which way, every other time; both are drawn together, as Keras "
                   "does."),
        optionHelp("factor", V::NumberOrPair,
                   "A number for plus and minus, or [lower, upper]. Of random_rotation: of a full "
                   "turn, counter-clockwise; random_brightness: of the whole range; "
                   "random_contrast: below and above 1; random_erasing: how probable it is; "
                   "cut_mix: of its beta distribution, [0.0, 1.0]."),
        optionHelp("height_factor", V::NumberOrPair,
                   "A number for plus and minus, or [lower, upper]. Of random_zoom: above 0 zooms "
                   "out; of random_translation: of the height, above 0 moves down."),
        optionHelp("width_factor", V::NumberOrPair,
                   "The same for the width; without it, random_zoom keeps the ratio."),
        optionHelp("fill_mode", V::Word,
                   "Of random_rotation, random_zoom and random_translation: what stands where the "
                   "image was moved away from."),
        optionHelp("fill_value", V::Number,
                   "Of fill_mode constant, and of random_erasing, where noise fills without it: "
                   "0 is black, 1 is white."),
        optionHelp("alpha", V::Number, "Of mix_up: of its beta distribution, 0.2."),
        optionHelp("probability", V::Number,
                   "How often the change is made to a sample at all; 1: always."),
    };
    all[0].words = typeNames();
    for (KeyHelp& help : all)
        takeRange(help);
    return all;
}

}  // namespace

Key<JobSpec> augmentKey() {
    Key<JobSpec> key;
    key.help.kind = ValueKind::TableList;
    key.read = [](const TomlValue& value, JobSpec& spec) -> Problems {
        if (value.kind != Kind::Array || value.elements.size() > kMostChanges)
            return {{placeOf(value),
                     {},
                     value.kind != Kind::Array
                         ? fmt::format("is {}, but must be an array of tables", shownValue(value))
                         : fmt::format("has {} changes, more than {}", value.elements.size(),
                                       kMostChanges),
                     "Write for example [{ type = \"random_flip\", mode = \"horizontal\" }]."}};
        ListReader reader;
        std::vector<AugmentationSpec> specs = reader.read(value);
        Problems problems = reader.take();
        if (problems.empty()) spec.data.augment = std::move(specs);
        return problems;
    };
    key.write = [](const JobSpec& spec) {
        std::string text;
        for (const AugmentationSpec& one : spec.data.augment)
            text += fmt::format("  {},\n", writtenAs(one));
        return text.empty() ? text : "[\n" + text + "]";
    };
    return named("data.augment", "",
                 "Random changes of training images, one after the other, each a table with a "
                 "type: a function of seed, epoch and sample, whatever the number of processes.",
                 std::move(key));
}

const std::vector<KeyHelp>& augmentationOptionHelp() {
    static const std::vector<KeyHelp> kHelp = makeOptionHelp();
    return kHelp;
}

std::vector<Key<JobSpec>> normalizeKeys() {
    return {named("data.normalize.mean", "",
                  "Taken from each channel of every image, whose pixels are 0 to 1: in training, "
                  "validation, tests and predictions.",
                  channelsKey(&NormalizeSpec::mean, {0, 1})),
            named("data.normalize.std", "", "What each channel is divided by then.",
                  channelsKey(&NormalizeSpec::deviation, {0, 1, true, false}))};
}

}  // namespace lockstep::config
