// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/progress_strip.h"

#include <QPainter>
#include <algorithm>

#include "ui/style/units.h"

namespace lockstep::ui {

namespace {
constexpr qreal kThickness = 4;
}

ProgressStrip::ProgressStrip(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::ProgressBar);
    setAccessibleName(tr("Progress"));
}

void ProgressStrip::setFraction(double fraction) {
    if (std::min(fraction, 1.0) == fraction_) return;
    fraction_ = std::min(fraction, 1.0);
    setAccessibleDescription(fraction < 0 ? tr("of unknown length") : units::percent(fraction_, 0));
    update();
}

void ProgressStrip::setTone(Tone tone) {
    if (tone == tone_) return;
    tone_ = tone;
    update();
}

QSize ProgressStrip::sizeHint() const {
    return {200, int(kThickness)};
}

void ProgressStrip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF groove(0, (height() - kThickness) / 2, width(), kThickness);
    painter.setBrush(theme.hairline);
    painter.drawRoundedRect(groove, kThickness / 2, kThickness / 2);
    QRectF done = groove;
    if (fraction_ >= 0)
        done.setWidth(std::max(fraction_ > 0 ? kThickness : 0.0, groove.width() * fraction_));
    painter.setBrush(fraction_ >= 0 ? theme.tone(tone_)
                                    : mixed(theme.hairline, theme.tone(tone_), 0.4));
    painter.drawRoundedRect(done, kThickness / 2, kThickness / 2);
}

}  // namespace lockstep::ui
