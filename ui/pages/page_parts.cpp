// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_parts.h"

#include <QEvent>
#include <QHeaderView>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "ui/pages/cell_delegates.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"

namespace lockstep::ui {
namespace {

class SectionWatch final : public QObject {
public:
    SectionWatch(QTableView* table, int least, int most)
        : QObject(table), table_(table), least_(least), most_(most) {}

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == table_->viewport() && event->type() == QEvent::Resize) {
            const auto* resized = static_cast<QResizeEvent*>(event);
            if (resized->size().width() != resized->oldSize().width())
                fitSections(table_, least_, most_);
        }
        return false;
    }

private:
    QTableView* table_;
    int least_;
    int most_;
};

class HeadingWatch final : public QObject {
public:
    explicit HeadingWatch(QTableView* table) : QObject(table), table_(table) {}

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == table_->viewport() && event->type() == QEvent::Resize) widen();
        return false;
    }

private:
    void widen() {
        QHeaderView* header = table_->horizontalHeader();
        for (int column = 0; column < header->count(); ++column) {
            const int needed = header->sectionSizeHint(column);
            if (!header->isSectionHidden(column) && header->sectionSize(column) < needed &&
                header->sectionResizeMode(column) == QHeaderView::Interactive)
                header->resizeSection(column, needed);
        }
    }

    QTableView* table_;
};

/// Whether its widgets go on in a further row where there is no room.
bool wraps(QLayoutItem* item) {
    QWidget* widget = item->widget();
    const QLayout* layout = widget ? widget->layout() : item->layout();
    return qobject_cast<const FlowLayout*>(layout) != nullptr;
}

/// What the layout's items need beside one another, those that may wrap without doing so.
int widthOf(const QBoxLayout& layout) {
    bool anyWraps = false;
    for (int i = 0; i < layout.count(); ++i)
        anyWraps = anyWraps || wraps(layout.itemAt(i));
    int width = layout.spacing() * (layout.count() - 1);
    for (int i = 0; i < layout.count(); ++i) {
        const QLayoutItem* item = layout.itemAt(i);
        // Beside what may wrap nothing else gives way first.
        width += anyWraps ? std::max(item->sizeHint().width(), item->minimumSize().width())
                          : item->minimumSize().width();
    }
    return width;
}

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
        : QObject(page),
          page_(page),
          owner_(layout->parentWidget()),
          layout_(layout),
          margins_(margins) {
        page->installEventFilter(this);
        owner_->installEventFilter(this);
    }

    bool eventFilter(QObject* watched, QEvent* event) override {
        const bool resized = watched == page_ && event->type() == QEvent::Resize;
        const bool grown = watched == owner_ && (event->type() == QEvent::LayoutRequest ||
                                                 event->type() == QEvent::Show);
        if (resized || grown) place();
        return false;
    }

private:
    void place() {
        const int needed =
            margins_ + page_->style()->pixelMetric(QStyle::PM_ScrollBarExtent) + widthOf(*layout_);
        layout_->setDirection(page_->width() < needed ? QBoxLayout::TopToBottom
                                                      : QBoxLayout::LeftToRight);
    }

    QWidget* page_;
    QWidget* owner_;  ///< Of the layout.
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
    table->horizontalHeader()->setTextElideMode(Qt::ElideRight);
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

std::vector<ColumnNeed> columnNeeds(QTableView* table, int least, int most) {
    QHeaderView* header = table->horizontalHeader();
    std::vector<ColumnNeed> needs;
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        if (header->isSectionHidden(column)) continue;
        const int heading = std::max(least, header->sectionSizeHint(column));
        const int cells = static_cast<QAbstractItemView*>(table)->sizeHintForColumn(column);
        needs.push_back({column, heading, std::clamp(cells, heading, std::max(most, heading))});
    }
    return needs;
}

void fitSections(QTableView* table, std::vector<ColumnNeed> needs) {
    const auto isFigure = [table](int column) {
        return (table->model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt() &
                Qt::AlignRight) != 0;
    };
    const auto width = [&needs] {
        return std::accumulate(needs.begin(), needs.end(), 0,
                               [](int sum, const ColumnNeed& need) { return sum + need.wanted; });
    };
    int widest = 0;
    int least = std::numeric_limits<int>::max();
    for (const ColumnNeed& need : needs) {
        widest = std::max(widest, need.wanted);
        least = std::min(least, need.least);
    }
    // A figure that is cut says nothing: words give way before it.
    for (const bool all : {false, true})
        for (int top = widest; top > least && width() > table->viewport()->width(); --top)
            for (ColumnNeed& need : needs)
                if (all || !isFigure(need.column))
                    need.wanted = std::max(need.least, std::min(need.wanted, top - 1));
    for (const ColumnNeed& need : needs)
        table->horizontalHeader()->resizeSection(need.column, need.wanted);
}

void fitSections(QTableView* table, int least, int most) {
    fitSections(table, columnNeeds(table, least, most));
}

void keepSectionsFitted(QTableView* table, int least, int most) {
    table->viewport()->installEventFilter(new SectionWatch(table, least, most));
}

void keepHeadingsWhole(QTableView* table) {
    table->viewport()->installEventFilter(new HeadingWatch(table));
}

void keepCurrentShown(QTableView* table, int column) {
    const QModelIndex current = table->currentIndex();
    if (!current.isValid() || !table->isColumnHidden(current.column())) return;
    table->selectionModel()->setCurrentIndex(current.siblingAtColumn(column),
                                             QItemSelectionModel::NoUpdate);
}

Card* framed(QWidget* content, QWidget* parent) {
    auto* card = new Card({}, parent);
    card->layout()->setContentsMargins(kGrid, kGrid / 2, kGrid, kGrid);
    card->body()->addWidget(content);
    return card;
}

}  // namespace lockstep::ui
