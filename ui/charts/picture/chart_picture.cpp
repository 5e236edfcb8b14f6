// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/picture/chart_picture.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/charts/paint/mark_painting.h"
#include "ui/charts/picture/curve_strokes.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {

constexpr double kMargin = 12;
constexpr double kGap = 6;
constexpr double kSwatch = 14;   // a piece of the curve beside its name
constexpr double kNameGap = 16;  // between two names
constexpr double kHoleSide = 9;  // of the triangle where values are not finite

/// Where everything lies, from the upper left corner of the picture.
class Layout {
public:
    explicit Layout(const ChartPicture& picture)
        : picture_(picture), title_(picture.titleFont), text_(picture.font) {
        double labels = 0;
        for (const Tick& tick : picture.yTicks)
            labels = std::max(labels, text_.horizontalAdvance(tick.label));
        const double left = kMargin + text_.height() + kGap + std::ceil(labels) + kGap;
        width_ = left + picture.curves.size.width() + 2 * kMargin;
        const double legendTop = kMargin + title_.height() + kGap;
        placeLegend(legendTop);
        const double rows = picture.legend.isEmpty() ? 0 : rows_ * (text_.height() + kGap);
        plot_ = QRectF({left, std::ceil(legendTop + rows + kGap)}, picture.curves.size);
        height_ = plot_.bottom() + kGap + text_.height() + kGap + text_.height() + kMargin;
    }

    [[nodiscard]] QSizeF size() const { return {std::ceil(width_), std::ceil(height_)}; }
    [[nodiscard]] const QRectF& plot() const { return plot_; }
    /// The upper left corner of each name with its swatch.
    [[nodiscard]] const QVector<QPointF>& names() const { return names_; }
    [[nodiscard]] QRectF title() const {
        return {kMargin, kMargin, width_ - 2 * kMargin, title_.height()};
    }
    [[nodiscard]] double lineHeight() const { return text_.height(); }
    [[nodiscard]] QRectF xTitle() const {
        return {plot_.left(), plot_.bottom() + 2 * kGap + text_.height(), plot_.width(),
                text_.height()};
    }

private:
    /// In rows, as words in a text.
    void placeLegend(double top) {
        double x = kMargin;
        rows_ = 1;
        for (const ChartPicture::Name& name : picture_.legend) {
            const double wide = kSwatch + kGap + text_.horizontalAdvance(name.text) + kNameGap;
            if (x > kMargin && x + wide > width_ - kMargin) {
                x = kMargin;
                ++rows_;
            }
            names_.append({x, top + (rows_ - 1) * (text_.height() + kGap)});
            x += wide;
        }
    }

    const ChartPicture& picture_;
    QFontMetricsF title_;
    QFontMetricsF text_;
    QRectF plot_;
    QVector<QPointF> names_;
    int rows_ = 0;
    double width_ = 0;
    double height_ = 0;
};

/// From a place on an axis to one in the plot, 0 to 1.
double fractionOf(double position, AxisRange range) {
    return (position - range.first) / (range.last - range.first);
}

void paintWords(QPainter& painter, const ChartPicture& picture, const Layout& layout) {
    const Theme& theme = Theme::light();
    painter.setPen(theme.text);
    painter.setFont(picture.titleFont);
    painter.drawText(layout.title(), Qt::AlignLeft | Qt::AlignVCenter, picture.title);
    painter.setFont(picture.font);
    for (qsizetype i = 0; i < picture.legend.size(); ++i) {
        const QPointF corner = layout.names()[i];
        const double middle = corner.y() + layout.lineHeight() / 2;
        painter.setPen(QPen(picture.legend[i].colour, 2.5, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(QPointF(corner.x(), middle), QPointF(corner.x() + kSwatch, middle));
        painter.setPen(theme.text);
        painter.drawText(QRectF(corner + QPointF(kSwatch + kGap, 0),
                                QSizeF(layout.size().width(), layout.lineHeight())),
                         Qt::AlignLeft | Qt::AlignVCenter, picture.legend[i].text);
    }
    painter.setPen(theme.textSecondary);
    painter.drawText(layout.xTitle(), Qt::AlignCenter, picture.xTitle);
    const QRectF& plot = layout.plot();
    painter.save();
    painter.translate(kMargin, plot.bottom());
    painter.rotate(-90);
    painter.drawText(QRectF(0, 0, plot.height(), layout.lineHeight()), Qt::AlignCenter,
                     picture.yTitle);
    painter.restore();
}

void paintAxes(QPainter& painter, const ChartPicture& picture, const Layout& layout) {
    const Theme& theme = Theme::light();
    const QRectF& plot = layout.plot();
    const double wide = 200;  // more than any label
    for (const Tick& tick : picture.xTicks) {
        const double x = plot.left() + fractionOf(tick.position, picture.curves.x) * plot.width();
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        painter.setPen(theme.textSecondary);
        painter.drawText(QRectF(x - wide / 2, plot.bottom() + kGap, wide, layout.lineHeight()),
                         Qt::AlignCenter, tick.label);
    }
    for (const Tick& tick : picture.yTicks) {
        const double y =
            plot.bottom() - fractionOf(tick.position, picture.curves.y) * plot.height();
        painter.setPen(QPen(theme.grid, 1));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(theme.textSecondary);
        painter.drawText(QRectF(plot.left() - kGap - wide, y - layout.lineHeight() / 2, wide,
                                layout.lineHeight()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    painter.setPen(QPen(theme.hairline, 1));
    painter.drawLine(plot.bottomLeft(), plot.bottomRight());
}

void paintCurves(QPainter& painter, const StrokedCurves& stroked) {
    for (const CurveStrokes& curve : stroked.curves) {
        painter.setPen(QPen(curve.colour, curve.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        for (const QPolygonF& line : curve.lines)
            painter.drawPolyline(line);
        painter.setPen(Qt::NoPen);
        painter.setBrush(curve.colour);
        for (const QPointF& dot : curve.dots)
            painter.drawEllipse(dot, curve.dotRadius, curve.dotRadius);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme::light().bad);
    double shownTo = -kHoleSide;
    std::vector<double> holes = stroked.holes;
    std::sort(holes.begin(), holes.end());
    for (const double x : holes) {
        if (x - shownTo < kHoleSide) continue;
        shownTo = x;
        painter.drawPolygon(
            QPolygonF({QPointF(x - kHoleSide / 2, 1), {x + kHoleSide / 2, 1}, {x, 1 + kHoleSide}}));
    }
}

}  // namespace

QSizeF ChartPicture::size() const {
    return Layout(*this).size();
}

void ChartPicture::paint(QPainter& painter) const {
    const Layout layout(*this);
    const Theme& theme = Theme::light();
    const QRectF& plot = layout.plot();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(QRectF({0, 0}, layout.size()), Qt::white);
    paintWords(painter, *this, layout);
    paintAxes(painter, *this, layout);
    painter.save();
    painter.translate(plot.topLeft());
    paintCurves(painter, strokeCurves(curves, smoothed));
    painter.restore();
    for (const Mark& mark : marks)
        paintMark(painter, plot, mark.kind,
                  plot.left() + fractionOf(mark.x, curves.x) * plot.width(), std::nullopt, theme);
    for (const double spike : spikes)
        paintSpike(painter, plot, plot.left() + spike * plot.width(), theme);
    if (note.isEmpty()) return;
    painter.setFont(font);
    painter.setPen(theme.textSecondary);
    painter.drawText(plot.adjusted(kGap, 2, 0, 0), Qt::AlignLeft | Qt::AlignTop, note);
}

}  // namespace lockstep::ui
