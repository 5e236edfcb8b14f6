// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/value_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr int kBars = 40;  // at most about so many
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
    setAccessibleRole(*this, QAccessible::Chart);
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
                                                 : units::amount(std::abs(offBy(values_[0])))));
    update();
}

/// As many bars on each side of the middle one, which is "about right", as reach to the worst.
void ValuePlot::countBars() {
    const double widest = values_.isEmpty() ? 0 : std::abs(offBy(values_[0]));
    barWidth_ = roundInterval(2 * widest, kBars);
    const auto barOf = [this](double off) { return int(std::lround(off / barWidth_)); };
    const int beside = barOf(widest);
    bars_.fill(0, 2 * beside + 1);
    for (const QPointF& value : values_)
        ++bars_[std::clamp(barOf(offBy(value)) + beside, 0, 2 * beside)];
}

QVector<Tick> ValuePlot::ticks() const {
    return linearTicks({range_.low, range_.high}, kTicks);
}

QString ValuePlot::readout() const {
    const int shown = hovered_ >= 0 ? hovered_ : chosen_;
    if (shown < 0) return {};
    const QPointF& value = values_[shown];
    const double off = offBy(value);
    QString numbers =
        tr("true %1, predicted %2").arg(units::amount(value.x()), units::amount(value.y()));
    if (off == 0) return numbers;
    return (off > 0 ? tr("%1: %2 too high") : tr("%1: %2 too low"))
        .arg(numbers, units::amount(std::abs(off)));
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
    for (const Tick& tick : ticks()) {
        const QPointF place = pointAt({tick.position, tick.position});
        const double x = place.x();
        const double y = place.y();
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
        painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
        painter.setPen(theme.textSecondary);
        painter.drawText(QRectF(rect.left() - kLeft, y - 8, kLeft - 6, 16),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
        painter.drawText(QRectF(x - 40, rect.bottom() + 3, 80, 16), Qt::AlignCenter, tick.label);
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
    const double slot = rect.width() / double(bars_.size());
    painter.setPen(theme.textSecondary);
    painter.drawText(QRectF(rect.left(), rect.top() - kTitle, rect.width(), kTitle),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     tr("predicted less true, in steps of %1").arg(units::compact(barWidth_)));
    painter.setPen(Qt::NoPen);
    for (qsizetype i = 0; i < bars_.size(); ++i) {
        const double height = most > 0 ? rect.height() * bars_[i] / most : 0;
        painter.setBrush(i == bars_.size() / 2 ? theme.accent
                                               : mixed(theme.surface, theme.accent, 0.55));
        painter.drawRect(
            QRectF(rect.left() + double(i) * slot + 1, rect.bottom() - height, slot - 2, height));
    }
    painter.setPen(theme.hairline);
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    paintBarTicks(painter);
}

void ValuePlot::paintBarTicks(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF rect = histogram();
    const double reach = double(bars_.size()) * barWidth_ / 2;
    for (const Tick& tick : linearTicks({-reach, reach}, kTicks)) {
        const double x = rect.center().x() + tick.position / reach * rect.width() / 2;
        painter.setPen(theme.hairline);
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x, rect.bottom() + 3));
        painter.setPen(theme.textSecondary);
        painter.drawText(QRectF(x - 40, rect.bottom() + 3, 80, 16), Qt::AlignCenter, tick.label);
    }
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
