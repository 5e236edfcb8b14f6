// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/state_pill.h"

#include <QPainter>

#include "ui/style/accessible_role.h"

namespace lockstep::ui {

namespace {
constexpr int kIconSide = 16;
constexpr int kGap = 6;
constexpr int kPadding = 10;
constexpr int kHeight = 26;
}  // namespace

StatePill::StatePill(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::StaticText);
    setAccessibleName(tr("State"));
}

void StatePill::setState(const QString& word, Icon icon, Tone tone) {
    if (word == word_ && icon == icon_ && tone == tone_) return;
    word_ = word;
    icon_ = icon;
    tone_ = tone;
    setAccessibleName(tr("State: %1").arg(word));
    updateGeometry();
    update();
}

QSize StatePill::sizeHint() const {
    const int text = QFontMetrics(strongFont()).horizontalAdvance(word_);
    return {2 * kPadding + kIconSide + kGap + text, kHeight};
}

void StatePill::paintEvent(QPaintEvent*) {
    if (word_.isEmpty()) return;
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.toneSoft(tone_));
    const QRectF pill(0, (height() - kHeight) / 2.0, width(), kHeight);
    painter.drawRoundedRect(pill, kHeight / 2.0, kHeight / 2.0);

    const QColor colour = tone_ == Tone::Neutral ? theme.text : theme.tone(tone_);
    const QRectF picture(kPadding, (height() - kIconSide) / 2.0, kIconSide, kIconSide);
    paintIcon(painter, icon_, picture, colour);
    painter.setPen(colour);
    painter.setFont(strongFont());
    painter.drawText(QRectF(picture.right() + kGap, 0, width(), height()),
                     Qt::AlignLeft | Qt::AlignVCenter, word_);
}

}  // namespace lockstep::ui
