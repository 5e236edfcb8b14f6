// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/colour.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace lockstep::app {

namespace {

constexpr std::string_view kPlain = "\033[0m";

std::string_view codeOf(Ink ink) {
    switch (ink) {
        case Ink::Bad:
            return "\033[1;31m";
        case Ink::Warn:
            return "\033[33m";
        case Ink::Good:
            return "\033[32m";
        case Ink::Faint:
            return "\033[36m";
    }
    return kPlain;
}

constexpr std::array<std::pair<std::string_view, Ink>, 4> kWords{
    {{"error", Ink::Bad}, {"also", Ink::Bad}, {"warning", Ink::Warn}, {"note", Ink::Faint}}};

}  // namespace

bool showsColours(std::FILE* stream) {
    if (::isatty(::fileno(stream)) != 1) return false;
    const char* refused = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    if (refused != nullptr && *refused != '\0') return false;
    return kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

std::string inked(std::string_view text, Ink ink, std::FILE* stream) {
    if (!showsColours(stream)) return std::string(text);
    return std::string(codeOf(ink)).append(text).append(kPlain);
}

std::string withInkedWord(std::string_view line, std::FILE* stream) {
    for (const auto& [word, ink] : kWords)
        if (line.starts_with(word) && line.substr(word.size()).starts_with(": "))
            return inked(word, ink, stream).append(line.substr(word.size()));
    return std::string(line);
}

std::string withInkedBar(const std::string& line, std::FILE* stream) {
    const std::size_t first = line.find("[#");
    if (first == std::string::npos) return line;
    const std::size_t end = std::min(line.find_first_not_of('#', first + 1), line.size());
    return line.substr(0, first + 1) +
           inked(line.substr(first + 1, end - first - 1), Ink::Good, stream) + line.substr(end);
}

void say(std::FILE* stream, std::string_view word, std::string_view sentence) {
    const std::string line = std::string(word).append(": ").append(sentence);
    std::fprintf(stream, "%s\n", withInkedWord(line, stream).c_str());
}

}  // namespace lockstep::app
