// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/logs/logs_page.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QShortcut>
#include <QTableView>
#include <algorithm>
#include <utility>

#include "ui/models/log_model.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/logs/find_bar.h"
#include "ui/pages/logs/line_delegate.h"
#include "ui/pages/logs/pattern_edit.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/flow_layout.h"

namespace lockstep::ui {
namespace {

constexpr int kLeastFilter = 200;

}  // namespace

LogsPage::LogsPage(LogModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    buildTable();
    buildLayout();
    buildKeys();
    connectModel();
    connectFind();
    connectScrolling();
    showCounts();
}

QWidget* LogsPage::buildFilterBar() {
    auto* bar = new QWidget(this);
    text_ = new PatternEdit(QStringLiteral("logFilter"), tr("Show only lines with…"),
                            tr("Show only lines with this text"), bar);
    buildBoxes(bar);
    auto* copy = new QPushButton(makeIcon(Icon::Copy), tr("Copy"), bar);
    copy->setObjectName(QStringLiteral("logCopyButton"));
    copy->setToolTip(tr("Copy the chosen lines, or all that are shown"));
    connect(copy, &QPushButton::clicked, this, &LogsPage::copySelection);
    count_ = new QLabel(bar);
    count_->setObjectName(QStringLiteral("logCount"));
    count_->setProperty("secondary", true);

    text_->setMinimumWidth(kLeastFilter);
    auto* choice = new FlowLayout;
    for (QWidget* widget : std::initializer_list<QWidget*>{process_, level_, count_, copy})
        choice->addWidget(widget);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(text_, 1);
    layout->addLayout(choice);
    stackWhenCrowded(this, layout, 4 * kGrid);
    return bar;
}

void LogsPage::buildBoxes(QWidget* bar) {
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
}

void LogsPage::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("logTable"));
    table_->setAccessibleName(tr("Log lines"));
    table_->setModel(&model_);
    table_->setFont(fixedFont());
    styleTable(table_, table_->fontMetrics().height() + kGrid);
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    // Else the last line would stop somewhere above the lower edge.
    table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setItemDelegateForColumn(int(LogModel::Column::Level), new LevelDelegate(table_));
    auto* lines = new LineDelegate(model_, table_);
    connect(lines, &LineDelegate::foldClicked, this, [this](int row) {
        const int fold = model_.index(row, 0).data(LogModel::FoldRole).toInt();
        follow_->setChecked(false);
        model_.setUnfolded(row, fold == LogModel::Folded);
    });
    table_->setItemDelegateForColumn(int(LogModel::Column::Text), lines);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setColumnWidth(int(LogModel::Column::Time), 96);
    table_->setColumnWidth(int(LogModel::Column::Process), 112);
    table_->setColumnWidth(int(LogModel::Column::Level), 104);
    keepHeadingsWhole(table_);
    table_->installEventFilter(this);
    addVerb(tr("Copy lines"), QKeySequence::Copy, &LogsPage::copySelection);
    addVerb(tr("Show this moment on Live"), QKeySequence(Qt::CTRL | Qt::Key_Return),
            &LogsPage::showMoment);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void LogsPage::addVerb(const QString& text, const QKeySequence& keys, void (LogsPage::*verb)()) {
    auto* action = new QAction(text, table_);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, verb);
    table_->addAction(action);
}

void LogsPage::buildLayout() {
    content_ = new QWidget(this);
    said_ = new QLabel(content_);
    said_->setObjectName(QStringLiteral("logSaid"));
    said_->setWordWrap(true);
    said_->setTextFormat(Qt::PlainText);
    said_->hide();
    find_ = new FindBar(model_, content_);
    follow_ = new QCheckBox(tr("Follow"), content_);
    follow_->setObjectName(QStringLiteral("logFollow"));
    follow_->setToolTip(tr("Keep the newest line in view"));
    follow_->setChecked(true);
    auto* ways = new QHBoxLayout;
    ways->setSpacing(kGrid);
    ways->addWidget(find_, 1);
    ways->addWidget(follow_);
    auto* inner = new QVBoxLayout(content_);
    inner->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, 2 * kGrid);
    inner->setSpacing(kGrid);
    inner->addWidget(buildFilterBar());
    inner->addLayout(ways);
    inner->addWidget(said_);
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
    followInTabOrder(text_->parentWidget(), find_);
    followInTabOrder(find_, follow_);
    followInTabOrder(follow_, table_);
}

void LogsPage::buildKeys() {
    const auto add = [this](const QKeySequence& keys, auto verb) {
        auto* shortcut = new QShortcut(keys, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, verb);
    };
    add(QKeySequence(Qt::Key_F3), [this] { find_->next(); });
    add(QKeySequence(Qt::SHIFT | Qt::Key_F3), [this] { find_->previous(); });
    add(QKeySequence(Qt::CTRL | Qt::Key_G), [this] { find_->focusGoTo(); });
}

void LogsPage::connectModel() {
    connect(&model_, &LogModel::processAppeared, this, &LogsPage::addProcess);
    connect(&model_, &QAbstractItemModel::modelReset, this, &LogsPage::showCounts);
    connect(&model_, &LogModel::forgotten, this, &LogsPage::forgetProcesses);
    connect(&model_, &LogModel::grown, this, [this] {
        // The process that was chosen has not written yet.
        if (std::exchange(wantedProcess_, std::nullopt)) filterChanged();
        showCounts();
        if (awaited_ >= 0 && model_.hasCome(awaited_)) showLine(std::exchange(awaited_, -1));
    });
    connect(&model_, &LogModel::copied, this, &LogsPage::sayCopied);
    connect(&model_, &LogModel::failureFound, this, [this](qint64 line) {
        if (line < 0) return say(tr("The process that failed wrote no line."));
        showLine(line);
    });
    connect(&model_, &QAbstractItemModel::rowsInserted, this, &LogsPage::scrollIfFollowing);
    connect(text_, &PatternEdit::patternChanged, this, &LogsPage::filterChanged);
    connect(process_, &QComboBox::currentIndexChanged, this, &LogsPage::filterChanged);
    connect(level_, &QComboBox::currentIndexChanged, this, &LogsPage::filterChanged);
}

void LogsPage::connectFind() {
    connect(find_, &FindBar::lineChosen, this, &LogsPage::showLine);
    connect(find_, &FindBar::said, this, &LogsPage::say);
    connect(find_, &FindBar::left, this, [this] { table_->setFocus(Qt::OtherFocusReason); });
    const auto tell = [this] { find_->setCurrentLine(model_.lineAt(currentRow())); };
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, tell);
    connect(table_, &QTableView::clicked, this, &LogsPage::clickCell);
}

void LogsPage::connectScrolling() {
    connect(follow_, &QCheckBox::toggled, this, &LogsPage::scrollIfFollowing);
    connect(table_->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        const QScrollBar* bar = table_->verticalScrollBar();
        follow_->setChecked(bar->sliderPosition() >= bar->maximum());
        awaited_ = -1;
    });
}

/// Another run, or another moment of this one: there the choice stays where its process is.
void LogsPage::forgetProcesses() {
    const int chosen = process_->currentData().toInt();
    {
        const QSignalBlocker quiet(process_);
        while (process_->count() > 1)
            process_->removeItem(1);
    }
    wantedProcess_ = chosen >= 0 && model_.hasLog() ? std::optional(chosen) : std::nullopt;
    if (!wantedProcess_) filterChanged();
    say({});
    awaited_ = -1;
}

/// In order of process, the evaluator behind the workers, whoever writes first.
void LogsPage::addProcess(int processKey, const QString& name) {
    int place = 1;
    while (place < process_->count() && process_->itemData(place).toInt() < processKey)
        ++place;
    const QSignalBlocker quiet(process_);  // what is chosen stays chosen
    process_->insertItem(place, name, processKey);
    if (wantedProcess_ != processKey) return;
    process_->setCurrentIndex(place);
    wantedProcess_.reset();
}

/// What is no regular expression leaves the lines as they are.
void LogsPage::filterChanged() {
    const LogPattern pattern = text_->pattern();
    if (!pattern.problem().isEmpty())
        return say(tr("%1. The lines stay as they are.").arg(pattern.problem()));
    say({});
    awaited_ = -1;
    wantedProcess_.reset();
    const int key = process_->currentData().toInt();
    model_.setFilter(pattern, key < 0 ? std::nullopt : std::optional(key), level_->currentIndex());
    showCounts();
    scrollIfFollowing();
}

void LogsPage::showCounts() {
    const qint64 all = model_.lineCount();
    empty_->setVisible(all == 0);
    content_->setVisible(all > 0);
    const qint64 shown = model_.passedCount();
    const bool isOne = all == 1;
    QString text = isOne ? tr("%1 line") : tr("%1 lines");
    text =
        text.arg(!model_.holdsBack() ? units::count(all)
                                     : tr("%1 of %2").arg(units::count(shown), units::count(all)));
    if (model_.holdsBack() && model_.isFiltering())
        text += QStringLiteral(", ") + units::percent(model_.filterProgress(), 0);
    count_->setText(text);
}

void LogsPage::say(const QString& sentence) {
    said_->setText(sentence);
    said_->setVisible(!sentence.isEmpty());
}

void LogsPage::scrollIfFollowing() {
    if (follow_->isChecked()) table_->scrollToBottom();
}

int LogsPage::currentRow() const {
    return table_->currentIndex().isValid() ? table_->currentIndex().row() : -1;
}

void LogsPage::showLine(qint64 line) {
    awaited_ = -1;
    if (line < 0) return;
    follow_->setChecked(false);
    if (!model_.hasCome(line)) {
        awaited_ = line;
        return;
    }
    if (const int row = model_.showLine(line); row >= 0) return chooseRow(row);
    const int behind = model_.rowAtOrBehind(line);
    if (behind < 0) return;
    say(tr("The filter holds that line back. This is the next one that it lets through."));
    chooseRow(behind);
}

void LogsPage::chooseRow(int row) {
    const QModelIndex index = model_.index(row, 0);
    table_->selectRow(row);
    const QRect seen = table_->visualRect(index);
    const int margin = 2 * table_->rowHeight(row);
    const bool isInView =
        seen.top() >= margin && seen.bottom() <= table_->viewport()->height() - margin;
    if (!isInView) table_->scrollTo(index, QAbstractItemView::PositionAtCenter);
}

void LogsPage::showFailure(job::Role role, int processId, const QString& cause) {
    text_->clear();
    process_->setCurrentIndex(0);
    level_->setCurrentIndex(0);
    table_->setFocus(Qt::OtherFocusReason);
    model_.findFailure(role, processId, cause);
}

/// Right unfolds a traceback, Left folds it from any of its lines. False: there is nothing to fold.
bool LogsPage::fold(bool unfolds) {
    const int row = currentRow();
    if (row < 0) return false;
    const int fold = model_.index(row, 0).data(LogModel::FoldRole).toInt();
    if (unfolds ? fold != LogModel::Folded : fold != LogModel::Unfolded && fold != LogModel::Inside)
        return false;
    follow_->setChecked(false);
    const int head = fold == LogModel::Inside ? model_.headOf(row) : row;
    if (head < 0) return false;
    model_.setUnfolded(head, unfolds);
    chooseRow(head);
    return true;
}

bool LogsPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::NoModifier &&
            (key->key() == Qt::Key_Right || key->key() == Qt::Key_Left) &&
            fold(key->key() == Qt::Key_Right))
            return true;
    }
    return QWidget::eventFilter(watched, event);
}

void LogsPage::copySelection() {
    std::vector<std::pair<int, int>> rows;
    for (const QItemSelectionRange& range : table_->selectionModel()->selection())
        rows.emplace_back(range.top(), range.bottom());
    std::ranges::sort(rows);
    if (rows.empty() && model_.rowCount() > 0) rows.emplace_back(0, model_.rowCount() - 1);
    model_.copy(rows);
}

void LogsPage::sayCopied(const QString& text, int count, int wanted) {
    QGuiApplication::clipboard()->setText(text);
    const QString lines = count == 1 ? tr("1 line") : tr("%1 lines").arg(units::count(count));
    if (count >= wanted) return say(tr("Copied %1.").arg(lines));
    say(tr("Copied %1 of %2. The run's folder has all of them in logs/, a file for each process.")
            .arg(lines, units::count(wanted)));
}

void LogsPage::focusFind() {
    find_->focusField();
}

}  // namespace lockstep::ui
