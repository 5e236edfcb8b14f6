// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/page_parts.h"

#include <QHeaderView>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/pages/cell_delegates.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"

namespace lockstep::ui {

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
