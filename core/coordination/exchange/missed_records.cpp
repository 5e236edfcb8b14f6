// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/missed_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/plural.h"
#include "core/base/record_clock.h"
#include "core/coordination/state/outbox.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kInterval = 1s;
constexpr const char* kLine = "log line";

template <typename Message>
ProcessKey processIn(const Message& message) {
    return {message.role(), message.process_id()};
}

/// Whose it is, and what.
std::pair<ProcessKey, std::string> kindOf(const wire::Record& record) {
    if (record.has_log()) return {processIn(record.log()), kLine};
    if (record.has_heartbeat()) return {processIn(record.heartbeat()), "heartbeat"};
    if (record.has_figures()) return {processIn(record.figures()), "resource figure"};
    return {{wire::ROLE_AGENT, 0}, "record"};
}

/// How many it stands for: a process that says much at once has lines left out here already, of
/// which one line tells.
std::uint64_t weightOf(const wire::Record& record) {
    const std::string& text = record.log().text();
    std::uint64_t lines = 1;
    if (text.starts_with('(') && text.find(" left out here") != std::string::npos)
        std::from_chars(text.data() + 1, text.data() + text.size(), lines);
    return lines;
}

}  // namespace

void MissedRecords::note(const wire::Record& record) {
    if (record.log().unfinished()) return;
    const std::size_t bytes = record.ByteSizeLong();
    auto [process, noun] = kindOf(record);
    Missed& missed = missed_[{process, std::move(noun), bytes > wire::kMaxRecordBytes}];
    missed.count += weightOf(record);
    missed.mostBytes = std::max(missed.mostBytes, bytes);
}

void MissedRecords::tell(Nanos now, const std::function<bool(const wire::Record&)>& append,
                         bool isLast) {
    if (missed_.empty() || (now < nextWord_ && !isLast)) return;
    nextWord_ = now + kInterval;
    while (!missed_.empty()) {
        const auto first = missed_.begin();
        if (!append(lineOf(first->first, first->second))) return;
        missed_.erase(first);
    }
}

wire::Record MissedRecords::lineOf(const Kind& kind, const Missed& missed) {
    wire::Record record;
    record.set_wall_time(recordSeconds());
    wire::LogLine& line = *record.mutable_log();
    line.set_role(kind.process.role);
    line.set_process_id(kind.process.id);
    line.set_level(static_cast<std::uint32_t>(LogLevel::Warning));
    const std::string what = counted(missed.count, kind.noun);
    const std::string whose = nameOf(kind.process);
    const bool isOne = missed.count == 1;
    std::string text = isOne ? fmt::format("{} of {} was not journalled: ", what, whose)
                             : fmt::format("{} of {} were not journalled: ", what, whose);
    if (kind.isTooLarge)
        text += fmt::format("too large ({} bytes, a record has {} at most)", missed.mostBytes,
                            wire::kMaxRecordBytes);
    else
        text += "too many came at once";
    if (kind.noun == kLine) text += "; see its file in logs/";
    line.set_text(std::move(text));
    return record;
}

}  // namespace lockstep::coordination
