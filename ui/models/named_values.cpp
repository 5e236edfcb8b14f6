// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/named_values.h"

namespace lockstep::ui {

void NamedValues::clear() {
    names_.clear();
    figures_.clear();
    stepsBefore_.clear();
}

void NamedValues::forgetValues() {
    for (auto& [name, figure] : figures_)
        figure.said.clear();
    stepsBefore_.clear();
}

void NamedValues::setStarts(const std::vector<std::int64_t>& stepsBefore) {
    if (stepsBefore == stepsBefore_) return;
    stepsBefore_ = stepsBefore;
    const auto isUndone = [this](const Said& said) {
        for (std::size_t later = std::size_t(said.start + 1); later < stepsBefore_.size(); ++later)
            if (said.step > stepsBefore_[later]) return true;
        return false;
    };
    for (auto& [name, figure] : figures_)
        std::erase_if(figure.said, [&](const auto& entry) { return isUndone(entry.second); });
}

void NamedValues::add(const std::vector<job::ScalarColumns>& scalars) {
    for (const job::ScalarColumns& columns : scalars) {
        if (columns.replica < 0 || columns.values.empty()) continue;
        auto figure = figures_.find(columns.name);
        if (figure == figures_.end()) {
            if (figures_.size() >= kMostNames) continue;
            figure = figures_.emplace(columns.name, Figure{}).first;
            names_.push_back(columns.name);
        }
        figure->second.unit = columns.unit;
        figure->second.said[columns.replica] = {columns.start, columns.steps.back(),
                                                columns.values.back()};
    }
}

std::string NamedValues::unitOf(const std::string& name) const {
    const auto figure = figures_.find(name);
    return figure == figures_.end() ? std::string() : figure->second.unit;
}

const double* NamedValues::find(const std::string& name, int replica) const {
    const auto figure = figures_.find(name);
    if (figure == figures_.end()) return nullptr;
    const auto said = figure->second.said.find(replica);
    return said == figure->second.said.end() ? nullptr : &said->second.value;
}

}  // namespace lockstep::ui
