// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/phase_legend.h"

#include <QPainter>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/style/translated.h"

namespace lockstep::ui {

namespace {
constexpr int kSwatch = 10;
constexpr int kSwatchGap = 5;
constexpr int kEntryGap = 14;
}  // namespace

PhaseLegend::PhaseLegend(QWidget* parent) : QWidget(parent) {
    setFont(smallFont());
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::Graphic);
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
    setAccessibleDescription(listed(names));
    setFixedHeight(placesIn(width()).last().y() + rowHeight());
    updateGeometry();
    update();
}

QSize PhaseLegend::sizeHint() const {
    int width = 0;
    for (const Entry& entry : entries_)
        width += widthOf(entry) + kEntryGap;
    return {std::max(0, width - kEntryGap), rowHeight()};
}

QSize PhaseLegend::minimumSizeHint() const {
    int width = 0;
    for (const Entry& entry : entries_)
        width = std::max(width, widthOf(entry));
    return {width, rowHeight()};
}

/// Not by way of heightForWidth(): a scroll area would give a page that has it the height that all
/// in it would like best.
void PhaseLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    setFixedHeight(placesIn(width()).last().y() + rowHeight());
}

int PhaseLegend::rowHeight() const {
    return fontMetrics().height() + 2;
}

int PhaseLegend::widthOf(const Entry& entry) const {
    return kSwatch + kSwatchGap + fontMetrics().horizontalAdvance(entry.name);
}

QVector<QPoint> PhaseLegend::placesIn(int width) const {
    QVector<QPoint> places;
    QPoint next(0, 0);
    for (const Entry& entry : entries_) {
        if (next.x() > 0 && next.x() + widthOf(entry) > width) next = {0, next.y() + rowHeight()};
        places.push_back(next);
        next.rx() += widthOf(entry) + kEntryGap;
    }
    places.push_back(next);
    return places;
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
    const QVector<QPoint> places = placesIn(width());
    for (int i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        const QRect row(places[i], QSize(widthOf(entry) + 1, rowHeight()));
        paintSwatch(painter,
                    QRectF(row.x(), row.y() + (row.height() - kSwatch) / 2.0, kSwatch, kSwatch),
                    entry.phase);
        painter.setPen(theme.textSecondary);
        painter.drawText(row.adjusted(kSwatch + kSwatchGap, 0, 0, 0),
                         Qt::AlignLeft | Qt::AlignVCenter, entry.name);
    }
}

}  // namespace lockstep::ui
