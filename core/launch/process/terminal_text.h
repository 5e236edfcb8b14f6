// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace lockstep::launch {

/// What a terminal would show of what a program writes, line by line. A line that is rewritten (by
/// a carriage return, backspaces, or the cursor going up to it, as progress bars do) counts with
/// its last state. Escape sequences are left out, what is no UTF-8 and other control characters
/// replaced by '?', lines cut.
class TerminalText {
public:
    using OnLine = std::function<void(const std::string&)>;

    explicit TerminalText(std::size_t longestLine) : longestLine_(longestLine) {}

    /// Bytes as they come, in pieces of any size. `onLine` gets what a line feed ends, once; again
    /// when it was written anew since.
    void feed(std::string_view bytes, const OnLine& onLine);
    /// Nothing more comes: what is unfinished is a line.
    void finish(const OnLine& onLine);
    /// Whether something was written behind the last line feed.
    [[nodiscard]] bool hasUnfinished() const { return !rows_[written_].told; }
    /// That, as far as it has come; may be empty.
    [[nodiscard]] std::string unfinished() const;

private:
    struct Row {
        std::string text;
        bool told = true;        ///< As it stands, or there is nothing to be told.
        bool rewritten = false;  ///< So it may have become empty, which is no empty line.
    };
    enum class State { Text, Escape, Sequence, String, StringEscape };

    void take(char byte, const OnLine& onLine);
    void takeText(char byte, const OnLine& onLine);
    void takeSequence(char byte);
    void put(char byte);
    void endLine(const OnLine& onLine);
    void returnCarriage();
    void goBack();
    void eraseLine(int what);
    void moveTo(std::size_t row);
    void tell(Row& row, const OnLine& onLine) const;
    [[nodiscard]] std::string shown(std::string_view text) const;

    std::size_t longestLine_;
    State state_ = State::Text;
    std::string parameters_;    ///< Of the escape sequence that has begun.
    std::deque<Row> rows_{{}};  ///< The lines that the cursor may still go up to, the newest last.
    std::size_t row_ = 0;       ///< Where the cursor is.
    std::size_t written_ = 0;   ///< The row that was written to last.
    std::size_t overwrites_ = 0;  ///< So many characters before the end does the next one go.
};

}  // namespace lockstep::launch
