// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/description/problem.h"
#include "core/text/toml_tree.h"

namespace lockstep::model {

// [model] of a job file: what is written there, checked as far as a layer's own options go. Blocks
// are not yet expanded, and nothing is known of shapes.

/// What a layer, a residual or the use of a block is given. Values keep their line and column; in a
/// block they may be "$name", alone or within an array: what the block's user gives.
struct Option {
    std::string name;
    config::TomlValue value;
};

/// What an entry takes: "a", "data", "data.COLUMN", in a block "input".
struct InputName {
    std::string name;
    Place place;
};

/// One element of a list of layers.
struct Entry {
    enum class Kind : std::uint8_t {
        Layer,
        Residual,  ///< activation(layers(x) + shortcut(x)).
        BlockUse,
    };
    Kind kind = Kind::Layer;
    Place place;
    std::string type;               ///< "conv2d"; of a use the block's name; of a residual none.
    Place typePlace;                ///< Of the type or the block's name.
    std::string name;               ///< Empty: it has none.
    std::vector<InputName> inputs;  ///< None: what stands before it.
    /// A layer's options, a residual's activation, the parameters given to a block.
    std::vector<Option> options;
    std::vector<Entry> layers;                ///< Residual only.
    std::vector<Entry> shortcut;              ///< Residual only; none: what it takes, unchanged.
    std::optional<config::TomlValue> repeat;  ///< BlockUse only.

    /// The option's value; null when it is not written.
    [[nodiscard]] const config::TomlValue* find(std::string_view option) const;
};

/// [model.blocks.NAME]
struct Block {
    std::string name;
    Place place;
    std::vector<Entry> layers;
};

/// What all layers of a type are given that do not say otherwise: a line of [model.defaults].
struct Defaults {
    std::string type;
    Place place;
    std::vector<Option> options;
};

struct Description {
    std::vector<Entry> layers;
    std::vector<Defaults> defaults;
    std::vector<Block> blocks;

    [[nodiscard]] const Block* findBlock(std::string_view name) const;
    [[nodiscard]] const Defaults* findDefaults(std::string_view type) const;
};

/// Whether both say the same, wherever they stand.
[[nodiscard]] bool sameDescription(const Description& a, const Description& b);

}  // namespace lockstep::model
