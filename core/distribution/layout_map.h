// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/device_mesh.h"

namespace lockstep::distribution {

/// Layouts of variables by patterns of their paths, in the order of insert(). A value.
/// (keras.distribution.LayoutMap)
///
/// Paths and axes are Keras': "dense/kernel" is a kernel of (inputs, outputs), whichever way round
/// its tensor lies in files. model::kerasVariables() names those of a network.
class LayoutMap {
public:
    explicit LayoutMap(DeviceMesh mesh) : mesh_(std::move(mesh)) {}

    /// `key`: a path, or a regular expression (ECMAScript's, which for what paths need is Python's)
    /// that must match all of one. BadInput where the key is there already, is no expression, or
    /// the layout is of another mesh.
    [[nodiscard]] Result<void> insert(std::string key, const TensorLayout& layout);
    /// Of this map's mesh: `insert("dense/kernel", {std::nullopt, "model"})`. BadInput also as
    /// TensorLayout::make().
    [[nodiscard]] Result<void> insert(std::string key, TensorLayout::Axes axes);

    /// Of a path that is a key the key's layout, else that of the one key which matches it; nothing
    /// where none does. BadInput where several do.
    [[nodiscard]] Result<std::optional<TensorLayout>> find(const std::string& path) const;
    /// The keys that find() uses for none of these paths, sorted.
    [[nodiscard]] std::vector<std::string> unmatched(const std::vector<std::string>& paths) const;

    [[nodiscard]] const DeviceMesh& deviceMesh() const { return mesh_; }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    /// A line an entry, in their order: "dense/kernel: (None, 'model')".
    [[nodiscard]] std::string text() const;

private:
    struct Entry {
        std::string key;
        std::regex expression;
        TensorLayout layout;
    };
    /// All that mean the path: one, none, or those that contradict each other.
    [[nodiscard]] std::vector<const Entry*> entriesFor(const std::string& path) const;

    DeviceMesh mesh_;
    std::vector<Entry> entries_;
};

}  // namespace lockstep::distribution
