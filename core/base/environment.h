// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep {

/// The environment variables of a process as a value, so that whatever reads them can be tested
/// without changing the process's own.
class Environment {
public:
    using Variables = std::map<std::string, std::string, std::less<>>;

    Environment() = default;
    explicit Environment(Variables variables) : variables_(std::move(variables)) {}

    /// A copy of this process's environment as it is now.
    [[nodiscard]] static Environment ofThisProcess();

    /// Absent when the variable is not set; an empty value is a value.
    [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const;
    [[nodiscard]] bool has(std::string_view name) const { return variables_.contains(name); }
    [[nodiscard]] const Variables& all() const { return variables_; }

private:
    Variables variables_;
};

}  // namespace lockstep
