// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_page.h"

#include <QDesktopServices>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QUrl>

#include "ui/models/runs_model.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/page_parts.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
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
    QHeaderView* header = table_->horizontalHeader();
    header->setSectionResizeMode(int(Column::Name), QHeaderView::Stretch);
    header->setSectionResizeMode(int(Column::Folder), QHeaderView::Stretch);
    table_->setColumnWidth(int(Column::Status), 120);
    table_->setColumnWidth(int(Column::Started), 176);
    header->setSectionResizeMode(int(Column::Score), QHeaderView::ResizeToContents);
    table_->setItemDelegateForColumn(int(Column::Score), new ScoreDelegate(table_));
    connect(table_, &QTableView::activated, this, &RunsPage::openCurrent);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPage::noteChosen);
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
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 0);
    inner->setSpacing(kGrid);
    inner->addLayout(bar);
    inner->addWidget(framed(table_, content_), 1);

    empty_ =
        new EmptyState(Icon::Runs, tr("No runs listed"),
                       tr("Every launch gets a folder with its job, log, checkpoints and history. "
                          "They are listed here, and a run that still runs can be followed again."),
                       this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addEmptyState(layout, empty_);
    layout->addWidget(content_, 1);
    layout->addWidget(buildPlace());
}

QWidget* RunsPage::buildPlace() {
    auto* bar = new QWidget(this);
    place_ = new ElidedLabel({}, bar);
    place_->setObjectName(QStringLiteral("runsPlace"));
    place_->setSecondary(true);
    place_->setElideMode(Qt::ElideMiddle);
    place_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    auto* change = new QPushButton(tr("Change …"), bar);
    change->setObjectName(QStringLiteral("changePlaceButton"));
    change->setToolTip(tr("Choose one folder for the runs of all jobs, here and on the terminal"));
    connect(change, &QPushButton::clicked, this, &RunsPage::placeChangeRequested);
    resetPlace_ = new QPushButton(tr("Beside the job file"), bar);
    resetPlace_->setObjectName(QStringLiteral("resetPlaceButton"));
    resetPlace_->setToolTip(tr("Runs lie beside their job files again"));
    connect(resetPlace_, &QPushButton::clicked, this, &RunsPage::placeResetRequested);
    openPlace_ = new QPushButton(tr("Open folder"), bar);
    openPlace_->setObjectName(QStringLiteral("openPlaceButton"));
    connect(openPlace_, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder_)); });
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
    row->setSpacing(kGrid);
    row->addWidget(place_, 1);
    row->addWidget(change);
    row->addWidget(resetPlace_);
    row->addWidget(openPlace_);
    showPlace({});
    return bar;
}

void RunsPage::showPlace(const Place& place) {
    folder_ = place.folder;
    place_->setText(place.folder.isEmpty() ? QString()
                                           : tr("New runs: %1 (%2)").arg(place.folder, place.why));
    resetPlace_->setVisible(place.chosen);
    openPlace_->setEnabled(place.exists);
    openPlace_->setToolTip(place.exists ? tr("Show it in the file manager")
                                        : tr("It is made with the first run"));
}

void RunsPage::showRuns() {
    const bool any = model_.rowCount() > 0;
    empty_->setVisible(!any);
    content_->setVisible(any);
    // What was chosen stays chosen in the new list; nothing is chosen unasked.
    const auto found = sorted_->match(sorted_->index(0, 0), RunsModel::FolderRole, chosen_, 1,
                                      Qt::MatchExactly | Qt::MatchCaseSensitive);
    if (!chosen_.isEmpty() && !found.isEmpty()) table_->selectRow(found.front().row());
    open_->setEnabled(table_->selectionModel()->hasSelection());
}

void RunsPage::noteChosen() {
    const auto rows = table_->selectionModel()->selectedRows();
    if (!rows.isEmpty()) chosen_ = rows.front().data(RunsModel::FolderRole).toString();
    open_->setEnabled(!rows.isEmpty());
}

void RunsPage::openCurrent() {
    const QModelIndex current = table_->currentIndex();
    if (current.isValid()) Q_EMIT runChosen(current.data(RunsModel::FolderRole).toString());
}

}  // namespace lockstep::ui
