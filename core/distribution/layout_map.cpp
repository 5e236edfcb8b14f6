// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/layout_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::distribution {

Result<void> LayoutMap::insert(std::string key, const TensorLayout& layout) {
    for (const Entry& entry : entries_)
        if (entry.key == key)
            return fail(ErrorCode::BadInput,
                        fmt::format("{} already exist in the LayoutMap with value {}. Please make "
                                    "sure to not use duplicated keys.",
                                    key, entry.layout.text()));
    if (layout.mesh() != mesh_)
        return fail(ErrorCode::BadInput,
                    fmt::format("the layout of '{}' is of another mesh than the LayoutMap",
                                sanitizeLine(key, 80)),
                    "Make both with the same DeviceMesh.");
    try {
        entries_.push_back({key, std::regex(key), layout});
    } catch (const std::regex_error&) {
        return fail(ErrorCode::BadInput,
                    fmt::format("LayoutMap: '{}' is no regular expression", sanitizeLine(key, 80)),
                    "A point stands for any sign, .* for any number of them: \".*/kernel\".");
    }
    return {};
}

Result<void> LayoutMap::insert(std::string key, TensorLayout::Axes axes) {
    const TensorLayout layout = TRY(TensorLayout::make(std::move(axes), mesh_));
    return insert(std::move(key), layout);
}

std::vector<const LayoutMap::Entry*> LayoutMap::entriesFor(const std::string& path) const {
    const auto written = std::ranges::find(entries_, path, &Entry::key);
    if (written != entries_.end()) return {&*written};
    std::vector<const Entry*> matching;
    for (const Entry& entry : entries_)
        if (std::regex_match(path, entry.expression)) matching.push_back(&entry);
    return matching;
}

Result<std::optional<TensorLayout>> LayoutMap::find(const std::string& path) const {
    const auto matching = entriesFor(path);
    if (matching.empty()) return std::nullopt;
    if (matching.size() == 1) return matching.front()->layout;
    std::string keys;
    for (const Entry* entry : matching)
        keys += fmt::format("{}'{}'", keys.empty() ? "" : ", ", entry->key);
    return fail(
        ErrorCode::BadInput,
        fmt::format("Path '{}' matches multiple layout specification keys: [{}]. Please make sure "
                    "each tensor/variable path only matches at most one layout specification key "
                    "in the LayoutMap.",
                    path, keys));
}

std::vector<std::string> LayoutMap::unmatched(const std::vector<std::string>& paths) const {
    std::vector<std::string> keys;
    for (const Entry& entry : entries_)
        keys.push_back(entry.key);
    for (const std::string& path : paths)
        for (const Entry* used : entriesFor(path))
            std::erase(keys, used->key);
    std::ranges::sort(keys);
    return keys;
}

std::string LayoutMap::text() const {
    std::string lines;
    for (const Entry& entry : entries_)
        lines += fmt::format("{}: {}\n", entry.key, entry.layout.text());
    return lines;
}

}  // namespace lockstep::distribution
