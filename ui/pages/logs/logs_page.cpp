// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/logs/logs_page.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <algorithm>

#include "ui/models/log_filter_model.h"
#include "ui/models/log_model.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"

namespace lockstep::ui {

LogsPage::LogsPage(LogModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    filtered_ = new LogFilterModel(this);
    filtered_->setSourceModel(&model_);
    buildTable();
    buildLayout();
    connectModel();
    showCounts();
}

QWidget* LogsPage::buildFilterBar() {
    auto* bar = new QWidget(this);
    text_ = new QLineEdit(bar);
    text_->setObjectName(QStringLiteral("logFilterEdit"));
    text_->setPlaceholderText(tr("Filter lines (Ctrl+F)"));
    text_->setAccessibleName(tr("Filter lines by text"));
    text_->setClearButtonEnabled(true);
    text_->addAction(makeIcon(Icon::Search), QLineEdit::LeadingPosition);
    process_ = new QComboBox(bar);
    process_->setObjectName(QStringLiteral("logProcess"));
    process_->setAccessibleName(tr("Show lines of one process"));
    process_->addItem(tr("All processes"), -1);
    process_->setMinimumWidth(144);
    level_ = new QComboBox(bar);
    level_->setObjectName(QStringLiteral("logLevel"));
    level_->setAccessibleName(tr("Least level shown"));
    level_->addItems({tr("Debug and above"), tr("Info and above"), tr("Warnings and errors"),
                      tr("Errors only")});
    follow_ = new QCheckBox(tr("Follow"), bar);
    follow_->setObjectName(QStringLiteral("logFollow"));
    follow_->setToolTip(tr("Keep the newest line in view"));
    follow_->setChecked(true);
    auto* copy = new QPushButton(makeIcon(Icon::Copy), tr("Copy"), bar);
    copy->setObjectName(QStringLiteral("logCopyButton"));
    copy->setToolTip(tr("Copy the chosen lines, or all that are shown"));
    connect(copy, &QPushButton::clicked, this, &LogsPage::copySelection);
    count_ = new QLabel(bar);
    count_->setObjectName(QStringLiteral("logCount"));
    count_->setProperty("secondary", true);

    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(text_, 1);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{process_, level_, follow_, count_, copy}) {
        layout->addWidget(widget);
    }
    return bar;
}

void LogsPage::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("logTable"));
    table_->setAccessibleName(tr("Log lines"));
    table_->setModel(filtered_);
    table_->setFont(fixedFont());
    styleTable(table_, table_->fontMetrics().height() + kGrid);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    // Else the last line would stop somewhere above the lower edge.
    table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setItemDelegateForColumn(int(LogModel::Column::Level), new LevelDelegate(table_));
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setColumnWidth(int(LogModel::Column::Time), 96);
    table_->setColumnWidth(int(LogModel::Column::Process), 112);
    table_->setColumnWidth(int(LogModel::Column::Level), 104);
    auto* copy = new QAction(tr("Copy lines"), table_);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &LogsPage::copySelection);
    table_->addAction(copy);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void LogsPage::buildLayout() {
    content_ = new QWidget(this);
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    inner->setSpacing(kGrid);
    inner->addWidget(buildFilterBar());
    inner->addWidget(framed(table_, content_), 1);
    empty_ =
        new EmptyState(Icon::Logs, tr("No log lines yet"),
                       tr("What every process of the job writes appears here in one list, with the "
                          "process that wrote it. Launch a job or attach to a run."),
                       this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    addEmptyState(layout, empty_);
    layout->addWidget(content_, 1);
}

void LogsPage::connectModel() {
    connect(&model_, &LogModel::processAppeared, this, &LogsPage::addProcess);
    connect(&model_, &QAbstractItemModel::modelReset, this, [this] {
        while (process_->count() > 1)
            process_->removeItem(1);
        showCounts();
    });
    connect(&model_, &QAbstractItemModel::rowsInserted, this, [this] {
        showCounts();
        scrollIfFollowing();
    });
    connect(text_, &QLineEdit::textChanged, this, &LogsPage::filterChanged);
    connect(process_, &QComboBox::currentIndexChanged, this, &LogsPage::filterChanged);
    connect(level_, &QComboBox::currentIndexChanged, this, &LogsPage::filterChanged);
    connectScrolling();
}

void LogsPage::connectScrolling() {
    connect(follow_, &QCheckBox::toggled, this, &LogsPage::followChanged);
    connect(table_->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        const QScrollBar* bar = table_->verticalScrollBar();
        follow_->setChecked(bar->sliderPosition() >= bar->maximum());
    });
    connect(
        filtered_, &QAbstractItemModel::rowsAboutToBeRemoved, this,
        [this](const QModelIndex&, int first, int last) { place_ = placeWithout(first, last); });
    connect(filtered_, &QAbstractItemModel::rowsRemoved, this, [this] {
        if (!follow_->isChecked()) table_->verticalScrollBar()->setValue(place_);
    });
}

/// In order of process, the evaluator behind the workers, whoever writes first.
void LogsPage::addProcess(int processKey, const QString& name) {
    int place = 1;
    while (place < process_->count() && process_->itemData(place).toInt() < processKey)
        ++place;
    process_->insertItem(place, name, processKey);
}

void LogsPage::filterChanged() {
    const int key = process_->currentData().toInt();
    filtered_->setFilter(text_->text(), key < 0 ? std::nullopt : std::optional(key),
                         level_->currentIndex());
    showCounts();
    scrollIfFollowing();
}

void LogsPage::showCounts() {
    const bool any = model_.rowCount() > 0;
    empty_->setVisible(!any);
    content_->setVisible(any);
    const int all = model_.rowCount();
    const int shown = filtered_->rowCount();
    const bool isOne = (shown == all ? shown : all) == 1;
    QString text = isOne ? tr("%1 line") : tr("%1 lines");
    text = text.arg(shown == all ? units::count(all)
                                 : tr("%1 of %2").arg(units::count(shown), units::count(all)));
    if (model_.droppedLines() > 0)
        text += tr(", %1 older in logs/").arg(units::count(model_.droppedLines()));
    count_->setText(text);
    count_->setToolTip(model_.droppedLines() == 0
                           ? QString()
                           : tr("The newest %1 lines are kept here. The run's folder has all of "
                                "them in logs/, a file for each process.")
                                 .arg(units::count(LogModel::kLimit)));
}

void LogsPage::followChanged() {
    model_.setHeld(!follow_->isChecked());
    showCounts();  // what was held beyond the limit may have gone
    scrollIfFollowing();
}

void LogsPage::scrollIfFollowing() {
    if (follow_->isChecked()) table_->scrollToBottom();
}

/// When lines above those in view go, what is in view goes up with them: so must the scroll bar.
int LogsPage::placeWithout(int firstRemoved, int lastRemoved) const {
    const int place = table_->verticalScrollBar()->value();
    const int rowHeight = table_->verticalHeader()->defaultSectionSize();
    const int above = std::min(lastRemoved + 1, place / rowHeight) - firstRemoved;
    return place - std::max(above, 0) * rowHeight;
}

void LogsPage::showFailure(job::Role role, int processId, const QString& cause) {
    const int row = model_.rowOfFailure(role, processId, cause);
    if (row < 0) return;
    text_->clear();
    process_->setCurrentIndex(0);
    level_->setCurrentIndex(0);
    follow_->setChecked(false);
    const QModelIndex line = filtered_->mapFromSource(model_.index(row, 0));
    table_->selectRow(line.row());
    table_->scrollTo(line, QAbstractItemView::PositionAtCenter);
    table_->setFocus(Qt::OtherFocusReason);
}

void LogsPage::copySelection() {
    QList<int> rows;
    for (const QModelIndex& index : table_->selectionModel()->selectedRows())
        rows << index.row();
    std::sort(rows.begin(), rows.end());
    if (rows.isEmpty()) {
        for (int row = 0; row < filtered_->rowCount(); ++row)
            rows << row;
    }
    QStringList lines;
    for (const int row : rows)
        lines << model_.lineText(filtered_->mapToSource(filtered_->index(row, 0)).row());
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void LogsPage::focusFilter() {
    text_->setFocus(Qt::ShortcutFocusReason);
    text_->selectAll();
}

}  // namespace lockstep::ui
