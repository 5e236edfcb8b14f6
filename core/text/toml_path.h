// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/text/toml_tree.h"

namespace lockstep::config {

/// The way from a text's root to a value: names of keys and numbers of elements.
using TomlPath = std::vector<std::variant<std::string, std::size_t>>;

/// Null: there is no such value.
[[nodiscard]] const TomlValue* valueAt(const TomlValue& root, const TomlPath& path);
[[nodiscard]] TomlValue* valueAt(TomlValue& root, const TomlPath& path);

/// "model.blocks.down.layers[0].residual[1]"
[[nodiscard]] std::string toString(const TomlPath& path);

[[nodiscard]] TomlPath operator/(TomlPath path, std::string key);
[[nodiscard]] TomlPath operator/(TomlPath path, std::size_t index);

/// The path without its last step.
[[nodiscard]] TomlPath parentOf(TomlPath path);
/// The path's last step, which is an element's number; 0 where it is none.
[[nodiscard]] std::size_t indexOf(const TomlPath& path);
/// Whether `path` is `above` or leads to something within it.
[[nodiscard]] bool isWithin(const TomlPath& path, const TomlPath& above);

}  // namespace lockstep::config
