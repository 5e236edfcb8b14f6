// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/fit/history.h"

namespace lockstep::fit {

/// What a program does as fit() goes on (keras.callbacks.Callback). Every process of a group calls
/// its own. None may throw.
class Callback {
public:
    virtual ~Callback() = default;
    virtual void onTrainBegin() {}
    /// After each epoch, with its figures over all replicas, the same in every process. False ends
    /// the training behind this epoch, in all processes, whichever says so: with a checkpoint, and
    /// said in the summary, as early stopping does. On a thread of the training, which waits.
    [[nodiscard]] virtual bool onEpochEnd(const EpochFigures& /*epoch*/) { return true; }
    /// On the thread that has called fit(), unless that failed.
    virtual void onTrainEnd(const History& /*history*/) {}
};

/// A function as a callback's onEpochEnd(). (keras.callbacks.LambdaCallback)
[[nodiscard]] inline std::shared_ptr<Callback> onEpochEnd(
    std::function<bool(const EpochFigures&)> function) {
    class Lambda final : public Callback {
    public:
        explicit Lambda(std::function<bool(const EpochFigures&)> ask) : ask_(std::move(ask)) {}
        [[nodiscard]] bool onEpochEnd(const EpochFigures& epoch) override { return ask_(epoch); }

    private:
        const std::function<bool(const EpochFigures&)> ask_;
    };
    return std::make_shared<Lambda>(std::move(function));
}

}  // namespace lockstep::fit
