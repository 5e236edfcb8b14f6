// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/start_ledger.h"

#include <algorithm>

#include "core/coordination/state/lost_agent.h"
#include "core/telemetry/journal.h"

namespace lockstep::job {

namespace {

std::int64_t lastStepOf(const wire::StepBatch& batch) {
    return static_cast<std::int64_t>(batch.first_step()) + batch.loss_size() - 1;
}

}  // namespace

void StartLedger::take(std::uint64_t offset, const std::string& frames) {
    if (offset + frames.size() <= from_) return;
    telemetry::FrameCursor cursor(frames, offset);
    while (const auto bytes = cursor.next()) {
        wire::Record record;
        if (cursor.offset() <= from_ ||
            !record.ParseFromArray(bytes->data(), static_cast<int>(bytes->size())))
            continue;
        if (record.has_run_info()) trained_ = true;
        if (record.has_run_info() && !record.run_info().device().empty())
            device_ = record.run_info().device();
        if (record.has_steps()) trainedTo_ = std::max(trainedTo_, lastStepOf(record.steps()));
        if (record.has_checkpoint_copy() && record.checkpoint_copy().error().empty())
            copy_ = record.checkpoint_copy();
        if (record.has_failure()) newest_ = record.failure();
        const bool again =
            record.has_run_state() && record.run_state().state() == wire::RUN_STATE_RESTARTING;
        if (!again || !newest_) continue;  // several records tell of one and the same beginning
        failures_.push_back(std::move(*newest_));
        newest_.reset();
        trained_ = false;
    }
}

std::optional<wire::Failure> StartLedger::lostAgent() const {
    return newest_ && newest_->cause() == coordination::kLostAgent ? newest_ : std::nullopt;
}

std::vector<wire::Failure> StartLedger::takeFailures() {
    newest_.reset();
    return std::exchange(failures_, {});
}

}  // namespace lockstep::job
