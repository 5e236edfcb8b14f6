// SPDX-License-Identifier: Apache-2.0
// What a fold knows of the present: who is silent, how fast it goes, and how it says so.
#include <algorithm>

#include "core/job/fold/run_fold.h"

namespace lockstep::job {

namespace {

constexpr int kSeveritySilent = 1;
/// Below this the average rate says too little about the rest of the run.
constexpr double kMinAverageSeconds = 1;

}  // namespace

void RunFold::setLink(const LinkFacts& link) {
    const LinkFacts before{now_.connected,     now_.caughtUp, now_.connectionSentence,
                           now_.queueSentence, now_.isOver,   now_.agentsWords};
    if (link == before) return;
    changed_ = true;
    now_.connected = link.connected;
    now_.caughtUp = link.caughtUp;
    now_.connectionSentence = link.sentence;
    now_.queueSentence = link.queue;
    now_.isOver = link.isOver;
    now_.agentsWords = link.agentsWords;
    updateSentence();
}

void RunFold::tick(double nowWall) {
    nowWall_ = nowWall;
    judge(nowWall);
    const std::string before = now_.sentence;
    updateSentence();
    if (now_.sentence != before) changed_ = true;
    updateProgress();
}

/// While the coordinator does not answer, silence says nothing about the replicas.
void RunFold::judge(double nowWall) {
    const bool isDeaf = now_.caughtUp && !now_.connected;
    if (!isDeaf && replicas_.tick(nowWall)) changed_ = true;
}

void RunFold::updateProgress() {
    const bool isRunning = !ended();
    const double rate = isRunning ? rate_.stepsPerSecond(nowWall_) : 0;
    const std::int64_t step = replicas_.completedSteps();
    const double samplesPerSecond = rate * now_.globalBatchSize;

    // The average since the start includes validation and checkpoints, which will come again.
    const double seconds = newestStepWallTime_ - startWallTime_;
    const bool averageTells = seconds > kMinAverageSeconds && step > startStep_;
    const double average = averageTells ? static_cast<double>(step - startStep_) / seconds : rate;
    const bool isMoving = isRunning && rate > 0 && now_.totalSteps > 0;
    const double eta =
        isMoving ? static_cast<double>(std::max<std::int64_t>(now_.totalSteps - step, 0)) / average
                 : -1;

    if (samplesPerSecond != now_.samplesPerSecond || step != now_.step) changed_ = true;
    now_.samplesPerSecond = samplesPerSecond;
    now_.step = step;
    now_.etaSeconds = eta;
}

void RunFold::updateSentence() {
    now_.sentence = verdict_.empty() ? stateSentence_ : verdict_;
    if (now_.verdictSeverity == kSeveritySilent) {  // written once, and older by now
        if (const std::string silence = replicas_.silence(verdictProcesses_, verdictHold_);
            !silence.empty())
            now_.sentence = silence;
    }
    if (!now_.queueSentence.empty()) now_.sentence = now_.queueSentence;
}

}  // namespace lockstep::job
