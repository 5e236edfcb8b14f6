// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_page.h"

#include <QAction>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QUrl>
#include <algorithm>

#include "ui/bridge/job_services.h"
#include "ui/models/run_settings.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_model.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/compare_page.h"
#include "ui/pages/runs/describe_run.h"
#include "ui/pages/runs/runs_axes.h"
#include "ui/pages/runs/runs_columns.h"
#include "ui/pages/runs/selected_rows.h"
#include "ui/pages/runs/setting_columns.h"
#include "ui/pages/runs/share_run.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/segmented_control.h"

namespace lockstep::ui {

using Column = RunsModel::Column;

namespace {

constexpr int kMostCompared = 10;
constexpr int kTypingRests = 120;  // milliseconds

/// A button that does what an action does, and can when it can.
QPushButton* buttonOf(QAction* action, const char* name, QWidget* parent) {
    auto* button = new QPushButton(action->icon(), action->text(), parent);
    button->setObjectName(QLatin1String(name));
    const auto match = [action, button] {
        button->setEnabled(action->isEnabled());
        button->setText(action->text());
        button->setToolTip(action->toolTip());
    };
    QObject::connect(action, &QAction::changed, button, match);
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    match();
    return button;
}

}  // namespace

RunsPage::RunsPage(RunsModel& model, const JobServices& services, QWidget* parent)
    : QWidget(parent), model_(model), trash_(services.isRunning) {
    filtered_ = new RunsFilterModel(this);
    filtered_->setSourceModel(&model_);
    comparison_ = new ComparePage(services, this);
    buildTable();
    buildActions();
    buildLayout();
    connectTrash();
    filterSoon_.setSingleShot(true);
    filterSoon_.setInterval(kTypingRests);
    connect(&filterSoon_, &QTimer::timeout, this, &RunsPage::showFiltered);
    connect(&model_, &QAbstractItemModel::modelReset, this, &RunsPage::showRuns);
    showRuns();
}

void RunsPage::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("runsTable"));
    table_->setAccessibleName(tr("Runs"));
    table_->setModel(filtered_);
    styleTable(table_, 4 * kGrid);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
    table_->setSortingEnabled(true);
    table_->sortByColumn(int(Column::Started), Qt::DescendingOrder);
    table_->setItemDelegateForColumn(int(Column::Status), new RunStatusDelegate(table_));
    table_->setItemDelegateForColumn(int(Column::Score), new ScoreDelegate(table_));
    table_->setItemDelegateForColumn(int(Column::Curve), new SparklineDelegate(table_));
    QHeaderView* header = table_->horizontalHeader();
    header->setStretchLastSection(true);
    header->setSectionsMovable(true);
    header->moveSection(int(Column::Called), 0);
    header->moveSection(header->visualIndex(int(Column::Tags)), 1);
    header->moveSection(header->visualIndex(int(Column::Curve)),
                        header->visualIndex(int(Column::Validation)) + 1);
    room_ = new RunsColumns(table_, model_);
    connect(table_, &QTableView::activated, this, &RunsPage::openCurrent);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPage::showChosen);
}

void RunsPage::buildActions() {
    const auto add = [this](const QIcon& icon, const QString& text, const QString& tip) {
        auto* action = new QAction(icon, text, this);
        action->setToolTip(tip);
        action->setShortcutContext(Qt::WidgetShortcut);
        table_->addAction(action);
        return action;
    };
    openAction_ = add(makeIcon(Icon::FolderOpen), tr("Open run"),
                      tr("Follow the chosen run, or look at it when it has ended (Return)"));
    compareAction_ = add(makeIcon(Icon::Live), tr("Compare"), {});
    compareAction_->setShortcut(Qt::CTRL | Qt::Key_Return);
    describeAction_ = add({}, tr("Name, tags and note …"),
                          tr("What the run is called, found by and remembered for (F2)"));
    describeAction_->setShortcut(Qt::Key_F2);
    jobAction_ = add(makeIcon(Icon::Job), tr("Open its job"),
                     tr("A copy of its job file, to be changed and launched anew (Ctrl+J)"));
    jobAction_->setShortcut(Qt::CTRL | Qt::Key_J);
    folderAction_ = add({}, tr("Open its folder"), {});
    shareAction_ = add(makeIcon(Icon::Save), {},
                       tr("Write the chosen run as one page, with its curves and its job file, to "
                          "hand to others"));
    removeAction_ =
        add(makeIcon(Icon::Trash), tr("Delete"), tr("Move the chosen runs to the trash (Del)"));
    removeAction_->setShortcut(QKeySequence::Delete);
    connect(openAction_, &QAction::triggered, this, &RunsPage::openCurrent);
    connect(compareAction_, &QAction::triggered, this, &RunsPage::compare);
    connect(jobAction_, &QAction::triggered, this,
            [this] { Q_EMIT jobRequested(chosenFolders().front()); });
    connect(folderAction_, &QAction::triggered, this, &RunsPage::openFolder);
    connect(removeAction_, &QAction::triggered, this, &RunsPage::remove);
}

QWidget* RunsPage::buildBar() {
    auto* bar = new QWidget(content_);
    words_ = new QLineEdit(bar);
    words_->setObjectName(QStringLiteral("runsFilterEdit"));
    words_->setPlaceholderText(tr("Filter (Ctrl+F): digits failed learning_rate=0.01"));
    words_->setAccessibleName(tr("Filter runs by words"));
    words_->setClearButtonEnabled(true);
    words_->addAction(makeIcon(Icon::Search), QLineEdit::LeadingPosition);
    words_->setMinimumWidth(200);
    connect(words_, &QLineEdit::textChanged, this, [this](const QString& text) {
        filtered_->setWords(text);
        filterSoon_.start();
    });
    count_ = new QLabel(bar);
    count_->setObjectName(QStringLiteral("runsCount"));
    count_->setProperty("secondary", true);
    columns_ = new SettingColumns(bar);
    columns_->setObjectName(QStringLiteral("settingColumns"));
    connect(columns_, &SettingColumns::chosenChanged, this, &RunsPage::showFiltered);
    connect(room_, &RunsColumns::withoutRoomChanged, columns_, &SettingColumns::setWithoutRoom);
    auto* refresh = new QPushButton(tr("Refresh"), bar);
    refresh->setObjectName(QStringLiteral("refreshRunsButton"));
    refresh->setToolTip(tr("Read the runs folder again (F5)"));
    connect(refresh, &QPushButton::clicked, this, &RunsPage::refreshRequested);
    form_ = new SegmentedControl({tr("List"), tr("Axes")}, bar);
    form_->setObjectName(QStringLiteral("runsForm"));
    form_->setAccessibleName(tr("Show the runs as"));
    form_->setToolTip(
        tr("A list, or an axis for each setting and result with a line for each run"));
    connect(form_, &SegmentedControl::currentChanged, this, &RunsPage::showForm);
    auto* find = new QHBoxLayout;
    find->setSpacing(kGrid);
    find->addWidget(words_, 1);
    find->addWidget(count_);
    find->addWidget(form_);
    auto* verbs = new FlowLayout(nullptr, kGrid);
    verbs->addWidget(buttonOf(openAction_, "openRunButton", bar));
    verbs->addWidget(buttonOf(compareAction_, "compareRunsButton", bar));
    verbs->addWidget(buttonOf(shareAction_, "shareRunButton", bar));
    verbs->addWidget(buttonOf(removeAction_, "removeRunsButton", bar));
    verbs->addWidget(columns_);
    verbs->addWidget(refresh);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addLayout(verbs);
    layout->addLayout(find, 1);
    stackWhenCrowded(this, layout, 4 * kGrid);
    return bar;
}

void RunsPage::buildLayout() {
    list_ = new QWidget(this);
    content_ = new QWidget(list_);
    buildNotices();
    tableCard_ = framed(table_, content_);
    axes_ = new RunsAxes(model_, *filtered_, *table_->selectionModel(), content_);
    axes_->setObjectName(QStringLiteral("runsAxes"));
    axesCard_ = framed(axes_, content_);
    axes_->offer(table_->actions());
    connect(axes_, &RunsAxes::runChosen, this, &RunsPage::runChosen);
    connect(axes_, &RunsAxes::chosenByUser, this, [this] { chosen_ = chosenFolders(); });
    noMatch_ =
        new EmptyState(Icon::Search, tr("No run matches"),
                       tr("Every word that is typed must be found: in the name of the job, "
                          "the status, the date, the folder, what you say of the run, or a value "
                          "of its settings."),
                       content_);
    connect(noMatch_->addButton(tr("Show all runs")), &QPushButton::clicked, this,
            [this] { words_->clear(); });
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 0);
    inner->setSpacing(kGrid);
    inner->addWidget(buildBar());
    inner->addWidget(notice_);
    inner->addWidget(shareNotice_);
    inner->addWidget(tableCard_, 1);
    inner->addWidget(axesCard_, 1);
    inner->addWidget(noMatch_, 1);
    empty_ =
        new EmptyState(Icon::Runs, tr("No runs listed"),
                       tr("Every launch gets a folder with its job, log, checkpoints and history. "
                          "They are listed here, and a run that still runs can be followed again."),
                       list_);
    place_ = new RunsPlaceBar(list_);
    connect(place_, &RunsPlaceBar::changeRequested, this, &RunsPage::placeChangeRequested);
    connect(place_, &RunsPlaceBar::resetRequested, this, &RunsPage::placeResetRequested);
    auto* column = new QVBoxLayout(list_);
    column->setContentsMargins(0, 0, 0, 0);
    addEmptyState(column, empty_);
    column->addWidget(content_, 1);
    column->addWidget(place_);
    stack_ = new QStackedWidget(this);
    stack_->addWidget(list_);
    stack_->addWidget(comparison_);
    connect(comparison_, &ComparePage::closeRequested, this, [this] {
        comparison_->clear();
        stack_->setCurrentWidget(list_);
        focusForm();
    });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
}

void RunsPage::showRuns() {
    const bool any = model_.rowCount() > 0;
    empty_->setVisible(!any);
    content_->setVisible(any || notice_->isVisibleTo(content_) ||
                         shareNotice_->isVisibleTo(content_));
    // What was chosen stays chosen in the new list; nothing is chosen unasked. Before the axes are
    // shown anew, whose ranges last as long as what they chose.
    choose(QStringList(chosen_));
    showFiltered();
}

void RunsPage::choose(const QStringList& folders) {
    QItemSelection selection;
    for (const QString& folder : folders) {
        const int row = model_.rowOf(folder);
        const QModelIndex index = filtered_->mapFromSource(model_.index(row, 0));
        if (row >= 0 && index.isValid()) selection.select(index, index);
    }
    table_->selectionModel()->select(
        selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!selection.isEmpty())
        table_->selectionModel()->setCurrentIndex(selection.indexes().front(),
                                                  QItemSelectionModel::NoUpdate);
    showChosen();
}

/// The columns are those that tell the listed runs apart.
void RunsPage::showFiltered() {
    std::vector<const job::RunEntry*> listed;
    for (int row = 0; row < filtered_->rowCount(); ++row)
        listed.push_back(&model_.runAt(filtered_->mapToSource(filtered_->index(row, 0)).row()));
    columns_->offer(differingKeys(listed));
    if (columns_->chosen() != model_.settingColumns()) {
        const QStringList before = chosenFolders();
        model_.setSettingColumns(columns_->chosen());
        choose(before);  // whole rows, with the columns that have come
    }
    room_->fit();
    const int all = model_.rowCount();
    count_->setText(int(listed.size()) != all ? tr("%1 of %2").arg(listed.size()).arg(all)
                    : all == 1                ? tr("1 run")
                                              : tr("%1 runs").arg(all));
    noMatch_->setVisible(listed.empty() && all > 0);
    showForm();
}

void RunsPage::showForm() {
    const bool any = filtered_->rowCount() > 0;
    const bool asAxes = form_->current() == 1;
    tableCard_->setVisible(any && !asAxes);
    axesCard_->setVisible(any && asAxes);
    if (any && asAxes) axes_->refresh();
}

void RunsPage::focusForm() {
    QWidget* shown = form_->current() == 1 ? static_cast<QWidget*>(axes_) : table_;
    shown->setFocus(Qt::OtherFocusReason);
}

QStringList RunsPage::chosenFolders() const {
    QStringList folders;
    for (const int row : selectedRows(*table_->selectionModel()))
        folders << filtered_->index(row, 0).data(RunsModel::FolderRole).toString();
    return folders;
}

/// Of the model: those that are chosen, in the order of the list; one alone with its best rival.
QVector<int> RunsPage::rowsToCompare() const {
    QVector<int> rows;
    for (const int row : selectedRows(*table_->selectionModel()))
        rows << filtered_->mapToSource(filtered_->index(row, 0)).row();
    if (rows.size() != 1) return rows;
    if (const int rival = model_.rivalOf(rows.front()); rival >= 0) rows << rival;
    return rows;
}

void RunsPage::showChosen() {
    const QStringList folders = chosenFolders();
    if (!folders.isEmpty()) chosen_ = folders;
    openAction_->setEnabled(folders.size() == 1);
    jobAction_->setEnabled(folders.size() == 1);
    folderAction_->setEnabled(folders.size() == 1);
    share_->setFolder(folders.size() == 1 ? folders.front() : QString());
    const int row = folders.size() == 1 ? model_.rowOf(folders.front()) : -1;
    describe_->setRun(row >= 0 ? &model_.runAt(row) : nullptr);
    removeAction_->setEnabled(!folders.isEmpty());
    const auto compared = rowsToCompare().size();
    compareAction_->setEnabled(compared >= 2 && compared <= kMostCompared);
    const bool isWithBest = folders.size() == 1 && compared == 2;
    compareAction_->setText(isWithBest ? tr("Compare with the best") : tr("Compare"));
    compareAction_->setToolTip(
        isWithBest ? tr("Its curves beside those of the best other run of its job (Ctrl+Return)")
                   : tr("Choose 2 to %1 runs, with Ctrl or Shift: their curves on the same charts, "
                        "and what differs in their jobs (Ctrl+Return)")
                         .arg(kMostCompared));
}

void RunsPage::openCurrent() {
    const QModelIndex current = table_->currentIndex();
    if (current.isValid()) Q_EMIT runChosen(current.data(RunsModel::FolderRole).toString());
}

void RunsPage::compare() {
    std::vector<job::RunEntry> runs;
    for (const int row : rowsToCompare())
        runs.push_back(model_.runAt(row));
    stack_->setCurrentWidget(comparison_);
    comparison_->compare(std::move(runs));
}

void RunsPage::openFolder() {
    const QStringList folders = chosenFolders();
    if (folders.size() == 1) QDesktopServices::openUrl(QUrl::fromLocalFile(folders.front()));
}

void RunsPage::setShownRun(const QString& folder) {
    shownRun_ = folder;
}

void RunsPage::focusFilter() {
    words_->setFocus(Qt::ShortcutFocusReason);
    words_->selectAll();
}

}  // namespace lockstep::ui
