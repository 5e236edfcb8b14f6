// SPDX-License-Identifier: Apache-2.0
#include "core/text/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/text/plain_text.h"

namespace lockstep::text {

namespace {

constexpr std::size_t kDeepest = 8;

/// Builds the value from the parser's events; the first `false` ends the parse.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
public:
    Json root;
    std::string problem;

    explicit Builder(std::size_t mostValues) : mostValues_(mostValues) {}
    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return refuse("it holds binary data"); }
    bool start_object(std::size_t) override { return enter(Json::Object()); }
    bool start_array(std::size_t) override { return enter(Json::List()); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool key(string_t& name) override {
        if (open_.back()->has(name))
            return refuse(fmt::format("\"{}\" is in it twice", sanitizeLine(name, 60)));
        name_ = std::move(name);
        return true;
    }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception&) override {
        return refuse(fmt::format("it is not JSON: something is wrong at character {}", position));
    }

private:
    bool refuse(std::string why) {
        problem = std::move(why);
        return false;
    }
    /// The new value's place: it stays where it is until the list or object around it ends.
    Json* place(Json value) {
        if (open_.empty()) return &(root = std::move(value));
        Json& around = *open_.back();
        if (around.isObject()) return &(around[name_] = std::move(value));
        return &around.push(std::move(value));
    }
    bool count() {
        if (++values_ <= mostValues_) return true;
        return refuse(fmt::format("it has more than {} values", mostValues_));
    }
    bool add(Json value) {
        place(std::move(value));
        return count();
    }
    bool enter(Json value) {
        if (open_.size() == kDeepest)
            return refuse(fmt::format("it is nested more than {} levels deep", kDeepest));
        open_.push_back(place(std::move(value)));
        return count();
    }
    bool leave() {
        open_.pop_back();
        return true;
    }

    std::size_t mostValues_;
    std::size_t values_ = 0;
    std::vector<Json*> open_;  // lists and objects, the innermost last
    std::string name_;         // of the member to come
};

nlohmann::json forWriting(const Json& value) {
    if (value.isObject()) {
        auto object = nlohmann::json::object();
        for (const auto& [name, member] : value.members())
            object[name] = forWriting(member);
        return object;
    }
    if (value.isList()) {
        auto list = nlohmann::json::array();
        for (const Json& item : value.items())
            list.push_back(forWriting(item));
        return list;
    }
    if (auto text = value.as<std::string>()) return *std::move(text);
    if (const auto truth = value.as<bool>()) return *truth;
    if (const auto whole = value.as<std::int64_t>()) return *whole;
    if (const auto natural = value.as<std::uint64_t>()) return *natural;
    if (const auto number = value.as<double>()) return *number;
    return nullptr;
}

}  // namespace

const Json::List& Json::items() const {
    static const List kNone;
    const auto* list = std::get_if<List>(&value_);
    return list == nullptr ? kNone : *list;
}

const Json::Object& Json::members() const {
    static const Object kNone;
    const auto* object = std::get_if<Object>(&value_);
    return object == nullptr ? kNone : *object;
}

const Json* Json::find(std::string_view name) const {
    const auto found = members().find(name);
    return found == members().end() ? nullptr : &found->second;
}

Json& Json::operator[](std::string_view name) {
    if (isNull()) value_ = Object();
    LS_CHECK(isObject(), "only an object has members");
    auto& members = std::get<Object>(value_);
    const auto found = members.find(name);
    return found == members.end() ? members[std::string(name)] : found->second;
}

Json& Json::push(Json value) {
    if (isNull()) value_ = List();
    LS_CHECK(isList(), "only a list is added to");
    return std::get<List>(value_).emplace_back(std::move(value));
}

std::string Json::text(int indent) const {
    return forWriting(*this).dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool Json::copyTo(bool& to) const {
    const auto* value = std::get_if<bool>(&value_);
    if (value != nullptr) to = *value;
    return value != nullptr;
}

bool Json::copyTo(std::string& to) const {
    const auto* value = std::get_if<std::string>(&value_);
    if (value != nullptr) to = *value;
    return value != nullptr;
}

bool Json::copyTo(double& to) const {
    const auto toDouble = [&to](const auto& value) {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>) {
            to = static_cast<double>(value);
            return true;
        }
        return false;
    };
    return std::visit(toDouble, value_);
}

Result<Json> parseJson(std::string_view text, std::size_t mostBytes, std::size_t mostValues) {
    if (config::trimmed(text).empty()) return fail(ErrorCode::Corrupt, "it is empty");
    if (text.size() > mostBytes)
        return fail(ErrorCode::Corrupt, fmt::format("it has more than {} bytes", mostBytes));
    Builder builder(mostValues);
    if (!nlohmann::json::sax_parse(text, &builder))
        return fail(ErrorCode::Corrupt, std::move(builder.problem));
    return std::move(builder.root);
}

bool fitsJson(std::string_view text) {
    const std::string written = Json(text).text();
    const auto read = parseJson(written, written.size());
    return read && read->as<std::string>() == text;
}

}  // namespace lockstep::text
