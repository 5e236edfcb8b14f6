// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_starts.h"

namespace lockstep::ui {

std::vector<RunStart> laterStartsOf(const job::RunView& view) {
    std::vector<RunStart> starts;
    bool isFirst = true;
    for (const job::StartView& start : view.starts) {
        if (start.replicas <= 0) continue;  // it has not trained
        const qint64 step = start.firstStep + 1;
        while (!starts.empty() && starts.back().firstStep >= step)
            starts.pop_back();
        if (!isFirst) starts.push_back({step, start.wallTime});
        isFirst = false;
    }
    return starts;
}

std::vector<std::int64_t> stepsBeforeStarts(const job::RunView& view) {
    if (view.starts.empty()) return {view.firstStep};
    std::vector<std::int64_t> steps;
    for (std::size_t i = 0; i < view.starts.size(); ++i) {
        if (view.starts[i].replicas <= 0) continue;
        // Those before it that never came to train went on behind nothing.
        steps.resize(i + 1, view.starts[i].firstStep);
    }
    return steps;
}

}  // namespace lockstep::ui
