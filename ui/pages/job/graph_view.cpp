// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/graph_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/models/network.h"
#include "ui/pages/job/graph_painter.h"
#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"
#include "ui/style/translated.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

constexpr double kLeastZoom = 0.15;
constexpr double kMostZoom = 3;
constexpr double kStep = 1.2;
constexpr double kLeastFit = 0.55;  ///< Below it words cannot be read: it scrolls instead.
constexpr int kManyLayers = 24;     ///< More: blocks begin folded.

}  // namespace

GraphView::GraphView(Network& network, QWidget* parent)
    : QAbstractScrollArea(parent), network_(network) {
    setObjectName(QStringLiteral("graphView"));
    setAccessibleRole(*this, QAccessible::Graphic);
    setAccessibleName(tr("Picture of the network"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setAutoFillBackground(false);
    connect(&network_, &Network::changed, this, &GraphView::refresh);
    refresh();
}

void GraphView::refresh() {
    const QSet<QString> blocks = blocksOf(network_.parts());
    if (blocks != blocks_) {
        const bool many = int(network_.graph().layers.size()) > kManyLayers;
        // What is new begins as everything would; what was there stays as it was.
        for (const QString& name : blocks)
            if (!blocks_.contains(name) && many) folded_.insert(name);
        folded_.intersect(blocks);
        blocks_ = blocks;
    }
    lay();
    tell();
}

void GraphView::lay() {
    const QString chosen =
        chosen_ >= 0 ? picture_.boxes[std::size_t(chosen_)].identity() : QString();
    picture_ = layOutGraph(network_.parts(), network_.graph(), folded_, network_.columns());
    share();
    chosen_ = -1;
    for (std::size_t i = 0; i < picture_.boxes.size() && !chosen.isEmpty(); ++i)
        if (picture_.boxes[i].identity() == chosen) chosen_ = int(i);
    if (fits_) fit();
    updateScrollBars();
    viewport()->update();
}

void GraphView::showShares(std::vector<double> ofLayers, const QString& unit) {
    parts_ = std::move(ofLayers);
    unit_ = unit;
    share();
    viewport()->update();
    if (chosen_ >= 0) Q_EMIT readoutChanged(readout());
}

void GraphView::share() {
    const double whole = std::accumulate(parts_.begin(), parts_.end(), 0.0);
    for (GraphBox& box : picture_.boxes)
        box.share = box.part = 0;
    for (std::size_t i = 0; i < std::min(parts_.size(), picture_.boxOfLayer.size()); ++i) {
        if (picture_.boxOfLayer[i] < 0) continue;
        GraphBox& box = picture_.boxes[std::size_t(picture_.boxOfLayer[i])];
        box.part += parts_[i];
        box.share += whole > 0 ? parts_[i] / whole : 0;
    }
}

void GraphView::fit() {
    fits_ = true;
    const double width = viewport()->width();
    zoom_ = picture_.extent.width() > 0
                ? std::clamp(width / picture_.extent.width(), kLeastFit, 1.0)
                : 1.0;
    updateScrollBars();
    viewport()->update();
}

void GraphView::zoomBy(double factor) {
    fits_ = false;
    const double before = zoom_;
    zoom_ = std::clamp(zoom_ * factor, kLeastZoom, kMostZoom);
    const double centre = verticalScrollBar()->value() + viewport()->height() / 2.0;
    updateScrollBars();
    verticalScrollBar()->setValue(int(centre * zoom_ / before - viewport()->height() / 2.0));
    viewport()->update();
}

void GraphView::foldAll(bool fold) {
    folded_ = fold ? blocks_ : QSet<QString>();
    lay();
    tell();
}

/// Chosen is the block behind, or the first box of what it holds.
void GraphView::toggle(const QString& block) {
    if (!folded_.remove(block)) folded_.insert(block);
    lay();
    const auto frame = std::ranges::find(picture_.frames, block, &GraphFrame::name);
    const auto box = std::ranges::find_if(picture_.boxes, [&](const GraphBox& each) {
        return frame != picture_.frames.end() ? frame->rect.contains(each.rect)
                                              : each.name == block;
    });
    if (box != picture_.boxes.end()) chosen_ = int(box - picture_.boxes.begin());
    tell();
}

/// What is said of the chosen box, where it is something else than was said before.
void GraphView::tell() {
    const QString words = readout();
    if (words == told_) return;
    told_ = words;
    setAccessibleDescription(words);
    Q_EMIT readoutChanged(words);
}

void GraphView::updateScrollBars() {
    const QSizeF size = picture_.extent.size() * zoom_;
    const auto fill = [](QScrollBar* bar, double length, int page) {
        bar->setRange(0, std::max(0, int(std::ceil(length)) - page));
        bar->setPageStep(page);
        bar->setSingleStep(24);
    };
    fill(horizontalScrollBar(), size.width(), viewport()->width());
    fill(verticalScrollBar(), size.height(), viewport()->height());
}

/// Where the picture's own origin is in the viewport; a picture with room to spare is centred.
QPointF GraphView::origin() const {
    const QSizeF size = picture_.extent.size() * zoom_;
    const double left = std::max(0.0, (viewport()->width() - size.width()) / 2);
    return QPointF(left - horizontalScrollBar()->value(), -verticalScrollBar()->value()) -
           picture_.extent.topLeft() * zoom_;
}

QRectF GraphView::viewRect(const QRectF& rect) const {
    return {origin() + rect.topLeft() * zoom_, rect.size() * zoom_};
}

void GraphView::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    if (picture_.boxes.empty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(viewport()->rect().adjusted(kGrid, 0, -kGrid, 0),
                         Qt::AlignCenter | Qt::TextWordWrap,
                         tr("The network is drawn here as soon as it is one."));
        return;
    }
    const bool isCurrent = network_.problem().isEmpty();
    if (!isCurrent) painter.setOpacity(0.4);
    painter.translate(origin());
    painter.scale(zoom_, zoom_);
    const QRectF seen = painter.transform().inverted().mapRect(QRectF(viewport()->rect()));
    for (const GraphFrame& frame : picture_.frames)
        if (frame.rect.intersects(seen)) paintFrame(painter, frame, theme);
    for (const GraphLine& line : picture_.lines)
        if (line.path.boundingRect().adjusted(-4, -4, 4, 4).intersects(seen))
            paintLine(painter, line, theme);
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) {
        const GraphBox& box = picture_.boxes[i];
        if (!box.rect.adjusted(-150, -8, 8, 8).intersects(seen)) continue;
        paintBox(
            painter, box, picture_,
            {isCurrent && !marked_.isEmpty() && box.place == marked_,
             hasFocus() && int(i) == chosen_, box.kind == GraphBox::Kind::Block, !parts_.empty()},
            theme);
    }
}

void GraphView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    const QRectF chosen =
        chosen_ < 0 ? QRectF() : viewRect(picture_.boxes[std::size_t(chosen_)].rect);
    const bool wasSeen =
        chosen_ >= 0 && chosen.top() >= 0 && chosen.bottom() <= event->oldSize().height();
    if (fits_) fit();
    updateScrollBars();
    // The words of what was chosen take room from the picture.
    if (wasSeen) reveal(picture_.boxes[std::size_t(chosen_)].rect);
}

int GraphView::boxAt(const QPointF& position) const {
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i)
        if (viewRect(picture_.boxes[i].rect).contains(position)) return int(i);
    return -1;
}

const GraphFrame* GraphView::frameAt(const QPointF& position) const {
    const GraphFrame* inner = nullptr;
    for (const GraphFrame& frame : picture_.frames)
        if (viewRect(frame.head).contains(position)) inner = &frame;
    return inner;
}

QString GraphView::spoken(const GraphBox& box) const {
    QStringList words{box.name.isEmpty() ? box.title : box.title + QLatin1Char(' ') + box.name};
    words << tr("gives %1").arg(box.shape);
    if (box.layers > 1) words << tr("%1 layers").arg(box.layers);
    if (box.parameters > 0) words << tr("%1 parameters").arg(units::count(box.parameters));
    if (box.bytes > 0) words << tr("%1 a sample").arg(units::bytes(double(box.bytes)));
    if (box.flops > 0) words << tr("%1FLOP a sample").arg(units::compact(double(box.flops)));
    if (!parts_.empty() && !unit_.isEmpty())
        words << tr("%1 %2").arg(units::number(box.part, 3), unit_);
    if (!parts_.empty()) words << tr("%1 of all").arg(units::percent(box.share));
    return listed(words);
}

QString GraphView::readout() const {
    return chosen_ < 0 ? QString() : spoken(picture_.boxes[std::size_t(chosen_)]);
}

void GraphView::choose(int box) {
    if (box < 0 || box >= int(picture_.boxes.size())) return;
    chosen_ = box;
    const GraphBox& each = picture_.boxes[std::size_t(box)];
    reveal(each.rect);
    viewport()->update();
    tell();
    if (!each.place.isEmpty()) Q_EMIT placeChosen(each.place);
}

void GraphView::reveal(const QRectF& rect) {
    const QRectF seen = viewRect(rect);
    const double above = seen.top() - kGrid;
    const double below = seen.bottom() + kGrid - viewport()->height();
    QScrollBar* bar = verticalScrollBar();
    if (above < 0)
        bar->setValue(bar->value() + int(above));
    else if (below > 0)
        bar->setValue(bar->value() + int(below));
}

void GraphView::mark(const QString& place) {
    if (marked_ == place) return;
    marked_ = place;
    const auto first = std::ranges::find(picture_.boxes, place, &GraphBox::place);
    // Of the boxes of an entry that is repeated the one that was chosen stays in view.
    const bool isChosens = chosen_ >= 0 && picture_.boxes[std::size_t(chosen_)].place == place;
    if (!place.isEmpty() && !isChosens && first != picture_.boxes.end()) reveal(first->rect);
    viewport()->update();
}

void GraphView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    // A click says itself which box is meant, if any.
    if (chosen_ < 0 && !picture_.boxes.empty() && event->reason() != Qt::MouseFocusReason) {
        chosen_ = 0;
        tell();
    }
    viewport()->update();
}

void GraphView::keyPressEvent(QKeyEvent* event) {
    const int last = int(picture_.boxes.size()) - 1;
    const bool isBlock = chosen_ >= 0 && chosen_ <= last &&
                         picture_.boxes[std::size_t(chosen_)].kind == GraphBox::Kind::Block;
    switch (event->key()) {
        case Qt::Key_Down:
            return choose(std::min(last, chosen_ + 1));
        case Qt::Key_Up:
            return choose(std::max(0, chosen_ - 1));
        case Qt::Key_Home:
            return choose(0);
        case Qt::Key_End:
            return choose(last);
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Right:
            if (isBlock) toggle(QString(picture_.boxes[std::size_t(chosen_)].name));
            return;
        case Qt::Key_Left: {
            // Folds the innermost block that the box is in.
            QString inner;
            for (const GraphFrame& frame : picture_.frames)
                if (chosen_ >= 0 && frame.rect.contains(picture_.boxes[std::size_t(chosen_)].rect))
                    inner = frame.name;
            if (!inner.isEmpty()) toggle(inner);
            return;
        }
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoomBy(kStep);
        case Qt::Key_Minus:
            return zoomBy(1 / kStep);
        case Qt::Key_0:
            return fit();
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

void GraphView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ControlModifier))
        return zoomBy(event->angleDelta().y() > 0 ? kStep : 1 / kStep);
    QAbstractScrollArea::wheelEvent(event);
}

void GraphView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    dragFrom_ = event->pos();
    scrollFrom_ = {horizontalScrollBar()->value(), verticalScrollBar()->value()};
    drags_ = false;
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
    if (!event->buttons().testFlag(Qt::LeftButton)) return;
    const QPoint moved = event->pos() - dragFrom_;
    if (!drags_ && moved.manhattanLength() < 6) return;
    drags_ = true;
    horizontalScrollBar()->setValue(scrollFrom_.x() - moved.x());
    verticalScrollBar()->setValue(scrollFrom_.y() - moved.y());
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || drags_) return;
    if (const int box = boxAt(event->position()); box >= 0)
        choose(box);
    else if (const GraphFrame* frame = frameAt(event->position()))
        toggle(QString(frame->name));
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
    const int box = boxAt(event->position());
    if (box >= 0 && picture_.boxes[std::size_t(box)].kind == GraphBox::Kind::Block)
        toggle(QString(picture_.boxes[std::size_t(box)].name));
}

bool GraphView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int box = boxAt(help->pos());
        if (box >= 0)
            QToolTip::showText(help->globalPos(), spoken(picture_.boxes[std::size_t(box)]), this);
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QSize GraphView::sizeHint() const {
    return {480, std::clamp(int(picture_.extent.height()), 240, 560)};
}

QSize GraphView::minimumSizeHint() const {
    return {300, 240};
}

}  // namespace lockstep::ui
