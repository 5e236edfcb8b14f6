// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/sparkline.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {
constexpr qreal kInset = 2.5;
}

Sparkline::Sparkline(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::Chart);
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
    QPainter painter(this);
    paint(painter, rect(), values_, Theme::of(this));
}

void Sparkline::paint(QPainter& painter, const QRectF& rect, const QVector<float>& values,
                      const Theme& theme) {
    painter.setRenderHint(QPainter::Antialiasing);
    const auto finite = [](float value) { return std::isfinite(value); };
    const auto first = std::find_if(values.begin(), values.end(), finite);
    if (first == values.end()) {
        painter.setPen(theme.hairline);
        painter.drawLine(QPointF(rect.left(), rect.center().y()),
                         QPointF(rect.right(), rect.center().y()));
        return;
    }
    float low = *first;
    float high = *first;
    for (const float value : values) {
        if (!finite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    const auto place = [&](qsizetype index, float value) {
        const qreal x = values.size() > 1 ? qreal(index) / qreal(values.size() - 1) : 1;
        const qreal y = high > low ? (value - low) / (high - low) : 0.5;
        return QPointF(rect.left() + kInset + x * (rect.width() - 2 * kInset),
                       rect.bottom() - kInset - y * (rect.height() - 2 * kInset));
    };
    const QColor colour = theme.accent;
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    QPolygonF stretch;
    QPointF newest;
    for (qsizetype i = 0; i < values.size(); ++i) {
        if (finite(values[i])) {
            newest = place(i, values[i]);
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
