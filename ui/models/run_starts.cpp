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

}  // namespace lockstep::ui
