// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/scalar_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <utility>

#include "core/base/text.h"
#include "core/wire/codec.h"

namespace lockstep::telemetry {

namespace {

constexpr int kMostValuesARecord = 8192;  // 20 bytes each: well below a record's 256 KiB
constexpr std::size_t kShownNameBytes = 60;
constexpr std::size_t kMostNamesCounted = 10'000;  ///< Of those that are refused.

std::string cleaned(std::string_view text) {
    return sanitizeLine(wire::validUtf8(text));
}

}  // namespace

ScalarRecorder::Added ScalarRecorder::add(std::string_view name, std::uint64_t step,
                                          double wallTime, double value, std::string_view unit) {
    if (name.empty()) return refuse(NoName, name);
    if (name.size() > kMaxSeriesNameBytes) return refuse(LongName, name);
    if (step > kMaxScalarStep) return refuse(FarStep, name);
    if (waitingCount_ >= kMostWaiting) return Added::Full;
    const std::uint32_t id = idOf(name, unit);
    if (id == 0) return refuse(TooManyNames, name);
    waiting_[id].push_back({step, wallTime, value});
    ++waitingCount_;
    return Added::Yes;
}

/// 0 when there are too many.
std::uint32_t ScalarRecorder::idOf(std::string_view name, std::string_view unit) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    if (ids_.size() >= kMaxSeries) return 0;
    const auto id = static_cast<std::uint32_t>(ids_.size() + 1);
    ids_.emplace(name, id);
    wire::Record record;
    wire::ScalarSeries& series = *record.mutable_scalar_series();
    series.set_id(id);
    series.set_role(role_);
    series.set_replica(replica_);
    series.set_name(cleaned(name));
    series.set_unit(sanitizeLine(wire::validUtf8(unit), kMaxSeriesUnitBytes));
    unregistered_.push_back(std::move(record));
    return id;
}

ScalarRecorder::Added ScalarRecorder::refuse(Reason reason, std::string_view name) {
    ++refused_;
    if (refusedNames_.size() < kMostNamesCounted)
        refusedNames_.insert(std::hash<std::string_view>{}(name));
    if (std::exchange(complained_[reason], true)) return Added::Refused;
    const std::string shown = cleaned(name.substr(0, kShownNameBytes));
    switch (reason) {
        case NoName:
            complaints_.emplace_back("a figure without a name is left out");
            break;
        case LongName:
            complaints_.push_back(
                fmt::format("figures with a name of more than {} bytes are left "
                            "out: {}…",
                            kMaxSeriesNameBytes, shown));
            break;
        case TooManyNames:
            complaints_.push_back(fmt::format("figures beyond the first {} names are left out: {}",
                                              kMaxSeries, shown));
            break;
        case FarStep:
        case ReasonCount:
            complaints_.push_back(
                fmt::format("figures of steps that no run has are left out: {}", shown));
            break;
    }
    return Added::Refused;
}

void ScalarRecorder::take(std::vector<wire::Record>& records) {
    std::ranges::move(unregistered_, std::back_inserter(records));
    unregistered_.clear();
    takeValues(records);
}

void ScalarRecorder::takeValues(std::vector<wire::Record>& records) {
    int room = 0;
    for (auto& [id, values] : waiting_) {
        std::span<const Value> rest = values;
        while (!rest.empty()) {
            if (room == 0) {
                wire::ScalarBatch& batch = *records.emplace_back().mutable_scalars();
                batch.set_role(role_);
                batch.set_replica(replica_);
                room = kMostValuesARecord;
            }
            const auto part = rest.first(std::min(rest.size(), static_cast<std::size_t>(room)));
            wire::ScalarColumn& column = *records.back().mutable_scalars()->add_columns();
            column.set_id(id);
            column.set_first_wall_time(part.front().wallTime);
            for (const Value& value : part) {
                column.add_steps(value.step);
                column.add_after_seconds(
                    static_cast<float>(value.wallTime - part.front().wallTime));
                column.add_values(value.value);
            }
            rest = rest.subspan(part.size());
            room -= static_cast<int>(part.size());
        }
    }
    waiting_.clear();
    waitingCount_ = 0;
}

std::vector<std::string> ScalarRecorder::takeComplaints() {
    return std::exchange(complaints_, {});
}

std::string ScalarRecorder::refusedInAll() const {
    const std::size_t names = refusedNames_.size();
    if (refused_ <= static_cast<std::uint64_t>(std::ranges::count(complained_, true))) return {};
    if (names < kMostNamesCounted)
        return fmt::format("{} values of figures were left out in all (different names: {})",
                           refused_, names);
    return fmt::format("{} values of figures were left out in all (different names: at least {})",
                       refused_, names);
}

}  // namespace lockstep::telemetry
