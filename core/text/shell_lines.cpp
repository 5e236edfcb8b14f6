// SPDX-License-Identifier: Apache-2.0
#include "core/text/shell_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace lockstep::config {

namespace {

bool isBlank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// Whether the word so far is `NAME=` and nothing more.
bool isAssignmentHead(std::string_view word) {
    if (!word.ends_with('=') || word.size() < 2) return false;
    word.remove_suffix(1);
    return std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
           std::all_of(word.begin(), word.end(),
                       [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

class ShellParser {
public:
    explicit ShellParser(std::string_view text) : text_(text) {}

    Result<std::vector<ShellLine>> parse() {
        while (at_ < text_.size() && problem_.empty())
            step();
        endLine();
        if (problem_.empty()) return std::move(lines_);
        return fail(ErrorCode::BadInput, fmt::format("line {}: {}", problemLine_, problem_),
                    "Close it, or paste the whole text.");
    }

private:
    void step() {
        const char c = text_[at_];
        if (c == '\n' || c == ';' || c == '&' || c == '|') {
            endLine();
            ++at_;
        } else if (isBlank(c)) {
            endWord();
            ++at_;
        } else if (c == '#' && !inWord_) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (c == '\'' || c == '"') {
            quoted(c);
        } else if (c == '{' && isAssignmentHead(word_)) {
            braced();
        } else if (c == '\\' && at_ + 1 < text_.size()) {
            escaped();
        } else {
            add(c);
            ++at_;
        }
    }

    void add(char c) {
        word_ += c;
        inWord_ = true;
    }

    /// A line that ends in a backslash goes on in the next one.
    void escaped() {
        if (text_.substr(at_ + 1).starts_with("\r\n")) ++at_;
        if (text_[at_ + 1] != '\n') add(text_[at_ + 1]);
        at_ += 2;
    }

    void quoted(char quote) {
        const std::size_t begin = at_++;
        inWord_ = true;
        while (at_ < text_.size() && text_[at_] != quote) {
            const bool escape =
                quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size() &&
                std::string_view("\"\\$`").find(text_[at_ + 1]) != std::string_view::npos;
            if (escape) ++at_;
            add(text_[at_++]);
        }
        if (at_ == text_.size())
            refuse(begin, fmt::format("a quote {} is not closed", quote));
        else
            ++at_;
    }

    /// JSON without a shell's quotes: its own strings keep theirs.
    void braced() {
        const std::size_t begin = at_;
        int depth = 0;
        bool inString = false;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            add(c);
            if (c == '"') inString = !inString;
            if (inString && c == '\\' && at_ + 1 < text_.size()) add(text_[++at_]);
            if (inString) continue;
            if (c == '{') ++depth;
            if (c == '}' && --depth == 0) {
                ++at_;
                return;
            }
        }
        refuse(begin, "a brace { is not closed");
    }

    void endWord() {
        if (!inWord_) return;
        const std::size_t equals = word_.find('=');
        const bool assigns = equals != std::string::npos && line_.words.empty() &&
                             isAssignmentHead(std::string_view(word_).substr(0, equals + 1));
        if (assigns)
            line_.assignments.emplace_back(word_.substr(0, equals), word_.substr(equals + 1));
        else if (!line_.words.empty() || (word_ != "export" && word_ != "env" && word_ != "$"))
            line_.words.push_back(std::move(word_));
        word_.clear();
        inWord_ = false;
    }

    void endLine() {
        endWord();
        if (!line_.assignments.empty() || !line_.words.empty()) lines_.push_back(std::move(line_));
        line_ = {};
    }

    void refuse(std::size_t at, std::string why) {
        problemLine_ =
            1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        problem_ = std::move(why);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string word_;
    bool inWord_ = false;
    ShellLine line_;
    std::vector<ShellLine> lines_;
    std::string problem_;
    std::ptrdiff_t problemLine_ = 0;
};

}  // namespace

Result<std::vector<ShellLine>> parseShellLines(std::string_view text) {
    return ShellParser(text).parse();
}

}  // namespace lockstep::config
