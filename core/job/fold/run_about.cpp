// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/run_about.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/text/json.h"
#include "core/text/json_fields.h"

namespace lockstep::job {

namespace fs = std::filesystem;
using text::Json;

namespace {

constexpr std::uint64_t kFileLimit = 64 << 10;
constexpr std::size_t kLongestName = 200;  // bytes, as the others
constexpr std::size_t kLongestTag = 60;
constexpr std::size_t kMostTags = 20;
constexpr std::size_t kLongestNote = 16 << 10;

/// Null where there is no file.
Result<Json> readFields(const fs::path& file) {
    const auto bytes = readFile(file, kFileLimit);
    if (!bytes && bytes.error().code == ErrorCode::NotFound) return Json();
    const auto unreadable = [&](const std::string& why) {
        return fail(ErrorCode::Corrupt,
                    fmt::format("name, tags and note in {} cannot be read: {}", file.string(), why),
                    "Mend the file, or remove it to begin anew.");
    };
    if (!bytes) return unreadable(bytes.error().message);
    auto fields = text::parseJson(*bytes);
    if (!fields) return unreadable(fields.error().message);
    if (!fields->isObject()) return unreadable("it is not a JSON object");
    return fields;
}

std::string lowered(std::string word) {
    std::ranges::transform(word, word.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return word;
}

/// One line without blanks around it.
std::string oneLine(const std::string& text) {
    std::string line;
    bool pause = false;
    for (const unsigned char letter : text) {
        const bool isBlank = letter <= ' ' || letter == 0x7f;
        if (!isBlank && pause && !line.empty()) line += ' ';
        if (!isBlank) line += static_cast<char>(letter);
        pause = isBlank;
    }
    return line;
}

tl::unexpected<Error> tooLong(const std::string& what, std::size_t most) {
    return fail(ErrorCode::BadInput, fmt::format("{} is too long", what),
                fmt::format("It may have {} bytes.", most));
}

Result<void> check(const RunAbout& about) {
    if (about.name.size() > kLongestName) return tooLong("the run's name", kLongestName);
    if (about.note.size() > kLongestNote) return tooLong("the run's note", kLongestNote);
    if (about.tags.size() > kMostTags)
        return fail(ErrorCode::BadInput, fmt::format("{} tags are too many", about.tags.size()),
                    fmt::format("A run may have {}.", kMostTags));
    bool isText = text::fitsJson(about.name) && text::fitsJson(about.note);
    for (const std::string& tag : about.tags) {
        if (tag.size() > kLongestTag) return tooLong("the tag " + tag, kLongestTag);
        isText = isText && text::fitsJson(tag);
    }
    if (!isText)
        return fail(ErrorCode::BadInput, "the run's name, tags and note must be UTF-8",
                    "Type them anew.");
    return {};
}

}  // namespace

fs::path aboutFile(const fs::path& runDir) {
    return runDir / "about.json";
}

std::vector<std::string> tagsIn(const std::string& text) {
    std::vector<std::string> tags;
    std::vector<std::string> known;
    std::string words = text;
    std::ranges::replace(words, ',', ' ');
    words = oneLine(words);
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        std::string tag = words.substr(begin, end - begin);
        if (std::ranges::find(known, lowered(tag)) == known.end()) {
            known.push_back(lowered(tag));
            tags.push_back(std::move(tag));
        }
        begin = end + 1;
    }
    return tags;
}

Result<RunAbout> readAbout(const fs::path& runDir) {
    const Json json = TRY(readFields(aboutFile(runDir)));
    RunAbout about;
    if (json.isNull()) return about;
    text::JsonFields fields(json);
    fields.readIfThere("name", about.name);
    fields.readIfThere("tags", about.tags);
    fields.readIfThere("note", about.note);
    if (const auto checked = fields.checked(); !checked)
        return fail(ErrorCode::Corrupt,
                    fmt::format("name, tags and note in {} cannot be read: {}",
                                aboutFile(runDir).string(), checked.error().message),
                    "Mend the file, or remove it to begin anew.");
    return about;
}

Result<void> writeAbout(const fs::path& runDir, const RunAbout& about) {
    RunAbout kept = about;
    kept.name = oneLine(kept.name);
    std::string tags;
    for (const std::string& tag : kept.tags)
        tags += tag + ' ';
    kept.tags = tagsIn(tags);
    while (!kept.note.empty() && static_cast<unsigned char>(kept.note.back()) <= ' ')
        kept.note.pop_back();
    TRY(check(kept));
    const fs::path file = aboutFile(runDir);
    Json fields = TRY(readFields(file));
    if (fields.isNull() && kept.isEmpty()) return {};
    fields["name"] = kept.name;
    fields["tags"] = Json(kept.tags);
    fields["note"] = kept.note;
    const auto written = replaceFileDurably(file, fields.text(2) + "\n");
    if (!written)
        return fail(
            written.error().code,
            fmt::format("name, tags and note of the run are not kept: {}", written.error().message),
            "They lie in the run's folder, which you must be able to write to.");
    return {};
}

std::string aboutLine(const RunAbout& about) {
    const std::string tags = fmt::format("{}", fmt::join(about.tags, ", "));
    if (about.name.empty() && tags.empty()) return {};
    return fmt::format("  ({}{}{})", about.name, about.name.empty() || tags.empty() ? "" : "; ",
                       tags);
}

}  // namespace lockstep::job
