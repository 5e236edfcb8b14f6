// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::job {

/// A fault that is made on purpose in a running job.
enum class DrillKind : std::uint8_t {
    Kill,            ///< The process kills itself.
    Stop,            ///< It stops itself (SIGSTOP), and goes on after the drill's seconds.
    Stuck,           ///< One of its replicas stands still.
    Slow,            ///< Its steps take four times as long.
    Nan,             ///< A loss of it is not a number.
    BitFlip,         ///< A bit of its weights changes.
    TornCheckpoint,  ///< The newest checkpoint is cut short, and process 0 killed.
    Cut,             ///< Its connections to the others' replicas are shut down.
    DiskFull,        ///< It cannot write files.
};

struct DrillOrder {
    std::string id;  ///< The same order asked for again is the same drill.
    DrillKind kind = DrillKind::Kill;
    int processId = 0;
    double seconds = 0;  ///< How long it lasts; 0: for ever, or it has no length.
};

/// What has become of a drill. Times are seconds since 1970; 0: it has not happened.
struct DrillView {
    enum class Phase : std::uint8_t { Ordered, Refused, Landed, Detected, Recovered, Over };
    DrillOrder order;
    Phase phase = Phase::Ordered;
    std::string sentence;  ///< What became known last.
    double orderedWallTime = 0;
    double landedWallTime = 0;
    double detectedWallTime = 0;
    double recoveredWallTime = 0;
    std::int64_t landedStep = 0;
    std::int64_t recoveredStep = 0;
    std::int64_t stepsLost = 0;
    std::string detectedSentence;  ///< In which the run named it.
    bool namedProcess = false;     ///< The right one.
    bool namedKind = false;        ///< As what it is.
};

/// "torn-checkpoint"
[[nodiscard]] std::string wordOf(DrillKind kind);
[[nodiscard]] std::optional<DrillKind> drillKindOf(std::string_view word);
/// All of them, as they are written.
[[nodiscard]] std::vector<std::string> drillWords();
/// Whether the fault lasts for DrillOrder::seconds.
[[nodiscard]] bool hasLength(DrillKind kind);
/// What it does to the run, to be read before it is done: "process 1 kills itself: …".
[[nodiscard]] std::string effectOf(const DrillOrder& order);

}  // namespace lockstep::job
