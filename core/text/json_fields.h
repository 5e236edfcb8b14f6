// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text/json.h"

namespace lockstep::text {

/// Takes the members of an object one by one. The first that is not there or not what it should be
/// is remembered, so that a reader lists its fields and asks once whether all was well.
class JsonFields {
public:
    explicit JsonFields(const Json& object) : object_(object) {
        if (!object.isObject()) problem_ = "it is not a JSON object";
    }

    /// A member that must be there.
    template <typename T>
    void read(std::string_view name, T& to) {
        if (object_.has(name))
            readIfThere(name, to);
        else
            complain(name, "is missing");
    }
    /// One that may be left out: `to` then stays as it is.
    template <typename T>
    void readIfThere(std::string_view name, T& to) {
        const Json* member = object_.find(name);
        if (member == nullptr) return;
        ++taken_;
        if (auto value = member->as<T>())
            to = *std::move(value);
        else
            complain(name, "is of another type than it should be");
    }
    /// Refuses members that nobody asked for.
    void refuseOthers() {
        if (problem_.empty() && taken_ < object_.members().size())
            problem_ = "it holds a key that this version does not know";
    }

    [[nodiscard]] Result<void> checked() const {
        return problem_.empty() ? Result<void>() : fail(ErrorCode::Corrupt, problem_);
    }

private:
    void complain(std::string_view name, std::string_view what) {
        if (problem_.empty()) problem_ = fmt::format("\"{}\" {}", name, what);
    }

    const Json& object_;
    std::size_t taken_ = 0;
    std::string problem_;
};

}  // namespace lockstep::text
