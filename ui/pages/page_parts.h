// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

class QBoxLayout;
class QTableView;
class QVBoxLayout;
class QWidget;

namespace lockstep::ui {

class Card;
class EmptyState;

/// Puts an empty state in the middle of a page.
void addEmptyState(QVBoxLayout* layout, EmptyState* state);

/// A table of rows as all pages show them: no grid, whole rows chosen, cells with our margins.
void styleTable(QTableView* table, int rowHeight);
/// Makes each shown column as wide as what it shows, between `least` and `most`; where all of them
/// are wider than the table, the widest give way first, words before figures, down to `least` or
/// their headings. A last section that stretches takes what is left.
void fitSections(QTableView* table, int least, int most);
/// How wide a shown column is to be, in pixels: at least, and to show all of its cells.
struct ColumnNeed {
    int column = 0;
    int least = 0;
    int wanted = 0;
};
/// Of all shown columns, as they stand; `most` is wanted at most, or the heading.
[[nodiscard]] std::vector<ColumnNeed> columnNeeds(QTableView* table, int least, int most);
/// As above, for some of the columns.
void fitSections(QTableView* table, std::vector<ColumnNeed> needs);
/// The same whenever the table's width changes.
void keepSectionsFitted(QTableView* table, int least, int most);
/// Makes columns of a given width at least as wide as their headings, in every language.
void keepHeadingsWhole(QTableView* table);
/// Moves the current cell to `column`, which is shown, where its own column is hidden: else the
/// arrow keys do nothing.
void keepCurrentShown(QTableView* table, int column);
/// The table on a surface with a hairline around it.
[[nodiscard]] Card* framed(QWidget* content, QWidget* parent);

/// Makes `page` show the widget that is returned, and scroll where there is too little room for it.
[[nodiscard]] QWidget* scrolledBody(QWidget* page);
/// Puts what `layout` places side by side one below the other while `page` is narrower than
/// `width`.
void stackWhenNarrow(QWidget* page, QBoxLayout* layout, int width);
/// As above, while `page`, less `margins` and a scroll bar, is narrower than they need side by
/// side, which changes with them. The layout has a widget already.
void stackWhenCrowded(QWidget* page, QBoxLayout* layout, int margins);

/// Makes Tab go from the last control of `before` to those of `next`, in their own order. Without
/// it, what is made later comes last, wherever it stands.
void followInTabOrder(QWidget* before, QWidget* next);

/// Sets a property that the style sheet looks at: "invalid" of an input, "problem" of a label.
void markProblem(QWidget* widget, const char* property, bool on);

}  // namespace lockstep::ui
