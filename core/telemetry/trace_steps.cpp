// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace_steps.h"

#include <algorithm>
#include <cmath>

namespace lockstep::telemetry {

namespace {

// A damaged journal may tell any time; sums of these fit into 64 bits of nanoseconds.
constexpr double kMostSeconds = 4e9;
constexpr double kMostStepSeconds = 1e5;

std::int64_t nanos(double seconds) {
    const double held = std::isfinite(seconds) ? std::clamp(seconds, 0.0, kMostSeconds) : 0.0;
    return std::llround(held * 1e9);
}

/// Of a duration in microseconds.
std::int64_t duration(const google::protobuf::RepeatedField<float>& column, int index) {
    const double value = index < column.size() ? double{column.Get(index)} : 0;
    return nanos(std::min(value * 1e-6, kMostStepSeconds));
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
    return nanos(seconds) +
           std::llround(1e9 *
                        clocks.offsetAt(process, roster.process(process).incarnation, seconds));
}

void placeSteps(const wire::StepBatch& batch, const ClockBook& clocks, const RunRoster& roster,
                const std::function<void(const PlacedStep&)>& use) {
    const std::array columns{&batch.data_us(), &batch.forward_us(), &batch.backward_us(),
                             &batch.all_reduce_us(), &batch.update_us()};
    const ProcessName process = roster.processOf(batch.replica());
    std::int64_t end = timeOn(clocks, roster, process, batch.first_end_wall_time());
    PlacedStep placed;
    for (int i = 0; i < batch.step_us_size(); ++i) {
        const std::int64_t taken = duration(batch.step_us(), i);
        if (i > 0) end += taken;
        placed.step = batch.first_step() + static_cast<std::uint64_t>(i);
        placed.begin = end - taken;
        placed.end = end;
        std::int64_t mark = placed.begin;
        for (std::size_t phase = 0; phase < columns.size(); ++phase) {
            mark = std::min(mark + duration(*columns[phase], i), end);
            placed.phaseEnds[phase] = mark;
        }
        placed.hasPhases = mark > placed.begin;
        placed.loss = i < batch.loss_size() ? batch.loss(i) : 0;
        placed.hasLoss =
            i < batch.loss_size() && std::isfinite(placed.loss) &&
            !std::ranges::binary_search(batch.without_samples(), static_cast<std::uint32_t>(i));
        use(placed);
    }
}

}  // namespace lockstep::telemetry
