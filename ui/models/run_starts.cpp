// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_starts.h"

namespace lockstep::ui {

std::vector<qint64> firstStepsOfStarts(const job::RunView& view) {
    std::vector<qint64> steps;
    bool isFirst = true;
    for (const job::StartView& start : view.starts) {
        if (start.replicas <= 0) continue;  // it has not trained
        const qint64 step = start.firstStep + 1;
        while (!steps.empty() && steps.back() >= step)
            steps.pop_back();
        if (!isFirst) steps.push_back(step);
        isFirst = false;
    }
    return steps;
}

}  // namespace lockstep::ui
