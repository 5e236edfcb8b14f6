// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QItemSelectionModel>
#include <QVector>
#include <algorithm>

namespace lockstep::ui {

/// The rows in which anything is selected, ascending. QItemSelectionModel::selectedRows() looks at
/// every range for every row, which takes too long while a thousand runs are chosen by a drag.
[[nodiscard]] inline QVector<int> selectedRows(const QItemSelectionModel& selection) {
    QVector<int> rows;
    const QItemSelection ranges = selection.selection();
    for (const QItemSelectionRange& range : ranges)
        for (int row = range.top(); range.isValid() && row <= range.bottom(); ++row)
            rows.append(row);
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

}  // namespace lockstep::ui
