// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/missed_records.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/plural.h"
#include "core/base/record_clock.h"
#include "core/coordination/state/outbox.h"

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
    counts_[kindOf(record)] += weightOf(record);
}

std::vector<wire::Record> MissedRecords::due(Nanos now, bool isLast) const {
    std::vector<wire::Record> words;
    if (now < nextWord_ && !isLast) return words;
    for (const auto& [kind, count] : counts_) {
        const auto& [process, noun] = kind;
        wire::Record record;
        record.set_wall_time(recordSeconds());
        wire::LogLine& line = *record.mutable_log();
        line.set_role(process.role);
        line.set_process_id(process.id);
        line.set_level(static_cast<std::uint32_t>(LogLevel::Warning));
        const char* sentence = count == 1 ? "{} of {} was not journalled: too many came at once"
                                          : "{} of {} were not journalled: too many came at once";
        line.set_text(fmt::format(fmt::runtime(sentence), counted(count, noun), nameOf(process)) +
                      (noun == kLine ? "; see its file in logs/" : ""));
        words.push_back(std::move(record));
    }
    return words;
}

void MissedRecords::told(Nanos now) {
    counts_.clear();
    nextWord_ = now + kInterval;
}

}  // namespace lockstep::coordination
