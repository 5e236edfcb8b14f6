// SPDX-License-Identifier: GPL-3.0-or-later
// From lines to times, and back.
#include <QTableView>
#include <algorithm>

#include "ui/models/log_model.h"
#include "ui/pages/logs/logs_page.h"

namespace lockstep::ui {

void LogsPage::showTime(double wallTime) {
    table_->setFocus(Qt::OtherFocusReason);
    showLine(std::min(model_.lineAtTime(wallTime), model_.lineCount() - 1));
}

void LogsPage::showMoment() {
    if (const auto time = model_.wallTimeAt(currentRow())) Q_EMIT momentChosen(*time, true);
}

void LogsPage::clickCell(const QModelIndex& index) {
    if (LogModel::Column(index.column()) != LogModel::Column::Time) return;
    if (const auto time = model_.wallTimeAt(index.row())) Q_EMIT momentChosen(*time, false);
}

}  // namespace lockstep::ui
