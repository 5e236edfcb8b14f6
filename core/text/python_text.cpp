// SPDX-License-Identifier: Apache-2.0
#include "core/text/python_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

/// Goes through a dictionary from its first brace.
class DictionaryReader {
public:
    explicit DictionaryReader(std::string_view text) : text_(text) {}

    Result<std::string> read() {
        while (at_ < text_.size() && problem_.empty()) {
            step();
            if (depth_ == 0 && !json_.empty()) return std::move(json_);
        }
        if (problem_.empty()) problem_ = "a brace { is not closed";
        return fail(ErrorCode::BadInput, problem_, "Paste the whole dictionary, with its values.");
    }

private:
    void step() {
        const char c = text_[at_];
        if (c == '\'' || c == '"') {
            string(c);
        } else if (c == '#') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') {
            word();
        } else {
            if (c == '}' || c == ']') dropComma();
            depth_ += (c == '{' || c == '[') - (c == '}' || c == ']');
            json_ += c;
            ++at_;
        }
    }

    void string(char quote) {
        json_ += '"';
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            const char c = text_[at_];
            if (c == '\\' && at_ + 1 < text_.size()) {
                const char escaped = text_[++at_];
                json_ += escaped == '\'' ? std::string("'") : std::string{'\\', escaped};
            } else {
                json_ += c == '"' ? std::string("\\\"") : std::string(1, c);
            }
        }
        if (at_ == text_.size())
            problem_ = fmt::format("a quote {} is not closed", quote);
        else
            ++at_;
        json_ += '"';
    }

    void word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (name == "true" || name == "false" || name == "null")
            json_ += name;
        else
            problem_ = fmt::format("{} is a name, not a value", sanitizeLine(name, 60));
    }

    void dropComma() {
        const std::size_t last = json_.find_last_not_of(" \t\r\n");
        if (last != std::string::npos && json_[last] == ',') json_.erase(last, 1);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::string json_;
    std::string problem_;
};

}  // namespace

std::string withoutEnviron(std::string_view text) {
    constexpr std::string_view kHead = "os.environ[";
    std::string plain;
    while (!text.empty()) {
        const std::size_t head = text.find(kHead);
        plain += text.substr(0, head);
        if (head == std::string_view::npos) break;
        text.remove_prefix(head + kHead.size());
        const std::size_t close = std::min(text.find(']'), text.size());
        std::string_view name = trimmed(text.substr(0, close));
        if (name.size() >= 2) name = name.substr(1, name.size() - 2);
        text.remove_prefix(std::min(close + 1, text.size()));
        plain += "\n" + std::string(name);
        const std::size_t equals = text.find_first_not_of(" \t\r\n");
        if (equals == std::string_view::npos || text[equals] != '=') continue;
        text.remove_prefix(equals + 1);
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        plain += "=";
    }
    return plain;
}

Result<std::string> dictionaryAsJson(std::string_view text) {
    const std::size_t begin = text.find('{');
    if (begin == std::string_view::npos) return std::string(trimmed(text));
    return DictionaryReader(text.substr(begin)).read();
}

}  // namespace lockstep::config
