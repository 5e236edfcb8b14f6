// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/value_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr int kBars = 25;  // an odd number: the middle one is "about right"
constexpr int kLeft = 56;
constexpr int kBelow = 22;  // of each axis: its numbers
constexpr int kTitle = 20;
constexpr int kHistogram = 72;
constexpr int kTicks = 5;
constexpr double kNear = 12;  // points from the pointer

double offBy(const QPointF& value) {
    return value.y() - value.x();
}

}  // namespace

ValuePlot::ValuePlot(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Predicted against true values"));
}

void ValuePlot::setValues(const QString& name, const QVector<QPointF>& values) {
    name_ = name;
    values_.clear();
    for (const QPointF& value : values)
        if (std::isfinite(value.x()) && std::isfinite(value.y())) values_.push_back(value);
    std::ranges::stable_sort(values_, [](const QPointF& a, const QPointF& b) {
        return std::abs(offBy(a)) > std::abs(offBy(b));
    });
    range_ = {};
    if (!values_.isEmpty()) {
        range_ = {values_[0].x(), values_[0].x()};
        for (const QPointF& value : values_) {
            range_.low = std::min({range_.low, value.x(), value.y()});
            range_.high = std::max({range_.high, value.x(), value.y()});
        }
        const double air = std::max((range_.high - range_.low) * 0.04, 1e-9);
        range_ = {range_.low - air, range_.high + air};
    }
    chosen_ = hovered_ = -1;
    countBars();
    setAccessibleDescription(tr("%1 values of %2, the worst off by %3")
                                 .arg(values_.size())
                                 .arg(name_, values_.isEmpty()
                                                 ? QString()
                                                 : units::number(std::abs(offBy(values_[0])))));
    update();
}

void ValuePlot::countBars() {
    bars_.fill(0, kBars);
    widest_ = values_.isEmpty() ? 1 : std::max(std::abs(offBy(values_[0])), 1e-12);
    for (const QPointF& value : values_) {
        const double place = (offBy(value) + widest_) / (2 * widest_);
        ++bars_[std::clamp(int(place * kBars), 0, kBars - 1)];
    }
}

QString ValuePlot::readout() const {
    const int shown = hovered_ >= 0 ? hovered_ : chosen_;
    if (shown < 0) return {};
    const QPointF& value = values_[shown];
    const double off = offBy(value);
    QString numbers =
        tr("true %1, predicted %2").arg(units::number(value.x()), units::number(value.y()));
    if (off == 0) return numbers;
    return (off > 0 ? tr("%1: %2 too high") : tr("%1: %2 too low"))
        .arg(numbers, units::number(std::abs(off)));
}

QSize ValuePlot::sizeHint() const {
    return {420, 460};
}

QSize ValuePlot::minimumSizeHint() const {
    return {280, 280};
}

QRectF ValuePlot::square() const {
    const double height = this->height() - kTitle - 2 * kBelow - kHistogram - 2 * kTitle;
    const double side = std::max(40.0, std::min(double(width()) - kLeft - kGrid, height));
    return {kLeft + std::max(0.0, (width() - kLeft - kGrid - side) / 2), double(kTitle), side,
            side};
}

QRectF ValuePlot::histogram() const {
    const QRectF above = square();
    return {above.left(), above.bottom() + kBelow + 2 * kTitle, above.width(),
            double(kHistogram) - kTitle};
}

QPointF ValuePlot::pointAt(const QPointF& value) const {
    const QRectF rect = square();
    return {rect.left() + range_.place(value.x()) * rect.width(),
            rect.bottom() - range_.place(value.y()) * rect.height()};
}

void ValuePlot::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont());
    if (values_.isEmpty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(rect(), Qt::AlignCenter, tr("No values yet"));
        return;
    }
    paintTicks(painter);
    paintPoints(painter);
    paintBars(painter);
    painter.setPen(theme.textSecondary);
    const QString words = readout();
    const QRectF line(0, height() - kTitle, width(), kTitle);
    painter.drawText(line, Qt::AlignCenter,
                     words.isEmpty() ? tr("Point at a value, or use the arrow keys") : words);
}

void ValuePlot::paintTicks(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF rect = square();
    painter.setPen(theme.textSecondary);
    painter.drawText(QRectF(0, 0, width(), kTitle - 4), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("predicted %1").arg(name_));
    painter.drawText(QRectF(rect.left(), rect.bottom() + kBelow - 6, rect.width(), kTitle),
                     Qt::AlignRight | Qt::AlignVCenter, tr("true %1").arg(name_));
    for (int i = 0; i < kTicks; ++i) {
        const double share = double(i) / (kTicks - 1);
        const double value = range_.low + share * (range_.high - range_.low);
        const double x = rect.left() + share * rect.width();
        const double y = rect.bottom() - share * rect.height();
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
        painter.setPen(theme.textSecondary);
        const QString words = units::compact(value);
        painter.drawText(QRectF(rect.left() - kLeft, y - 8, kLeft - 6, 16),
                         Qt::AlignRight | Qt::AlignVCenter, words);
        painter.drawText(QRectF(x - 40, rect.bottom() + 3, 80, 16), Qt::AlignCenter, words);
    }
    painter.setPen(QPen(theme.textSecondary, 1, Qt::DashLine));
    painter.drawLine(rect.bottomLeft(), rect.topRight());
}

void ValuePlot::paintPoints(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    QColor ink = theme.accent;
    ink.setAlphaF(0.55F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (const QPointF& value : values_)
        painter.drawEllipse(pointAt(value), 3, 3);
    const int shown = hovered_ >= 0 ? hovered_ : chosen_;
    if (shown < 0) return;
    painter.setPen(QPen(theme.text, 1.5));
    painter.setBrush(theme.warn);
    painter.drawEllipse(pointAt(values_[shown]), 5, 5);
}

void ValuePlot::paintBars(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF rect = histogram();
    const int most = *std::ranges::max_element(bars_);
    const double slot = rect.width() / kBars;
    painter.setPen(theme.textSecondary);
    painter.drawText(QRectF(rect.left(), rect.top() - kTitle, rect.width(), kTitle),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("predicted less true"));
    painter.setPen(Qt::NoPen);
    for (int i = 0; i < kBars; ++i) {
        const double height = most > 0 ? rect.height() * bars_[i] / most : 0;
        painter.setBrush(i == kBars / 2 ? theme.accent : mixed(theme.surface, theme.accent, 0.55));
        painter.drawRect(
            QRectF(rect.left() + i * slot + 1, rect.bottom() - height, slot - 2, height));
    }
    painter.setPen(theme.hairline);
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    painter.setPen(theme.textSecondary);
    const QRectF numbers(rect.left(), rect.bottom() + 2, rect.width(), 16);
    painter.drawText(numbers, Qt::AlignLeft, units::compact(-widest_));
    painter.drawText(numbers, Qt::AlignHCenter, QStringLiteral("0"));
    painter.drawText(numbers, Qt::AlignRight, units::compact(widest_));
}

void ValuePlot::mouseMoveEvent(QMouseEvent* event) {
    int nearest = -1;
    double least = kNear;
    for (int i = 0; i < values_.size(); ++i) {
        const double away = QLineF(pointAt(values_[i]), event->position()).length();
        if (away >= least) continue;
        least = away;
        nearest = i;
    }
    if (nearest == hovered_) return;
    hovered_ = nearest;
    update();
}

void ValuePlot::leaveEvent(QEvent* event) {
    hovered_ = -1;
    update();
    QWidget::leaveEvent(event);
}

void ValuePlot::keyPressEvent(QKeyEvent* event) {
    const int last = int(values_.size()) - 1;
    if (last < 0) return QWidget::keyPressEvent(event);
    if (event->key() == Qt::Key_Right || event->key() == Qt::Key_Down)
        choose(std::min(last, chosen_ + 1));
    else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Up)
        choose(std::max(0, chosen_ - 1));
    else
        QWidget::keyPressEvent(event);
}

void ValuePlot::choose(int rank) {
    hovered_ = -1;
    chosen_ = rank;
    setAccessibleDescription(readout());
    update();
}

}  // namespace lockstep::ui
