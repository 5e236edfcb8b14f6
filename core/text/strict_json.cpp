// SPDX-License-Identifier: Apache-2.0
#include "core/text/strict_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/text.h"
#include "core/text/plain_text.h"

namespace lockstep::config {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargest = 1'000'000;
constexpr int kDeepest = 8;

/// Sees every event of the parser; after a problem nothing more is kept.
class Guard {
public:
    bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
        using Event = Json::parse_event_t;
        if (depth > kDeepest && problem.empty()) problem = "it is nested more than 8 levels deep";
        if (event == Event::object_start) keys_.emplace_back();
        if (event == Event::object_end && !keys_.empty()) keys_.pop_back();
        if (event == Event::key && !keys_.empty()) noteKey(parsed.get_ref<const std::string&>());
        return problem.empty();
    }

    std::string problem;

private:
    void noteKey(const std::string& key) {
        if (!keys_.back().insert(key).second && problem.empty())
            problem = fmt::format("\"{}\" is in it twice", sanitizeLine(key, 60));
    }

    std::vector<std::set<std::string>> keys_;
};

}  // namespace

std::string jsonProblem(std::string_view text) {
    if (trimmed(text).empty()) return "it is empty";
    if (text.size() > kLargest) return "it has more than a million bytes";
    Guard guard;
    try {
        [[maybe_unused]] const Json json =
            Json::parse(text, [&guard](int depth, Json::parse_event_t event, Json& parsed) {
                return guard(depth, event, parsed);
            });
    } catch (const Json::parse_error& error) {
        if (guard.problem.empty())
            guard.problem =
                fmt::format("it is not JSON: something is wrong at character {}", error.byte);
    } catch (const std::exception&) {
        if (guard.problem.empty()) guard.problem = "it is not JSON";
    }
    return guard.problem;
}

}  // namespace lockstep::config
