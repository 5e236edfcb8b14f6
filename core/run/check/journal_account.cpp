// SPDX-License-Identifier: Apache-2.0
#include "core/run/check/journal_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/try.h"
#include "core/coordination/exchange/copy_account.h"
#include "core/telemetry/journal_repair.h"
#include "core/telemetry/step_gaps.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20;
constexpr std::size_t kGapsTold = 8;

void addGaps(const std::vector<telemetry::StepGap>& gaps, JournalAccount& account) {
    for (const telemetry::StepGap& gap : gaps) {
        account.missingSteps += gap.last - gap.first + 1;
        if (account.gaps.size() == kGapsTold) continue;
        account.gaps.push_back(
            gap.first == gap.last
                ? fmt::format("replica {}: step {}", gap.replica, gap.first)
                : fmt::format("replica {}: steps {} to {}", gap.replica, gap.first, gap.last));
    }
}

}  // namespace

Result<JournalAccount> accountOf(const std::filesystem::path& journal) {
    const auto reader = TRY(telemetry::JournalReader::open(journal));
    JournalAccount account;
    telemetry::StepGaps steps;
    coordination::CopyAccount copies;
    wire::Record record;
    for (;;) {
        const auto frames = TRY(reader.read(account.check.end, kBytesAtOnce));
        if (frames.empty()) break;
        telemetry::FrameCursor cursor(frames, account.check.end);
        while (const auto bytes = cursor.next()) {
            if (telemetry::isFiller(*bytes)) {
                account.mendedBytes += telemetry::kFrameHeaderBytes + bytes->size();
                continue;
            }
            ++account.records;
            if (!record.ParseFromArray(bytes->data(), static_cast<int>(bytes->size()))) continue;
            addGaps(steps.take(record), account);
            if (record.has_checkpoint()) copies.note(record.checkpoint());
            if (record.has_checkpoint_copy()) copies.note(record.checkpoint_copy());
        }
        account.check.damage.add(cursor.damage());
        account.check.end = cursor.offset();
    }
    addGaps(steps.close(), account);
    account.steps = steps.told();
    account.copies = copies.tally();
    account.bytes = TRY(reader.size());
    account.check.torn = account.bytes - std::min(account.bytes, account.check.end);
    return account;
}

}  // namespace lockstep::run
