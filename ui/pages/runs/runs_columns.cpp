// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_columns.h"

#include <QHeaderView>
#include <QResizeEvent>
#include <QTableView>
#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "ui/models/runs_model.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/setting_columns.h"

namespace lockstep::ui {
namespace {

using Column = RunsModel::Column;

constexpr int kLeastColumn = 72;
constexpr int kMostColumn = 240;
constexpr int kLeastName = 128;  // its beginning tells which it is, and a tip has the rest

/// Half a name, date or figure says nothing, or something else.
bool isWhole(int column) {
    return column < int(Column::Count) && column != int(Column::Folder) &&
           column != int(Column::Tags);
}

/// Long names are cut before the run's date or its score goes.
void shortenNames(std::vector<ColumnNeed>& needs) {
    for (ColumnNeed& need : needs)
        if (need.column == int(Column::Name) || need.column == int(Column::Called))
            need.least = std::min(need.wanted, kLeastName);
}

int leastOf(const std::vector<ColumnNeed>& needs) {
    return std::accumulate(needs.begin(), needs.end(), 0,
                           [](int sum, const ColumnNeed& need) { return sum + need.least; });
}

}  // namespace

RunsColumns::RunsColumns(QTableView* table, const RunsModel& model)
    : QObject(table), table_(table), model_(model) {
    table_->horizontalHeader()->setMinimumSectionSize(kLeastColumn);
    table_->viewport()->installEventFilter(this);
}

bool RunsColumns::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize) {
        const auto* resized = static_cast<QResizeEvent*>(event);
        if (resized->size().width() != resized->oldSize().width()) fit();
    }
    return false;
}

/// The folder's name says what other columns say, too; who compares runs has their scores and what
/// they were trained with left.
std::vector<int> RunsColumns::leastFirst() const {
    std::vector<int> settings(std::size_t(model_.settingColumns().size()));
    std::iota(settings.begin(), settings.end(), int(Column::Count));
    std::ranges::stable_sort(settings, std::ranges::greater(), [this](int column) {
        return SettingColumns::rankOf(model_.settingColumns()[column - int(Column::Count)]);
    });
    std::vector<int> columns{int(Column::Folder), int(Column::Took), int(Column::Curve),
                             int(Column::Validation), int(Column::Tags)};
    columns.insert(columns.end(), settings.begin(), settings.end());
    columns.insert(columns.end(), {int(Column::Started), int(Column::Score)});
    return columns;
}

void RunsColumns::showAll() {
    QHeaderView* header = table_->horizontalHeader();
    header->moveSection(header->visualIndex(int(Column::Folder)), header->count() - 1);
    for (int column = 0; column < header->count(); ++column) {
        const bool mayBeEmpty = column == int(Column::Called) || column == int(Column::Tags) ||
                                column == int(Column::Curve);
        table_->setColumnHidden(column, mayBeEmpty && !model_.saysAnything(Column(column)));
    }
}

void RunsColumns::fit() {
    showAll();
    std::vector<ColumnNeed> needs = columnNeeds(table_, kLeastColumn, kMostColumn);
    for (ColumnNeed& need : needs)
        if (isWhole(need.column)) need.least = need.wanted;
    std::vector<int> gone;
    for (const int column : leastFirst()) {
        if (leastOf(needs) <= table_->viewport()->width()) break;
        if (column == int(Column::Started)) {
            shortenNames(needs);
            if (leastOf(needs) <= table_->viewport()->width()) break;
        }
        if (std::erase_if(needs, [column](const auto& need) { return need.column == column; }) > 0)
            gone.push_back(column);
    }
    QHeaderView* header = table_->horizontalHeader();
    std::ranges::sort(gone, {}, [header](int column) { return header->visualIndex(column); });
    QStringList headings;
    for (const int column : gone) {
        table_->setColumnHidden(column, true);
        headings << table_->model()->headerData(column, Qt::Horizontal).toString();
    }
    keepCurrentShown(table_, int(Column::Name));
    fitSections(table_, std::move(needs));
    if (headings == withoutRoom_) return;
    withoutRoom_ = headings;
    Q_EMIT withoutRoomChanged(headings);
}

}  // namespace lockstep::ui
