// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/line_levels.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

namespace lockstep::launch {

namespace {

using Level = std::optional<LineLevel>;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string upper(std::string_view word) {
    std::string text(word);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
    return text;
}

Level levelOfWord(std::string_view word) {
    using enum LineLevel;
    static constexpr std::array<std::pair<std::string_view, LineLevel>, 15> kWords{{
        {"TRACE", Debug},
        {"DEBUG", Debug},
        {"INFO", Info},
        {"NOTE", Info},
        {"NOTICE", Info},
        {"WARN", Warning},
        {"WARNING", Warning},
        {"ERROR", Error},
        {"ERR", Error},
        {"CRITICAL", Error},
        {"FATAL", Error},
        {"SEVERE", Error},
        {"PANIC", Error},
        {"ALERT", Error},
        {"EMERGENCY", Error},
    }};
    const std::string given = upper(word);
    for (const auto& [name, level] : kWords)
        if (name == given) return level;
    return std::nullopt;
}

Level levelOfLetter(char letter) {
    switch (letter) {
        case 'D':
            return LineLevel::Debug;
        case 'I':
            return LineLevel::Info;
        case 'W':
            return LineLevel::Warning;
        case 'E':
        case 'F':
            return LineLevel::Error;
        default:
            return std::nullopt;
    }
}

/// A metric that is called an error: "Error: 0.02".
bool isNumber(std::string_view text) {
    const auto isPart = [](char c) {
        return isDigit(c) || std::string_view(" :.,+-eE%").find(c) != std::string_view::npos;
    };
    return std::ranges::any_of(text, isDigit) && std::ranges::all_of(text, isPart);
}

/// "W0522 12:00:00.000 …" of glog and absl, "W20260522 12:00:00.000 …" of newer glog, "[W1122 …"
/// and
/// "[W socket.cpp:464] …" of torch.
Level glogLevel(std::string_view line) {
    const bool hasBracket = line.starts_with('[');
    if (hasBracket) line.remove_prefix(1);
    if (line.size() < 6) return std::nullopt;
    const auto isDate = [line](std::size_t digits) {
        return line.size() > digits + 1 && std::ranges::all_of(line.substr(1, digits), isDigit) &&
               line[digits + 1] == ' ';
    };
    const bool hasDate = isDate(4) || isDate(8);
    const bool hasPlace = hasBracket && line[1] == ' ' && line.find("] ") != std::string_view::npos;
    return hasDate || hasPlace ? levelOfLetter(line[0]) : std::nullopt;
}

/// Whether the beginning of a line tells a time: two digits with ':', '-' or '/' between them.
bool tellsTime(std::string_view head) {
    for (std::size_t i = 1; i + 1 < head.size(); ++i)
        if ((head[i] == ':' || head[i] == '-' || head[i] == '/') && isDigit(head[i - 1]) &&
            isDigit(head[i + 1]))
            return true;
    return false;
}

bool isAnyOf(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

/// Whether a word at this place of a line is its level, and no word of its text.
bool isLevelsPlace(std::string_view line, std::size_t begin, std::size_t end, int index) {
    const std::string_view word = line.substr(begin, end - begin);
    const std::string_view head = line.substr(0, begin);
    const char before = begin > 0 ? line[begin - 1] : ' ';
    const char after = end < line.size() ? line[end] : ' ';
    if (!isAnyOf(after, " :]|)>,\t")) return false;
    const bool isUpper = std::ranges::none_of(word, [](char c) { return c >= 'a' && c <= 'z'; });
    const bool isEnclosed = isAnyOf(before, "[(<|") && isAnyOf(after, "])>|");
    if (!isUpper) {
        const bool isMetric = word[0] >= 'A' && word[0] <= 'Z' && isNumber(line.substr(end));
        return (begin == 0 && after == ':' && !isMetric) ||
               (index < 3 && before == '[' && after == ']');
    }
    const std::size_t last = head.find_last_not_of(' ');
    const bool isBehindBracket =
        before == ' ' && last != std::string_view::npos && isAnyOf(head[last], ")]>|");
    const bool isBetweenDashes = head.ends_with("- ") && line.substr(end).starts_with(" -");
    return index == 0 || isEnclosed || isBehindBracket || isBetweenDashes ||
           (before == ':' && after == ':') || (tellsTime(head) && isAnyOf(before, " [|("));
}

/// The level that stands in the head of a line, where logging libraries put it.
Level headLevel(std::string_view line) {
    constexpr int kWordsOfHead = 9;
    std::size_t begin = 0;
    for (int index = 0; index < kWordsOfHead; ++index) {
        const auto isPart = [](char c) { return isLetter(c) || isDigit(c) || isAnyOf(c, "_./-+"); };
        while (begin < line.size() && (!isPart(line[begin]) || isAnyOf(line[begin], "-./+")))
            ++begin;
        std::size_t end = begin;
        while (end < line.size() && isPart(line[end]))
            ++end;
        if (begin == end) return std::nullopt;
        if (const Level level = levelOfWord(line.substr(begin, end - begin));
            level && isLevelsPlace(line, begin, end, index))
            return level;
        // "2026-11-22 12:00:00.123456: W tensorflow/…" of TensorFlow and XLA.
        if (end - begin == 1 && begin > 1 && line[begin - 2] == ':' && end < line.size() &&
            line[end] == ' ' && tellsTime(line.substr(0, begin)))
            if (const Level level = levelOfLetter(line[begin])) return level;
        begin = end;
    }
    return std::nullopt;
}

/// `"level": "warning"` and `level=warning`.
Level fieldLevel(std::string_view line) {
    for (const std::string_view name : {"level", "levelname", "lvl", "severity"}) {
        for (std::size_t at = line.find(name); at != std::string_view::npos;
             at = line.find(name, at + 1)) {
            if (at > 0 && !isAnyOf(line[at - 1], " \"{,'")) continue;
            std::string_view rest = line.substr(at + name.size());
            const bool isField = rest.starts_with('=') || rest.starts_with("\":") ||
                                 rest.starts_with("\" :") || rest.starts_with("':");
            if (!isField) continue;
            rest.remove_prefix(std::min(rest.find_first_not_of("=\"': "), rest.size()));
            const std::size_t end = std::min(
                rest.size(),
                static_cast<std::size_t>(std::ranges::find_if_not(rest, isLetter) - rest.begin()));
            if (const Level level = levelOfWord(rest.substr(0, end))) return level;
        }
    }
    return std::nullopt;
}

/// "gcc: error: …", "slurmstepd: error: …", "ld: warning: …", NCCL's behind its many numbers.
Level toolLevel(std::string_view line) {
    const std::string_view head = line.substr(0, 160);
    for (const std::string_view words : {": error: ", ": fatal error: ", ": fatal: "})
        if (head.find(words) != std::string_view::npos) return LineLevel::Error;
    for (const std::string_view words : {": warning: ", " NCCL WARN "})
        if (head.find(words) != std::string_view::npos) return LineLevel::Warning;
    return std::nullopt;
}

/// "train.py:12: UserWarning: …", "DeprecationWarning: …".
bool namesWarning(std::string_view line) {
    constexpr std::string_view kWord = "Warning: ";
    const std::size_t at = line.find(kWord);
    if (at == std::string_view::npos) return false;
    std::size_t begin = at;
    while (begin > 0 && (isLetter(line[begin - 1]) || line[begin - 1] == '.'))
        --begin;
    return begin < at && (begin == 0 || (begin > 1 && line.substr(begin - 2, 2) == ": "));
}

bool tellsFailure(std::string_view line) {
    for (const std::string_view words :
         {"Fatal Python error: ", "terminate called ", "  what():  ", "Segmentation fault",
          "Aborted", "Bus error", "Illegal instruction", "*** Aborted at ",
          "panic: ", "--- Logging error ---", "CUDA error: ", "*** Check failure", "*** SIG",
          "During handling of the above exception", "The above exception was the direct cause"})
        if (line.starts_with(words)) return true;
    return line.starts_with("thread '") && line.find(" panicked at") != std::string_view::npos;
}

/// "  +------------------------------------": below the last exception of a group.
bool endsGroup(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return line.starts_with("+---") && line.find_first_not_of('-', 1) == std::string_view::npos;
}

std::string_view trimmed(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
}

/// Digits at `from`, and what stands behind them.
bool hasNumberThen(std::string_view text, std::size_t from, char behind) {
    std::size_t end = from;
    while (end < text.size() && isDigit(text[end]))
        ++end;
    return end > from && end < text.size() && text[end] == behind;
}

/// Below a failure: "  what():  …", "    @  0x55d8…" of glog, "#0 0x…" of sanitizers and gdb,
/// "frame #1: …" of torch, " 0# …" of Boost, "./a.out(+0x11f) [0x55…]" of glibc.
bool isFrame(std::string_view line) {
    const std::string_view text = trimmed(line);
    for (const std::string_view words :
         {"what():", "PC: @", "*** SIG", "*** Aborted at ", "*** Check"})
        if (text.starts_with(words)) return true;
    if (text.starts_with('@')) return trimmed(text.substr(1)).starts_with("0x");
    if (text.starts_with('#')) return hasNumberThen(text, 1, ' ');
    if (text.starts_with("frame #")) return hasNumberThen(text, 7, ':');
    return hasNumberThen(text, 0, '#') || (text.ends_with(']') && text.find(") [0x") < text.size());
}

/// "During handling of the above exception, …" between two tracebacks of one failure.
bool chainsTracebacks(std::string_view line) {
    return line.starts_with("During handling of the above exception") ||
           line.starts_with("The above exception was the direct cause");
}

bool beginsTraceback(std::string_view line) {
    return line.find("(most recent call last):") != std::string_view::npos ||
           line.ends_with("(most recent call first):");
}

}  // namespace

std::string_view withoutRank(std::string_view line) {
    const std::size_t close = line.find("]:");
    if (!line.starts_with("[rank") || close == std::string_view::npos) return line;
    line.remove_prefix(close + 2);
    if (line.starts_with(' ')) line.remove_prefix(1);
    return line;
}

bool namesException(std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    const bool isDotted = std::ranges::all_of(
        name, [](char c) { return isLetter(c) || isDigit(c) || c == '_' || c == '.'; });
    if (name.empty() || !isDotted || isDigit(name.front())) return false;
    if (colon != std::string_view::npos && isNumber(line.substr(colon + 1))) return false;
    return name.ends_with("Error") || name.ends_with("Exception") || name == "KeyboardInterrupt" ||
           name.ends_with(".KeyboardInterrupt");
}

/// Whether a line goes on with the failure that an earlier one has begun to tell.
bool LineLevels::goesOn(std::string_view line) {
    const bool isIndented = line.starts_with(' ') || line.starts_with('\t');
    switch (account_) {
        case Account::None:
            return false;
        case Account::Frames:
            return isFrame(line);
        case Account::Stack:  // of Python, to the line that names the exception
            if (line.empty())
                account_ = Account::Gap;
            else if (!isIndented || endsGroup(line))
                account_ = isFrame(line) ? Account::Frames : Account::Told;
            return true;
        case Account::Told:  // what the exception says may have more lines
            if (line.empty() || chainsTracebacks(line)) {  // a flood may have cost the blank line
                account_ = Account::Gap;
                return goesOnBelowBlank(line);
            }
            return isIndented || isFrame(line);
        case Account::Gap:
            return goesOnBelowBlank(line);
    }
    return false;
}

/// Below a blank line another traceback may follow: of what this one was caused by, or, of Python's
/// faulthandler, of another thread.
bool LineLevels::goesOnBelowBlank(std::string_view line) {
    if (chainsTracebacks(line)) isChained_ = true;
    if (line.empty() || chainsTracebacks(line)) return true;
    if (isFault_ && line.starts_with("Extension modules:")) return true;
    if (!beginsTraceback(line) || !(isFault_ || isChained_)) return false;
    account_ = Account::Stack;
    isChained_ = false;
    return true;
}

LineLevel LineLevels::take(std::string_view line) {
    line = withoutRank(line);
    continues_ = goesOn(line);
    if (continues_) return line.empty() ? LineLevel::Info : LineLevel::Error;
    account_ = Account::None;
    isChained_ = chainsTracebacks(line);
    isFault_ = line.starts_with("Fatal Python error: ");
    const LineLevel level = levelAlone(line);
    if (beginsTraceback(line))
        account_ = Account::Stack;
    else if (isFault_ || isChained_)
        account_ = Account::Gap;
    else if (level == LineLevel::Error)
        account_ = Account::Frames;
    return level;
}

LineLevel LineLevels::levelAlone(std::string_view line) {
    if (beginsTraceback(line) || namesException(line) || tellsFailure(line))
        return LineLevel::Error;
    const bool isIndented = line.starts_with(' ') || line.starts_with('\t');
    const bool isBelowWarning = std::exchange(belowWarning_, false) && isIndented;
    if (isBelowWarning) return LineLevel::Warning;
    belowWarning_ = namesWarning(line);
    if (belowWarning_) return LineLevel::Warning;
    for (const auto& rule : {glogLevel, headLevel, fieldLevel, toolLevel})
        if (const Level level = rule(line)) return *level;
    return LineLevel::Info;
}

}  // namespace lockstep::launch
