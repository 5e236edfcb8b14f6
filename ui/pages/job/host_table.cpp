// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/host_table.h"

#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/models/ssh_names.h"
#include "ui/pages/job/host_delegates.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

using Column = HostTableModel::Column;

constexpr int kMostRowsShown = 12;
constexpr int kLeastSection = 56;
constexpr int kWidestSection = 400;

/// Keys whose problems concern the hosts as a whole.
bool isOfAll(const std::string& key) {
    return key == "launch.hosts" || key == "launch.spares" || key == "cluster.job_addresses" ||
           key == "cluster.num_processes";
}

}  // namespace

HostTable::HostTable(JobEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor), model_(editor) {
    empty_ = wrappedLabel(this, tr("No host is named yet. “Add host” takes a name of your ssh "
                                   "settings, user@host, or an address; process 0 runs on the "
                                   "first."));
    empty_->setObjectName(QStringLiteral("hostsEmpty"));
    empty_->setProperty("secondary", true);
    buildTable();
    problems_ = wrappedLabel(this);
    problems_->setObjectName(QStringLiteral("hostProblems"));
    notes_ = wrappedLabel(this);
    notes_->setObjectName(QStringLiteral("hostNotes"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(empty_);
    layout->addWidget(table_);
    layout->addWidget(problems_);
    layout->addWidget(notes_);
    layout->addWidget(buildButtons());
    connectModel();
    connect(&editor_, &JobEditor::changed, this, &HostTable::refresh);
    refresh();
}

void HostTable::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("hostTable"));
    table_->setAccessibleName(tr("Hosts of the job"));
    table_->setAccessibleDescription(
        tr("Insert adds a host, Delete removes one, Alt with an arrow moves it"));
    table_->setModel(&model_);
    styleTable(table_, 4 * kGrid);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->horizontalHeader()->setSectionResizeMode(int(Column::Host), QHeaderView::Stretch);
    keepSectionsFitted(table_, kLeastSection, kWidestSection);
    texts_ = new HostTextDelegate(table_);
    auto* processes = new ProcessesDelegate(table_);
    auto* part = new PartDelegate(table_);
    table_->setItemDelegateForColumn(int(Column::Host), texts_);
    table_->setItemDelegateForColumn(int(Column::Address), texts_);
    table_->setItemDelegateForColumn(int(Column::Processes), processes);
    table_->setItemDelegateForColumn(int(Column::Part), part);
    table_->installEventFilter(this);
    connect(texts_, &HostTextDelegate::typed, this, &HostTable::showTyped);
    // What is written brings the rows up to date first.
    connect(texts_, &HostTextDelegate::closeEditor, this, [this] {
        const auto forget = [this, begun = rowsBegun_] {
            if (begun == rowsBegun_) model_.dropBegun();  // else another one is typed already
            refresh();
        };
        QMetaObject::invokeMethod(this, forget, Qt::QueuedConnection);
    });
}

QToolButton* HostTable::buildMover(bool up) {
    auto* button = new QToolButton(this);
    button->setObjectName(up ? QStringLiteral("hostUpButton") : QStringLiteral("hostDownButton"));
    button->setIcon(makeIcon(up ? Icon::ChevronUp : Icon::ChevronDown));
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(up ? tr("Move the host up") : tr("Move the host down"));
    button->setToolTip(up ? tr("Move the chosen host up (Alt+Up)")
                          : tr("Move the chosen host down (Alt+Down)"));
    connect(button, &QToolButton::clicked, this, [this, up] { moveHost(up ? -1 : 1); });
    return button;
}

QWidget* HostTable::buildButtons() {
    auto* buttons = new QWidget(this);
    auto* row = new FlowLayout(buttons, kGrid);
    auto* add = new QPushButton(makeIcon(Icon::Plus), tr("Add host"), buttons);
    add->setObjectName(QStringLiteral("addHostButton"));
    add->setToolTip(tr("Name a further host that trains (Insert)"));
    connect(add, &QPushButton::clicked, this, [this] { addHost(HostRow::Part::Trains); });
    auto* spare = new QPushButton(tr("Add spare"), buttons);
    spare->setObjectName(QStringLiteral("addSpareButton"));
    spare->setToolTip(tr("Name a host that takes the place of one that is lost"));
    connect(spare, &QPushButton::clicked, this, [this] { addHost(HostRow::Part::Spare); });
    remove_ = new QPushButton(tr("Remove"), buttons);
    remove_->setObjectName(QStringLiteral("removeHostButton"));
    remove_->setToolTip(tr("Remove the chosen row (Delete)"));
    connect(remove_, &QPushButton::clicked, this, &HostTable::removeHost);
    up_ = buildMover(true);
    down_ = buildMover(false);
    for (QWidget* each : std::initializer_list<QWidget*>{add, spare, remove_, up_, down_})
        row->addWidget(each);
    return buttons;
}

void HostTable::connectModel() {
    connect(&model_, &QAbstractItemModel::modelAboutToBeReset, this, &HostTable::keepPlace);
    connect(&model_, &QAbstractItemModel::modelReset, this, [this] {
        const int row = std::min(row_, model_.rowCount() - 1);
        if (row >= 0) table_->setCurrentIndex(model_.index(row, column_));
        refresh();
    });
    connect(&model_, &QAbstractItemModel::rowsInserted, this, &HostTable::refresh);
    connect(&model_, &QAbstractItemModel::rowsRemoved, this, &HostTable::refresh);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &HostTable::showButtons);
}

void HostTable::keepPlace() {
    row_ = table_->currentIndex().row();
    column_ = std::max(0, table_->currentIndex().column());
}

bool HostTable::eventFilter(QObject* watched, QEvent* event) {
    // What a cell that is edited leaves of its keys comes by here, too.
    const bool edits = table_->viewport()->isAncestorOf(QApplication::focusWidget());
    if (watched == table_ && event->type() == QEvent::KeyPress && !edits) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (pressKey(key->key(), key->modifiers() & ~Qt::KeypadModifier)) return true;
    }
    return QWidget::eventFilter(watched, event);
}

bool HostTable::pressKey(int key, Qt::KeyboardModifiers modifiers) {
    const bool isPlain = modifiers == Qt::NoModifier;
    if (isPlain && key == Qt::Key_Insert) {
        const auto row = std::size_t(table_->currentIndex().row());
        const bool isSpare =
            row < model_.rows().size() && model_.rows()[row].part == HostRow::Part::Spare;
        addHost(isSpare ? HostRow::Part::Spare : HostRow::Part::Trains);
    } else if (isPlain && key == Qt::Key_Delete) {
        removeHost();
    } else if (isPlain && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        table_->edit(table_->currentIndex());
    } else if (modifiers == Qt::AltModifier && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        moveHost(key == Qt::Key_Up ? -1 : 1);
    } else {
        return false;
    }
    return true;
}

void HostTable::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    readNames();
}

/// On a thread of its own: the file may lie on another machine.
void HostTable::readNames() {
    if (!isVisible()) return;
    const QString file =
        sshSettingsFile(QString::fromStdString(editor_.spec().launch.sshConfig), editor_.folder());
    names_.start([file] { return sshNames(file); },
                 [this](const QStringList& names) { texts_->setNames(names); });
}

void HostTable::addHost(HostRow::Part part) {
    readNames();
    ++rowsBegun_;
    const int row = model_.beginRow(part, table_->currentIndex().row());
    const QModelIndex cell = model_.index(row, int(Column::Host));
    table_->setCurrentIndex(cell);
    table_->setFocus();
    table_->edit(cell);
}

void HostTable::removeHost() {
    model_.removeHost(table_->currentIndex().row());
}

void HostTable::moveHost(int by) {
    const QModelIndex current = table_->currentIndex();
    if (!model_.canMove(current.row(), by)) return;
    model_.moveHost(current.row(), by);
    const int row = std::min(current.row() + by, model_.rowCount() - 1);
    table_->setCurrentIndex(model_.index(row, current.column()));
}

void HostTable::showTyped(const QModelIndex& index, const QString& text) {
    const QString problem = model_.problemIf(index, text);
    texts_->markWrong(!problem.isEmpty());
    if (problem.isEmpty()) return showProblems();
    problems_->setText(problem);
    problems_->show();
    markProblem(problems_, "problem", true);
}

void HostTable::refresh() {
    const int rows = model_.rowCount();
    empty_->setVisible(rows == 0);
    table_->setVisible(rows > 0);
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                           std::clamp(rows, 1, kMostRowsShown) *
                               table_->verticalHeader()->defaultSectionSize() +
                           2 * table_->frameWidth());
    fitSections(table_, kLeastSection, kWidestSection);
    setEnabled(editor_.hasJob() && editor_.wellFormed());
    showButtons();
    showProblems();
}

void HostTable::showButtons() {
    const int row = table_->currentIndex().row();
    remove_->setEnabled(model_.canRemove(row));
    up_->setEnabled(model_.canMove(row, -1));
    down_->setEnabled(model_.canMove(row, 1));
}

void HostTable::showProblems() {
    QStringList lines;
    QStringList notes;
    const auto add = [&](const config::Finding& finding) {
        const bool isWrong = finding.severity == config::Severity::Error;
        (isWrong ? lines : notes) << sentenceOf(finding);
    };
    for (const config::Finding& finding : editor_.findings())
        if (isOfAll(finding.key)) add(finding);
    for (int row = 0; row < model_.rowCount(); ++row)
        if (const config::Finding* problem = model_.problemOf(row)) add(*problem);
    for (const auto& [label, said] : {std::pair(problems_, &lines), {notes_, &notes}}) {
        said->removeDuplicates();
        label->setVisible(!said->isEmpty());
        label->setText(said->join(QLatin1Char('\n')));
    }
    markProblem(problems_, "problem", true);
}

}  // namespace lockstep::ui
