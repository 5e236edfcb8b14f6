// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/named_values.h"

#include <algorithm>
#include <limits>

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
    for (auto& [name, figure] : figures_)
        std::erase_if(figure.said, [this](const auto& entry) {
            return entry.second.step > lastThatCounts(entry.second.start);
        });
}

/// No later start went on behind an earlier step.
std::int64_t NamedValues::lastThatCounts(int start) const {
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
    for (std::size_t later = std::size_t(start + 1); later < stepsBefore_.size(); ++later)
        last = std::min(last, stepsBefore_[later]);
    return last;
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
        // A history comes when its starts are known: what is undone in it must not count, either.
        const std::int64_t last = lastThatCounts(columns.start);
        const auto newest = std::find_if(columns.steps.rbegin(), columns.steps.rend(),
                                         [last](std::int64_t step) { return step <= last; });
        if (newest == columns.steps.rend()) continue;
        const auto place = std::size_t(columns.steps.rend() - newest - 1);
        figure->second.said[columns.replica] = {columns.start, *newest, columns.values[place]};
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
