// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/drill_words.h"

#include <algorithm>
#include <array>
#include <vector>

namespace lockstep::coordination {

namespace {

struct Entry {
    wire::DrillKind kind;
    std::string_view word;
    bool hasLength;
    /// One of them is in what the run says when it knows what it is.
    std::vector<std::string_view> signs;
};

const std::vector<Entry>& entries() {
    static const std::vector<Entry> kEntries{
        {wire::DRILL_KIND_KILL, "kill", false, {"signal 9"}},
        {wire::DRILL_KIND_STOP, "stop", true, {"heartbeat", "stands still", "reported nothing"}},
        {wire::DRILL_KIND_STUCK,
         "stuck",
         true,
         {"been in ", "not moved", "stands still", "is stuck"}},
        {wire::DRILL_KIND_SLOW, "slow", true, {"costs the others", "cost the others"}},
        {wire::DRILL_KIND_NAN, "nan", false, {"not a number", "the loss became"}},
        {wire::DRILL_KIND_BIT_FLIP, "bit-flip", false, {"weights changed", "other weights"}},
        {wire::DRILL_KIND_TORN_CHECKPOINT, "torn-checkpoint", false, {"damaged checkpoint"}},
        {wire::DRILL_KIND_CUT, "cut", false, {"connection", "unreachable", "cut off", "not reach"}},
        {wire::DRILL_KIND_DISK_FULL, "disk-full", true, {"File too large", "No space left"}},
    };
    return kEntries;
}

const Entry* find(wire::DrillKind kind) {
    const auto found = std::ranges::find(entries(), kind, &Entry::kind);
    return found == entries().end() ? nullptr : &*found;
}

}  // namespace

std::string_view wordOf(wire::DrillKind kind) {
    const Entry* entry = find(kind);
    return entry == nullptr ? std::string_view() : entry->word;
}

std::optional<wire::DrillKind> drillKindOf(std::string_view word) {
    const auto found = std::ranges::find(entries(), word, &Entry::word);
    if (found == entries().end()) return std::nullopt;
    return found->kind;
}

bool hasLength(wire::DrillKind kind) {
    const Entry* entry = find(kind);
    return entry != nullptr && entry->hasLength;
}

bool namesKind(wire::DrillKind kind, std::string_view sentence) {
    const Entry* entry = find(kind);
    return entry != nullptr && std::ranges::any_of(entry->signs, [&](std::string_view sign) {
               return sentence.find(sign) != std::string_view::npos;
           });
}

}  // namespace lockstep::coordination
