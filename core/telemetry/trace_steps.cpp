// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace_steps.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lockstep::telemetry {

namespace {

std::span<const float> spanOf(const google::protobuf::RepeatedField<float>& column) {
    return {column.data(), static_cast<std::size_t>(column.size())};
}

}  // namespace

void RunRoster::take(const wire::ReplicaInfo& info) {
    const ProcessName name{info.role(), info.process_id()};
    processes_[name] = {info.incarnation(), info.host()};
    if (info.role() == wire::ROLE_WORKER) processOfReplica_[info.replica()] = name;
}

ProcessName RunRoster::processOf(std::uint32_t replica) const {
    const auto known = processOfReplica_.find(replica);
    return known == processOfReplica_.end() ? ProcessName{wire::ROLE_WORKER, kUnknown}
                                            : known->second;
}

const RunRoster::Process& RunRoster::process(const ProcessName& name) const {
    static const Process unknown;
    const auto known = processes_.find(name);
    return known == processes_.end() ? unknown : known->second;
}

std::int64_t timeOn(const ClockBook& clocks, const RunRoster& roster, const ProcessName& process,
                    double seconds) {
    return nanosecondsOf(seconds) +
           std::llround(1e9 *
                        clocks.offsetAt(process, roster.process(process).incarnation, seconds));
}

void placeSteps(const wire::StepBatch& batch, const ClockBook& clocks, const RunRoster& roster,
                const std::function<void(const PlacedStep&)>& use) {
    const StepTimes times{
        .firstStep = batch.first_step(),
        .firstEnd =
            timeOn(clocks, roster, roster.processOf(batch.replica()), batch.first_end_wall_time()),
        .taken = spanOf(batch.step_us()),
        .phases = {spanOf(batch.data_us()), spanOf(batch.forward_us()), spanOf(batch.backward_us()),
                   spanOf(batch.all_reduce_us()), spanOf(batch.update_us())}};
    placeSteps(times, [&](PlacedStep placed) {
        const int i = static_cast<int>(placed.step - batch.first_step());
        placed.loss = i < batch.loss_size() ? batch.loss(i) : 0;
        placed.hasLoss =
            i < batch.loss_size() && std::isfinite(placed.loss) &&
            !std::ranges::binary_search(batch.without_samples(), static_cast<std::uint32_t>(i));
        use(placed);
    });
}

}  // namespace lockstep::telemetry
