// SPDX-License-Identifier: Apache-2.0
// A run's view, and what has arrived of it, as lines of text: two that say the same are the same.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "core/job/fold/arrivals.h"

namespace lockstep::testsupport {

using Lines = std::vector<std::string>;

inline void addReplica(Lines& lines, const job::ReplicaView& r) {
    lines.push_back(fmt::format(
        "replica {} process {} role {} host {} {} pid {} device {} {} {} {} live {} '{}' phase {} "
        "age {} step {} loss {} accuracy {} ms {} phases {} resident {} cpu {} dropped {} gpu {}",
        r.replica, r.processId, int(r.role), r.host, r.address, r.pid, r.device, r.deviceName,
        r.deviceUuid, r.deviceBytes, int(r.liveness), r.isAccused, r.state, int(r.phase),
        r.heartbeatAgeSeconds, r.step, r.loss, r.accuracy, r.stepMilliseconds, r.phaseMicroseconds,
        r.residentBytes, r.cpuPercent, r.droppedSamples, r.gpu ? r.gpu->name : ""));
}

inline void addEvaluation(Lines& lines, const job::EvaluationView& e) {
    lines.push_back(fmt::format(
        "evaluation {} epoch {} {} loss {} accuracy {} classes {} per class {} confusion {} cells "
        "{} values {} texts {} samples {} took {} at {} error '{}'",
        e.step, e.epoch, e.split, e.loss, e.accuracy, e.classes, e.perClassAccuracy, e.confusion,
        e.cells.size(), e.values.size(), e.texts.size(), e.samples.size(), e.seconds, e.wallTime,
        e.error));
}

/// Without what tells how it was read: revision, connection, the moment that it is shown of.
inline Lines textOf(const job::RunView& v) {
    Lines lines;
    lines.push_back(fmt::format(
        "run {} {} {} state {} '{}' severity {} stuck {} {} generation {} step {} of {} from {} "
        "epochs {} x {} batch {} replicas {} alive {} {} {} samples/s {} eta {}",
        v.runId, v.name, v.runDir.string(), int(v.state), v.sentence, v.verdictSeverity,
        v.stuckEnd.wallTime, v.stuckEnd.restarts, v.generation, v.step, v.totalSteps, v.firstStep,
        v.epochs, v.stepsPerEpoch, v.globalBatchSize, v.replicaCount, v.replicasAlive, v.backend,
        v.device, v.samplesPerSecond, v.etaSeconds));
    lines.push_back(fmt::format("started {} ended {} ran {} exit {} '{}' '{}' missing '{}' {}",
                                v.startedWallTime, v.endedWallTime, v.ranSeconds, v.exitStatus,
                                v.error, v.remedy, v.missing, v.summaryJson));
    lines.push_back(v.jobToml);
    lines.push_back(fmt::format("classes {} {}x{}", v.classNames, v.imageWidth, v.imageHeight));
    for (const job::StartView& s : v.starts)
        lines.push_back(fmt::format("start {} {} {}", s.wallTime, s.firstStep, s.replicas));
    for (const job::ReplicaView& replica : v.replicas)
        addReplica(lines, replica);
    for (const job::EpochView& e : v.epochResults)
        lines.push_back(fmt::format("epoch {} {} {} {} {} {} {}", e.epoch, e.step, e.trainLoss,
                                    e.trainAccuracy, e.validationLoss.value_or(-1),
                                    e.validationAccuracy.value_or(-1), e.seconds));
    for (const job::CheckpointView& c : v.checkpoints)
        lines.push_back(fmt::format("checkpoint {} {} {} {} {} {} {} '{}' {}", c.step, c.epoch,
                                    c.path, c.bytes, c.stallSeconds, c.commitSeconds, c.wallTime,
                                    c.error, c.deleted));
    for (const auto& evaluation : v.evaluations)
        addEvaluation(lines, *evaluation);
    for (const job::FailureView& f : v.failures)
        lines.push_back(fmt::format("failure {} {} {} {} {} {} {}", f.processId, int(f.role),
                                    f.host, f.cause, f.step, f.detectedAfterSeconds, f.wallTime));
    lines.push_back(fmt::format("former failures {}", v.formerFailures));
    for (const job::NoticeView& n : v.notices)
        lines.push_back(
            fmt::format("notice {} {} {} {}", n.processId, int(n.role), n.sentence, n.wallTime));
    for (const job::DrillView& d : v.drills)
        lines.push_back(fmt::format("drill {} {} {} {}", d.order.id, int(d.phase), d.sentence,
                                    d.landedWallTime));
    for (const job::VerdictView& each : v.verdicts)
        lines.push_back(fmt::format("verdict {} {} {} {}", each.step, each.severity, each.processes,
                                    each.sentence));
    return lines;
}

/// Each step, value, beat and line in a line of its own, however they were put together.
inline Lines textOf(const job::Arrivals& arrivals) {
    std::vector<Lines> ofReplica;
    Lines lines;
    for (const job::StepColumns& c : arrivals.steps) {
        ofReplica.resize(std::max(ofReplica.size(), std::size_t(c.replica) + 1));
        for (std::size_t i = 0; i < c.loss.size(); ++i)
            ofReplica[std::size_t(c.replica)].push_back(fmt::format(
                "step {} of {}: {} {} {} {}", c.firstStep + std::int64_t(i), c.replica, c.loss[i],
                c.accuracy[i], c.stepMicroseconds[i], c.phaseMicroseconds[0][i]));
    }
    for (const Lines& steps : ofReplica)
        lines.insert(lines.end(), steps.begin(), steps.end());
    for (const job::HeartbeatMark& m : arrivals.heartbeats)
        lines.push_back(fmt::format("beat {} {} {} {} {}", m.processId, int(m.role), m.wallTime,
                                    m.step, int(m.phase)));
    for (const job::LoadMark& m : arrivals.loads)
        lines.push_back(fmt::format("load {} {} {} {} {} {}", m.processId, int(m.role), m.host,
                                    m.cpuPercent, m.residentBytes, m.gpus.size()));
    for (const job::LogEntry& l : arrivals.logs)
        lines.push_back(fmt::format("line {} {} {} {} {} {}", l.wallTime, l.processId, int(l.role),
                                    l.level, l.text, l.unfinished));
    return lines;
}

/// Where they begin to differ; empty: nowhere.
inline std::string differenceOf(const Lines& one, const Lines& other) {
    for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
        const std::string a = i < one.size() ? one[i] : "(nothing)";
        const std::string b = i < other.size() ? other[i] : "(nothing)";
        if (a != b) return fmt::format("line {}:\n  {}\n  {}", i, a, b);
    }
    return {};
}

}  // namespace lockstep::testsupport
