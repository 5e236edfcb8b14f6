// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/home/run_row.h"

#include <QPainter>

namespace lockstep::ui {
namespace {

constexpr int kHeight = 52;
constexpr int kLeastWidth = 260;
constexpr int kIconSide = 20;

}  // namespace

RunRow::RunRow(Icon icon, Tone tone, const QString& title, QWidget* parent)
    : QAbstractButton(parent), icon_(icon), tone_(tone) {
    setText(title);
    setAttribute(Qt::WA_Hover);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(title);
}

void RunRow::setDetail(const QString& detail) {
    detail_ = detail;
    tellAll();
}

void RunRow::setTrailing(const QString& trailing, Tone tone) {
    trailing_ = trailing;
    trailingTone_ = tone;
    tellAll();
}

void RunRow::tellAll() {
    setAccessibleDescription(trailing_.isEmpty() ? detail_
                                                 : detail_ + QStringLiteral(", ") + trailing_);
    update();
}

QSize RunRow::sizeHint() const {
    return {2 * kLeastWidth, kHeight};
}

QSize RunRow::minimumSizeHint() const {
    return {kLeastWidth, kHeight};
}

void RunRow::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF ground = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    if (underMouse() || isDown()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isDown() ? theme.accentSoft : theme.hover);
        painter.drawRoundedRect(ground, kGrid / 2.0, kGrid / 2.0);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(ground, kGrid / 2.0, kGrid / 2.0);
    }
    const QRectF picture(kGrid, (height() - kIconSide) / 2.0, kIconSide, kIconSide);
    paintIcon(painter, icon_, picture, theme.tone(tone_));

    const int left = int(picture.right()) + 3 * kGrid / 2;
    int right = width() - kGrid;
    if (!trailing_.isEmpty()) {
        const int wanted = painter.fontMetrics().horizontalAdvance(trailing_);
        const int room = std::min(wanted + 1, (right - left) / 2);
        painter.setPen(trailingTone_ == Tone::Neutral ? theme.textSecondary
                                                      : theme.tone(trailingTone_));
        painter.drawText(QRect(right - room, 0, room, height()), Qt::AlignVCenter | Qt::AlignRight,
                         painter.fontMetrics().elidedText(trailing_, Qt::ElideRight, room));
        right -= room + 2 * kGrid;
    }
    const auto line = [&](const QString& text, const QRect& place) {
        painter.drawText(place, Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(text, Qt::ElideMiddle, place.width()));
    };
    painter.setPen(theme.text);
    const int half = height() / 2;
    const bool isAlone = detail_.isEmpty();
    line(text(), isAlone ? QRect(left, 0, right - left, height())
                         : QRect(left, kGrid / 2, right - left, half - kGrid / 2));
    if (isAlone) return;
    painter.setFont(smallFont());
    painter.setPen(theme.textSecondary);
    line(detail_, QRect(left, half, right - left, half - kGrid / 2));
}

}  // namespace lockstep::ui
