// SPDX-License-Identifier: Apache-2.0
#include "core/data/text/load_text.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/data_sources.h"
#include "core/data/finish_dataset.h"
#include "core/data/source_file.h"
#include "core/data/text/utf8.h"

namespace lockstep::data {

namespace {

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
Result<SharedBytes> joinedText(const config::DataSpec& spec,
                               const std::filesystem::path& jobFolder) {
    std::vector<std::uint8_t> joined;
    for (const std::string& name : spec.files) {
        const SharedBytes file = TRY(openText("data.files", jobFolder / name));
        const std::string shown = sanitizeLine(name, 200);
        if (file.size() == 0)
            return fail(ErrorCode::BadInput, fmt::format("data.files: {} is empty", shown),
                        "Remove it from data.files.");
        if (readsCharacters(spec.text)) TRY(checkUtf8(shown, textOf(file)));
        if (spec.files.size() == 1) return file;
        joined.insert(joined.end(), file.begin(), file.end());
    }
    return SharedBytes(std::move(joined));
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

/// A stream of tokens as windows of `length`, each of which needs the token behind it.
Result<Split> windowsOf(TokenizedText text, int length, const char* what, Dataset& dataset) {
    Split split;
    split.inputKind = InputKind::Tokens;
    split.targetKind = TargetKind::NextToken;
    split.shape = {length};
    split.stride = static_cast<std::uint32_t>(length);
    const std::size_t tokens = text.tokens.size();
    const std::size_t count = tokens == 0 ? 0 : (tokens - 1) / static_cast<std::size_t>(length);
    if (count > std::numeric_limits<std::uint32_t>::max())
        return fail(ErrorCode::BadInput, "data.files: there are more than 2^32 windows of text");
    split.count = static_cast<std::uint32_t>(count);
    if (text.unknown > 0)
        dataset.notes.push_back(fmt::format(
            "{} text: {} of unknown characters, which the training text does not have: {}", what,
            counted(text.unknown, "place"), joinWords(text.unknownNames)));
    const std::size_t used = count == 0 ? 0 : count * static_cast<std::size_t>(length) + 1;
    if (count > 0 && tokens > used)
        dataset.notes.push_back(fmt::format("{} text: the last {} of {} fill no window of {}", what,
                                            tokens - used, counted(tokens, "token"), length));
    text.tokens.resize(used);
    split.inputs = ownedBytes(std::move(text.tokens));
    return split;
}

Result<void> checkLength(const Split& split, std::size_t bytes, int length, const char* what) {
    if (split.count > 0) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("data.files: the {} text of {} is too short for one window of {} and "
                            "the token behind it",
                            what, counted(bytes, "byte"), counted(length, "token")),
                "Use more text, a shorter data.sequence_length or another data.validation_split.");
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

Result<Dataset> loadText(const config::DataSpec& spec, const std::filesystem::path& jobFolder) {
    TRY(checkSpec(spec));
    const SharedBytes all = TRY(joinedText(spec, jobFolder));
    const std::string_view text = textOf(all);
    const std::string_view training = text.substr(0, trainingBytes(text, spec));
    const std::string_view rest = text.substr(training.size());
    const auto tokenizer = TRY(makeTokenizer(spec.text.tokenizer, training, jobFolder));
    Dataset dataset;
    RawSets sets;
    const int length = spec.text.sequenceLength;
    sets.train = TRY(windowsOf(TRY(tokenizer->encode(training)), length, "training", dataset));
    TRY(checkLength(sets.train, training.size(), length, "training"));
    sets.validation = TRY(windowsOf(TRY(tokenizer->encode(rest)), length, "validation", dataset));
    if (!rest.empty()) TRY(checkLength(sets.validation, rest.size(), length, "validation"));
    dataset.facts.vocabulary = tokenizer->vocabulary();
    dataset.preparation = tokenizer->json().text();
    sets.test = noneLike(sets.train);
    return finishDataset(std::move(sets), std::move(dataset));
}

Result<model::DataFacts> textFacts(const config::DataSpec& spec,
                                   const std::filesystem::path& jobFolder) {
    TRY(checkSpec(spec));
    model::DataFacts facts{.input = {spec.text.sequenceLength}, .columns = {}};
    SharedBytes all;
    std::string_view training;
    if (spec.text.tokenizer == "characters") {
        all = TRY(joinedText(spec, jobFolder));
        training = textOf(all).substr(0, trainingBytes(textOf(all), spec));
    }
    facts.vocabulary = TRY(makeTokenizer(spec.text.tokenizer, training, jobFolder))->vocabulary();
    return facts;
}

}  // namespace lockstep::data
