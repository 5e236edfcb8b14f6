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
    QVector<Entry> entries;
    for (int phase = 0; phase < names.size(); ++phase)
        entries.push_back({names[phase], phase});
    setEntries(std::move(entries));
}

void PhaseLegend::setEntries(QVector<Entry> entries) {
    entries_ = std::move(entries);
    QStringList names;
    for (const Entry& entry : entries_)
        names << entry.name;
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

QSize PhaseLegend::sizeHint() const {
    int width = 0;
    for (const Entry& entry : entries_)
        width += kSwatch + kSwatchGap + fontMetrics().horizontalAdvance(entry.name) + kEntryGap;
    return {std::max(0, width - kEntryGap), fontMetrics().height() + 2};
}

void PhaseLegend::paintSwatch(QPainter& painter, const QRectF& place, int phase) {
    const Theme& theme = Theme::current();
    if (phase == kLost) {
        painter.setPen(QPen(theme.bad, 2, Qt::SolidLine, Qt::RoundCap));
        const QRectF cross = place.adjusted(1.5, 1.5, -1.5, -1.5);
        painter.drawLine(cross.topLeft(), cross.bottomRight());
        painter.drawLine(cross.bottomLeft(), cross.topRight());
        return;
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(phase == kSilent ? theme.toneSoft(Tone::Warn) : theme.phaseColour(phase));
    painter.drawRoundedRect(place, 2, 2);
    if (phase == kSilent)
        painter.fillRect(QRectF(place.left(), place.bottom() - 2, place.width(), 2), theme.warn);
}

void PhaseLegend::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    int x = 0;
    for (const Entry& entry : entries_) {
        paintSwatch(painter, QRectF(x, (height() - kSwatch) / 2.0, kSwatch, kSwatch), entry.phase);
        x += kSwatch + kSwatchGap;
        const int advance = fontMetrics().horizontalAdvance(entry.name);
        painter.setPen(theme.textSecondary);
        painter.drawText(QRect(x, 0, advance + 1, height()), Qt::AlignLeft | Qt::AlignVCenter,
                         entry.name);
        x += advance + kEntryGap;
    }
}

}  // namespace lockstep::ui
