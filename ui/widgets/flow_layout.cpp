// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_layout.h"

#include <QStyle>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace lockstep::ui {
namespace {

bool isStretch(QLayoutItem* item) {
    return item->spacerItem() != nullptr;
}

/// What an item takes of a row of this width.
QSize sizeOf(QLayoutItem* item, int most) {
    if (isStretch(item)) return {0, 0};
    const int width = std::min(item->sizeHint().width(), most);
    return {width,
            item->hasHeightForWidth() ? item->heightForWidth(width) : item->sizeHint().height()};
}

struct Row {
    bool isBehindStretch = false;  ///< As a whole: what goes on from the right end stays there.
    QList<QLayoutItem*> items;
    int width = 0;  ///< With the spaces between them.
    int height = 0;
};

void placeRow(const Row& row, const QRect& rect, int top, int spacing, bool isMirrored) {
    int spare = std::max(0, rect.width() - row.width);  // the first stretch takes it
    int x = rect.left() + (row.isBehindStretch ? std::exchange(spare, 0) : 0);
    bool isFirst = true;
    for (QLayoutItem* item : row.items) {
        if (isStretch(item)) {
            x += std::exchange(spare, 0);
            continue;
        }
        const QSize size = sizeOf(item, rect.width());
        if (!isFirst && size.width() > 0) x += spacing;
        isFirst = isFirst && size.width() == 0;
        const QRect place(QPoint(x, top + (row.height - size.height()) / 2), size);
        item->setGeometry(isMirrored ? QStyle::visualRect(Qt::RightToLeft, rect, place) : place);
        x += size.width();
    }
}

}  // namespace

FlowLayout::FlowLayout(QWidget* parent, int spacing) : QLayout(parent) {
    setSpacing(spacing);
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
    qDeleteAll(items_);
}

void FlowLayout::addStretch() {
    addItem(new QSpacerItem(0, 0));
}

void FlowLayout::insertWidget(int index, QWidget* widget) {
    addWidget(widget);
    items_.move(items_.size() - 1, std::clamp<qsizetype>(index, 0, items_.size() - 1));
    invalidate();
}

void FlowLayout::addItem(QLayoutItem* item) {
    items_ << item;
    invalidate();
}

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= items_.size()) return nullptr;
    invalidate();
    return items_.takeAt(index);
}

int FlowLayout::heightForWidth(int width) const {
    return place({0, 0, width, 0}, false);
}

/// All in one row.
QSize FlowLayout::sizeHint() const {
    QSize size(0, 0);  // not QSize(), whose sides are -1
    for (QLayoutItem* item : items_) {
        if (isStretch(item) || item->isEmpty()) continue;
        const QSize hint = item->sizeHint();
        size = {size.width() + hint.width() + (size.width() > 0 ? spacing() : 0),
                std::max(size.height(), hint.height())};
    }
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

/// As wide as the widest of them.
QSize FlowLayout::minimumSize() const {
    QSize size(0, 0);
    for (QLayoutItem* item : items_)
        if (!isStretch(item) && !item->isEmpty())
            size = size.expandedTo({item->minimumSize().width(), item->sizeHint().height()});
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    place(rect, true);
}

int FlowLayout::place(const QRect& rect, bool isReal) const {
    const QRect inner = rect.marginsRemoved(contentsMargins());
    QList<Row> rows;
    bool isBehindStretch = false;
    for (QLayoutItem* item : items_) {
        if (!isStretch(item) && item->isEmpty()) continue;  // hidden
        const QSize size = sizeOf(item, inner.width());
        const int width = size.width();
        const bool isFull = !rows.isEmpty() && rows.last().width > 0 && width > 0 &&
                            rows.last().width + spacing() + width > inner.width();
        if (rows.isEmpty() || isFull) rows << Row{isBehindStretch, {}};
        isBehindStretch = isBehindStretch || isStretch(item);
        Row& row = rows.last();
        row.width += width + (row.width > 0 && width > 0 ? spacing() : 0);
        row.height = std::max(row.height, size.height());
        row.items << item;
    }
    const QWidget* owner = parentWidget();
    const bool isMirrored = owner && owner->layoutDirection() == Qt::RightToLeft;
    int top = inner.top();
    for (const Row& row : rows) {
        if (isReal) placeRow(row, inner, top, spacing(), isMirrored);
        top += row.height + spacing();
    }
    const QMargins margins = contentsMargins();
    return std::max(0, top - spacing() - inner.top()) + margins.top() + margins.bottom();
}

}  // namespace lockstep::ui
