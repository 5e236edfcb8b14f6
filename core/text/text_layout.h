// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace lockstep::config {

/// Questions about the layout around a byte of a text.
class TextLayout {
public:
    static constexpr std::string_view kBlanks = " \t";

    explicit TextLayout(std::string_view text) : text_(text) {}

    [[nodiscard]] std::string_view newline() const {
        return text_.find("\r\n") == std::string_view::npos ? "\n" : "\r\n";
    }
    [[nodiscard]] std::size_t lineBegin(std::size_t at) const {
        const std::size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
        return before == std::string_view::npos ? 0 : before + 1;
    }
    /// Where the line's text ends: before its line break, or at the text's end.
    [[nodiscard]] std::size_t lineEnd(std::size_t at) const {
        const std::size_t end = std::min(text_.find('\n', at), text_.size());
        return end > at && end < text_.size() && text_[end - 1] == '\r' ? end - 1 : end;
    }
    [[nodiscard]] std::size_t skipBlanks(std::size_t at) const {
        return std::min(text_.find_first_not_of(kBlanks, at), text_.size());
    }
    [[nodiscard]] std::string_view indent(std::size_t at) const {
        const std::size_t begin = lineBegin(at);
        return text_.substr(begin, skipBlanks(begin) - begin);
    }
    [[nodiscard]] bool startsItsLine(std::size_t at) const {
        return skipBlanks(lineBegin(at)) == at;
    }
    /// Whether nothing but blanks and a comment follows on the line.
    [[nodiscard]] bool endsItsLine(std::size_t at) const {
        const std::size_t next = skipBlanks(at);
        return next == lineEnd(at) || text_[next] == '#';
    }
    /// Behind the comma that follows within an array, over blanks, line breaks and comments; or 0.
    [[nodiscard]] std::size_t behindComma(std::size_t at) const {
        while (at < text_.size()) {
            if (text_[at] == ',') return at + 1;
            if (text_[at] == '#')
                at = lineEnd(at);
            else if (std::string_view(" \t\r\n").find(text_[at]) == std::string_view::npos)
                return 0;
            else
                ++at;
        }
        return 0;
    }
    [[nodiscard]] bool hasComment(std::size_t begin, std::size_t end) const {
        return text_.substr(begin, end - begin).find('#') != std::string_view::npos;
    }

private:
    std::string_view text_;
};

}  // namespace lockstep::config
