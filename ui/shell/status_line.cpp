// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/status_line.h"

#include <QHBoxLayout>

#include "ui/models/words.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/figure_label.h"

namespace lockstep::ui {
namespace {

constexpr int kConnectionWidth = 360;

}  // namespace

StatusLine::StatusLine(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("statusLine"));
    verdict_ = new ElidedLabel({}, this);
    verdict_->setObjectName(QStringLiteral("verdict"));
    verdict_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    alive_ = new FigureLabel(this);
    alive_->setObjectName(QStringLiteral("replicasAlive"));
    rate_ = new FigureLabel(this);
    rate_->setObjectName(QStringLiteral("samplesPerSecond"));
    connection_ = new ElidedLabel({}, this);
    connection_->setObjectName(QStringLiteral("connection"));
    connection_->setMaximumWidth(kConnectionWidth);
    connection_->setSecondary(true);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, kGrid / 2, 2 * kGrid, kGrid / 2);
    layout->setSpacing(3 * kGrid);
    layout->addWidget(verdict_, 1);
    layout->addWidget(alive_);
    layout->addWidget(rate_);
    layout->addWidget(connection_);
}

void StatusLine::showView(const job::RunView* view, const QString& idle) {
    verdict_->setText(view ? statusSentence(*view) : idle);
    const bool running = view && !isEnded(view->state);
    const QString alive = running ? aliveText(*view) : QString();
    alive_->setVisible(!alive.isEmpty());
    // None before the first step, of a program that reports nothing, and once nothing comes.
    rate_->setVisible(running && view->samplesPerSecond > 0);
    connection_->setVisible(view != nullptr);
    if (!view) return;
    connection_->setText(fromCore(view->connectionSentence));
    if (!running) return;
    alive_->setFigure(alive);
    rate_->setFigure(tr("%1 samples/s").arg(units::thousands(view->samplesPerSecond)));
}

}  // namespace lockstep::ui
