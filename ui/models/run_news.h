// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCoreApplication>
#include <QString>
#include <optional>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// What somebody wants to be called for who does something else meanwhile.
struct News {
    enum class Kind { Ended, Failed, BeganAgain, Trouble, Slow, Best };
    Kind kind = Kind::Ended;
    QString title;  ///< "mnist-cnn has failed".
    QString body;   ///< A sentence.

    [[nodiscard]] bool isUrgent() const { return kind == Kind::Failed || kind == Kind::Trouble; }
};

/// Tells news from what was known before: what a run did before it was looked at is none.
class RunNews {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ui::RunNews)
public:
    /// Of one view after the other. `now`: seconds of any clock that only goes forward. Where one
    /// view brings several, the gravest.
    [[nodiscard]] std::optional<News> take(const job::RunView& view, double now);
    /// Another run is followed, or none.
    void reset() { *this = RunNews(); }

private:
    void look(const job::RunView& view, double now);
    [[nodiscard]] bool hasBegunAgain(const job::RunView& view) const;
    [[nodiscard]] bool isGraver(const job::RunView& view, double now);
    [[nodiscard]] bool isNewBest(const job::RunView& view, double now);

    bool isKnown_ = false;  ///< A view of live news was seen.
    bool hasEnded_ = false;
    std::size_t starts_ = 0;
    std::size_t failures_ = 0;  ///< That its newest start, or its end, has answered.
    double troubleSince_ = -1;  ///< Of more than slowness; -1: there is none.
    int toldGravity_ = 0;       ///< Of the trouble that was told last; 0: none was.
    std::size_t epochs_ = 0;
    double best_ = 0;  ///< Validation loss of the epochs so far.
    double bestToldAt_ = 0;
};

}  // namespace lockstep::ui
