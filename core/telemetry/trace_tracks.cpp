// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace_tracks.h"

#include <fmt/format.h>

#include <cmath>

namespace lockstep::telemetry {

namespace {

// A viewer takes processes of one number for the same one, and those of hosts may have equal ones:
// they are numbered by what they are in the run.
constexpr std::int32_t kFirstWorker = 1;
constexpr std::int32_t kFirstEvaluator = 1'000'001;
constexpr std::int32_t kFirstAgent = 1'100'001;
constexpr std::int32_t kStranger = 1'200'001;
constexpr std::int64_t kFirstThread = 2'000'001;
constexpr std::uint32_t kMostProcesses = 99'999;
constexpr double kLeastToldOffset = 1e-3;

std::int32_t pidOf(const ProcessName& process) {
    if (process.second > kMostProcesses) return kStranger;
    const auto id = static_cast<std::int32_t>(process.second);
    if (process.first == wire::ROLE_EVALUATOR) return kFirstEvaluator + id;
    return process.first == wire::ROLE_AGENT ? kFirstAgent + id : kFirstWorker + id;
}

const char* wordOf(wire::Role role) {
    if (role == wire::ROLE_EVALUATOR) return "evaluator";
    return role == wire::ROLE_AGENT ? "agent" : "process";
}

}  // namespace

TraceTrack& TraceTracks::run(const std::string& name) {
    if (run_.uuid == 0)
        run_ = packets_.addTrack({}, name.empty() ? "run" : fmt::format("run {}", name), 0);
    return run_;
}

TraceTrack& TraceTracks::ofRun(const std::string& name, int rank) {
    TraceTrack& track = ofRun_[name];
    if (track.uuid == 0) track = packets_.addTrack(run(), name, rank);
    return track;
}

std::string TraceTracks::titleOf(const ProcessName& process) const {
    if (process.second == RunRoster::kUnknown) return "a process that nothing names";
    std::string title = fmt::format("{} {}", wordOf(process.first), process.second);
    const std::string& host = roster_.process(process).host;
    if (!host.empty()) title += fmt::format(" ({})", host);
    const double offset = clocks_.lastOffset(process);
    if (std::abs(offset) >= kLeastToldOffset)
        title += fmt::format(", its clock {:+.3f} s", -offset);
    return title;
}

TraceTrack& TraceTracks::process(const ProcessName& name) {
    TraceTrack& track = processes_[name];
    if (track.uuid == 0) track = packets_.addProcess(pidOf(name), titleOf(name), pidOf(name));
    return track;
}

TraceTrack& TraceTracks::ofProcess(const ProcessName& of, const std::string& name) {
    TraceTrack& track = ofProcesses_[{of, name}];
    if (track.uuid == 0) track = packets_.addTrack(process(of), name, 1);
    return track;
}

TraceTrack& TraceTracks::replica(std::uint32_t replica) {
    const ProcessName of = roster_.processOf(replica);
    TraceTrack& track = replicas_[{replica, of}];
    if (track.uuid == 0) {
        std::ignore = process(of);
        track = packets_.addThread(pidOf(of), kFirstThread + replica,
                                   fmt::format("replica {}", replica));
    }
    return track;
}

TraceTrack& TraceTracks::counterOfRun(const std::string& name, const std::string& unit) {
    TraceTrack& track = countersOfRun_[name];
    if (track.uuid == 0) track = packets_.addCounter(run(), name, unit);
    return track;
}

TraceTrack& TraceTracks::counter(const ProcessName& of, const std::string& name,
                                 const std::string& unit) {
    TraceTrack& track = counters_[{of, name}];
    if (track.uuid == 0) track = packets_.addCounter(process(of), name, unit);
    return track;
}

}  // namespace lockstep::telemetry
