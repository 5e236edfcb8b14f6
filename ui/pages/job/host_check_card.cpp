// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/host_check_card.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/models/job_editor.h"
#include "ui/pages/cell_delegates.h"
#include "ui/pages/job/host_check_details.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kMostRowsShown = 16;
constexpr int kNarrowest = 48;

}  // namespace

HostCheckCard::HostCheckCard(JobEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor) {
    setObjectName(QStringLiteral("hostCheckCard"));
    card_ = new Card(tr("Hosts"), this);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(card_);
    buildButtons(card_);
    hint_ = wrappedLabel(this);
    hint_->setObjectName(QStringLiteral("hostCheckHint"));
    hint_->setProperty("secondary", true);
    buildTable();
    details_ = new HostCheckDetails(this);
    card_->body()->setSpacing(2 * kGrid);
    card_->body()->addWidget(hint_);
    card_->body()->addWidget(table_);
    card_->body()->addWidget(details_);
    connect(details_, &HostCheckDetails::changeRequested, &editor_, &JobEditor::setValue);
    connect(&editor_, &JobEditor::changed, this, &HostCheckCard::showSituation);
    connect(&model_, &QAbstractItemModel::modelReset, this, &HostCheckCard::fitTable);
    showReport(nullptr);
}

void HostCheckCard::buildButtons(Card* card) {
    cancel_ = new QPushButton(tr("Cancel"), this);
    cancel_->setObjectName(QStringLiteral("cancelCheckButton"));
    connect(cancel_, &QPushButton::clicked, this, &HostCheckCard::cancelRequested);
    check_ = new QPushButton(makeIcon(Icon::Search), tr("Check again"), this);
    check_->setObjectName(QStringLiteral("checkHostsButton"));
    check_->setToolTip(tr("Examine every host of the job; nothing of it is started"));
    connect(check_, &QPushButton::clicked, this, &HostCheckCard::checkRequested);
    card->addHeadWidget(cancel_);
    card->addHeadWidget(check_);
}

void HostCheckCard::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("hostCheckTable"));
    table_->setAccessibleName(tr("Checks of the job's hosts"));
    table_->setModel(&model_);
    styleTable(table_, 4 * kGrid);
    table_->setSelectionBehavior(QAbstractItemView::SelectItems);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setTextElideMode(Qt::ElideRight);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->viewport()->installEventFilter(this);
    checkCells_ = new CheckDelegate(table_);
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                chosen_ = current.isValid();
                showCell();
            });
}

/// As high as its rows, up to a screenful.
void HostCheckCard::fitTable() {
    for (int column = 1; column < model_.columnCount(); ++column)
        table_->setItemDelegateForColumn(column, checkCells_);
    shareWidth();
}

/// Each column what its words need; what is left is shared out equally.
void HostCheckCard::shareWidth() {
    const int columns = model_.columnCount();
    if (columns == 0) return;
    const QAbstractItemView& view = *table_;  // where it is public
    QList<int> widths;
    int needed = 0;
    for (int column = 0; column < columns; ++column) {
        widths << std::max(view.sizeHintForColumn(column),
                           table_->horizontalHeader()->sectionSizeHint(column));
        needed += widths.last();
    }
    // Where there is too little room the table is scrolled: a word cut off says nothing.
    const int spare = std::max(0, (table_->viewport()->width() - needed) / columns);
    for (int column = 0; column < columns; ++column)
        table_->setColumnWidth(column, std::max(kNarrowest, widths[column] + spare));
    const bool scrolls = needed > table_->viewport()->width();
    const int rows = std::clamp(model_.rowCount(), 1, kMostRowsShown);
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                           rows * table_->verticalHeader()->defaultSectionSize() +
                           2 * table_->frameWidth() +
                           (scrolls ? table_->horizontalScrollBar()->sizeHint().height() : 0));
}

bool HostCheckCard::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize) shareWidth();
    return QWidget::eventFilter(watched, event);
}

void HostCheckCard::showStarted() {
    examined_ = editor_.text();
    running_ = true;
    chosen_ = false;
    showSituation();
}

void HostCheckCard::showReport(const HostReport& report) {
    running_ = report && report->running;
    const int rows = model_.rowCount();
    model_.setReport(report);
    if (report && !report->running && !chosen_) chooseGravest();
    showCell();
    showSituation();
    shareWidth();
    if (report && (model_.rowCount() != rows || !report->running)) Q_EMIT grown();
}

void HostCheckCard::showFailure(const Error& error) {
    running_ = false;
    model_.setReport(nullptr);
    showSituation();
    hint_->setText(fromCore(error.message + ". " + error.remedy));
}

/// What is worst is shown without being looked for; where nothing is wrong, no cell is.
void HostCheckCard::chooseGravest() {
    const QModelIndex gravest = model_.gravestCell();
    if (gravest.isValid()) table_->setCurrentIndex(gravest);
}

void HostCheckCard::showCell() {
    const QModelIndex current = table_->currentIndex();
    details_->setVisible(current.isValid() && model_.report());
    if (!current.isValid() || !model_.report()) return;
    const QString host = model_.index(current.row(), 0).data().toString();
    const QString check =
        model_.headerData(current.column(), Qt::Horizontal, Qt::DisplayRole).toString();
    details_->show(current.column() == 0 ? host : tr("%1 on %2").arg(check, host),
                   current.data(HostCheckModel::DetailRole).toString(), model_.problemsAt(current));
}

QString HostCheckCard::obstacle() const {
    const HostReport& report = model_.report();
    const bool holds = report && !report->running && report->errors > 0;
    return holds && editor_.text() == examined_ ? fromCore(report->sentence) : QString();
}

bool HostCheckCard::isOld() const {
    return !running_ && editor_.text() != examined_;
}

void HostCheckCard::showSituation() {
    const HostReport& report = model_.report();
    check_->setVisible(!running_ && model_.report());
    cancel_->setVisible(running_);
    check_->setEnabled(editor_.hasJob() && !editor_.hasErrors());
    table_->setVisible(report != nullptr);
    hint_->setVisible(report == nullptr);
    hint_->setText(running_ ? tr("Starting …")
                            : tr("Before anything trains, every host can be looked at: ssh, the "
                                 "network between all of them, clocks, disks, data, memory, GPUs "
                                 "and what earlier runs have left."));
    Q_EMIT situationChanged();
    if (!report) {
        card_->setSubtitle({});
        return;
    }
    const QString said = fromCore(report->sentence);
    card_->setSubtitle(isOld() ? tr("%1 The job has changed since: check again.").arg(said) : said);
}

}  // namespace lockstep::ui
