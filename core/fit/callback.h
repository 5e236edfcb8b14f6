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
    /// Before the first batch of each epoch that this call trains, from 1. As all that follow on a
    /// thread of the training, which waits.
    virtual void onEpochBegin(int /*epoch*/) {}
    /// Around each batch: the epoch's figures so far, over all replicas. False: one more batch,
    /// then the training ends in all processes, whichever says so, with a checkpoint from which the
    /// next fit() goes on; History::status is "stopped" then. Where a GPU runs whole steps they
    /// come some steps late, and the training ends behind the epoch.
    virtual void onTrainBatchBegin(const BatchFigures& /*before*/) {}
    [[nodiscard]] virtual bool onTrainBatchEnd(const BatchFigures& /*batch*/) { return true; }
    /// After each epoch, with its figures over all replicas, the same in every process. False ends
    /// the training behind this epoch, in all processes, whichever says so: with a checkpoint, and
    /// said in the summary, as early stopping does.
    [[nodiscard]] virtual bool onEpochEnd(const EpochFigures& /*epoch*/) { return true; }
    /// On the thread that has called fit(), unless that failed.
    virtual void onTrainEnd(const History& /*history*/) {}
};

/// Functions as a callback's onEpochEnd() and onTrainBatchEnd(). (keras.callbacks.LambdaCallback)
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
[[nodiscard]] inline std::shared_ptr<Callback> onTrainBatchEnd(
    std::function<bool(const BatchFigures&)> function) {
    class Lambda final : public Callback {
    public:
        explicit Lambda(std::function<bool(const BatchFigures&)> ask) : ask_(std::move(ask)) {}
        [[nodiscard]] bool onTrainBatchEnd(const BatchFigures& batch) override {
            return ask_(batch);
        }

    private:
        const std::function<bool(const BatchFigures&)> ask_;
    };
    return std::make_shared<Lambda>(std::move(function));
}

}  // namespace lockstep::fit
