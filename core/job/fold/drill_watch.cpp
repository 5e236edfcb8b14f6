// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/drill_watch.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep::job {

DrillWatch::DrillWatch(DrillOrder order, Nanos now, double patienceSeconds)
    : order_(std::move(order)), began_(now), patience_(patienceSeconds), nextAsk_(now) {}

void DrillWatch::end(State state, std::string sentence) {
    state_ = state;
    sentence_ = std::move(sentence);
}

void DrillWatch::look(const RunView& view, Nanos now) {
    if (isOver()) return;
    const DrillView* drill = findDrill(view, order_.id);
    const Nanos waited = now - began_;
    if (drill == nullptr) {
        if (view.exitStatus >= 0) return end(State::NotTaken, "the run ended first");
        if (waited > toNanos(patience_))
            end(State::NotTaken, "the run has not taken it yet");
        else if (waited > kAnswerPatience)
            end(State::NotTaken,
                fmt::format("the run does not answer ({})", view.connectionSentence));
        return;
    }
    state_ = State::UnderWay;
    if (drill->phase == DrillView::Phase::Refused) return end(State::NotTaken, drill->sentence);
    if (job::isOver(*drill) || view.exitStatus >= 0) return end(State::Over);
    if (waited > toNanos(patience_ + order_.seconds))
        end(State::Late,
            fmt::format("after {:.0f} s it is not over: {}", patience_, drill->sentence));
}

bool DrillWatch::takeAsk(Nanos now) {
    if (state_ != State::Asked || now < nextAsk_) return false;
    nextAsk_ = now + kAskAgain;
    return true;
}

}  // namespace lockstep::job
