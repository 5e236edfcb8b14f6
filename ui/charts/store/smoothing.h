// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <unordered_map>

#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

/// Exponential means as TensorBoard draws them: debiased, finite values only. Remembers how far
/// it came with each series, so that new points cost only themselves. For one thread.
class Smoother {
public:
    /// The mean of `source`, index for index and at its steps (NaN where the source is not finite).
    /// Shorter than the source when `interrupted` said so: the next call goes on from there.
    [[nodiscard]] ColumnView smooth(int series, const ColumnView& source, double weight,
                                    const std::function<bool()>& interrupted);
    /// Lets go of what it remembers of one series, or of all.
    void forget(int series) { curves_.erase(series); }
    void clear() { curves_.clear(); }

private:
    struct Curve {
        Column values;
        std::uint32_t generation = 0;
        double weight = 0;
        double last = 0;
        double remainder = 1;  ///< weight to the power of the number of finite values
    };

    std::unordered_map<int, Curve> curves_;
};

}  // namespace lockstep::ui
