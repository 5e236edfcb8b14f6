// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/phase_legend.h"

#include <QPainter>

#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {
constexpr int kSwatch = 10;
constexpr int kSwatchGap = 5;
constexpr int kEntryGap = 14;
}  // namespace

PhaseLegend::PhaseLegend(QWidget* parent) : QWidget(parent) {
    setFont(smallFont());
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("Phases of a step"));
}

void PhaseLegend::setNames(const QStringList& names) {
    names_ = names;
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QSize PhaseLegend::sizeHint() const {
    int width = 0;
    for (const QString& name : names_)
        width += kSwatch + kSwatchGap + fontMetrics().horizontalAdvance(name) + kEntryGap;
    return {std::max(0, width - kEntryGap), fontMetrics().height() + 2};
}

void PhaseLegend::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    int x = 0;
    for (int i = 0; i < names_.size(); ++i) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.phaseColour(i));
        painter.drawRoundedRect(QRectF(x, (height() - kSwatch) / 2.0, kSwatch, kSwatch), 2, 2);
        x += kSwatch + kSwatchGap;
        const int advance = fontMetrics().horizontalAdvance(names_[i]);
        painter.setPen(theme.textSecondary);
        painter.drawText(QRect(x, 0, advance + 1, height()), Qt::AlignLeft | Qt::AlignVCenter,
                         names_[i]);
        x += advance + kEntryGap;
    }
}

}  // namespace lockstep::ui
