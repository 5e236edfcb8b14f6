// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/phase_bar.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <cmath>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

double sane(double value) {
    return std::isfinite(value) && value > 0 ? value : 0;
}

template <typename Values, typename Value>
double total(const Values& values, Value valueOf) {
    double sum = 0;
    for (const auto& each : values)
        sum += sane(valueOf(each));
    return sum;
}

/// Draws the parts of a bar side by side inside a rounded shape.
template <typename Parts, typename Value, typename Colour>
void paintParts(QPainter& painter, const QRectF& rect, const Parts& parts, Value valueOf,
                Colour colourOf) {
    const double sum = total(parts, valueOf);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath shape;
    const qreal radius = std::min<qreal>(3, rect.height() / 2);
    shape.addRoundedRect(rect, radius, radius);
    painter.setClipPath(shape);
    painter.fillRect(rect, Theme::current().hairline);
    qreal left = rect.left();
    int index = 0;
    for (const auto& part : parts) {
        const qreal width = sum > 0 ? rect.width() * sane(valueOf(part)) / sum : 0;
        painter.fillRect(QRectF(left, rect.top(), width, rect.height()), colourOf(part, index++));
        left += width;
    }
    painter.restore();
}

}  // namespace

PhaseBar::PhaseBar(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::Chart);
    setAccessibleName(tr("Phases of a step"));
}

void PhaseBar::setParts(QVector<Part> parts) {
    parts_ = std::move(parts);
    const double sum = total(parts_, [](const Part& part) { return part.value; });
    QStringList words;
    for (const Part& part : parts_) {
        const double share = sum > 0 ? sane(part.value) / sum : 0;
        words << part.name + QLatin1Char(' ') + units::percent(share, 0);
    }
    setAccessibleDescription(listed(words));
    update();
}

int PhaseBar::partAt(int x) const {
    const double sum = total(parts_, [](const Part& part) { return part.value; });
    double left = 0;
    for (int i = 0; i < parts_.size() && sum > 0; ++i) {
        const double next = left + width() * sane(parts_[i].value) / sum;
        if (x >= left && x < next) return i;
        left = next;
    }
    return -1;
}

void PhaseBar::paint(QPainter& painter, const QRectF& rect, const QList<float>& values) {
    const Theme& theme = Theme::current();
    paintParts(
        painter, rect, values, [](float value) { return double(value); },
        [&theme](float, int index) { return theme.phaseColour(index); });
}

QSize PhaseBar::sizeHint() const {
    return {160, 12};
}

void PhaseBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintParts(
        painter, rect(), parts_, [](const Part& part) { return part.value; },
        [](const Part& part, int) { return part.colour; });
}

bool PhaseBar::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int part = partAt(help->pos().x());
        if (part < 0)
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), accessibleDescription(), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace lockstep::ui
