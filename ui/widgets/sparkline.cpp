// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/sparkline.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {
constexpr qreal kInset = 2.5;
}

Sparkline::Sparkline(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Last values"));
}

void Sparkline::append(float value) {
    if (values_.size() >= kLimit) values_.removeFirst();
    values_.append(value);
    setAccessibleDescription(tr("newest %1").arg(units::number(value)));
    update();
}

void Sparkline::setValues(QVector<float> values) {
    if (values.size() > kLimit) values.remove(0, values.size() - kLimit);
    values_ = std::move(values);
    update();
}

QSize Sparkline::sizeHint() const {
    return {160, 36};
}

void Sparkline::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto finite = [](float value) { return std::isfinite(value); };
    const auto first = std::find_if(values_.begin(), values_.end(), finite);
    const qreal middle = height() / 2.0;
    if (first == values_.end()) {
        painter.setPen(theme.hairline);
        painter.drawLine(QPointF(0, middle), QPointF(width(), middle));
        return;
    }
    float low = *first;
    float high = *first;
    for (const float value : values_) {
        if (!finite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const auto place = [&](qsizetype index, float value) {
        const qreal x = values_.size() > 1 ? qreal(index) / qreal(values_.size() - 1) : 1;
        const qreal y = high > low ? (value - low) / (high - low) : 0.5;
        return QPointF(kInset + x * (width() - 2 * kInset),
                       height() - kInset - y * (height() - 2 * kInset));
    };
    const QColor colour = theme.accent;
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    QPolygonF stretch;
    QPointF newest;
    for (qsizetype i = 0; i < values_.size(); ++i) {
        if (finite(values_[i])) {
            newest = place(i, values_[i]);
            stretch << newest;
            continue;
        }
        painter.drawPolyline(stretch);
        stretch.clear();
    }
    painter.drawPolyline(stretch);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawEllipse(newest, 2.5, 2.5);
}

}  // namespace lockstep::ui
