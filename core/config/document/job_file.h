// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/finding.h"
#include "core/config/job/job_spec.h"
#include "core/config/keys/key_places.h"
#include "core/text/toml_text.h"

namespace lockstep::config {

inline constexpr std::uint64_t kJobFileLimitBytes = std::uint64_t{1} << 20;

struct TextEdit;
struct TomlValue;

/// A job file as text, with what it means. The text is the truth: `set` and `unset` patch it at
/// the parser's source positions, so comments, order and layout survive. A value: copies are
/// independent. Not for two threads at once.
class JobDocument {
public:
    /// BadInput "NAME:LINE:COLUMN: …" for what is not TOML or is too large. A file that is TOML
    /// but wrong as a job parses; its problems are findings.
    [[nodiscard]] static Result<JobDocument> parse(std::string text, std::string displayName);

    /// Never fails, for a file that is being typed: a syntax error is the only finding, and the
    /// spec is the default one until the text is TOML.
    [[nodiscard]] static JobDocument lenient(std::string text, std::string displayName);

    /// The text as typed now. While it is not TOML, the syntax error is the only finding and spec
    /// and origins stay those of the last good text.
    void edit(std::string text);

    /// Whether the text is TOML.
    [[nodiscard]] bool wellFormed() const { return wellFormed_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::string& displayName() const { return displayName_; }

    /// The job, with the default wherever a value is absent or bad.
    [[nodiscard]] const JobSpec& spec() const { return spec_; }
    /// Every problem, in order of line; what is absent comes first.
    [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
    /// The spec when no finding is an error, else the first error as toError gives it.
    [[nodiscard]] Result<JobSpec> checked() const;

    /// A finding about a key's value that the text alone does not tell, at its place.
    [[nodiscard]] Finding findingAt(Severity severity, const std::string& key, std::string message,
                                    std::string remedy) const;

    /// Where the value of a key comes from: "job.toml:14", "--set" or "default".
    [[nodiscard]] std::string origin(std::string_view key) const;

    /// Writes one key. `value` is TOML, else it is taken as a string (so is any value of a key that
    /// holds text). Arrays are patched element by element. Fails with BadInput, changing nothing,
    /// for an unknown key (did-you-mean) and while the text is not TOML; a value that is wrong for
    /// the key is written and becomes a finding. "model.layers[1].units" names a layer's option.
    [[nodiscard]] Result<void> set(std::string_view key, std::string_view value);

    /// Removes one key; nothing happens when it is not there. Its comment stays.
    [[nodiscard]] Result<void> unset(std::string_view key);

    /// `--set KEY=VALUE` of the command line: as `set`, and the key's origin is "--set" from then
    /// on. Lines of findings stay those of the file before.
    [[nodiscard]] Result<void> applySetting(std::string_view assignment);
    /// Likewise for an option of the command line that stands for a key: `origin` is "--run-dir".
    [[nodiscard]] Result<void> overrule(std::string_view key, std::string_view value,
                                        const std::string& origin);
    /// --processes: as many processes on this machine instead of the job's addresses and hosts.
    [[nodiscard]] Result<void> startHere(int processes, const std::string& origin);

private:
    JobDocument() = default;

    [[nodiscard]] Result<void> write(std::string_view key, std::string_view value,
                                     const std::string& origin);
    /// Makes the edits when the text then still is TOML and `means` agrees with its tree.
    [[nodiscard]] Result<void> patch(std::string_view key, const std::vector<TextEdit>& edits,
                                     const std::string& origin,
                                     const std::function<bool(const TomlValue&)>& means);
    void adopt(std::shared_ptr<const TomlValue> tree);
    void refuse(int line, int column, std::string message, std::string remedy);
    /// "--set" and the like for a key that the command line gives; null: it does not.
    [[nodiscard]] const std::string* settingOf(std::string_view key) const;
    [[nodiscard]] std::string placeOf(const Finding& finding) const;

    std::string displayName_;
    std::string text_;
    bool wellFormed_ = false;
    std::shared_ptr<const TomlValue> tree_;  ///< Of the last good text.
    JobSpec spec_;
    KeyPlaces places_;
    std::vector<Finding> findings_;
    /// Keys that the command line gives, each with the option that does.
    std::map<std::string, std::string, std::less<>> settings_;
    std::vector<int> fileLines_;  ///< Per line of the text its line in the file, 0: not in it.
};

/// Reads and parses a job file. NotFound, or BadInput with the place.
[[nodiscard]] Result<JobDocument> loadJobFile(const std::filesystem::path& path);

/// A complete job file: every key with its value, in the order of allKeyHelp(). Parsing it gives
/// the same spec.
[[nodiscard]] std::string resolvedToml(const JobSpec& spec);

}  // namespace lockstep::config
