// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/description/description.h"

namespace lockstep::model {

/// Whether the value is "$name", or an array that holds one.
[[nodiscard]] bool hasParameter(const config::TomlValue& value);

/// The names, without "$", of the parameters that a block's layers ask for.
[[nodiscard]] std::set<std::string> parametersOf(const std::vector<Entry>& layers);

/// The value with each "$name" replaced by what `given` has of that name; one that it has not is
/// left as it is.
[[nodiscard]] config::TomlValue substitute(const config::TomlValue& value,
                                           const std::vector<Option>& given);

}  // namespace lockstep::model
