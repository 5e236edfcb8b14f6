// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/surface/chart_surface.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QPen>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/paint/mark_painting.h"
#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {

constexpr qreal kLeastLabelWidth = 36;
constexpr qreal kLabelGap = 10;
constexpr qreal kLabelStride = 6;
constexpr qreal kBottom = 24;
constexpr qreal kTop = 8;
constexpr qreal kRight = 20;  // half of the last label
constexpr qreal kMinorTick = 4;
constexpr double kMostStretch = 2;  // more makes blocks of curves

}  // namespace

ChartSurface::ChartSurface(QWidget* parent)
    : QChartView(parent), xAxis_(new QCategoryAxis), yAxis_(new QCategoryAxis) {
    setAccessibleRole(*this, QAccessible::Chart);
    chart()->setMargins({});
    chart()->setBackgroundVisible(false);
    chart()->setPlotAreaBackgroundVisible(false);
    chart()->legend()->hide();
    chart()->setAnimationOptions(QChart::NoAnimation);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->addAxis(xAxis_, Qt::AlignBottom);
    chart()->addAxis(yAxis_, Qt::AlignLeft);
    for (QCategoryAxis* axis : {xAxis_, yAxis_}) {
        axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
        axis->setTruncateLabels(false);
        axis->setStartValue(-1e300);
    }
    yAxis_->setLineVisible(false);
    setFrameShape(QFrame::NoFrame);
    setBackgroundBrush(Qt::NoBrush);
    viewport()->setAutoFillBackground(false);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::CrossCursor);
    setContextMenuPolicy(Qt::NoContextMenu);  // a matter of who has placed the chart
    refreshColours();
}

void ChartSurface::refreshColours() {
    const Theme& theme = Theme::current();
    const QPen grid(theme.grid, 1);
    for (QCategoryAxis* axis : {xAxis_, yAxis_}) {
        axis->setGridLinePen(grid);
        axis->setLinePen(QPen(theme.hairline, 1));
        axis->setLabelsBrush(theme.textSecondary);
        axis->setLabelsFont(smallFont());
    }
    viewport()->update();
}

void ChartSurface::setAxes(AxisRange x, const QVector<Tick>& xTicks, AxisRange y,
                           const QVector<Tick>& yTicks, const MinorTicks& minor) {
    x_ = x;
    y_ = y;
    minor_ = minor;
    replaceTicks(*xAxis_, xTicks, x);
    replaceTicks(*yAxis_, yTicks, y);
    const QFontMetricsF metrics(smallFont());
    qreal widest = kLeastLabelWidth;
    for (const Tick& tick : yTicks)
        widest = std::max(widest, metrics.horizontalAdvance(tick.label));
    // In strides, and narrower only when much is to be gained: a plot that changes its size with
    // every other label is drawn twice and jumps.
    widest = std::ceil(widest / kLabelStride) * kLabelStride;
    if (widest > labelWidth_ || widest < labelWidth_ - kLabelStride) {
        labelWidth_ = widest;
        layOut();
    }
    viewport()->update();
}

void ChartSurface::replaceTicks(QCategoryAxis& axis, const QVector<Tick>& ticks, AxisRange range) {
    QStringList labels;
    for (const Tick& tick : ticks)
        labels << tick.label;
    const bool same =
        labels == axis.categoriesLabels() && std::ranges::all_of(ticks, [&axis](const Tick& tick) {
            return axis.endValue(tick.label) == tick.position;
        });
    if (!same) {
        // Qt Charts lays everything out at each change: it is told of the last one only.
        axis.blockSignals(true);
        for (const QString& old : axis.categoriesLabels())
            axis.remove(old);
        for (const Tick& tick : ticks) {
            if (&tick == &ticks.last()) axis.blockSignals(false);
            axis.append(tick.label, tick.position);
        }
        axis.blockSignals(false);
    }
    axis.setRange(range.first, range.last);
}

void ChartSurface::setMarks(QVector<Mark> marks) {
    if (marks.isEmpty() && marks_.isEmpty()) return;
    marks_ = std::move(marks);
    viewport()->update();
}

void ChartSurface::setLayer(const RenderedLayer& layer) {
    layer_ = layer;
    viewport()->update();
}

void ChartSurface::setNote(const QString& note) {
    if (note == note_) return;
    note_ = note;
    viewport()->update();
}

void ChartSurface::setElsewhere(const QString& words, bool isRight) {
    if (words == elsewhere_ && isRight == elsewhereIsRight_) return;
    elsewhere_ = words;
    elsewhereIsRight_ = isRight;
    viewport()->update();
}

QRectF ChartSurface::elsewhereArea() const {
    if (elsewhere_.isEmpty()) return {};
    const QFontMetricsF metrics(smallFont());
    QRectF area(0, 0, metrics.horizontalAdvance(elsewhere_), metrics.height());
    area.moveCenter(plot_.center());
    if (elsewhereIsRight_)
        area.moveRight(plot_.right() - kLabelGap);
    else
        area.moveLeft(plot_.left() + kLabelGap);
    return area;
}

void ChartSurface::setReadout(const std::optional<Readout>& readout) {
    if (!readout && !readout_) return;
    readout_ = readout;
    viewport()->update();
}

void ChartSurface::setEmptyText(const QString& text) {
    if (text == emptyText_) return;
    emptyText_ = text;
    viewport()->update();
}

void ChartSurface::layOut() {
    const qreal left = std::ceil(labelWidth_ + kLabelGap);
    plot_ = QRectF(left, kTop, std::max(1.0, width() - left - kRight),
                   std::max(1.0, height() - kTop - kBottom));
    chart()->setPlotArea(plot_);
    // Qt Charts moves the axes with the former plot area until its layout is asked again.
    chart()->layout()->invalidate();
    chart()->layout()->activate();
}

void ChartSurface::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    layOut();
    Q_EMIT resized();
}

void ChartSurface::paintLayer(QPainter& painter) const {
    if (layer_.image.isNull()) return;
    // The axes are those of the picture; while the size changes it is stretched until the new one
    // comes.
    if (layer_.size == plot_.size())
        painter.drawImage(plot_.topLeft(), layer_.image);
    else if (plot_.height() <= kMostStretch * layer_.size.height() &&
             plot_.width() <= kMostStretch * layer_.size.width())
        painter.drawImage(plot_, layer_.image);
}

/// A spike above the axis still shows where it is.
void ChartSurface::paintSpikes(QPainter& painter) const {
    for (const double at : layer_.spikes)
        paintSpike(painter, plot_, plot_.left() + at * plot_.width(), Theme::current());
}

void ChartSurface::paintNote(QPainter& painter) const {
    if (note_.isEmpty()) return;
    painter.setFont(smallFont());
    painter.setPen(Theme::current().textSecondary);  // without a pen words have no bounds
    const int flags = Qt::AlignLeft | Qt::AlignTop;
    const QRectF place = plot_.adjusted(kLabelGap, 2, -kLabelGap, 0);
    const QRectF words = painter.boundingRect(place, flags, note_);
    painter.fillRect(words.adjusted(-3, -1, 3, 1), Theme::current().surface);
    painter.drawText(place, flags, note_);
}

void ChartSurface::paintElsewhere(QPainter& painter) const {
    if (elsewhere_.isEmpty()) return;
    const QRectF area = elsewhereArea().adjusted(-3, -1, 3, 1);
    painter.fillRect(area, Theme::current().surface);
    painter.setFont(smallFont());
    painter.setPen(Theme::current().textSecondary);
    painter.drawText(area, Qt::AlignCenter | Qt::TextDontClip, elsewhere_);
}

void ChartSurface::paintMinorTicks(QPainter& painter) const {
    const QColor ink = Theme::current().hairline;
    for (const double position : minor_.x) {
        const double at = (position - x_.first) / (x_.last - x_.first);
        const double x = std::round(plot_.left() + at * plot_.width());
        painter.fillRect(QRectF(x, plot_.bottom() - kMinorTick, 1, kMinorTick), ink);
    }
    for (const double position : minor_.y) {
        const double at = (position - y_.first) / (y_.last - y_.first);
        const double y = std::round(plot_.bottom() - at * plot_.height());
        painter.fillRect(QRectF(plot_.left(), y, kMinorTick, 1), ink);
    }
}

void ChartSurface::paintMarkAt(QPainter& painter, const Mark& mark) const {
    const double x = plot_.left() + (mark.x - x_.first) / (x_.last - x_.first) * plot_.width();
    std::optional<double> y;
    if (mark.y) y = plot_.bottom() - (*mark.y - y_.first) / (y_.last - y_.first) * plot_.height();
    paintMark(painter, plot_, mark.kind, x, y, Theme::current());
}

/// On a ground of its own: the lines of the axes would go through the words.
void ChartSurface::paintEmptyText(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const int flags = Qt::AlignCenter | Qt::TextWordWrap;
    const QRectF words = painter.boundingRect(plot_, flags, emptyText_);
    painter.fillRect(words.adjusted(-kLabelGap, -4, kLabelGap, 4), theme.surface);
    painter.setPen(theme.textSecondary);
    painter.drawText(plot_, flags, emptyText_);
}

void ChartSurface::drawForeground(QPainter* painter, const QRectF&) {
    const Theme& theme = Theme::current();
    if (!emptyText_.isEmpty()) {
        paintEmptyText(*painter);
    } else {
        paintMinorTicks(*painter);
        paintLayer(*painter);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        for (const Mark& mark : marks_)
            paintMarkAt(*painter, mark);
        paintSpikes(*painter);
        paintNote(*painter);
        paintElsewhere(*painter);
        painter->restore();
        if (readout_ && gesture_ == Gesture::None) paintReadout(*painter, plot_, *readout_);
    }
    if (gesture_ == Gesture::Range || gesture_ == Gesture::Box) {
        QColor tint = theme.accent;
        tint.setAlpha(36);
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(tint);
        painter->drawRect(boxUnderDrag());
    }
    if (hasFocus()) {
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(plot_.adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

}  // namespace lockstep::ui
