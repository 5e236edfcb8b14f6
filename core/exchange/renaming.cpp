// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/renaming.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace lockstep::exchange {

namespace {

/// Counts, for each beginning that ends at a point, the names of `longer` that are one of `shorter`
/// behind it.
std::map<std::string, int> beginningsOf(const std::vector<std::string>& longer,
                                        const std::vector<std::string>& shorter) {
    const std::set<std::string, std::less<>> names(shorter.begin(), shorter.end());
    std::map<std::string, int> counts;
    for (const std::string& name : longer)
        for (std::size_t point = name.find('.'); point != std::string::npos;
             point = name.find('.', point + 1))
            if (names.contains(std::string_view(name).substr(point + 1)))
                ++counts[name.substr(0, point + 1)];
    return counts;
}

}  // namespace

const Rename* renameOf(const Renames& renames, const std::string& theirs) {
    const Rename* longest = nullptr;
    for (const Rename& one : renames)
        if (theirs.starts_with(one.first) &&
            (longest == nullptr || one.first.size() > longest->first.size()))
            longest = &one;
    return longest;
}

std::string renamed(const Renames& renames, const std::string& theirs) {
    const Rename* one = renameOf(renames, theirs);
    return one == nullptr ? theirs : one->second + theirs.substr(one->first.size());
}

Renames withRename(Renames renames, const Rename& one, const std::vector<std::string>& theirs) {
    std::erase_if(renames, [&one](const Rename& other) { return other.first == one.first; });
    renames.push_back(one);
    std::set<std::string> used;
    for (const std::string& name : theirs)
        if (const Rename* its = renameOf(renames, name)) used.insert(its->first);
    std::erase_if(renames, [&used](const Rename& other) { return !used.contains(other.first); });
    return renames;
}

Renames likelyRenames(const std::vector<std::string>& besides,
                      const std::vector<std::string>& missing) {
    std::vector<std::pair<int, Rename>> counted;
    for (const auto& [beginning, count] : beginningsOf(besides, missing))
        counted.push_back({count, {beginning, ""}});
    for (const auto& [beginning, count] : beginningsOf(missing, besides))
        counted.push_back({count, {"", beginning}});
    std::ranges::stable_sort(counted, std::greater<>(), &std::pair<int, Rename>::first);
    Renames renames;
    for (auto& [count, one] : counted)
        renames.push_back(std::move(one));
    return renames;
}

}  // namespace lockstep::exchange
