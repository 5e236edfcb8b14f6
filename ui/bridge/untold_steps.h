// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <deque>
#include <iterator>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// What was taken of a session and is told in pieces: a thousand replicas, or a long history, say
/// more at once than the window's thread can show between two keys.
class UntoldSteps {
public:
    static constexpr qint64 kTellingMs = 8;  ///< Then keys and the mouse have their turn.

    [[nodiscard]] bool isEmpty() const { return steps_.empty(); }
    void clear() { steps_.clear(); }
    void add(std::vector<job::StepColumns> steps) {
        std::ranges::move(steps, std::back_inserter(steps_));
    }
    /// The oldest ones, which are told now. There must be one.
    [[nodiscard]] std::vector<job::StepColumns> takePiece() {
        const auto end = steps_.begin() + std::min(kPiece, std::ptrdiff_t(steps_.size()));
        std::vector<job::StepColumns> piece(std::move_iterator(steps_.begin()),
                                            std::move_iterator(end));
        steps_.erase(steps_.begin(), end);
        return piece;
    }

private:
    static constexpr std::ptrdiff_t kPiece = 32;  // columns, each of one replica

    std::deque<job::StepColumns> steps_;
};

}  // namespace lockstep::ui
