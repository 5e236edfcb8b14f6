// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_news.h"

#include <algorithm>
#include <limits>

#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr double kSilenceSeconds = 10;     // shorter ones pass by themselves
constexpr double kBestPauseSeconds = 300;  // early epochs are all better than those before

/// Slow is less than silent, stuck and lost, whatever its number.
constexpr int kSlowGravity = 1;
constexpr int kSilentGravity = 2;
int gravityOf(int verdictSeverity) {
    constexpr int kSlow = 4;
    if (verdictSeverity == kSlow) return kSlowGravity;
    return verdictSeverity <= 0 ? 0 : verdictSeverity + 1;
}

QString nameOf(const job::RunView& view) {
    return view.name.empty() ? tr("The run") : QString::fromStdString(view.name);
}

QString sentence(const std::string& words) {
    return asSentence(fromCore(words));
}

News endOf(const job::RunView& view) {
    const bool hasFailed = view.state == job::RunState::Failed;
    const QString title = hasFailed                                ? tr("%1 has failed")
                          : view.state == job::RunState::Completed ? tr("%1 is completed")
                                                                   : tr("%1 has stopped");
    return {hasFailed ? News::Kind::Failed : News::Kind::Ended, title.arg(nameOf(view)),
            statusSentence(view)};
}

double bestOf(const job::RunView& view, std::size_t epochs) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < epochs; ++i)
        if (const auto& loss = view.epochResults[i].validationLoss) best = std::min(best, *loss);
    return best;
}

}  // namespace

std::optional<News> RunNews::take(const job::RunView& view, double now) {
    if (!view.caughtUp) return std::nullopt;  // an end in its history may be that of a former start
    if (!isKnown_) {
        look(view, now);
        isKnown_ = true;
        bestToldAt_ = now;
        return std::nullopt;
    }
    std::optional<News> news;
    if (isNewBest(view, now)) {
        news = News{News::Kind::Best, tr("%1: the best so far").arg(nameOf(view)),
                    tr("Validation loss %1 in epoch %2.")
                        .arg(units::number(bestOf(view, view.epochResults.size())))
                        .arg(view.epochResults.back().epoch)};
        bestToldAt_ = now;
    }
    if (hasBegunAgain(view))
        news = News{News::Kind::BeganAgain, tr("%1 begins again").arg(nameOf(view)),
                    sentence(view.failures.back().cause)};
    if (isGraver(view, now))
        news = News{toldGravity_ == kSlowGravity ? News::Kind::Slow : News::Kind::Trouble,
                    tr("%1 needs attention").arg(nameOf(view)), sentence(view.sentence)};
    if (isEnded(view.state) && !hasEnded_) news = endOf(view);
    look(view, now);
    return news;
}

void RunNews::look(const job::RunView& view, double now) {
    hasEnded_ = isEnded(view.state);
    if (!isKnown_ || hasEnded_ || view.starts.size() != starts_) failures_ = view.failures.size();
    starts_ = view.starts.size();
    epochs_ = view.epochResults.size();
    best_ = bestOf(view, epochs_);
    const int gravity = hasEnded_ ? 0 : gravityOf(view.verdictSeverity);
    if (gravity < kSilentGravity)
        troubleSince_ = -1;
    else if (troubleSince_ < 0)
        troubleSince_ = now;
    // A process may be slow all the time: what comes besides, and comes again, is told again.
    if (gravity <= kSlowGravity) toldGravity_ = std::min(toldGravity_, gravity);
}

/// A failure alone is no beginning: the run may end of it, or train on without an evaluator.
bool RunNews::hasBegunAgain(const job::RunView& view) const {
    return view.starts.size() > starts_ && view.failures.size() > failures_ && !isEnded(view.state);
}

/// Told once, until it is over or graver.
bool RunNews::isGraver(const job::RunView& view, double now) {
    const int gravity = gravityOf(view.verdictSeverity);
    if (gravity <= toldGravity_ || isEnded(view.state)) return false;
    const bool hasLasted = troubleSince_ >= 0 && now - troubleSince_ >= kSilenceSeconds;
    if (gravity == kSilentGravity && !hasLasted) return false;
    toldGravity_ = gravity;
    return true;
}

bool RunNews::isNewBest(const job::RunView& view, double now) {
    if (view.epochResults.size() <= epochs_ || now - bestToldAt_ < kBestPauseSeconds) return false;
    return bestOf(view, view.epochResults.size()) < best_;
}

}  // namespace lockstep::ui
