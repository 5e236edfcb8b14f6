// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/toml_tree.h"

namespace lockstep::config {

/// Bytes [at, at + removed) of a text become `inserted`.
struct TextEdit {
    std::size_t at = 0;
    std::size_t removed = 0;
    std::string inserted;
};

/// A value to be written, as text and as the tree of that text.
struct NewValue {
    std::string_view text;
    const TomlValue& tree;
};

/// The edits that make `section.name` of a text (whose tree is `root`) mean the new value. What
/// already means the same is not touched: arrays and tables are patched element by element. A
/// missing key goes behind the section's last one, a missing section to the end.
[[nodiscard]] std::vector<TextEdit> editsToSet(std::string_view text, const TomlValue& root,
                                               const std::string& section, const std::string& name,
                                               const NewValue& value);

/// The edits that give `name` of one table (an element of an array) the new value.
[[nodiscard]] std::vector<TextEdit> editsToSetIn(std::string_view text, const TomlValue& table,
                                                 const std::string& name, const NewValue& value);

/// The edits that remove `name` from a table; its comment stays. None when it is not there.
[[nodiscard]] std::vector<TextEdit> editsToUnset(std::string_view text, const TomlValue& table,
                                                 const std::string& name);

/// The edits as they are made one by one: from the text's end, so that no edit moves another. Of
/// two at one place the later in the list ends up behind.
[[nodiscard]] std::vector<TextEdit> fromTheEnd(std::vector<TextEdit> edits);

/// The text with the edits made; they do not overlap.
[[nodiscard]] std::string applyEdits(std::string_view text, std::vector<TextEdit> edits);

}  // namespace lockstep::config
