// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"

namespace lockstep::text {

/// A value of JSON. Reading asks for a type and gets nothing where the value is of another one, so
/// that no file can surprise a reader; numbers are never cut to fit.
class Json {
public:
    using List = std::vector<Json>;
    using Object = std::map<std::string, Json, std::less<>>;

    Json() = default;  ///< null
    explicit(false) Json(std::nullptr_t) {}
    template <std::same_as<bool> T>  // no pointer becomes true unnoticed
    explicit(false) Json(T value) : value_(value) {}
    template <std::signed_integral T>
    explicit(false) Json(T value) : value_(std::int64_t{value}) {}
    template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>) explicit(false) Json(T value) : value_(std::uint64_t{value}) {}
    template <std::floating_point T>
    explicit(false) Json(T value)
        : value_(double{value}) {}  ///< Written as null where it is no number.
    explicit(false) Json(const char* value) : value_(std::string(value)) {}
    explicit(false) Json(std::string_view value) : value_(std::string(value)) {}
    explicit(false) Json(std::string value) : value_(std::move(value)) {}
    explicit(false) Json(List value) : value_(std::move(value)) {}
    explicit(false) Json(Object value) : value_(std::move(value)) {}
    /// null where there is none.
    template <typename T>
    explicit(false) Json(const std::optional<T>& value) {
        if (value) *this = Json(*value);
    }
    template <typename T>
    explicit(false) Json(const std::vector<T>& values)
        : value_(List(values.begin(), values.end())) {}
    template <typename T>
    explicit(false) Json(const std::map<std::string, T>& values)
        : value_(Object(values.begin(), values.end())) {}

    /// `Json::object({{"step", 3}, {"split", "test"}})`
    [[nodiscard]] static Json object(std::initializer_list<Object::value_type> members) {
        return Object(members);
    }

    [[nodiscard]] bool isNull() const { return is<std::nullptr_t>(); }
    [[nodiscard]] bool isList() const { return is<List>(); }
    [[nodiscard]] bool isObject() const { return is<Object>(); }

    /// The value as a bool, number, string, or vector or map of these; nullopt where it is none or
    /// does not fit.
    template <typename T>
    [[nodiscard]] std::optional<T> as() const {
        std::optional<T> value(std::in_place);
        if (!copyTo(*value)) value.reset();
        return value;
    }

    /// What a list holds; empty for anything else.
    [[nodiscard]] const List& items() const;
    /// What an object holds; empty for anything else.
    [[nodiscard]] const Object& members() const;
    /// The member of that name; null where there is none or this is no object.
    [[nodiscard]] const Json* find(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    /// That member's value, where it is there and of that type.
    template <typename T>
    [[nodiscard]] std::optional<T> get(std::string_view name) const {
        const Json* member = find(name);
        return member == nullptr ? std::nullopt : member->as<T>();
    }

    /// The member of that name, made where it is not there; null becomes an object.
    [[nodiscard]] Json& operator[](std::string_view name);
    /// Adds to a list and returns what was added; null becomes a list.
    Json& push(Json value);

    /// Names in order, in one line, or `indent` spaces a level. What is not UTF-8 in strings is
    /// replaced, since names of jobs and hosts may hold anything.
    [[nodiscard]] std::string text(int indent = -1) const;

private:
    template <typename T>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<T>(value_);
    }
    [[nodiscard]] bool copyTo(bool& to) const;
    [[nodiscard]] bool copyTo(double& to) const;
    [[nodiscard]] bool copyTo(std::string& to) const;
    [[nodiscard]] bool copyTo(Json& to) const {
        to = *this;
        return true;
    }
    template <std::integral T>
    [[nodiscard]] bool copyTo(T& to) const {
        const auto* whole = std::get_if<std::int64_t>(&value_);
        const auto* natural = std::get_if<std::uint64_t>(&value_);
        const bool fits = (whole != nullptr && std::in_range<T>(*whole)) ||
                          (natural != nullptr && std::in_range<T>(*natural));
        if (fits) to = whole != nullptr ? static_cast<T>(*whole) : static_cast<T>(*natural);
        return fits;
    }
    template <typename T>
    [[nodiscard]] bool copyTo(std::vector<T>& to) const {
        for (const Json& item : items())
            if (!item.copyTo(to.emplace_back())) return false;
        return isList();
    }
    template <typename T>
    [[nodiscard]] bool copyTo(std::map<std::string, T>& to) const {
        for (const auto& [name, member] : members())
            if (!member.copyTo(to[name])) return false;
        return isObject();
    }

    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List,
                 Object>
        value_;
};

/// The one value that `text` is. Corrupt, with a clause ("it is empty"), for what is no JSON, has a
/// name twice in an object, or might cost a stranger's reader its memory or stack: more bytes than
/// `mostBytes`, more values than `mostValues`, more than 8 levels.
[[nodiscard]] Result<Json> parseJson(std::string_view text, std::size_t mostBytes = 1 << 20,
                                     std::size_t mostValues = 2'000'000);

/// Whether a string of JSON can hold `text` as it is: whether it is UTF-8.
[[nodiscard]] bool fitsJson(std::string_view text);

}  // namespace lockstep::text
