// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_parts.h"

#include <QEvent>
#include <QHeaderView>
#include <QScrollArea>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/pages/cell_delegates.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"

namespace lockstep::ui {
namespace {

class NarrowWatch final : public QObject {
public:
    NarrowWatch(QWidget* page, QBoxLayout* layout, int width)
        : QObject(page), page_(page), layout_(layout), width_(width) {}

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == page_ && event->type() == QEvent::Resize) {
            const bool narrow = page_->width() < width_;
            layout_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        }
        return false;
    }

private:
    QWidget* page_;
    QBoxLayout* layout_;
    int width_;
};

class RoomWatch final : public QObject {
public:
    RoomWatch(QWidget* page, QBoxLayout* layout, int margins)
        : QObject(page), page_(page), layout_(layout), margins_(margins) {
        page->installEventFilter(this);
        layout->parentWidget()->installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool resized = watched == page_ && event->type() == QEvent::Resize;
        if (resized || (watched != page_ && event->type() == QEvent::LayoutRequest)) place();
        return false;
    }

private:
    void place() {
        int needed = margins_ + page_->style()->pixelMetric(QStyle::PM_ScrollBarExtent) +
                     layout_->spacing() * (layout_->count() - 1);
        for (int i = 0; i < layout_->count(); ++i)
            needed += layout_->itemAt(i)->minimumSize().width();
        layout_->setDirection(page_->width() < needed ? QBoxLayout::TopToBottom
                                                      : QBoxLayout::LeftToRight);
    }

    QWidget* page_;
    QBoxLayout* layout_;
    int margins_;
};

}  // namespace

void addEmptyState(QVBoxLayout* layout, EmptyState* state) {
    state->layout()->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(state, 1);
}

void styleTable(QTableView* table, int rowHeight) {
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setItemDelegate(new CellDelegate(table));
    table->verticalHeader()->hide();
    table->verticalHeader()->setMinimumSectionSize(kGrid);
    table->verticalHeader()->setDefaultSectionSize(rowHeight);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

QWidget* scrolledBody(QWidget* page) {
    auto* scroll = new QScrollArea(page);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* body = new QWidget;
    scroll->setWidget(body);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    return body;
}

void stackWhenNarrow(QWidget* page, QBoxLayout* layout, int width) {
    page->installEventFilter(new NarrowWatch(page, layout, width));
}

void stackWhenCrowded(QWidget* page, QBoxLayout* layout, int margins) {
    new RoomWatch(page, layout, margins);  // the page's own
}

void followInTabOrder(QWidget* before, QWidget* next) {
    const auto controlsOf = [](QWidget* root) {
        QList<QWidget*> controls;
        QWidget* each = root;
        do {
            if ((each == root || root->isAncestorOf(each)) && (each->focusPolicy() & Qt::TabFocus))
                controls << each;
            each = each->nextInFocusChain();
        } while (each != root);
        return controls;
    };
    QList<QWidget*> former = controlsOf(before);
    if (former.isEmpty()) return;
    QWidget* last = former.last();
    for (QWidget* each : controlsOf(next)) {
        if (former.contains(each)) continue;  // `before` may lie in `next`
        QWidget::setTabOrder(last, each);
        last = each;
    }
}

void markProblem(QWidget* widget, const char* property, bool on) {
    if (widget->property(property).toBool() == on) return;
    widget->setProperty(property, on);
    // The sheet looks at properties only when a widget is polished.
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

Card* framed(QTableView* table, QWidget* parent) {
    auto* card = new Card({}, parent);
    card->layout()->setContentsMargins(kGrid, kGrid / 2, kGrid, kGrid);
    card->body()->addWidget(table);
    return card;
}

}  // namespace lockstep::ui
