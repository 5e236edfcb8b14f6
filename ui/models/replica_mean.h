// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The mean over all replicas of one figure, step by step, as their columns arrive at different
/// times. How many there are may differ from one start of the run to the next. Non-finite values of
/// one replica do not hide the others' mean.
class ReplicaMean {
public:
    /// What became known by one add(): `values[i]` is the mean of step `firstStep + i`.
    struct Piece {
        std::int64_t firstStep = 0;
        std::vector<float> values;
    };

    /// From `firstStep` on the mean is over `replicas` replicas.
    struct Stretch {
        std::int64_t firstStep = 1;
        int replicas = 0;
        bool operator==(const Stretch&) const = default;
    };
    /// How many a step has; before the first stretch as many as in it, 0: none is known.
    [[nodiscard]] static int replicasAt(const std::vector<Stretch>& stretches, std::int64_t step);
    /// Of a run with all its starts.
    [[nodiscard]] static std::vector<Stretch> stretchesOf(const job::RunView& view);
    /// Forgets all values.
    void reset();
    /// In order of their steps.
    void setStretches(std::vector<Stretch> stretches);
    /// By start, the step that it goes on behind (job::StartView::firstStep).
    void setStarts(std::vector<std::int64_t> stepsBefore);
    /// Consecutive values of one replica, said in a start of the run: of steps behind the one that
    /// it goes on from, what was said in an earlier one counts no more. Steps that the replica said
    /// before begin a new stretch; steps that it skipped are averaged without it.
    [[nodiscard]] Piece add(int replica, int start, std::int64_t firstStep,
                            std::span<const float> values);

private:
    struct Pending {
        std::int64_t nextStep = -1;  ///< The first whose value is still to come.
        std::deque<float> values;    ///< Steps [base_, nextStep).
    };

    void rewind(std::int64_t step);
    void begin(int start, std::int64_t firstStep);
    [[nodiscard]] bool isReady();
    [[nodiscard]] float takeMean();

    std::vector<Stretch> stretches_;
    std::vector<std::int64_t> stepsBefore_;  ///< By start.
    std::vector<Pending> replicas_;
    int start_ = -1;           ///< The newest that anything was said in.
    std::size_t missing_ = 0;  ///< Who had not said the next step's value when it was last asked.
    std::int64_t base_ = -1;   ///< The first step whose mean was not yet given; -1: no step yet.
};

}  // namespace lockstep::ui
