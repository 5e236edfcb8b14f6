// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// Who stands out among many replicas: who is late or lost, whose steps take longer without the
/// waiting for others (which all steps have in common), and whose loss is far from the others'.
/// Who stood out goes on doing so until it clearly does not: a legend must not flicker.
class ReplicaOutliers {
public:
    /// Of more replicas than this the usual ones need no colours of their own.
    static constexpr int kFew = 12;

    void reset();
    void add(const job::StepColumns& columns);
    /// By replica, the worst first, a handful at most.
    [[nodiscard]] std::vector<int> find(const job::RunView& view);

private:
    /// A mean that forgets, of what a replica said lately.
    struct Lately {
        double sum = 0;
        double weight = 0;
        void add(double value);
        [[nodiscard]] double mean() const { return weight > 0 ? sum / weight : 0; }
    };
    struct Replica {
        Lately work;  ///< Microseconds of a step without its all-reduce.
        Lately loss;
        int steps = 0;
        bool stoodOut = false;
    };

    std::vector<Replica> replicas_;
};

}  // namespace lockstep::ui
