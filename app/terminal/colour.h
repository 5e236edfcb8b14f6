// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lockstep::app {

enum class Ink { Bad, Warn, Good, Faint };

/// Whether `stream` is a terminal that is to show colours: not where it is redirected, where
/// NO_COLOR is set to anything (https://no-color.org), or where TERM is "dumb" or missing.
[[nodiscard]] bool showsColours(std::FILE* stream);

/// `text` in a colour where `stream` shows colours, else as it is.
[[nodiscard]] std::string inked(std::string_view text, Ink ink, std::FILE* stream);

/// A line whose first word says how grave it is ("error: ", "also: ", "warning: ", "note: ") with
/// that word in its colour.
[[nodiscard]] std::string withInkedWord(std::string_view line, std::FILE* stream);

/// A line with a bar ("[####----]") with what is done of it in a colour.
[[nodiscard]] std::string withInkedBar(const std::string& line, std::FILE* stream);

/// Writes "WORD: SENTENCE" as a line, the word in its colour.
void say(std::FILE* stream, std::string_view word, std::string_view sentence);

}  // namespace lockstep::app
