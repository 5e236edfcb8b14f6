// SPDX-License-Identifier: Apache-2.0
#include "core/config/document/job_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/keys/key_table.h"
#include "core/config/keys/spec_reader.h"
#include "core/config/lint/lint.h"
#include "core/text/text_patch.h"
#include "core/text/toml_tree.h"

namespace lockstep::config {

namespace {

constexpr std::string_view kSyntaxRemedy =
    "Correct the line: KEY = VALUE, texts in double quotes, tables as [name].";

/// "training.epochs", "training.schedule.type" with its inner table, or "model.layers[1].units"
/// with its index and option.
struct KeyPath {
    std::string section;
    std::string name;
    std::string inner{};
    std::optional<std::size_t> index{};
    std::string option{};
};

std::optional<KeyPath> parsePath(std::string_view key) {
    const std::size_t dot = key.find('.');
    if (dot == std::string_view::npos || keyHelp(key) == nullptr) return std::nullopt;
    KeyPath path{std::string(key.substr(0, dot)), std::string(key.substr(dot + 1))};
    const std::size_t open = path.name.find('[');
    if (open == std::string::npos) {
        const std::size_t last = path.name.find('.');
        if (last == std::string::npos) return path;
        path.inner = path.name.substr(0, last);
        path.name.erase(0, last + 1);
        return path;
    }
    const std::size_t close = path.name.find(']', open);
    const std::string digits = path.name.substr(open + 1, close - open - 1);
    if (digits.empty() || digits.size() > 4 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    path.index = static_cast<std::size_t>(std::stoi(digits));
    path.option = path.name.substr(close + 2);
    path.name.resize(open);
    return path;
}

tl::unexpected<Error> unknownKey(std::string_view key) {
    return fail(ErrorCode::BadInput, unknownKeySentence(key), unknownKeyRemedy(key));
}

bool holdsText(ValueKind kind) {
    return kind == ValueKind::Text || kind == ValueKind::Path || kind == ValueKind::Word;
}

/// A value to write: its text "v = VALUE" and the tree of it.
struct ParsedValue {
    std::string text;
    TomlValue root;

    [[nodiscard]] const TomlValue& tree() const { return root.entries.front().value; }
};

/// The value as TOML when it is that, and is what the key holds; else as a string.
ParsedValue valueFor(const KeyHelp& help, std::string_view value) {
    constexpr std::string_view kLead = "v = ";
    ParsedValue parsed;
    parsed.text = std::string(kLead) + std::string(value);
    if (auto root = parseToml(parsed.text); root && root->entries.size() == 1) {
        const TomlValue& tree = root->entries.front().value;
        const std::size_t last = parsed.text.find_last_not_of(" \t\r\n") + 1;
        const bool wanted = !holdsText(help.kind) || tree.kind == TomlValue::Kind::String;
        if (wanted && tree.span.end == last) {
            parsed.root = std::move(*root);
            return parsed;
        }
    }
    parsed.text = std::string(kLead) + tomlString(value);
    if (auto root = parseToml(parsed.text)) parsed.root = std::move(*root);
    return parsed;
}

/// The table that a path's last name is in; null when it is not there.
const TomlValue* tableOf(const TomlValue& root, const KeyPath& path) {
    const TomlValue* section = root.find(path.section);
    if (section != nullptr && !path.inner.empty()) return section->find(path.inner);
    if (section == nullptr || !path.index) return section;
    const TomlValue* list = section->find(path.name);
    const bool there = list != nullptr && *path.index < list->elements.size();
    return there ? &list->elements[*path.index] : nullptr;
}

/// Of the list that a path has an index into.
std::size_t lengthOf(const TomlValue& root, const KeyPath& path) {
    const TomlValue* section = root.find(path.section);
    const TomlValue* list = section != nullptr ? section->find(path.name) : nullptr;
    return list != nullptr ? list->elements.size() : 0;
}

const std::string& nameOf(const KeyPath& path) {
    return path.index ? path.option : path.name;
}

/// Keeps per line of the text its line in the file while edits are made to the text.
void moveLines(std::vector<int>& fileLines, std::string_view text,
               const std::vector<TextEdit>& edits) {
    const auto lines = [](std::string_view part) {
        return std::count(part.begin(), part.end(), '\n');
    };
    for (const TextEdit& edit : fromTheEnd(edits)) {
        const auto next = fileLines.begin() + lines(text.substr(0, edit.at)) + 1;
        const auto after = fileLines.erase(next, next + lines(text.substr(edit.at, edit.removed)));
        fileLines.insert(after, static_cast<std::size_t>(lines(edit.inserted)), 0);
    }
}

std::vector<int> ownLines(std::string_view text) {
    std::vector<int> lines(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) +
                           1);
    for (std::size_t i = 0; i < lines.size(); ++i)
        lines[i] = static_cast<int>(i) + 1;
    return lines;
}

Finding emptyFile() {
    return {Severity::Error,
            {},
            0,
            0,
            "the job file is empty",
            "Give at least data.dataset and model.layers, for example from the example job.",
            {}};
}

bool isWithin(std::string_view key, std::string_view parent) {
    return key.starts_with(parent) &&
           (key.size() == parent.size() || key[parent.size()] == '[' || key[parent.size()] == '.');
}

}  // namespace

Result<JobDocument> JobDocument::parse(std::string text, std::string displayName) {
    JobDocument document = lenient(std::move(text), std::move(displayName));
    if (!document.wellFormed_) return fail(toError(document.findings_.front()));
    return document;
}

JobDocument JobDocument::lenient(std::string text, std::string displayName) {
    JobDocument document;
    document.displayName_ = std::move(displayName);
    document.spec_ = defaultSpec();
    document.edit(std::move(text));
    return document;
}

void JobDocument::edit(std::string text) {
    settings_.clear();
    if (text.size() > kJobFileLimitBytes) {
        text_ = std::move(text);
        refuse(0, 0,
               fmt::format("the job file has {} bytes, more than {}", text_.size(),
                           kJobFileLimitBytes),
               "A job file is a page of text; see whether this is the file you mean.");
        return;
    }
    auto tree = parseToml(text);
    text_ = std::move(text);
    fileLines_ = ownLines(text_);
    if (tree)
        adopt(std::make_shared<const TomlValue>(std::move(*tree)));
    else
        refuse(tree.error().line, tree.error().column, "this is not TOML: " + tree.error().message,
               std::string(kSyntaxRemedy));
}

void JobDocument::refuse(int line, int column, std::string message, std::string remedy) {
    wellFormed_ = false;
    Finding finding{Severity::Error, {}, line, column, std::move(message), std::move(remedy), {}};
    finding.place = placeOf(finding);
    findings_ = {std::move(finding)};
}

void JobDocument::adopt(std::shared_ptr<const TomlValue> tree) {
    wellFormed_ = true;
    tree_ = std::move(tree);
    SpecReading reading = readSpec(*tree_);
    spec_ = std::move(reading.spec);
    places_ = std::move(reading.places);
    findings_ = std::move(reading.findings);
    if (tree_->entries.empty())
        findings_ = {emptyFile()};
    else
        for (Finding& finding : lint(spec_, places_))
            findings_.push_back(std::move(finding));
    for (Finding& finding : findings_) {
        if (settingOf(finding.key) != nullptr) finding.line = finding.column = 0;
        if (finding.line > 0) finding.line = fileLines_[static_cast<std::size_t>(finding.line) - 1];
        finding.place = placeOf(finding);
    }
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const Finding& a, const Finding& b) { return a.line < b.line; });
}

const std::string* JobDocument::settingOf(std::string_view key) const {
    for (const auto& [setting, origin] : settings_)
        if (isWithin(key, setting)) return &origin;
    return nullptr;
}

std::string JobDocument::placeOf(const Finding& finding) const {
    if (const std::string* setting = settingOf(finding.key)) return *setting;
    if (finding.line == 0) return displayName_;
    return fmt::format("{}:{}:{}", displayName_, finding.line, finding.column);
}

Result<JobSpec> JobDocument::checked() const {
    for (const Finding& finding : findings_)
        if (finding.severity == Severity::Error) return fail(toError(finding));
    return spec_;
}

Finding JobDocument::findingAt(Severity severity, const std::string& key, std::string message,
                               std::string remedy) const {
    Finding finding{severity, key, 0, 0, std::move(message), std::move(remedy), {}};
    const auto place = places_.find(key);
    if (place != places_.end() && settingOf(key) == nullptr) {
        finding.line = fileLines_[static_cast<std::size_t>(place->second.line) - 1];
        finding.column = place->second.column;
    }
    finding.place = placeOf(finding);
    return finding;
}

std::string JobDocument::origin(std::string_view key) const {
    const auto place = places_.find(key);
    if (place == places_.end()) return "default";
    if (const std::string* setting = settingOf(key)) return *setting;
    const int line = fileLines_[static_cast<std::size_t>(place->second.line) - 1];
    return fmt::format("{}:{}", displayName_, line);
}

Result<void> JobDocument::set(std::string_view key, std::string_view value) {
    return write(key, value, {});
}

Result<void> JobDocument::applySetting(std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("--set {} is not KEY=VALUE", sanitizeLine(assignment, 120)),
                    "Write for example --set training.epochs=1.");
    return overrule(assignment.substr(0, equals), assignment.substr(equals + 1), "--set");
}

Result<void> JobDocument::overrule(std::string_view key, std::string_view value,
                                   const std::string& origin) {
    auto written = write(key, value, origin);
    if (!written) return failWithin(origin, std::move(written).error());
    return {};
}

Result<void> JobDocument::startHere(int processes, const std::string& origin) {
    std::string addresses;
    for (int i = 0; i < processes; ++i)
        addresses += addresses.empty() ? "\"127.0.0.1:0\"" : ", \"127.0.0.1:0\"";
    const std::pair<std::string_view, std::string> values[] = {
        {"cluster.job_addresses", "[" + addresses + "]"},
        {"cluster.num_processes", std::to_string(processes)},
        {"launch.method", "local"},
        {"launch.hosts", "[]"},
        {"launch.spares", "[]"},
        {"launch.least_processes", "0"},
        {"cluster.evaluator", "true"},
    };
    for (const auto& [key, value] : values) {
        const bool needed = key == "cluster.job_addresses" || places_.contains(key);
        if (!needed || (key == "cluster.evaluator" && !spec_.cluster.evaluatorAddress)) continue;
        TRY(overrule(key, value, origin));
    }
    return {};
}

Result<void> JobDocument::write(std::string_view key, std::string_view value,
                                const std::string& origin) {
    const auto path = parsePath(key);
    if (!path) return unknownKey(key);
    if (!wellFormed_) return fail(toError(findings_.front()));
    const ParsedValue parsed = valueFor(*keyHelp(key), value);
    const NewValue wanted{parsed.text, parsed.tree()};
    std::vector<TextEdit> edits;
    const bool isDeep = path->index || !path->inner.empty();
    const std::string lead = path->inner.empty() ? "" : path->inner + ".";
    if (const TomlValue* table = isDeep ? tableOf(*tree_, *path) : nullptr) {
        const bool isDotted = !path->index && !table->isInline && text_[table->span.begin] != '[';
        const bool isThere = table->find(nameOf(*path)) != nullptr;
        edits =
            editsToSetIn(text_, *table, (isDotted && !isThere ? lead : "") + nameOf(*path), wanted);
    } else if (!path->index) {
        edits = editsToSet(text_, *tree_, path->section, lead + path->name, wanted);
    } else
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is not there: {}.{} has {}", key, path->section, path->name,
                                counted(lengthOf(*tree_, *path), "element")),
                    fmt::format("Write {}.{} as a whole.", path->section, path->name));
    const auto means = [&path, &wanted](const TomlValue& root) {
        const TomlValue* table = tableOf(root, *path);
        const TomlValue* now = table != nullptr ? table->find(nameOf(*path)) : nullptr;
        return now != nullptr && sameValue(*now, wanted.tree);
    };
    return patch(key, edits, origin, means);
}

Result<void> JobDocument::unset(std::string_view key) {
    const auto path = parsePath(key);
    if (!path) return unknownKey(key);
    if (!wellFormed_) return fail(toError(findings_.front()));
    const TomlValue* table = tableOf(*tree_, *path);
    if (table == nullptr) return {};
    const auto means = [&path](const TomlValue& root) {
        const TomlValue* left = tableOf(root, *path);
        return left == nullptr || left->find(nameOf(*path)) == nullptr;
    };
    return patch(key, editsToUnset(text_, *table, nameOf(*path)), {}, means);
}

Result<void> JobDocument::patch(std::string_view key, const std::vector<TextEdit>& edits,
                                const std::string& origin,
                                const std::function<bool(const TomlValue&)>& means) {
    std::string patched = applyEdits(text_, edits);
    auto tree = parseToml(patched);
    // Layouts that cannot be patched in place, such as [[model.layers]], end here.
    if (!tree || !means(*tree) || patched.size() > kJobFileLimitBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} cannot be changed as it is written in {}", key, displayName_),
                    "Edit the text of the job file.");
    if (!origin.empty()) {
        moveLines(fileLines_, text_, edits);
        settings_.insert_or_assign(std::string(key), origin);
    } else {
        fileLines_ = ownLines(patched);
        if (const auto old = settings_.find(key); old != settings_.end()) settings_.erase(old);
    }
    text_ = std::move(patched);
    adopt(std::make_shared<const TomlValue>(std::move(*tree)));
    return {};
}

Result<JobDocument> loadJobFile(const std::filesystem::path& path) {
    auto text = readFile(path, kJobFileLimitBytes);
    if (!text) return fail(std::move(text).error());
    return JobDocument::parse(std::move(*text), path.filename().string());
}

std::string resolvedToml(const JobSpec& spec) {
    std::string text;
    std::string section;
    for (const auto& key : jobKeys()) {
        const std::size_t dot = key.help.key.find('.');
        if (key.help.key.substr(0, dot) != section) {
            section = key.help.key.substr(0, dot);
            text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
        }
        if (const std::string value = key.write(spec); !value.empty())
            text += fmt::format("{} = {}\n", key.help.key.substr(dot + 1), value);
    }
    return text;
}

}  // namespace lockstep::config
