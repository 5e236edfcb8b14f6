// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/description/description.h"
#include "core/model/description/layer_table.h"
#include "core/model/operations.h"

namespace lockstep::model {

/// The options of one layer, as they hold: what is written, else the model's defaults for the type,
/// else the type's. All have been checked; asking for one that the type has not is a defect.
class LayerOptions {
public:
    /// `defaults` may be null. All are referred to.
    LayerOptions(const LayerType& type, const std::vector<Option>& written,
                 const Defaults* defaults)
        : type_(type), written_(written), defaults_(defaults) {}

    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    /// Null: left open.
    [[nodiscard]] const config::TomlValue* find(std::string_view name) const;
    [[nodiscard]] const config::TomlValue& value(std::string_view name) const;

    [[nodiscard]] std::int64_t integer(std::string_view name) const { return value(name).integer; }
    [[nodiscard]] double number(std::string_view name) const { return value(name).number; }
    [[nodiscard]] bool flag(std::string_view name) const { return value(name).flag; }
    [[nodiscard]] const std::string& word(std::string_view name) const { return value(name).text; }
    [[nodiscard]] std::vector<double> numbers(std::string_view name) const;
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
    /// Rows and columns; of an option for one dimension {`along`, it}.
    [[nodiscard]] Extent extent(std::string_view name, std::int64_t along = 1) const;

private:
    const LayerType& type_;
    const std::vector<Option>& written_;
    const Defaults* defaults_;
};

}  // namespace lockstep::model
