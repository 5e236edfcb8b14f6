// SPDX-License-Identifier: Apache-2.0
#include "core/fit/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/text/toml_text.h"

namespace lockstep::fit {

namespace {

std::string text(bool value) {
    return value ? "true" : "false";
}
std::string text(std::int64_t value) {
    return std::to_string(value);
}
std::string text(double value) {
    return config::tomlNumber(value);
}
std::string text(const std::string& value) {
    return config::tomlString(value);
}
template <typename T>
std::string text(const std::vector<T>& values) {
    std::string list;
    for (const T& value : values)
        list += (list.empty() ? "" : ", ") + text(value);
    return "[" + list + "]";
}

}  // namespace

std::string tomlOf(const Value& value) {
    return std::visit([](const auto& one) { return text(one); }, value);
}

Result<void> checkName(const std::string& name, bool mayBePath) {
    const auto fits = [mayBePath](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || (c == '.' && mayBePath);
    };
    const bool isName = !name.empty() && std::ranges::all_of(name, fits) && name.front() != '.' &&
                        name.back() != '.' && name.find("..") == std::string::npos;
    if (isName) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("\"{}\" is no name of an option", sanitizeLine(name, 80)),
                "The names are those of the job file: lockstepctl keys.");
}

Result<std::string> tomlOf(const Named& named) {
    std::string table = "{ type = " + config::tomlString(named.type);
    for (const Option& option : named.options) {
        TRY(checkName(option.name, false));
        table += fmt::format(", {} = {}", option.name, tomlOf(option.value));
    }
    return table + " }";
}

}  // namespace lockstep::fit
