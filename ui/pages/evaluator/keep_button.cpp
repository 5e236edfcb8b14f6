// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/keep_button.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {

KeepButton::KeepButton(QWidget* parent) : QWidget(parent) {
    button_ = new QPushButton(makeIcon(Icon::Checkpoint), {}, this);
    button_->setObjectName(QStringLiteral("keepCheckpoint"));
    connect(button_, &QPushButton::clicked, this, &KeepButton::press);
    said_ = wrappedLabel(this);
    said_->setObjectName(QStringLiteral("keepCheckpointSaid"));
    said_->setFont(smallFont());
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(button_);
    layout->addWidget(said_, 1);
    showState();
}

void KeepButton::setKeeper(Keeper keeper) {
    keeper_ = std::move(keeper);
    showState();
}

void KeepButton::showCheckpoint(const std::filesystem::path& runDir, std::int64_t step,
                                State state) {
    if (runDir == runDir_ && step == step_ && state == state_) return;
    if (runDir != runDir_) task_.cancel();
    runDir_ = runDir;
    step_ = step;
    state_ = state;
    showState();
}

void KeepButton::press() {
    if (task_.isBusy()) return;
    const bool keep = state_ != State::Kept;
    task_.start([keeper = keeper_, runDir = runDir_, step = step_,
                 keep] { return keeper(runDir, step, keep); },
                [this, step = step_, keep](const Result<void>& done) {
                    const bool isShown = step == step_;
                    if (done && isShown) state_ = keep ? State::Kept : State::Stored;
                    showState();
                    if (done) return Q_EMIT kept(step, keep);
                    if (!isShown) return;
                    QString words = fromCore(done.error().message);
                    if (!words.isEmpty()) words[0] = words[0].toUpper();
                    said_->setText(words + QLatin1Char('.'));
                    markProblem(said_, "problem", true);
                });
    showState();
}

void KeepButton::showState() {
    setVisible(keeper_ && state_ != State::None);
    const bool isKept = state_ == State::Kept;
    button_->setText(isKept ? tr("No longer keep") : tr("Keep this one"));
    button_->setToolTip(isKept ? tr("It goes when newer ones come, as checkpoint.keep says")
                               : tr("Its files stay, whatever checkpoints come after it"));
    button_->setEnabled(state_ != State::Deleted && !task_.isBusy());
    markProblem(said_, "problem", false);
    const QString step = units::count(step_);
    switch (state_) {
        case State::Kept:
            return said_->setText(tr("The checkpoint of step %1 stays.").arg(step));
        case State::Deleted:
            return said_->setText(tr("The files of the checkpoint of step %1 are gone.").arg(step));
        case State::None:
        case State::Stored:
            return said_->clear();
    }
}

}  // namespace lockstep::ui
