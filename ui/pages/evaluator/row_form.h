// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "core/job/handover/network_facts.h"

class QGridLayout;

namespace lockstep::ui {

/// A row of a table to be typed, a field a column; it begins as an ordinary row: the means of the
/// training rows, the most frequent categories.
class RowForm final : public QWidget {
    Q_OBJECT
public:
    explicit RowForm(QWidget* parent = nullptr);

    void setColumns(const std::vector<job::NetworkFacts::Column>& columns);
    /// What is typed, with the columns' names above it.
    [[nodiscard]] std::string csv() const;
    /// Rows that come from a clipboard, comma or tab between cells, with the columns' names above
    /// them: put there where they lack and the cells are as many as the columns. Empty: no rows.
    [[nodiscard]] std::string csvOf(const QString& pasted) const;

Q_SIGNALS:
    /// Return was pressed in a field.
    void entered();

private:
    [[nodiscard]] std::vector<std::string> names() const;

    QGridLayout* layout_;
    std::vector<job::NetworkFacts::Column> columns_;
    std::vector<std::function<QString()>> values_;
};

}  // namespace lockstep::ui
