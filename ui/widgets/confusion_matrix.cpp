// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/confusion_matrix.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr int kTitleBand = 20;   // "prediction" above, the readout below
constexpr qreal kWholeCell = 8;  // from here on cells have whole sides
constexpr qreal kReadable = 28;
constexpr double kZoomStep = 1.4;
constexpr double kMostCell = 48;

}  // namespace

ConfusionMatrix::ConfusionMatrix(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleRole(*this, QAccessible::Table);
    setAccessibleName(tr("Confusion matrix"));
}

void ConfusionMatrix::setCounts(const QStringList& classNames, QVector<quint32> counts) {
    const qsizetype classes = classNames.size();
    if (counts.size() != classes * classes) return;
    if (classes != names_.size()) {
        zoom_ = 1;
        shift_ = {};
    }
    names_ = classNames;
    counts_ = ConfusionCounts(int(classes), std::move(counts));
    picture_ = {};
    if (chosen_.x() >= classes || chosen_.y() >= classes) chosen_ = {-1, -1};
    hovered_ = {-1, -1};
    setAccessibleDescription(readout());
    updateGeometry();
    update();
}

void ConfusionMatrix::setMarked(const QPoint& cell) {
    marked_ = cell;
    update();
}

void ConfusionMatrix::clear() {
    setCounts({}, {});
}

QString ConfusionMatrix::readout() const {
    return readout(hovered_.x() >= 0 ? hovered_ : chosen_);
}

QRect ConfusionMatrix::partArea(int part) const {
    const QPoint cell = placeOf(part);
    return layoutCells().cellRect(cell.y(), cell.x()).toRect();
}

int ConfusionMatrix::partUnder(const QPoint& point) const {
    const QPoint cell = names_.isEmpty() ? QPoint(-1, -1) : cellAt(point);
    return cell.x() < 0 ? -1 : partAt(cell.y(), cell.x());
}

int ConfusionMatrix::chosenPart() const {
    return chosen_.x() < 0 ? -1 : partAt(chosen_.y(), chosen_.x());
}

QString ConfusionMatrix::readout(const QPoint& cell) const {
    if (cell.x() < 0 || names_.isEmpty()) return {};
    const quint64 all = counts_.rowSums[cell.y()];
    const quint32 count = counts_.at(cell.y(), cell.x());
    const QString share = units::percent(all > 0 ? double(count) / double(all) : 0);
    const QString numbers =
        tr("%1 of %2 (%3)").arg(units::count(count), units::count(qint64(all)), share);
    const QString& truth = names_[cell.y()];
    return cell.x() == cell.y() ? tr("%1 recognised: %2").arg(truth, numbers)
                                : tr("%1 taken for %2: %3").arg(truth, names_[cell.x()], numbers);
}

QSize ConfusionMatrix::sizeHint() const {
    return {380, 400};
}

QSize ConfusionMatrix::minimumSizeHint() const {
    return {240, 260};
}

/// Names beside the cells take room only where cells are large enough to have them.
ConfusionMatrix::Geometry ConfusionMatrix::layoutCells() const {
    const Geometry bare = layoutCells(0);
    if (!hasLabels(bare)) return bare;
    const QFontMetricsF metrics(smallFont());
    qreal label = 0;
    for (const QString& name : names_)
        label = std::max(label, metrics.horizontalAdvance(name));
    return layoutCells(std::min(label, width() * 0.25) + 6);
}

bool ConfusionMatrix::hasLabels(const Geometry& geometry) const {
    return geometry.side >= QFontMetricsF(smallFont()).height() * 0.8;
}

ConfusionMatrix::Geometry ConfusionMatrix::layoutCells(qreal label) const {
    const QFontMetricsF metrics(smallFont());
    const qreal left = kTitleBand + label + 2;
    const qreal top = kTitleBand + metrics.height() + 4;
    const qreal space = std::min(width() - left - 1, height() - top - kTitleBand - 6);
    qreal side = space / qreal(std::max<qsizetype>(1, names_.size()));
    if (side >= kWholeCell) side = std::floor(side);
    const qreal extent = side * qreal(names_.size());
    const qreal margin = std::max(0.0, std::floor((width() - left - extent) / 2));
    const QRectF cells(margin + left, top, extent, extent);
    return {cells, side * zoom_, margin, cells.topLeft() + shift_};
}

QPoint ConfusionMatrix::cellAt(const QPointF& position) const {
    const Geometry geometry = layoutCells();
    if (geometry.side <= 0 || !geometry.cells.contains(position)) return {-1, -1};
    const QPointF inside = position - geometry.origin;
    const int last = int(names_.size()) - 1;
    return {std::min(last, int(inside.x() / geometry.side)),
            std::min(last, int(inside.y() / geometry.side))};
}

QPoint ConfusionMatrix::firstSeen(const Geometry& geometry) const {
    const QPointF before = (geometry.cells.topLeft() - geometry.origin) / geometry.side;
    return {std::max(0, int(before.x())), std::max(0, int(before.y()))};
}

QPoint ConfusionMatrix::lastSeen(const Geometry& geometry) const {
    const QPointF before = (geometry.cells.bottomRight() - geometry.origin) / geometry.side;
    const int last = int(names_.size()) - 1;
    return {std::min(last, int(std::ceil(before.x())) - 1),
            std::min(last, int(std::ceil(before.y())) - 1)};
}

void ConfusionMatrix::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (names_.isEmpty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(rect(), Qt::AlignCenter, tr("No evaluation yet"));
        return;
    }
    const Geometry geometry = layoutCells();
    painter.setFont(smallFont());
    paintCells(painter, geometry);
    paintAxes(painter, geometry);
    paintReadout(painter, geometry);
}

void ConfusionMatrix::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons().testFlag(Qt::LeftButton) && zoom_ > 1) {
        const QPointF moved = event->position() - dragFrom_;
        drags_ |= moved.manhattanLength() > 5;
        shift_ = shiftFrom_ + (drags_ ? moved : QPointF());
        zoomBy(1, {});  // within its limits
        return;
    }
    const QPoint cell = cellAt(event->position());
    if (cell == hovered_) return;
    hovered_ = cell;
    update();
}

void ConfusionMatrix::mousePressEvent(QMouseEvent* event) {
    dragFrom_ = event->position();
    shiftFrom_ = shift_;
    drags_ = false;
    const QPoint cell = cellAt(event->position());
    if (event->button() != Qt::LeftButton || cell.x() < 0 || zoom_ > 1) return;
    choose(cell);
    Q_EMIT cellActivated(cell.y(), cell.x());
}

/// Where a press may begin to drag, it is the release that chooses.
void ConfusionMatrix::mouseReleaseEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->position());
    if (event->button() != Qt::LeftButton || cell.x() < 0 || zoom_ <= 1 || drags_) return;
    choose(cell);
    Q_EMIT cellActivated(cell.y(), cell.x());
}

void ConfusionMatrix::wheelEvent(QWheelEvent* event) {
    if (!event->modifiers().testFlag(Qt::ControlModifier)) return QWidget::wheelEvent(event);
    zoomBy(event->angleDelta().y() > 0 ? kZoomStep : 1 / kZoomStep, event->position());
}

void ConfusionMatrix::zoomBy(double factor, const QPointF& around) {
    const Geometry before = layoutCells();
    const double fitted = before.side / zoom_;
    if (fitted <= 0) return;
    const double zoom = std::clamp(zoom_ * factor, 1.0, std::max(1.0, kMostCell / fitted));
    const QPointF cell = (around - before.origin) / before.side;
    if (factor != 1) shift_ = around - before.cells.topLeft() - cell * fitted * zoom;
    zoom_ = zoom;
    const double least = before.cells.width() - fitted * zoom * double(names_.size());
    shift_ = {std::clamp(shift_.x(), least, 0.0), std::clamp(shift_.y(), least, 0.0)};
    update();
}

void ConfusionMatrix::reveal(int truth, int prediction) {
    const Geometry geometry = layoutCells();
    if (geometry.side <= 0 || truth >= names_.size() || prediction >= names_.size()) return;
    if (geometry.side < kReadable) zoomBy(kReadable / geometry.side, geometry.cells.center());
    const double side = layoutCells().side;
    shift_ = QPointF(geometry.cells.width() / 2, geometry.cells.height() / 2) -
             QPointF(prediction + 0.5, truth + 0.5) * side;
    zoomBy(1, {});
    choose({prediction, truth});
}

bool ConfusionMatrix::zoomByKey(int key) {
    const QPointF centre = layoutCells().cells.center();
    if (key == Qt::Key_Plus || key == Qt::Key_Equal)
        zoomBy(kZoomStep, centre);
    else if (key == Qt::Key_Minus)
        zoomBy(1 / kZoomStep, centre);
    else if (key == Qt::Key_0)
        zoomBy(1 / zoom_, centre);
    else
        return false;
    return true;
}

void ConfusionMatrix::leaveEvent(QEvent* event) {
    hovered_ = {-1, -1};
    update();
    QWidget::leaveEvent(event);
}

void ConfusionMatrix::keyPressEvent(QKeyEvent* event) {
    if (names_.isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const int last = int(names_.size()) - 1;
    QPoint cell(std::max(0, chosen_.x()), std::max(0, chosen_.y()));
    switch (event->key()) {
        case Qt::Key_Left:
            cell.rx() = std::max(0, cell.x() - 1);
            break;
        case Qt::Key_Right:
            cell.rx() = std::min(last, cell.x() + 1);
            break;
        case Qt::Key_Up:
            cell.ry() = std::max(0, cell.y() - 1);
            break;
        case Qt::Key_Down:
            cell.ry() = std::min(last, cell.y() + 1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            Q_EMIT cellActivated(cell.y(), cell.x());
            return;
        default:
            if (!zoomByKey(event->key())) QWidget::keyPressEvent(event);
            return;
    }
    hovered_ = {-1, -1};
    if (zoom_ > 1) return reveal(cell.y(), cell.x());
    choose(cell);
}

void ConfusionMatrix::focusInEvent(QFocusEvent* event) {
    if (chosen_.x() < 0 && !names_.isEmpty()) choose({0, 0});
    QWidget::focusInEvent(event);
    update();
}

void ConfusionMatrix::choose(const QPoint& cell) {
    chosen_ = cell;
    setAccessibleDescription(readout());
    tellChosenPart(*this);
    update();
}

}  // namespace lockstep::ui
