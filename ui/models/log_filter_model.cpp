// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_filter_model.h"

#include "ui/models/log_model.h"

namespace lockstep::ui {

LogFilterModel::LogFilterModel(QObject* parent) : QSortFilterProxyModel(parent) {}

void LogFilterModel::setFilter(const QString& text, std::optional<int> processKey,
                               int minimumLevel) {
    if (text == text_ && processKey == process_ && minimumLevel == minimumLevel_) return;
    text_ = text;
    process_ = processKey;
    minimumLevel_ = minimumLevel;
    invalidateFilter();
}

bool LogFilterModel::filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const {
    const QModelIndex line =
        sourceModel()->index(sourceRow, int(LogModel::Column::Text), sourceParent);
    if (line.data(LogModel::LevelRole).toInt() < minimumLevel_) return false;
    if (process_ && line.data(LogModel::ProcessKeyRole).toInt() != *process_) return false;
    return text_.isEmpty() || line.data().toString().contains(text_, Qt::CaseInsensitive);
}

}  // namespace lockstep::ui
