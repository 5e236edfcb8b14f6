// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/text/toml_path.h"

namespace lockstep::config {

// Edits of the network that a job file describes: each takes the file's text and gives the text
// afterwards, in which everything else stands as before, comments and layout included. A layout
// that does not allow that ([[model.layers]], dotted keys) is BadInput, as is a text that is not
// TOML; the text is then to be edited by hand. What the new text means is checked against what the
// edit means, so that no edit does anything else. Lists and tables of other sections are edited in
// the same way: the changes of data.augment, the columns of data.features.

/// Puts `layer`, an inline table as TOML writes it, into a list of layers before the one at
/// `index`. A list that is not there is made: model.layers, a residual's shortcut.
[[nodiscard]] Result<std::string> withLayer(const std::string& text, const TomlPath& list,
                                            std::size_t index, std::string_view layer);
[[nodiscard]] Result<std::string> withoutLayer(const std::string& text, const TomlPath& layer);
/// Brings a layer to the place `index` of a list, which may be another one. `index` counts with
/// the layer still at its place in its own list: the layer's own index + 2 is one place down.
[[nodiscard]] Result<std::string> withLayerMoved(const std::string& text, const TomlPath& layer,
                                                 const TomlPath& list, std::size_t index);
/// Puts a copy behind the layer. Names in it get the next number that is free.
[[nodiscard]] Result<std::string> withLayerCopied(const std::string& text, const TomlPath& layer);
/// Makes the layer the only one of a residual that stands in its place.
[[nodiscard]] Result<std::string> withLayerAsResidual(const std::string& text,
                                                      const TomlPath& layer);

/// Sets a key of a table: of a layer, a residual, the use of a block, a line of model.defaults.
/// `value` is TOML, else, or where it `isText`, a string.
[[nodiscard]] Result<std::string> withOption(const std::string& text, const TomlPath& table,
                                             const std::string& name, std::string_view value,
                                             bool isText = false);
/// Nothing happens when the key is not there.
[[nodiscard]] Result<std::string> withoutOption(const std::string& text, const TomlPath& table,
                                                const std::string& name);

/// Adds [model.blocks.NAME] with one layer to the end of the text.
[[nodiscard]] Result<std::string> withBlock(const std::string& text, const std::string& name,
                                            std::string_view layer);
/// Removes [model.blocks.NAME] with its lines.
[[nodiscard]] Result<std::string> withoutBlock(const std::string& text, const std::string& name);

/// Whether layers of the list can be added, moved and removed as it is written.
[[nodiscard]] bool isListEditable(const TomlValue& root, const TomlPath& list);

}  // namespace lockstep::config
