// SPDX-License-Identifier: Apache-2.0
#include "core/run/check/journal_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/try.h"
#include "core/coordination/exchange/copy_account.h"
#include "core/telemetry/journal_repair.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20;
constexpr std::size_t kGapsTold = 8;
constexpr std::uint32_t kMostReplicas = 65536;  ///< Whatever a damaged record says.

/// The steps that each replica has told since the newest start. Within a start they come in order.
class StepCount {
public:
    explicit StepCount(JournalAccount& account) : account_(account) {}

    void take(const wire::Record& record) {
        if (record.has_run_info() && !record.run_info().amends()) begin(record.run_info());
        if (record.has_epoch()) epochEnd_ = std::max(epochEnd_, record.epoch().step());
        if (record.has_steps()) take(record.steps());
    }

    /// Of a start: what its last epoch had trained, all replicas have done.
    void close() {
        for (auto& [replica, next] : told_)
            if (next <= epochEnd_) addGap(replica, next, epochEnd_ + 1);
        told_.clear();
        epochEnd_ = 0;
    }

private:
    void begin(const wire::RunInfo& start) {
        close();
        first_ = start.first_step() + 1;
        for (std::uint32_t replica = 0; replica < std::min(start.replica_count(), kMostReplicas);
             ++replica)
            told_[replica] = first_;
    }

    void take(const wire::StepBatch& batch) {
        const std::uint64_t begin = batch.first_step();
        const std::uint64_t end = begin + static_cast<std::uint64_t>(batch.loss_size());
        std::uint64_t& next = told_.try_emplace(batch.replica(), first_).first->second;
        if (begin > next) addGap(batch.replica(), next, begin);
        account_.steps += end - std::min(end, std::max(begin, next));
        next = std::max(next, end);
    }

    void addGap(std::uint32_t replica, std::uint64_t begin, std::uint64_t end) {
        account_.missingSteps += end - begin;
        if (account_.gaps.size() < kGapsTold)
            account_.gaps.push_back(
                end - begin == 1
                    ? fmt::format("replica {}: step {}", replica, begin)
                    : fmt::format("replica {}: steps {} to {}", replica, begin, end - 1));
    }

    JournalAccount& account_;
    std::map<std::uint32_t, std::uint64_t> told_;  ///< The step that each replica tells next.
    std::uint64_t first_ = 1;
    std::uint64_t epochEnd_ = 0;
};

}  // namespace

Result<JournalAccount> accountOf(const std::filesystem::path& journal) {
    const auto reader = TRY(telemetry::JournalReader::open(journal));
    JournalAccount account;
    StepCount steps(account);
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
            steps.take(record);
            if (record.has_checkpoint()) copies.note(record.checkpoint());
            if (record.has_checkpoint_copy()) copies.note(record.checkpoint_copy());
        }
        account.check.damage.add(cursor.damage());
        account.check.end = cursor.offset();
    }
    steps.close();
    account.copies = copies.tally();
    account.bytes = TRY(reader.size());
    account.check.torn = account.bytes - std::min(account.bytes, account.check.end);
    return account;
}

}  // namespace lockstep::run
