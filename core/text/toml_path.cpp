// SPDX-License-Identifier: Apache-2.0
#include "core/text/toml_path.h"

#include <algorithm>

#include "core/base/text.h"

namespace lockstep::config {

const TomlValue* valueAt(const TomlValue& root, const TomlPath& path) {
    const TomlValue* value = &root;
    for (const auto& step : path) {
        if (const std::string* key = std::get_if<std::string>(&step)) {
            value = value->find(*key);
            if (value == nullptr) return nullptr;
            continue;
        }
        const std::size_t index = std::get<std::size_t>(step);
        if (index >= value->elements.size()) return nullptr;
        value = &value->elements[index];
    }
    return value;
}

TomlValue* valueAt(TomlValue& root, const TomlPath& path) {
    // The value is the caller's own, which is not constant.
    return const_cast<TomlValue*>(valueAt(static_cast<const TomlValue&>(root), path));
}

std::string toString(const TomlPath& path) {
    std::string text;
    for (const auto& step : path) {
        if (const std::string* key = std::get_if<std::string>(&step))
            text += (text.empty() ? "" : ".") + sanitizeLine(*key, 60);
        else
            text += "[" + std::to_string(std::get<std::size_t>(step)) + "]";
    }
    return text;
}

TomlPath operator/(TomlPath path, std::string key) {
    path.emplace_back(std::move(key));
    return path;
}

TomlPath operator/(TomlPath path, std::size_t index) {
    path.emplace_back(index);
    return path;
}

TomlPath parentOf(TomlPath path) {
    if (!path.empty()) path.pop_back();
    return path;
}

std::size_t indexOf(const TomlPath& path) {
    const auto* index = path.empty() ? nullptr : std::get_if<std::size_t>(&path.back());
    return index == nullptr ? 0 : *index;
}

bool isWithin(const TomlPath& path, const TomlPath& above) {
    return path.size() >= above.size() && std::equal(above.begin(), above.end(), path.begin());
}

}  // namespace lockstep::config
