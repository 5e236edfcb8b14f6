// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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
/// The table on a surface with a hairline around it.
[[nodiscard]] Card* framed(QTableView* table, QWidget* parent);

/// Sets a property that the style sheet looks at: "invalid" of an input, "problem" of a label.
void markProblem(QWidget* widget, const char* property, bool on);

}  // namespace lockstep::ui
