// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/job/finding.h"
#include "core/config/keys/key_places.h"

namespace lockstep::config {

/// Collects lint's findings and gives them their places.
class Report {
public:
    explicit Report(const KeyPlaces& places) : places_(places) {}

    [[nodiscard]] bool isWritten(std::string_view key) const { return places_.contains(key); }
    /// Absent counts as usable: the default is.
    [[nodiscard]] bool isUsable(std::string_view key) const {
        const auto place = places_.find(key);
        return place == places_.end() || place->second.usable;
    }

    void error(const std::string& key, std::string message, std::string remedy) {
        add(Severity::Error, key, key, std::move(message), std::move(remedy));
    }
    void warning(const std::string& key, std::string message, std::string remedy) {
        add(Severity::Warning, key, key, std::move(message), std::move(remedy));
    }
    /// About a key that is missing from `parent`, whose place it gets.
    void errorNear(std::string key, const std::string& parent, std::string message,
                   std::string remedy) {
        add(Severity::Error, std::move(key), parent, std::move(message), std::move(remedy));
    }

    void add(Severity severity, const std::string& key, std::string message, std::string remedy) {
        add(severity, key, key, std::move(message), std::move(remedy));
    }

    [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

private:
    void add(Severity severity, std::string key, std::string_view placeKey, std::string message,
             std::string remedy) {
        // An element written in one string with the others has the place of that string.
        auto place = places_.find(placeKey);
        if (place == places_.end()) place = places_.find(placeKey.substr(0, placeKey.find('[')));
        const bool known = place != places_.end();
        findings_.push_back({severity,
                             std::move(key),
                             known ? place->second.line : 0,
                             known ? place->second.column : 0,
                             std::move(message),
                             std::move(remedy),
                             {}});
    }

    const KeyPlaces& places_;
    std::vector<Finding> findings_;
};

}  // namespace lockstep::config
