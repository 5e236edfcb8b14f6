// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/terminal_text.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/base/text.h"
#include "core/wire/codec.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kRowsKept = 32;  ///< Nested progress bars are few.
constexpr std::size_t kLongestSequence = 32;
constexpr std::size_t kWholeLine = std::numeric_limits<std::size_t>::max();

constexpr char kBell = '\a';
constexpr char kEscape = '\x1B';

bool isContinuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

void dropCharacters(std::string& text, std::size_t count) {
    if (count >= text.size()) return text.clear();
    for (; count > 0 && !text.empty(); --count) {
        while (text.size() > 1 && isContinuation(text.back()))
            text.pop_back();
        text.pop_back();
    }
}

/// The rest of a character may come with the next piece.
std::string_view withoutHalfCharacter(std::string_view text) {
    for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        if (length > back) text.remove_suffix(back);
        break;
    }
    return text;
}

/// The one number of a sequence, `otherwise` where it is left out.
int numberIn(const std::string& parameters, int otherwise) {
    int number = otherwise;
    std::from_chars(parameters.data(), parameters.data() + parameters.size(), number);
    return number;
}

}  // namespace

void TerminalText::feed(std::string_view bytes, const OnLine& onLine) {
    for (const char byte : bytes)
        take(byte, onLine);
}

void TerminalText::finish(const OnLine& onLine) {
    for (Row& row : rows_)
        tell(row, onLine);
    rows_ = {{}};
    row_ = written_ = overwrites_ = 0;
    state_ = State::Text;
}

std::string TerminalText::unfinished() const {
    const Row& row = rows_[written_];
    return row.told ? std::string() : shown(withoutHalfCharacter(row.text));
}

void TerminalText::take(char byte, const OnLine& onLine) {
    const bool isControl = static_cast<unsigned char>(byte) < 0x20;
    switch (state_) {
        case State::Text:
            return takeText(byte, onLine);
        case State::Escape:
            parameters_.clear();
            if (byte == '[') {
                state_ = State::Sequence;
            } else if (byte == ']' || byte == 'P' || byte == '_' || byte == '^' || byte == 'X') {
                state_ = State::String;
            } else if (isControl) {
                state_ = State::Text;
                takeText(byte, onLine);
            } else if (byte < ' ' || byte > '/') {  // those announce one more
                state_ = State::Text;
            }
            return;
        case State::Sequence:
            if (!isControl) return takeSequence(byte);
            state_ = State::Text;  // it was none, or cut off
            return takeText(byte, onLine);
        case State::String:
            if (byte == kEscape) state_ = State::StringEscape;
            if (byte == kBell) state_ = State::Text;
            if (byte != '\n') return;
            state_ = State::Text;  // its end is missing: no more than a line gets lost
            return takeText(byte, onLine);
        case State::StringEscape:
            state_ = byte == '\\' ? State::Text : State::String;
            return;
    }
}

void TerminalText::takeText(char byte, const OnLine& onLine) {
    switch (byte) {
        case '\n':
            return endLine(onLine);
        case '\r':
            return returnCarriage();
        case '\b':
            return goBack();
        case kEscape:
            state_ = State::Escape;
            return;
        case kBell:
            return;
        default:
            return put(byte);
    }
}

void TerminalText::takeSequence(char byte) {
    const bool isFinal = byte >= '@' && byte <= '~';
    if (!isFinal) {
        parameters_ += byte;
        if (parameters_.size() > kLongestSequence) state_ = State::Text;
        return;
    }
    state_ = State::Text;
    const auto rows = static_cast<std::size_t>(std::clamp(numberIn(parameters_, 1), 1, 1000));
    if (byte == 'A' || byte == 'F') moveTo(row_ - std::min(row_, rows));
    if (byte == 'B' || byte == 'E') moveTo(std::min(row_ + rows, rows_.size() - 1));
    if (byte == 'G' && numberIn(parameters_, 1) <= 1) returnCarriage();
    if (byte == 'K') eraseLine(numberIn(parameters_, 0));
}

void TerminalText::put(char byte) {
    Row& row = rows_[row_];
    if (overwrites_ > 0) {
        row.rewritten = row.rewritten || !row.text.empty();
        dropCharacters(row.text, overwrites_);
    }
    overwrites_ = 0;
    row.told = false;
    written_ = row_;
    if (row.text.size() <= longestLine_) row.text += byte;
}

void TerminalText::endLine(const OnLine& onLine) {
    Row& row = rows_[row_];
    // An empty line is one, too; one that the cursor has come back to is not.
    if (row.text.empty() && !row.rewritten && row_ + 1 == rows_.size()) row.told = false;
    tell(row, onLine);
    if (row_ + 1 == rows_.size()) rows_.emplace_back();
    moveTo(row_ + 1);
    while (rows_.size() > kRowsKept && row_ > 0) {
        tell(rows_.front(), onLine);
        rows_.pop_front();
        --row_;
        written_ -= std::min<std::size_t>(written_, 1);
    }
}

void TerminalText::returnCarriage() {
    overwrites_ = kWholeLine;
}

void TerminalText::goBack() {
    if (overwrites_ < kWholeLine) ++overwrites_;
}

void TerminalText::eraseLine(int what) {
    Row& row = rows_[row_];
    if (what == 1 || row.text.empty()) return;
    row.rewritten = true;
    if (what == 2) overwrites_ = kWholeLine;
    dropCharacters(row.text, overwrites_);
    overwrites_ = 0;
}

void TerminalText::moveTo(std::size_t row) {
    row_ = row;
    overwrites_ = kWholeLine;
}

void TerminalText::tell(Row& row, const OnLine& onLine) const {
    if (row.told) return;
    row.told = true;
    std::string text = shown(row.text);
    if (row.rewritten) text.erase(text.find_last_not_of(' ') + 1);  // they hid what was there
    if (!row.rewritten || !text.empty()) onLine(text);
}

std::string TerminalText::shown(std::string_view text) const {
    return wire::validUtf8(sanitizeLine(text, longestLine_));
}

}  // namespace lockstep::launch
