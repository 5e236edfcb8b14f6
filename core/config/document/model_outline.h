// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/toml_path.h"

namespace lockstep::config {

/// A key that a row's table has.
struct OutlineOption {
    std::string name;
    std::string value;  ///< As it is written; of a string what is between the quotes.
    bool isString = false;
    TomlValue tree{};
};

/// A row of a network's outline: a layer, or what holds layers.
struct OutlineRow {
    enum class Kind : std::uint8_t {
        Layer,
        Residual,
        Shortcut,  ///< Holds what stands in a residual's way past its layers.
        BlockUse,
        Blocks,    ///< Holds the blocks.
        Block,     ///< [model.blocks.NAME]
        Defaults,  ///< Holds a line a type.
        TypeDefaults,
        Other,  ///< What is no layer.
    };
    Kind kind = Kind::Layer;
    TomlPath path{};     ///< Of its table; of a shortcut of its list.
    TomlPath list{};     ///< Of the list that its rows are elements of; empty: they are not.
    std::string key{};   ///< The path as findings have it.
    std::string type{};  ///< "conv2d"; the block's name; the type that has defaults.
    std::string name{};
    std::vector<OutlineOption> options{};  ///< All keys but those of its rows, in the text's order.
    int line = 0;                          ///< From 1.
    bool isListEditable = true;  ///< Whether what it holds can be added, moved and removed.
    int parent = -1;             ///< A row; -1: none, it stands at the top.
    std::vector<int> rows{};     ///< What it holds.

    /// Null: it is not written.
    [[nodiscard]] const OutlineOption* find(std::string_view option) const;
};

/// The network of a job file as it is written, be it right or wrong: layers, blocks, defaults.
struct ModelOutline {
    std::vector<OutlineRow> rows{};
    std::vector<int> top{};
    bool isListEditable = true;  ///< Of model.layers.

    /// -1: there is none at that path.
    [[nodiscard]] int rowAt(const TomlPath& path) const;
    /// The row that a finding's key belongs to: the deepest one whose key begins it; -1: none.
    [[nodiscard]] int rowOfKey(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> blockNames() const;
    /// What "$name" in the block's layers asks for, in the order of their first use.
    [[nodiscard]] std::vector<std::string> parametersOf(std::string_view block) const;
};

/// `root` is the tree of `text`.
[[nodiscard]] ModelOutline outlineOf(std::string_view text, const TomlValue& root);

}  // namespace lockstep::config
