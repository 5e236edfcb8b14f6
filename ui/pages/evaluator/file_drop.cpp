// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/file_drop.h"

#include <QFileDialog>
#include <QFontMetrics>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {
constexpr int kIcon = 32;
constexpr int kRound = 6;
}  // namespace

FileDrop::FileDrop(QWidget* parent) : QWidget(parent) {
    words_ = wrappedLabel(this);
    words_->setFont(strongFont());
    hint_ = wrappedLabel(this);
    hint_->setProperty("secondary", true);
    auto* choose = new QPushButton(tr("Browse …"), this);
    choose->setObjectName(QStringLiteral("browseFiles"));
    connect(choose, &QPushButton::clicked, this, &FileDrop::browse);
    layout_ = new QBoxLayout(QBoxLayout::TopToBottom, this);
    layout_->setSpacing(kGrid);
    layout_->addWidget(words_);
    layout_->addWidget(hint_, 1);
    layout_->addWidget(choose, 0, Qt::AlignCenter);
    setCompact(false);
}

void FileDrop::setWords(const QString& words, const QString& hint) {
    words_->setText(words);
    hint_->setText(hint);
}

void FileDrop::setCompact(bool on) {
    isCompact_ = on;
    const int side = on ? kGrid : 2 * kGrid;
    layout_->setDirection(on ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    layout_->setContentsMargins(2 * kGrid, on ? side : side + kIcon + kGrid, 2 * kGrid, side);
    words_->setVisible(!on);
    for (QLabel* label : {words_, hint_})
        label->setAlignment(on ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter);
    update();
}

void FileDrop::setTarget(bool on) {
    if (isTarget_ == on) return;
    isTarget_ = on;
    update();
}

void FileDrop::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(
        QPen(isTarget_ ? theme.accent : theme.textDisabled, isTarget_ ? 2 : 1, Qt::DashLine));
    painter.setBrush(isTarget_ ? QBrush(theme.accentSoft) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kRound, kRound);
    if (isCompact_) return;
    paintIcon(painter, Icon::Data, QRectF((width() - kIcon) / 2.0, 2 * kGrid, kIcon, kIcon),
              theme.textSecondary);
}

void FileDrop::browse() {
    const QStringList files = QFileDialog::getOpenFileNames(window(), tr("What to ask about"));
    if (!files.isEmpty()) Q_EMIT chosen(files);
}

}  // namespace lockstep::ui
