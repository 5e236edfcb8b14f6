// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>

#include "ui/models/runs_model.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"

namespace lockstep::ui {

using Column = RunsModel::Column;

RunsPage::RunsPage(RunsModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(&model_);
    sorted_->setSortRole(RunsModel::SortRole);
    buildTable();
    buildLayout();
    connect(&model_, &QAbstractItemModel::modelReset, this, &RunsPage::showRuns);
    showRuns();
}

void RunsPage::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("runsTable"));
    table_->setAccessibleName(tr("Runs"));
    table_->setModel(sorted_);
    styleTable(table_, 5 * kGrid);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSortingEnabled(true);
    table_->sortByColumn(int(Column::Started), Qt::DescendingOrder);
    table_->setItemDelegateForColumn(int(Column::Status), new RunStatusDelegate(table_));
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setColumnWidth(int(Column::Name), 176);
    table_->setColumnWidth(int(Column::Status), 128);
    table_->setColumnWidth(int(Column::Started), 184);
    table_->setColumnWidth(int(Column::Accuracy), 120);
    connect(table_, &QTableView::activated, this, &RunsPage::openCurrent);
}

void RunsPage::buildLayout() {
    content_ = new QWidget(this);
    open_ = new QPushButton(makeIcon(Icon::FolderOpen), tr("Open run"), content_);
    open_->setObjectName(QStringLiteral("openRunButton"));
    open_->setToolTip(tr("Follow the chosen run, or look at it when it has ended (Return)"));
    auto* refresh = new QPushButton(tr("Refresh"), content_);
    refresh->setObjectName(QStringLiteral("refreshRunsButton"));
    refresh->setToolTip(tr("Read the runs folder again (F5)"));
    connect(open_, &QPushButton::clicked, this, &RunsPage::openCurrent);
    connect(refresh, &QPushButton::clicked, this, &RunsPage::refreshRequested);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(kGrid);
    bar->addWidget(open_);
    bar->addWidget(refresh);
    bar->addStretch(1);
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    inner->setSpacing(kGrid);
    inner->addLayout(bar);
    inner->addWidget(framed(table_, content_), 1);

    empty_ =
        new EmptyState(Icon::Runs, tr("No runs yet"),
                       tr("Every launch gets a folder with its job, log, checkpoints and history. "
                          "They are listed here, and a run that still runs can be followed again."),
                       this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addEmptyState(layout, empty_);
    layout->addWidget(content_, 1);
}

void RunsPage::showRuns() {
    const bool any = model_.rowCount() > 0;
    empty_->setVisible(!any);
    content_->setVisible(any);
    if (any && !table_->currentIndex().isValid()) table_->selectRow(0);
}

void RunsPage::openCurrent() {
    const QModelIndex current = table_->currentIndex();
    if (current.isValid()) emit runChosen(current.data(RunsModel::FolderRole).toString());
}

}  // namespace lockstep::ui
