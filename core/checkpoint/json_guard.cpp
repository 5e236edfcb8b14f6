// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/json_guard.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace lockstep::checkpoint {

namespace {

constexpr std::size_t kDeepest = 8;
constexpr std::size_t kMostValues = 2'000'000;

/// Listens to the parser's events; the first `false` ends the parse.
class Guard final : public nlohmann::json_sax<nlohmann::json> {
public:
    std::string complaint;

    bool null() override { return count(); }
    bool boolean(bool) override { return count(); }
    bool number_integer(number_integer_t) override { return count(); }
    bool number_unsigned(number_unsigned_t) override { return count(); }
    bool number_float(number_float_t, const string_t&) override { return count(); }
    bool string(string_t&) override { return count(); }
    bool binary(binary_t&) override { return refuse("it holds binary data"); }
    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool key(string_t& name) override {
        if (keys_.back().insert(name).second) return true;
        return refuse(fmt::format("key \"{}\" appears twice", name));
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception&) override {
        return refuse(fmt::format("it is not valid JSON at byte {}", position));
    }

private:
    bool refuse(std::string why) {
        complaint = std::move(why);
        return false;
    }
    bool count() {
        if (++values_ <= kMostValues) return true;
        return refuse(fmt::format("it has more than {} values", kMostValues));
    }
    bool enter() {
        if (keys_.size() == kDeepest)
            return refuse(fmt::format("it is nested more than {} levels deep", kDeepest));
        keys_.emplace_back();
        return count();
    }
    bool leave() {
        keys_.pop_back();
        return true;
    }

    std::vector<std::set<std::string>> keys_;  // of each open level
    std::size_t values_ = 0;
};

}  // namespace

Result<void> checkJson(std::string_view text) {
    if (!text.starts_with('{')) return fail(ErrorCode::Corrupt, "it is not a JSON object");
    Guard guard;
    try {
        if (nlohmann::json::sax_parse(text, &guard)) return {};
    } catch (const std::exception& error) {
        guard.complaint = error.what();
    }
    return fail(ErrorCode::Corrupt, guard.complaint);
}

}  // namespace lockstep::checkpoint
