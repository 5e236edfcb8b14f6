// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/job/fold/drill_plan.h"

namespace lockstep::job {

/// Sees a drill through: asks for it until the run's records tell of it, then looks at them until
/// nothing more comes. Pure; whoever has the session looks as often as it likes.
class DrillWatch {
public:
    static constexpr Nanos kAskAgain = std::chrono::seconds(2);
    static constexpr Nanos kAnswerPatience = std::chrono::seconds(20);
    static constexpr double kPatienceSeconds = 600;  ///< For what comes of it, besides its length.

    enum class State {
        Asked,     ///< The run has not said anything of it yet.
        UnderWay,  ///< It is in the run's records.
        Over,      ///< Nothing more comes; also where the run has ended.
        NotTaken,  ///< No drill was done: sentence() says why.
        Late,      ///< It is not over in time; sentence() says where it stands. The run goes on.
    };

    DrillWatch(DrillOrder order, Nanos now, double patienceSeconds = kPatienceSeconds);

    void look(const RunView& view, Nanos now);

    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] bool isOver() const {
        return state_ != State::Asked && state_ != State::UnderWay;
    }
    [[nodiscard]] const DrillOrder& order() const { return order_; }
    /// It is time to ask the run for it: once a call.
    [[nodiscard]] bool takeAsk(Nanos now);
    /// Of NotTaken and Late; empty otherwise.
    [[nodiscard]] const std::string& sentence() const { return sentence_; }

private:
    void end(State state, std::string sentence = {});

    const DrillOrder order_;
    const Nanos began_;
    const double patience_;
    Nanos nextAsk_;
    State state_ = State::Asked;
    std::string sentence_;
};

}  // namespace lockstep::job
