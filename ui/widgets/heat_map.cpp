// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/heat_map.h"

#include <QKeyEvent>
#include <QLinearGradient>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/accessible_role.h"

namespace lockstep::ui {
namespace {

constexpr int kLeastSide = 12;
constexpr int kMostSide = 56;
constexpr int kRoomForName = 26;
constexpr int kGap = 2;
constexpr int kRowGap = 6;
constexpr int kColumnGap = 24;
constexpr int kMostColumns = 6;
constexpr int kLabelAir = 2;  // since the font's widths are rounded
constexpr int kMostLabel = 160;
constexpr int kFooter = 32;
constexpr int kScaleWidth = 120;
constexpr double kPalest = 0.1;

}  // namespace

HeatMap::HeatMap(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleRole(*this, QAccessible::Table);
}

void HeatMap::setRows(QVector<Row> rows, std::optional<Scale> scale) {
    if (rows == rows_ && scale == scale_) return;
    const auto shapeOf = [](const QVector<Row>& of) {
        QVector<std::pair<QString, qsizetype>> shape;
        for (const Row& row : of)
            shape.push_back({row.name, row.cells.size()});
        return shape;
    };
    const bool isOther = shapeOf(rows) != shapeOf(rows_);
    rows_ = std::move(rows);
    scale_ = std::move(scale);
    if (isOther) {
        cells_.clear();
        for (int row = 0; row < rows_.size(); ++row)
            for (int cell = 0; cell < rows_[row].cells.size(); ++cell)
                cells_.push_back({row, cell});
        current_ = std::min(current_, cellCount() - 1);
        hovered_ = -1;
        layOut();
    }
    setAccessibleDescription(readout());
    update();
}

const HeatMap::Cell& HeatMap::cellAt(int cell) const {
    const Place& place = cells_[cell];
    return rows_[place.row].cells[place.inRow];
}

int HeatMap::across(int side, int columns) const {
    const int room = (width() - (columns - 1) * kColumnGap) / columns - labels_;
    return std::max(1, (room + kGap) / (side + kGap));
}

QVector<QPoint> HeatMap::placesOf(int side, int columns) const {
    const int inColumn = (int(rows_.size()) + columns - 1) / columns;
    const int step = (width() + kColumnGap) / columns;
    const int beside = across(side, columns);
    QVector<QPoint> places;
    int top = 0;
    int end = 0;
    for (int row = 0; row < rows_.size(); ++row) {
        if (row % inColumn == 0) top = 0;
        places.push_back({row / inColumn * step, top});
        const int lines = (int(rows_[row].cells.size()) + beside - 1) / beside;
        top += lines * (side + kGap) + kRowGap;
        end = std::max(end, top);
    }
    places.push_back({0, end});
    return places;
}

int HeatMap::heightOf(int side, int columns) const {
    return placesOf(side, columns).last().y() + kFooter;
}

/// The largest cells that fit, or the least ones in a scroll area.
void HeatMap::layOut() {
    const QFontMetrics metrics(smallFont());
    int widest = 0;
    for (const Row& row : rows_)
        widest = std::max(widest, metrics.horizontalAdvance(row.name) + kLabelAir);
    labels_ = std::min(widest, kMostLabel) + kGrid;
    const auto lowest = [this](int side) {
        int best = 1;
        for (int columns = 2; columns <= kMostColumns; ++columns)
            if (heightOf(side, columns) < heightOf(side, best)) best = columns;
        return best;
    };
    setMinimumHeight(heightOf(kLeastSide, lowest(kLeastSide)));
    side_ = kMostSide;
    while (side_ > kLeastSide && heightOf(side_, lowest(side_)) > height())
        --side_;
    columns_ = 1;  // no more than are needed
    while (columns_ < lowest(side_) && heightOf(side_, columns_) > height())
        ++columns_;
    places_ = placesOf(side_, columns_);
}

QRectF HeatMap::cellRect(int cell) const {
    const Place& place = cells_[cell];
    const int beside = across(side_, columns_);
    const QPoint row = places_[place.row];
    const int column = place.inRow % beside;
    const int line = place.inRow / beside;
    return QRectF(row.x() + labels_ + column * (side_ + kGap), row.y() + line * (side_ + kGap),
                  side_, side_);
}

QString HeatMap::readout() const {
    const int shown = hovered_ >= 0 ? hovered_ : current_;
    return shown >= 0 ? cellAt(shown).words : QString();
}

QSize HeatMap::gridSize() const {
    qsizetype longest = 0;
    for (const Row& row : rows_)
        longest = std::max(longest, row.cells.size());
    return {int(longest), int(rows_.size())};
}

QPoint HeatMap::placeOf(int part) const {
    return {cells_[part].inRow, cells_[part].row};
}

int HeatMap::partAt(int row, int column) const {
    int first = 0;
    for (int before = 0; before < row; ++before)
        first += int(rows_[before].cells.size());
    return column < rows_[row].cells.size() ? first + column : -1;
}

QString HeatMap::rowHeading(int row) const {
    return rows_.value(row).name;
}

QSize HeatMap::sizeHint() const {
    return {640, 320};
}

QSize HeatMap::minimumSizeHint() const {
    return {240, kLeastSide + kFooter};
}

QColor HeatMap::colourOf(const Cell& cell) const {
    const Theme& theme = Theme::of(this);
    if (cell.phase) return theme.phaseColour(*cell.phase);
    if (!scale_ || !std::isfinite(cell.value)) return theme.surface;
    const double span = scale_->high - scale_->low;
    const double share = span > 0 ? std::clamp((cell.value - scale_->low) / span, 0.0, 1.0) : 0.0;
    return mixed(theme.surface, theme.accent, kPalest + (1 - kPalest) * share);
}

void HeatMap::paintCell(QPainter& painter, int cell) const {
    const Theme& theme = Theme::of(this);
    const Cell& what = cellAt(cell);
    const QRectF rect = cellRect(cell);
    const QColor fill = what.tone == Tone::Bad ? theme.toneSoft(Tone::Bad) : colourOf(what);
    const bool isKnown = what.phase || std::isfinite(what.value);
    painter.setPen(what.tone == Tone::Warn ? QPen(theme.warn, 2)
                   : isKnown               ? QPen(Qt::NoPen)
                                           : QPen(theme.hairline, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    if (what.tone == Tone::Bad) {
        painter.setPen(QPen(theme.bad, 1.5));
        const QRectF cross = rect.adjusted(3, 3, -3, -3);
        painter.drawLine(cross.topLeft(), cross.bottomRight());
        painter.drawLine(cross.bottomLeft(), cross.topRight());
    } else if (side_ >= kRoomForName) {
        painter.setPen(inkOn(fill));
        painter.drawText(rect, Qt::AlignCenter, what.name);
    }
    if (cell != current_ && cell != hovered_) return;
    painter.setPen(QPen(cell == current_ && hasFocus() ? theme.accent : theme.text, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(rect.adjusted(0, 0, 0, 0), 3, 3);
}

void HeatMap::paintFooter(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QFontMetrics metrics(smallFont());
    // Right beneath the cells, whose scale it is.
    QRectF line(0, std::min(places_.last().y(), height() - kFooter), width(), kFooter);
    painter.setPen(theme.textSecondary);
    if (scale_) {
        const int low = metrics.horizontalAdvance(scale_->lowWords) + kGrid;
        const int high = metrics.horizontalAdvance(scale_->highWords) + 3 * kGrid;
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, scale_->lowWords);
        const QRectF ramp(low, line.center().y() - 5, kScaleWidth, 10);
        QLinearGradient gradient(ramp.topLeft(), ramp.topRight());
        gradient.setColorAt(0, mixed(theme.surface, theme.accent, kPalest));
        gradient.setColorAt(1, theme.accent);
        painter.fillRect(ramp, gradient);
        line.setLeft(ramp.right() + kGrid);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, scale_->highWords);
        line.setLeft(line.left() + high);
    }
    painter.setPen(theme.text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(readout(), Qt::ElideRight, int(line.width())));
}

void HeatMap::paintEvent(QPaintEvent* event) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont());
    const QFontMetrics metrics(smallFont());
    for (int row = 0; row < rows_.size(); ++row) {
        painter.setPen(theme.textSecondary);
        painter.drawText(
            QRect(places_[row], QSize(labels_ - kGrid, std::max(side_, metrics.height()))),
            Qt::AlignLeft | (side_ < metrics.height() ? Qt::AlignTop : Qt::AlignVCenter),
            metrics.elidedText(rows_[row].name, Qt::ElideMiddle, labels_ - kGrid));
    }
    for (int cell = 0; cell < cellCount(); ++cell)
        if (cellRect(cell).intersects(event->rect())) paintCell(painter, cell);
    paintFooter(painter);
}

void HeatMap::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOut();
}

int HeatMap::under(const QPointF& position) const {
    for (int cell = 0; cell < cellCount(); ++cell)
        if (cellRect(cell).adjusted(-1, -1, 1, 1).contains(position)) return cell;
    return -1;
}

void HeatMap::mouseMoveEvent(QMouseEvent* event) {
    const int cell = under(event->position());
    if (cell == hovered_) return;
    hovered_ = cell;
    update();
}

void HeatMap::mousePressEvent(QMouseEvent* event) {
    const int cell = under(event->position());
    if (event->button() != Qt::LeftButton || cell < 0) return;
    choose(cell);
    Q_EMIT activated(cell);
}

void HeatMap::leaveEvent(QEvent* event) {
    hovered_ = -1;
    update();
    QWidget::leaveEvent(event);
}

void HeatMap::setCurrent(int cell) {
    choose(std::clamp(cell, -1, cellCount() - 1));
}

void HeatMap::choose(int cell) {
    current_ = cell;
    setAccessibleDescription(readout());
    tellChosenPart(*this);
    update();
}

int HeatMap::beside(int cell, int direction) const {
    const QPointF from = cellRect(cell).center();
    int best = cell;
    double least = 0;
    for (int other = 0; other < cellCount(); ++other) {
        const QPointF to = cellRect(other).center();
        const double down = (to.y() - from.y()) * direction;
        if (down <= 1) continue;
        // The nearest line first, and in it the nearest cell.
        const double away = down * width() + std::abs(to.x() - from.x());
        if (best != cell && away >= least) continue;
        best = other;
        least = away;
    }
    return best;
}

void HeatMap::keyPressEvent(QKeyEvent* event) {
    if (cells_.isEmpty()) return QWidget::keyPressEvent(event);
    const int from = std::max(0, current_);
    switch (event->key()) {
        case Qt::Key_Left:
            return choose(std::max(0, from - 1));
        case Qt::Key_Right:
            return choose(std::min(cellCount() - 1, current_ + 1));
        case Qt::Key_Up:
            return choose(beside(from, -1));
        case Qt::Key_Down:
            return choose(beside(from, 1));
        case Qt::Key_Home:
            return choose(0);
        case Qt::Key_End:
            return choose(cellCount() - 1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            Q_EMIT activated(from);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void HeatMap::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    if (current_ < 0 && !cells_.isEmpty()) choose(0);
}

}  // namespace lockstep::ui
