// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/progress_printer.h"
#include "app/terminal/colour.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/terminal/metric_text.h"
#include "app/terminal/output_line.h"
#include "app/terminal/progress_text.h"
#include "core/base/clock.h"

namespace lockstep::app {

namespace {

constexpr std::chrono::seconds kLineInterval{2};
constexpr int kSeverityLost = 3;  ///< A loss has a line of its own, as a failure.
constexpr int kSeveritySlow = 4;  ///< Slowness, too, as a warning; all train on.

bool standsStill(const job::RunView& view) {
    return view.verdictSeverity > 0 && view.verdictSeverity != kSeveritySlow;
}

/// What a run that is stuck comes to when it stays so.
std::string nearEndWords(const job::RunView& view) {
    if (view.stuckEnd.wallTime <= 0) return "";
    return fmt::format("; it {} in {}", view.stuckEnd.restarts ? "restarts" : "ends",
                       durationText(std::max(view.stuckEnd.wallTime - wallSeconds(), 0.0)));
}

/// ", accuracy 0.9812"; nothing where a user's own program did not report it.
std::string figureText(const char* name, double value) {
    return std::isfinite(value) ? fmt::format("{} {:.4f}", name, value) : std::string();
}

std::string epochText(const job::EpochView& epoch) {
    std::string line = fmt::format("epoch {}: loss {:.4f}", epoch.epoch, epoch.trainLoss) +
                       figureText(", accuracy", epoch.trainAccuracy);
    line += figuresText(", ", epoch.trainFigures);
    if (epoch.validationLoss)
        line += figureText(", validation loss", *epoch.validationLoss) +
                figureText(", validation accuracy", epoch.validationAccuracy.value_or(NAN)) +
                figuresText(", validation ", epoch.validationFigures);
    return line + ", " + durationText(epoch.seconds);
}

std::string failureText(const job::FailureView& failure) {
    const std::string host = failure.host.empty() ? "" : " (" + failure.host + ")";
    if (failure.role == job::Role::Evaluator)
        return fmt::format("evaluator{}{}: {}",
                           failure.processId > 0 ? fmt::format(" {}", failure.processId) : "", host,
                           failure.cause);
    if (failure.role == job::Role::Agent) return fmt::format("agent{}: {}", host, failure.cause);
    return fmt::format("process {}{}: {}", failure.processId, host, failure.cause);
}

/// Not connected to the run (yet, or any more): how that comes about says more than the run's
/// state.
bool isApart(const job::RunView& view) {
    return !view.connected && view.exitStatus < 0 && !view.connectionSentence.empty();
}

int terminalWidth() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/// As many characters as fit; none is cut in two.
std::string firstCharacters(const std::string& line, int count) {
    std::size_t end = 0;
    for (; end < line.size(); ++end) {
        const bool begins = (static_cast<unsigned char>(line[end]) & 0xC0) != 0x80;
        if (begins && count-- == 0) break;
    }
    return line.substr(0, end);
}

}  // namespace

ProgressPrinter::ProgressPrinter() : terminal_(::isatty(STDERR_FILENO) != 0) {}

void ProgressPrinter::show(const job::RunView& view) {
    for (const job::EpochView& epoch : epochs_.take(view))
        print(epochText(epoch));
    showEvaluations(view);
    showCheckpointErrors(view);
    for (; noticesShown_ < view.notices.size(); ++noticesShown_)
        print("warning: " + view.notices[noticesShown_].sentence);
    for (; failuresShown_ < view.failures.size(); ++failuresShown_)
        print(inked(failureText(view.failures[failuresShown_]), Ink::Bad, stderr));
    if (terminal_)
        showBar(view);
    else
        showLines(view);
}

void ProgressPrinter::showEvaluations(const job::RunView& view) {
    for (const auto& shown : view.evaluations) {
        if (evaluationsShown_.contains(shown)) continue;
        const job::EvaluationView& evaluation = *shown;
        if (evaluation.error.empty())
            print(fmt::format("evaluator: checkpoint of step {}: {} loss {:.4f}{}{}",
                              evaluation.step, evaluation.split, evaluation.loss,
                              figureText(", accuracy", evaluation.accuracy),
                              figuresText(", ", evaluation.figures)));
        else
            print(fmt::format("evaluator: step {} was not scored: {}", evaluation.step,
                              evaluation.error));
    }
    evaluationsShown_ = {view.evaluations.begin(), view.evaluations.end()};
}

/// A run that cannot be resumed from where the user thinks is worth a line each time.
void ProgressPrinter::showCheckpointErrors(const job::RunView& view) {
    double newest = newestCheckpoint_;
    for (const job::CheckpointView& checkpoint : view.checkpoints) {
        newest = std::max(newest, checkpoint.wallTime);
        if (checkpoint.error.empty() || checkpoint.wallTime <= newestCheckpoint_) continue;
        print(fmt::format("warning: no checkpoint of step {}: {}", checkpoint.step,
                          checkpoint.error));
    }
    newestCheckpoint_ = newest;
}

void ProgressPrinter::showBar(const job::RunView& view) {
    const auto width = static_cast<std::size_t>(terminalWidth() - 1);
    std::string line = barLine(view, width);
    const bool isQueued = !view.queueSentence.empty();
    if (standsStill(view) || isQueued || progressText(view).empty())
        line = view.sentence + nearEndWords(view);
    if (isApart(view)) line = view.connectionSentence;
    if (unfinished_) line += "  " + outputLine(*unfinished_);
    line = firstCharacters(line, terminalWidth() - 1);
    std::fprintf(stderr, "\r\033[K%s", withInkedBar(line, stderr).c_str());
    std::fflush(stderr);
    barShown_ = true;
}

void ProgressPrinter::showLines(const job::RunView& view) {
    const Nanos now = SteadyClock::read();
    const bool changed = first_ || view.state != lastState_;
    if (!changed && now < nextLine_) return;
    first_ = false;
    lastState_ = view.state;
    nextLine_ = now + kLineInterval;
    const std::string progress = progressText(view);
    if (isApart(view)) return print(view.connectionSentence);
    const bool isHeldUp = standsStill(view) && view.verdictSeverity < kSeverityLost;
    const bool comesAbout =
        view.state == job::RunState::Launching || view.state == job::RunState::Restarting ||
        !view.queueSentence.empty();  // a start that Slurm has put back has a state already
    // Before the first step the state's own sentence says who is still missing.
    print(
        isHeldUp || (comesAbout && !view.sentence.empty())
            ? view.sentence + nearEndWords(view)
            : fmt::format("{}{}{}", stateWord(view.state), progress.empty() ? "" : ": ", progress));
}

void ProgressPrinter::showOutput(const job::LogEntry& entry) {
    const bool isNext = unfinished_ && unfinished_->processId == entry.processId;
    if (entry.unfinished)
        unfinished_ = entry;
    else if (isNext)
        unfinished_.reset();
    if (entry.unfinished) return;
    eraseBar();
    std::printf("%s\n", outputLine(entry).c_str());
    std::fflush(stdout);
}

void ProgressPrinter::print(const std::string& line) {
    eraseBar();
    std::fprintf(stderr, "%s\n", withInkedWord(line, stderr).c_str());
}

void ProgressPrinter::eraseBar() {
    if (std::exchange(barShown_, false)) std::fprintf(stderr, "\r\033[K");
}

void ProgressPrinter::finish() {
    if (barShown_) std::fprintf(stderr, "\n");
    barShown_ = false;
}

}  // namespace lockstep::app
