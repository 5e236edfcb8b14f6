// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/text/json.h"

namespace lockstep::text {

struct YamlEntry;
class YamlValue;
using YamlMap = std::vector<YamlEntry>;
using YamlList = std::vector<YamlValue>;

/// What is written as YAML: entries stay in their order, and one of a line may have a comment.
class YamlValue {
public:
    explicit(false) YamlValue(bool value);
    explicit(false) YamlValue(int value);
    explicit(false) YamlValue(const char* text);
    explicit(false) YamlValue(std::string text);
    explicit(false) YamlValue(YamlMap map);
    explicit(false) YamlValue(YamlList list);

    using Variant = std::variant<bool, std::int64_t, std::string, YamlMap, YamlList>;
    [[nodiscard]] const Variant& value() const { return value_; }

private:
    Variant value_;
};

struct YamlEntry {
    std::string key;
    YamlValue value;
    std::string comment = {};  ///< Behind the value, at the end of its line.
};

struct YamlDocument {
    std::string comment;  ///< Above it all, one line a line.
    YamlMap map;
};

/// The documents, one after the other. Whatever a string holds, every reader of YAML 1.1 or 1.2
/// reads it as that string; one of several lines stands there line by line.
[[nodiscard]] std::string writeYaml(const std::vector<YamlDocument>& documents);

/// The documents of a stranger's YAML, with every scalar as the text it is written as. Corrupt,
/// with a clause, for what is no YAML, is nested more than 32 levels deep or has more than 100000
/// values.
[[nodiscard]] Result<std::vector<Json>> parseYaml(std::string_view text);

}  // namespace lockstep::text
