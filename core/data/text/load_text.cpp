// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/load_text.h"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <limits>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/finish_dataset.h"
#include "core/data/packed/pack_source.h"
#include "core/data/source_file.h"
#include "core/data/text/utf8.h"
#include "core/text/json_fields.h"

namespace lockstep::data {

namespace {

using text::Json;

/// Grows whenever the same files give other tokens, or more is told of them.
constexpr int kFormVersion = 3;
/// A tokenizer of many characters is in there.
constexpr std::size_t kLargestMeaning = std::size_t{64} << 20;

/// Whether the tokenizer reads characters, not bytes.
bool readsCharacters(const config::TextSpec& spec) {
    return spec.tokenizer != "bytes";
}

Result<void> checkUtf8(const std::string& shown, std::string_view text) {
    for (std::size_t at = 0; at < text.size();)
        if (!nextCharacter(text, at))
            return fail(ErrorCode::BadInput,
                        fmt::format("data.files: {}:{} is not UTF-8", shown, lineAt(text, at)),
                        "Convert the file, or set data.tokenizer to \"bytes\".");
    return {};
}

/// One file as it is, several joined.
Result<SharedBytes> joinedText(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                               const std::function<ScratchBytes()>& scratch) {
    ScratchBytes joined = scratch();
    for (const std::string& name : spec.files) {
        SharedBytes file = TRY(openText("data.files", jobFolder / name, scratch()));
        const std::string shown = sanitizeLine(name, 200);
        if (file.size() == 0)
            return fail(ErrorCode::BadInput, fmt::format("data.files: {} is empty", shown),
                        "Remove it from data.files.");
        if (readsCharacters(spec.text)) TRY(checkUtf8(shown, textOf(file)));
        if (spec.files.size() == 1) return file;
        TRY(joined.append(file));
    }
    return joined.take();
}

/// Bytes that are trained on: what is before the last share, which begins with a character.
std::size_t trainingBytes(std::string_view text, const config::DataSpec& spec) {
    const double share = spec.validationSplit.value_or(config::kValidationShare);
    auto middle = static_cast<std::size_t>(static_cast<double>(text.size()) * (1 - share));
    const auto isWithin = [&text](std::size_t at) {
        return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
    };
    if (readsCharacters(spec.text))
        while (middle > 0 && isWithin(middle))
            --middle;
    return middle;
}

constexpr const char* kTraining = "training";
constexpr const char* kValidation = "validation";

/// A stream of tokens as it is packed.
struct Part {
    std::string what;         ///< One of these.
    std::uint64_t bytes = 0;  ///< Of text.
    std::uint64_t unknown = 0;
    bool isKept = false;  ///< As the model's own token of what it does not know.
    std::vector<std::string> unknownNames{};

    [[nodiscard]] Json json() const {
        return Json::object({{"what", what},
                             {"bytes", bytes},
                             {"unknown", unknown},
                             {"unknown_is_kept", isKept},
                             {"unknown_names", Json(unknownNames)}});
    }
    [[nodiscard]] static Result<Part> of(const Json& json) {
        Part part;
        text::JsonFields fields(json);
        fields.read("what", part.what);
        fields.read("bytes", part.bytes);
        fields.read("unknown", part.unknown);
        fields.read("unknown_is_kept", part.isKept);
        fields.read("unknown_names", part.unknownNames);
        TRY(fields.checked());
        return part;
    }
};

/// What no token stands for: a model has its own for that, characters are left out.
std::string unknownNote(const Part& part) {
    const std::string names = joinWords(part.unknownNames);
    const std::string places = counted(part.unknown, "place");
    if (part.isKept)
        return fmt::format(
            "{} text: {} that the tokenizer's model has no piece for, taken for its unknown token: "
            "{}",
            part.what, places, names);
    return fmt::format(
        "{} text: {} of unknown characters, which the training text does not have, left out: {}",
        part.what, places, names);
}

/// A stream of tokens as windows of `length`, each of which needs the token behind it.
Result<Split> windowsOf(const Part& part, const SharedBytes& tokens, int length,
                        std::vector<std::string>& notes) {
    Split split;
    split.inputKind = InputKind::Tokens;
    split.targetKind = TargetKind::NextToken;
    split.shape = {length};
    split.stride = static_cast<std::uint32_t>(length);
    const std::size_t there = tokens.size() / sizeof(std::uint16_t);
    const std::size_t count = there == 0 ? 0 : (there - 1) / static_cast<std::size_t>(length);
    if (count > std::numeric_limits<std::uint32_t>::max())
        return fail(ErrorCode::BadInput, "data.files: there are more than 2^32 windows of text");
    split.count = static_cast<std::uint32_t>(count);
    if (part.unknown > 0) notes.push_back(unknownNote(part));
    const std::size_t used = count == 0 ? 0 : count * static_cast<std::size_t>(length) + 1;
    if (count > 0 && there > used)
        notes.push_back(fmt::format("{} text: the last {} of {} fill no window of {}", part.what,
                                    there - used, counted(there, "token"), length));
    split.inputs = tokens.part(0, used * sizeof(std::uint16_t));
    if (split.count > 0 || (part.bytes == 0 && part.what == kValidation)) return split;
    return fail(ErrorCode::BadInput,
                fmt::format("data.files: the {} text of {} is too short for one window of {} and "
                            "the token behind it",
                            part.what, counted(part.bytes, "byte"), counted(length, "token")),
                "Use more text, a shorter data.sequence_length or another data.validation_split.");
}

/// Writes the tokens of the training text, then those of the validation text.
Result<std::string> packText(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                             PackedWriter& writer) {
    const SharedBytes all = TRY(joinedText(spec, jobFolder, [&] { return writer.scratch(); }));
    const std::string_view text = textOf(all);
    const std::string_view training = text.substr(0, trainingBytes(text, spec));
    const auto tokenizer = TRY(makeTokenizer(spec.text.tokenizer, training, jobFolder));
    Json meaning = Json::object({{"vocabulary", tokenizer->vocabulary()},
                                 {"preparation", tokenizer->json().text()},
                                 {"identity", tokenizer->identity()}});
    for (const auto& [what, part] :
         {std::pair{kTraining, training}, std::pair{kValidation, text.substr(training.size())}}) {
        const auto unknown =
            TRY(tokenizer->encodeTo(part, [&writer](std::span<const std::uint16_t> tokens) {
                return writer.appendNumbers(tokens);
            }));
        TRY(writer.endSection());
        meaning["parts"].push(
            Part{what, part.size(), unknown.count, unknown.isKept, unknown.names}.json());
    }
    return meaning.text();
}

/// Whether the tokenizer reads a file besides the text.
bool isModelFile(const std::string& tokenizer) {
    return tokenizer != "bytes" && tokenizer != "characters";
}

PackedSource sourceOf(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    PackedSource source{
        .name = fmt::format("text {} {} {}\n", kFormVersion, spec.text.tokenizer,
                            spec.validationSplit.value_or(config::kValidationShare)),
        .files = {}};
    for (const std::string& file : spec.files)
        source.files.push_back(jobFolder / file);
    if (isModelFile(spec.text.tokenizer)) source.files.push_back(jobFolder / spec.text.tokenizer);
    for (const auto& file : source.files) {
        std::error_code error;
        source.name += std::filesystem::weakly_canonical(file, error).string() + "\n";
    }
    return source;
}

Result<void> checkSpec(const config::DataSpec& spec) {
    if (spec.files.empty())
        return fail(ErrorCode::BadInput,
                    "data.files is not set; dataset \"text\" is read from there",
                    "List the text files, for example files = [\"book.txt\"].");
    if (spec.text.sequenceLength <= 0)
        return fail(ErrorCode::BadInput,
                    "data.sequence_length is not set; dataset \"text\" needs it",
                    "Set it to the tokens of a sample, for example 64.");
    return {};
}

}  // namespace

Result<Dataset> loadText(const config::DataSpec& spec, const std::filesystem::path& jobFolder,
                         const std::filesystem::path& cacheFolder, const LoadWatch& watch) {
    TRY(checkSpec(spec));
    Dataset dataset;
    const auto pack = [&](PackedWriter& writer) { return packText(spec, jobFolder, writer); };
    const PackedData packed = TRY(packSource(
        spec, jobFolder, cacheFolder, sourceOf(spec, jobFolder), pack, dataset.notes, watch));
    const Json meaning = TRY(text::parseJson(packed.meaning, kLargestMeaning));
    std::string identity;
    Json parts;
    text::JsonFields fields(meaning);
    fields.read("vocabulary", dataset.facts.vocabulary);
    fields.read("preparation", dataset.preparation);
    fields.read("identity", identity);
    fields.read("parts", parts);
    TRY(fields.checked());
    RawSets sets;
    const std::array<Split*, 2> splits{&sets.train, &sets.validation};
    for (std::size_t i = 0; i < splits.size() && i < parts.items().size(); ++i)
        *splits[i] = TRY(windowsOf(TRY(Part::of(parts.items()[i])), packed.sections[i],
                                   spec.text.sequenceLength, dataset.notes));
    sets.test = noneLike(sets.train);
    return finishDataset(std::move(sets), std::move(dataset), identity);
}

Result<model::DataFacts> textFacts(const config::DataSpec& spec,
                                   const std::filesystem::path& jobFolder) {
    TRY(checkSpec(spec));
    model::DataFacts facts{.input = {spec.text.sequenceLength}, .columns = {}};
    SharedBytes all;
    std::string_view training;
    if (spec.text.tokenizer == "characters") {
        all = TRY(joinedText(spec, jobFolder, [] { return ScratchBytes({}); }));
        training = textOf(all).substr(0, trainingBytes(textOf(all), spec));
    }
    facts.vocabulary = TRY(makeTokenizer(spec.text.tokenizer, training, jobFolder))->vocabulary();
    return facts;
}

}  // namespace lockstep::data
