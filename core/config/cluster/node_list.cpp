// SPDX-License-Identifier: Apache-2.0
#include "core/config/cluster/node_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/base/text.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kMostHosts = 65536;
constexpr int kDeepest = 8;
constexpr std::size_t kLongestNumber = 9;
constexpr std::size_t kLongestName = 253;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// list = names { "," names };  names = ( text | "[" list "]" )+, where a text that begins names
/// within brackets may be a range of numbers.
class NodeListParser {
public:
    explicit NodeListParser(std::string_view text) : text_(text) {}

    Names parse() {
        Names names = list(0);
        if (problem_.empty() && at_ < text_.size())
            refuse(text_[at_] == ']' ? "a \"]\" closes nothing" : "a comma is missing");
        return names;
    }
    [[nodiscard]] const std::string& problem() const { return problem_; }

private:
    Names list(int depth) {
        Names all;
        do {
            Names some = element(depth);
            if (some.empty()) refuse("a name is missing");
            if (all.size() + some.size() > kMostHosts) refuse("it names more than 65536 hosts");
            if (!problem_.empty()) return {};
            std::move(some.begin(), some.end(), std::back_inserter(all));
        } while (take(','));
        return all;
    }

    Names element(int depth) {
        skipBlanks();
        Names names{""};
        const std::size_t begin = at_;
        while (problem_.empty() && at_ < text_.size() && !endsElement(text_[at_])) {
            if (take('[')) {
                if (depth == kDeepest) refuse("its brackets are nested more than 8 deep");
                Names inner = problem_.empty() ? list(depth + 1) : Names{};
                if (problem_.empty() && !take(']')) refuse("a \"[\" is not closed");
                names = combined(names, inner);
            } else {
                names = combined(
                    names, depth > 0 && at_ == begin ? textOrRange() : Names{std::string(text())});
            }
        }
        skipBlanks();
        return at_ == begin || !problem_.empty() ? Names{} : names;
    }

    std::string_view text() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && isNamePart(text_[at_]))
            ++at_;
        if (at_ == begin) {
            refuse(
                fmt::format("\"{}\" cannot be in a host name", sanitizeLine(text_.substr(at_, 1))));
        }
        return text_.substr(begin, at_ - begin);
    }

    /// Within brackets "08-10" is three numbers of two digits.
    Names textOrRange() {
        const std::string_view word = text();
        const std::size_t dash = word.find('-');
        if (dash == std::string_view::npos) return {std::string(word)};
        const std::string_view first = word.substr(0, dash);
        const std::string_view last = word.substr(dash + 1);
        if (!std::all_of(first.begin(), first.end(), isDigit)) return {std::string(word)};
        const bool isRange =
            !first.empty() && !last.empty() && std::all_of(last.begin(), last.end(), isDigit);
        return isRange ? range(first, last) : refused(word, "is not a range of numbers");
    }

    Names range(std::string_view first, std::string_view last) {
        const auto begin = wholeNumber(first);
        const auto end = wholeNumber(last);
        const std::string shown = fmt::format("{}-{}", first, last);
        if (first.size() > kLongestNumber || last.size() > kLongestNumber || !begin || !end)
            return refused(shown, "has too many digits");
        if (*end < *begin) return refused(shown, "goes backwards");
        if (static_cast<std::size_t>(*end - *begin) >= kMostHosts)
            return refused(shown, "names more than 65536 hosts");
        Names names;
        for (auto number = *begin; number <= *end; ++number)
            names.push_back(fmt::format("{:0{}}", number, first.size()));
        return names;
    }

    Names combined(const Names& heads, const Names& tails) {
        if (heads.size() * tails.size() > kMostHosts) refuse("it names more than 65536 hosts");
        if (!problem_.empty()) return {};
        Names names;
        names.reserve(heads.size() * tails.size());
        for (const std::string& head : heads)
            for (const std::string& tail : tails) {
                if (head.size() + tail.size() > kLongestName) {
                    refuse("a name is longer than 253 characters");
                    return {};
                }
                names.push_back(head + tail);
            }
        return names;
    }

    static bool endsElement(char c) { return c == ',' || c == ']' || c == ' ' || c == '\t'; }
    static bool isNamePart(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
               c == '.' || c == ':';
    }
    bool take(char c) {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void skipBlanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
            ++at_;
    }
    Names refused(std::string_view what, std::string_view why) {
        refuse(fmt::format("\"{}\" {}", sanitizeLine(what, 60), why));
        return {};
    }
    void refuse(std::string why) {
        if (problem_.empty()) problem_ = std::move(why);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string problem_;
};

tl::unexpected<Error> badList(std::string_view list, std::string_view why,
                              std::string_view example) {
    return fail(ErrorCode::BadInput,
                fmt::format("\"{}\" is not a list: {}", sanitizeLine(list, 120), why),
                fmt::format("Write it as Slurm does, for example {}.", example));
}

}  // namespace

Result<std::vector<std::string>> expandNodeList(std::string_view list) {
    NodeListParser parser(trimmed(list));
    Names names = parser.parse();
    if (parser.problem().empty()) return names;
    return badList(list, parser.problem(), "n[1-4,7],gpu01");
}

Result<std::vector<int>> expandRepeatedCounts(std::string_view list) {
    std::vector<int> counts;
    for (const std::string_view part : splitText(list, ',')) {
        const std::size_t open = part.find("(x");
        const auto count = wholeNumber(part.substr(0, open));
        const bool repeated = open != std::string_view::npos;
        const bool closed = repeated && part.ends_with(')');
        const auto times =
            closed ? wholeNumber(part.substr(open + 2, part.size() - open - 3)) : std::nullopt;
        const std::int64_t repeats = repeated ? times.value_or(0) : 1;
        const std::size_t room = kMostHosts - counts.size();
        if (!count || *count < 1 || *count > static_cast<std::int64_t>(kMostHosts) || repeats < 1 ||
            static_cast<std::size_t>(repeats) > room)
            return badList(list, fmt::format("\"{}\" is not a count", sanitizeLine(part, 60)),
                           "2(x3),1");
        counts.insert(counts.end(), static_cast<std::size_t>(repeats), static_cast<int>(*count));
    }
    return counts;
}

}  // namespace lockstep::config
