// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/drill_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/coordination/state/drill_words.h"
#include "core/job/fold/wire_views.h"

namespace lockstep::job {

namespace {

constexpr wire::DrillKind wireOf(DrillKind kind) {
    return static_cast<wire::DrillKind>(static_cast<int>(kind) + 1);
}

static_assert(wireOf(DrillKind::Kill) == wire::DRILL_KIND_KILL);
static_assert(wireOf(DrillKind::DiskFull) == wire::DRILL_KIND_DISK_FULL);

std::optional<DrillKind> kindOf(wire::DrillKind kind) {
    if (coordination::wordOf(kind).empty()) return std::nullopt;
    return static_cast<DrillKind>(static_cast<int>(kind) - 1);
}

DrillView::Phase phaseOf(wire::DrillPhase phase) {
    switch (phase) {
        case wire::DRILL_PHASE_REFUSED:
            return DrillView::Phase::Refused;
        case wire::DRILL_PHASE_LANDED:
            return DrillView::Phase::Landed;
        case wire::DRILL_PHASE_DETECTED:
            return DrillView::Phase::Detected;
        case wire::DRILL_PHASE_RECOVERED:
            return DrillView::Phase::Recovered;
        case wire::DRILL_PHASE_OVER:
            return DrillView::Phase::Over;
        default:
            return DrillView::Phase::Ordered;
    }
}

}  // namespace

std::string wordOf(DrillKind kind) {
    return std::string(coordination::wordOf(wireOf(kind)));
}

std::optional<DrillKind> drillKindOf(std::string_view word) {
    const auto kind = coordination::drillKindOf(word);
    return kind ? kindOf(*kind) : std::nullopt;
}

std::vector<std::string> drillWords() {
    std::vector<std::string> words;
    for (int kind = 0; kind <= static_cast<int>(DrillKind::DiskFull); ++kind)
        words.push_back(wordOf(static_cast<DrillKind>(kind)));
    return words;
}

bool hasLength(DrillKind kind) {
    return coordination::hasLength(wireOf(kind));
}

std::string effectOf(const DrillOrder& order) {
    const std::string lasts = order.seconds > 0 ? fmt::format("for {:g} s", order.seconds)
                                                : std::string("until the run ends it");
    const int process = order.processId;
    switch (order.kind) {
        case DrillKind::Kill:
            return fmt::format("process {} kills itself (SIGKILL)", process);
        case DrillKind::Stop:
            return fmt::format("process {} stops itself (SIGSTOP) {}", process, lasts);
        case DrillKind::Stuck:
            return fmt::format("the first replica of process {} stands still {}", process, lasts);
        case DrillKind::Slow:
            return fmt::format(
                "the first replica of process {} takes four times as long for its steps {}",
                process, lasts);
        case DrillKind::Nan:
            return fmt::format("the next loss of process {} is not a number", process);
        case DrillKind::BitFlip:
            return fmt::format("process {} changes one bit of its weights", process);
        case DrillKind::TornCheckpoint:
            return "process 0 cuts the run's newest checkpoint short, for good, and kills itself";
        case DrillKind::Cut:
            return fmt::format("process {} shuts down its connections to the other processes",
                               process);
        case DrillKind::DiskFull:
            return fmt::format("no file that process 0 writes grows {}: checkpoints fail", lasts);
    }
    return {};
}

std::optional<DrillView> drillOf(const wire::Drill& drill) {
    const auto kind = kindOf(drill.kind());
    if (!kind) return std::nullopt;
    DrillView view;
    view.order = {drill.id(), *kind, static_cast<int>(drill.process_id()), drill.seconds()};
    view.phase = phaseOf(drill.phase());
    view.sentence = drill.sentence();
    view.orderedWallTime = drill.ordered_wall_time();
    view.landedWallTime = drill.landed_wall_time();
    view.detectedWallTime = drill.detected_wall_time();
    view.recoveredWallTime = drill.recovered_wall_time();
    view.landedStep = static_cast<std::int64_t>(drill.landed_step());
    view.recoveredStep = static_cast<std::int64_t>(drill.recovered_step());
    view.stepsLost = static_cast<std::int64_t>(drill.steps_lost());
    view.detectedSentence = drill.detected_sentence();
    view.namedProcess = drill.named_process();
    view.namedKind = drill.named_kind();
    return view;
}

wire::DrillRequest requestOf(const DrillOrder& order) {
    wire::DrillRequest request;
    request.set_id(order.id);
    request.set_kind(wireOf(order.kind));
    request.set_process_id(static_cast<std::uint32_t>(order.processId));
    request.set_seconds(order.seconds);
    return request;
}

}  // namespace lockstep::job
