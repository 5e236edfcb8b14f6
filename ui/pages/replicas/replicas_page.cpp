// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/replicas/replicas_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <algorithm>

#include "ui/models/log_model.h"
#include "ui/models/replica_table_model.h"
#include "ui/models/words.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/replicas/replica_map.h"
#include "ui/pages/replicas/replica_panel.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/phase_legend.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/sparkline.h"

namespace lockstep::ui {
namespace {

using Column = ReplicaTableModel::Column;

constexpr int kLogLines = 40;
constexpr int kRowHeight = 5 * kGrid;
constexpr int kDenseRowHeight = 3 * kGrid;  // so that sixteen processes are seen at once
constexpr int kMostAiryRows = 10;
constexpr int kMostInTable = 12;     // more are a map until the table is asked for
constexpr int kRoomForRoles = 1080;  // the state's words and the figures matter more
constexpr int kRoomForPlaces = 1000;
constexpr int kRoomForPhases = 810;
constexpr int kUsualState = 80;    ///< That these leave it at least.
constexpr int kWidestState = 400;  ///< What is longer has a tool tip.
constexpr int kPanelBeside = 840;  ///< Less is too narrow for table and panel beside each other.

/// Appends and keeps the newest Sparkline::kLimit.
void appendNewest(QVector<float>& kept, const std::vector<float>& values, float factor) {
    const auto count = std::min<std::size_t>(values.size(), Sparkline::kLimit);
    for (std::size_t i = values.size() - count; i < values.size(); ++i)
        kept.push_back(values[i] * factor);
    if (kept.size() > Sparkline::kLimit) kept.remove(0, kept.size() - Sparkline::kLimit);
}

}  // namespace

ReplicasPage::ReplicasPage(ReplicaTableModel& model, LogModel& log, QWidget* parent)
    : QWidget(parent), model_(model), log_(log) {
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(&model_);
    sorted_->setSortRole(ReplicaTableModel::SortRole);
    buildTable();
    buildLayout();
    connect(&model_, &QAbstractItemModel::rowsInserted, this, &ReplicasPage::showRows);
    connect(&model_, &QAbstractItemModel::rowsRemoved, this, &ReplicasPage::showRows);
    showRows();
}

void ReplicasPage::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("replicaTable"));
    table_->setAccessibleName(tr("Replicas"));
    table_->setModel(sorted_);
    styleTable(table_, kRowHeight);
    // As high as its rows where there is room: the hint then follows them.
    table_->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSortingEnabled(true);
    table_->sortByColumn(int(Column::Process), Qt::AscendingOrder);
    table_->setItemDelegateForColumn(int(Column::State), new LivenessDelegate(table_));
    table_->setItemDelegateForColumn(int(Column::Phases), new PhaseDelegate(table_));
    QHeaderView* header = table_->horizontalHeader();
    header->setMinimumSectionSize(56);
    const std::array<int, int(Column::Count)> widths{88, 80, 144, 72, 176, 96, 80, 80, 88, 128};
    for (int column = 0; column < int(Column::Count); ++column) {
        table_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    header->setSectionResizeMode(int(Column::State), QHeaderView::Stretch);
    keepHeadingsWhole(table_);
}

void ReplicasPage::buildLayout() {
    panel_ = new ReplicaPanel(this);
    panel_->hide();
    connect(panel_, &ReplicaPanel::closeRequested, this, &ReplicasPage::closePanel);
    connect(panel_, &ReplicaPanel::drillRequested, this, &ReplicasPage::drillRequested);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &ReplicasPage::refreshPanel);
    content_ = new QWidget(this);
    auto* inner = new QHBoxLayout(scrolledBody(content_));
    stackWhenNarrow(this, inner, kPanelBeside);
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    inner->setSpacing(2 * kGrid);
    buildMap();
    tableCard_ = framed(table_, content_);
    auto* left = new QVBoxLayout;
    left->setSpacing(2 * kGrid);
    left->addWidget(form_, 0, Qt::AlignLeft);
    left->addWidget(mapCard_, 1);
    left->addWidget(tableCard_);
    left->addWidget(buildHint());
    left->addStretch(0);
    left_ = left;
    inner->addLayout(left, 1);
    inner->addWidget(panel_);
    empty_ = new EmptyState(
        Icon::Replicas, tr("No replicas yet"),
        tr("Each replica of the job has a row here: its state in words, its last heartbeat, "
           "its step and how its time divides. A lost or stuck one is named."),
        this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addEmptyState(layout, empty_);
    layout->addWidget(content_, 1);
}

void ReplicasPage::buildMap() {
    form_ = new SegmentedControl({tr("Table"), tr("Map")}, content_);
    form_->setObjectName(QStringLiteral("replicaForm"));
    form_->setAccessibleName(tr("Show the replicas as"));
    map_ = new ReplicaMap(content_);
    auto* card = new Card({}, content_);
    card->body()->addWidget(map_);
    mapCard_ = card;
    connect(form_, &SegmentedControl::currentChanged, this, [this](int form) {
        isFormChosen_ = true;
        showMap(form == 1);
    });
    connect(map_, &ReplicaMap::figureChanged, this, &ReplicasPage::refreshMap);
    connect(map_, &ReplicaMap::replicaChosen, this, &ReplicasPage::chooseRow);
}

void ReplicasPage::showMap(bool on) {
    mapCard_->setVisible(on);
    tableCard_->setVisible(!on);
    showPanel(!panel_->isHidden());  // the legend is of the table's bars
    left_->setStretch(left_->count() - 1, on ? 0 : 1);
    refreshMap();
}

void ReplicasPage::refreshMap() {
    if (mapCard_->isVisibleTo(this)) map_->showReplicas(model_, named_);
}

/// Of the model.
void ReplicasPage::chooseRow(int row) {
    table_->selectRow(sorted_->mapFromSource(model_.index(row, 0)).row());
}

QWidget* ReplicasPage::buildHint() {
    hint_ = new QWidget(content_);
    auto* legend = legend_ = new PhaseLegend(hint_);
    legend->setObjectName(QStringLiteral("phaseLegend"));
    QStringList phases;
    for (std::size_t phase = 0; phase < job::kStepPhases; ++phase)
        phases << phaseName(job::Phase(phase));
    legend->setNames(phases);
    auto* words = new ElidedLabel(
        tr("Choose one for its memory, its newest steps and its last log lines."), hint_);
    words->setSecondary(true);
    auto* row = new QHBoxLayout(hint_);
    row->setContentsMargins(2 * kGrid, 0, 2 * kGrid, 0);
    row->setSpacing(3 * kGrid);
    row->addWidget(words, 1);
    row->addWidget(legend);
    return hint_;
}

void ReplicasPage::offerDrills(bool on) {
    panel_->offerDrills(on);
}

void ReplicasPage::reset() {
    history_.clear();
    named_.clear();
    map_->forgetNames();
    isFormChosen_ = false;
    closePanel();
}

void ReplicasPage::addSteps(const std::vector<job::StepColumns>& steps) {
    for (const job::StepColumns& columns : steps) {
        History& history = history_[columns.replica];
        appendNewest(history.losses, columns.loss, 1.0F);
        appendNewest(history.stepMilliseconds, columns.stepMicroseconds, 1e-3F);
    }
}

void ReplicasPage::addScalars(const std::vector<job::ScalarColumns>& scalars) {
    named_.add(scalars);
    // A moment of the past is filled in thousands of pieces, and its view shown once more behind.
    if (isVisible() && updatesEnabled()) refreshMap();
}

void ReplicasPage::lookLike(const ReplicasPage& other) {
    map_->choose(other.map_->chosen());
    if (other.isFormChosen_) form_->setCurrent(other.form_->current());
    isFormChosen_ = other.isFormChosen_;
}

void ReplicasPage::forgetSteps() {
    history_.clear();
    named_.forgetValues();
}

const job::ReplicaView* ReplicasPage::chosen() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? nullptr : model_.replicaAt(sorted_->mapToSource(rows.front()).row());
}

void ReplicasPage::refreshPanel() {
    refreshMap();
    const job::ReplicaView* replica = chosen();
    showPanel(replica != nullptr);
    if (!replica || !panel_->isVisible()) return;
    panel_->showReplica(*replica);
    const History history = history_.value(replica->replica);
    panel_->showHistory(history.losses, history.stepMilliseconds);
    panel_->showLog(log_.lastLines(replica->role, replica->processId, kLogLines));
}

/// More than usual, for the words of those that are lost: they say why.
int ReplicasPage::extraForStates() const {
    int widest = kUsualState;
    for (int row = 0; row < model_.rowCount(); ++row) {
        if (model_.replicaAt(row)->liveness != job::Liveness::Lost) continue;
        const QModelIndex state = model_.index(row, int(Column::State));
        const QString words = state.data().toString();
        widest = std::max(widest, table_->fontMetrics().horizontalAdvance(words) + 6 * kGrid);
    }
    return std::min(widest, kWidestState) - kUsualState;
}

/// What the panel says is left out of the table, and what matters least, so that the state keeps
/// its room.
void ReplicasPage::showPanel(bool on) {
    const int room = width() - extraForStates();
    panel_->setVisible(on);
    hint_->setVisible(!on);
    table_->setColumnHidden(int(Column::StepTime), on);
    for (const Column column : {Column::Host, Column::Device})
        table_->setColumnHidden(int(column), on || room < kRoomForPlaces);
    const bool hasPhases = !on && room >= kRoomForPhases;
    table_->setColumnHidden(int(Column::Phases), !hasPhases);
    legend_->setVisible(hasPhases && mapCard_->isHidden());
    table_->setColumnHidden(int(Column::Role), on || room < kRoomForRoles);
    keepCurrentShown(table_, int(Column::Process));
}

void ReplicasPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showPanel(!panel_->isHidden());
}

/// What has come while another page was shown.
void ReplicasPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refreshMap();
}

void ReplicasPage::closePanel() {
    table_->clearSelection();
    showPanel(false);
    if (table_->isVisible())
        table_->setFocus();
    else if (map_->isVisible())
        map_->map().setFocus();
}

void ReplicasPage::showRows() {
    const bool any = model_.rowCount() > 0;
    empty_->setVisible(!any);
    content_->setVisible(any);
    table_->verticalHeader()->setDefaultSectionSize(
        model_.rowCount() > kMostAiryRows ? kDenseRowHeight : kRowHeight);
    table_->updateGeometry();
    const bool isMany = model_.workerCount() > kMostInTable;
    form_->setVisible(isMany);
    if (!isMany || !isFormChosen_) {
        const QSignalBlocker quiet(form_);
        form_->setCurrent(isMany ? 1 : 0);
        showMap(isMany);
    }
}

}  // namespace lockstep::ui
