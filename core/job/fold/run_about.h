// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::job {

/// What the user says of a run. It lies in the run's folder, so it goes where the run goes, and
/// every start of the run leaves it as it is.
struct RunAbout {
    std::string name;               ///< What it is called, one line; empty: as its folder.
    std::vector<std::string> tags;  ///< Words, each once, in the user's order.
    std::string note;               ///< Any lines.
    bool operator==(const RunAbout&) const = default;
    [[nodiscard]] bool isEmpty() const { return name.empty() && tags.empty() && note.empty(); }
};

/// RUN/about.json
[[nodiscard]] std::filesystem::path aboutFile(const std::filesystem::path& runDir);
/// Empty where the user has said nothing. Corrupt, with a sentence, for a file that cannot be read.
[[nodiscard]] Result<RunAbout> readAbout(const std::filesystem::path& runDir);
/// Keeps it, in one piece or not at all; what a later version has added to the file stays. BadInput
/// for what is too long; else why the folder takes nothing. A file that cannot be read is not
/// written over.
[[nodiscard]] Result<void> writeAbout(const std::filesystem::path& runDir, const RunAbout& about);

/// Name and tags behind a run's folder, "  (the wide one; baseline, keep)"; empty: it has none.
[[nodiscard]] std::string aboutLine(const RunAbout& about);
/// Of words between blanks or commas: each once, whatever its capitals.
[[nodiscard]] std::vector<std::string> tagsIn(const std::string& text);

}  // namespace lockstep::job
