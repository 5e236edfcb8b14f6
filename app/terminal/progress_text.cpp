// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/progress_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace lockstep::app {

namespace {

/// What gives way where a line is too long, one after the other.
enum Concession {
    kSmallerBar,
    kSmallestBar,
    kNoBar,
    kNoAccuracy,
    kNoEpoch,
    kNoPercent,   // which the steps tell
    kNoTraining,  // the state of a run whose steps are seen; any other one says why they stand
                  // still
    kNoTotal,     // what is left says how far it is
    kNoState,
    kBriefRate,
    kConcessions
};

constexpr std::array<std::size_t, 3> kCells{24, 16, 8};  // of the bar

/// A line of which the first `made` concessions are made.
struct Brevity {
    int made = 0;
    [[nodiscard]] bool has(Concession which) const { return made > which; }
};

std::string rate(double samplesPerSecond, bool isBrief) {
    const char* unit = isBrief ? "/s" : " samples/s";
    if (samplesPerSecond >= 1e7) return fmt::format("{:.1f} M{}", samplesPerSecond / 1e6, unit);
    if (samplesPerSecond >= 1e4) return fmt::format("{:.1f} k{}", samplesPerSecond / 1e3, unit);
    // A large network takes seconds a sample, and does not stand still.
    if (samplesPerSecond < 10) return fmt::format("{:.1f}{}", samplesPerSecond, unit);
    return fmt::format("{:.0f}{}", samplesPerSecond, unit);
}

/// A loss that goes beyond all bounds would fill the line with digits.
std::string lossText(double loss) {
    return std::abs(loss) < 1e5 ? fmt::format("{:.3f}", loss) : fmt::format("{:.3g}", loss);
}

struct Scores {
    std::optional<double> loss;
    std::optional<double> accuracy;
};

/// Their mean over the replicas' newest steps.
Scores scoresOf(const job::RunView& view) {
    double loss = 0;
    double accuracy = 0;
    int count = 0;
    int accuracies = 0;
    for (const job::ReplicaView& replica : view.replicas) {
        if (replica.role != job::Role::Worker || replica.step == 0 || !std::isfinite(replica.loss))
            continue;
        loss += static_cast<double>(replica.loss);
        ++count;
        if (!std::isfinite(replica.accuracy)) continue;
        accuracy += static_cast<double>(replica.accuracy);
        ++accuracies;
    }
    Scores scores;
    if (count > 0) scores.loss = loss / count;
    if (accuracies > 0) scores.accuracy = accuracy / accuracies;
    return scores;
}

void append(std::string& text, const std::string& part) {
    if (!text.empty() && !part.empty()) text += "  ";
    text += part;
}

std::string figures(const job::RunView& view, Brevity brevity) {
    std::string text;
    const bool hasTotal = view.totalSteps > 0;
    if (!hasTotal && view.step <= 0) return text;  // a user's own program need not say how many
    if (hasTotal && view.epochs > 0 && !brevity.has(kNoEpoch))
        text = fmt::format("epoch {}/{}", std::min(view.epochs, view.epoch()), view.epochs);
    append(text, fmt::format("step {}", view.step));
    if (hasTotal && !brevity.has(kNoTotal)) text += fmt::format("/{}", view.totalSteps);
    const Scores scores = scoresOf(view);
    if (scores.loss) append(text, "loss " + lossText(*scores.loss));
    if (scores.accuracy && !brevity.has(kNoAccuracy))
        append(text, fmt::format("accuracy {:.3f}", *scores.accuracy));
    if (view.samplesPerSecond > 0)
        append(text, rate(view.samplesPerSecond, brevity.has(kBriefRate)));
    if (hasTotal && view.etaSeconds >= 0 && view.step < view.totalSteps)
        append(text, durationText(view.etaSeconds) + " left");
    return text;
}

std::string lineOf(const job::RunView& view, Brevity brevity) {
    const bool hasTotal = view.totalSteps > 0;
    // A program may make more steps than it has said.
    const double part =
        hasTotal ? std::clamp(static_cast<double>(view.step) / static_cast<double>(view.totalSteps),
                              0.0, 1.0)
                 : 0;
    if (!brevity.has(kNoBar)) {
        const std::string state = fmt::format("{:<10} ", stateWord(view.state));
        if (!hasTotal) return state + figures(view, brevity);
        const std::size_t cells = kCells[static_cast<std::size_t>(brevity.made)];
        const auto filled = static_cast<std::size_t>(part * static_cast<double>(cells));
        return fmt::format("{}[{}{}] {:3.0f} %  {}", state, std::string(filled, '#'),
                           std::string(cells - filled, '-'), part * 100, figures(view, brevity));
    }
    std::string line;
    const bool trains = view.state == job::RunState::Training;
    if (!brevity.has(trains ? kNoTraining : kNoState)) line = stateWord(view.state);
    if (hasTotal && !brevity.has(kNoPercent)) append(line, fmt::format("{:.0f} %", part * 100));
    append(line, figures(view, brevity));
    return line;
}

}  // namespace

const char* stateWord(job::RunState state) {
    switch (state) {
        case job::RunState::Launching:
            return "launching";
        case job::RunState::Training:
            return "training";
        case job::RunState::Validating:
            return "validating";
        case job::RunState::Testing:
            return "testing";
        case job::RunState::Stopping:
            return "stopping";
        case job::RunState::Restarting:
            return "restarting";
        case job::RunState::Completed:
            return "completed";
        case job::RunState::Failed:
            return "failed";
        case job::RunState::Stopped:
            return "stopped";
    }
    return "";
}

std::string durationText(double seconds) {
    const auto whole = std::lround(seconds);
    if (whole >= 86'400) return fmt::format("{} d {:02} h", whole / 86'400, whole / 3600 % 24);
    if (whole >= 3600) return fmt::format("{} h {:02} m", whole / 3600, whole / 60 % 60);
    return whole >= 60 ? fmt::format("{} m {:02} s", whole / 60, whole % 60)
                       : fmt::format("{} s", whole);
}

std::string progressText(const job::RunView& view) {
    return figures(view, {});
}

std::string barLine(const job::RunView& view, std::size_t width) {
    std::string line;
    for (int made = 0; made <= kConcessions; ++made) {
        line = lineOf(view, {made});
        if (line.size() <= width) break;
    }
    return line;
}

}  // namespace lockstep::app
