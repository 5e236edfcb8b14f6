// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/answers_card.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTextCursor>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/file.h"
#include "core/job/handover/answers_text.h"
#include "ui/pages/evaluator/answer_delegates.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kSampleWidth = 240;
constexpr int kRow = 4 * kGrid;
constexpr int kMostRemarks = 5;  ///< More are counted.

QToolButton* toolButton(Card* card, const char* name, Icon icon, const QString& words) {
    auto* button = new QToolButton(card);
    button->setObjectName(QLatin1String(name));
    button->setIcon(makeIcon(icon));
    button->setToolTip(words);
    button->setAccessibleName(words);
    button->setFocusPolicy(Qt::StrongFocus);
    card->addHeadWidget(button);
    return button;
}

QString sentence(const Error& error) {
    const QString message = fromCore(error.message);
    const QString remedy = fromCore(error.remedy);
    QString words = message.isEmpty() ? message : message.front().toUpper() + message.mid(1);
    if (!words.endsWith(QLatin1Char('.'))) words += QLatin1Char('.');
    return remedy.isEmpty() ? words : words + QLatin1Char(' ') + remedy;
}

}  // namespace

AnswersCard::AnswersCard(NetworkBridge& networks, QWidget* parent)
    : Card(tr("Answers"), parent), networks_(networks) {
    buildHead();
    buildTable();
    text_ = new QPlainTextEdit(this);
    text_->setObjectName(QStringLiteral("answerText"));
    text_->setAccessibleName(tr("Text that the network writes"));
    text_->setReadOnly(true);
    text_->setUndoRedoEnabled(false);
    text_->setTabChangesFocus(true);
    text_->setFont(fixedFont());
    empty_ = wrappedLabel(this);
    empty_->setProperty("secondary", true);
    empty_->setAlignment(Qt::AlignCenter);
    state_ = wrappedLabel(this);
    state_->setObjectName(QStringLiteral("answersState"));
    remarks_ = wrappedLabel(this);
    remarks_->setObjectName(QStringLiteral("answersRemarks"));
    remarks_->setFont(smallFont());
    remarks_->setProperty("secondary", true);
    strip_ = new ProgressStrip(this);
    strip_->setObjectName(QStringLiteral("answersProgress"));
    for (QWidget* widget : std::initializer_list<QWidget*>{strip_, state_, empty_})
        body()->addWidget(widget, widget == empty_ ? 1 : 0);
    body()->addWidget(table_, 1);
    body()->addWidget(text_, 1);
    body()->addWidget(remarks_);
    connect(&networks_, &NetworkBridge::asked, this, &AnswersCard::begin);
    connect(&networks_, &NetworkBridge::answersArrived, this, &AnswersCard::add);
    connect(&networks_, &NetworkBridge::progressed, this, &AnswersCard::showProgress);
    connect(&networks_, &NetworkBridge::written, this,
            [this](const QString& text) { showText(prompt_, text); });
    connect(&networks_, &NetworkBridge::remarked, this, [this](const QStringList& sentences) {
        QStringList all = remarks_->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        all += sentences;
        if (all.size() > kMostRemarks) {
            const qsizetype more = all.size() - kMostRemarks;
            all = all.mid(0, kMostRemarks) << tr("and %1 more remarks").arg(more);
        }
        remarks_->setText(all.join(QLatin1Char('\n')));
        remarks_->show();
    });
    connect(&networks_, &NetworkBridge::ended, this, &AnswersCard::showEnd);
    connect(&networks_, &NetworkBridge::failed, this, &AnswersCard::showFailure);
    reset();
}

void AnswersCard::buildHead() {
    cancel_ = new QPushButton(tr("Cancel"), this);
    cancel_->setObjectName(QStringLiteral("cancelAnswers"));
    connect(cancel_, &QPushButton::clicked, &networks_, &NetworkBridge::stopAsking);
    addHeadWidget(cancel_);
    copy_ = toolButton(this, "copyAnswers", Icon::Copy, tr("Copy all answers, for a spreadsheet"));
    save_ = toolButton(this, "saveAnswers", Icon::Save, tr("Save as JSON or CSV …"));
    connect(copy_, &QToolButton::clicked, this, &AnswersCard::copy);
    connect(save_, &QToolButton::clicked, this, &AnswersCard::chooseFile);
}

void AnswersCard::buildTable() {
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("answersTable"));
    table_->setAccessibleName(tr("Answers"));
    table_->setModel(&model_);
    styleTable(table_, kRow);
    table_->setWordWrap(true);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setItemDelegate(new AnswerDelegate(table_));
    table_->setItemDelegateForColumn(0, new SampleDelegate(table_));
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
}

void AnswersCard::reset() {
    model_.clear();
    remarks_->clear();
    for (QWidget* widget :
         std::initializer_list<QWidget*>{strip_, state_, table_, text_, remarks_, cancel_})
        widget->hide();
    empty_->setText(tr("What the network says is shown here."));
    empty_->show();
    setSubtitle({});
    showVerbs();
}

void AnswersCard::begin() {
    reset();
    empty_->clear();  // it keeps what is above it at the top
    strip_->setFraction(-1);
    strip_->show();
    cancel_->show();
    showState(tr("Reading the checkpoint …"), false);
}

void AnswersCard::add(const std::vector<job::Answer>& answers) {
    const bool isText = !answers.empty() && answers.front().error.empty() &&
                        answers.front().classes.empty() && answers.front().values.empty();
    const int before = model_.rowCount();
    model_.append(answers);
    if (isText) {
        const job::Answer& answer = answers.front();
        const auto bytes = [](const std::string& text) {
            return QString::fromUtf8(text.data(), qsizetype(text.size()));
        };
        return showText(bytes(answer.prompt), bytes(answer.continuation));
    }
    empty_->hide();
    table_->show();
    fitRows();
    if (before == 0) table_->setColumnWidth(0, kSampleWidth);
    for (int row = before; row < model_.rowCount(); ++row)
        if (model_.columnCount() > 2 && model_.index(row, 1).data(AnswerModel::ErrorRole).toBool())
            table_->setSpan(row, 1, 1, model_.columnCount() - 1);
    showVerbs();
}

/// All rows are as high as the highest kind of them: thousands are laid out at once.
void AnswersCard::fitRows() {
    const bool hasClasses = std::ranges::any_of(
        model_.answers(), [](const job::Answer& each) { return !each.classes.empty(); });
    const int height = model_.hasPictures() ? SampleDelegate::kPicture + kGrid
                       : hasClasses         ? AnswerDelegate::kShown * AnswerDelegate::kLine + kGrid
                                            : kRow + kGrid;
    if (height != table_->verticalHeader()->defaultSectionSize())
        table_->verticalHeader()->setDefaultSectionSize(height);
}

void AnswersCard::showProgress(quint64 done, quint64 all) {
    strip_->setFraction(all > 1 ? double(done) / double(all) : -1);
    if (networks_.isAsking() && all > 1)
        showState(tr("%1 of %2").arg(units::count(qint64(done)), units::count(qint64(all))), false);
}

/// What was given in pale, what the network wrote in the text's colour.
void AnswersCard::showText(const QString& prompt, const QString& continuation) {
    empty_->hide();
    text_->show();
    state_->hide();
    QScrollBar* bar = text_->verticalScrollBar();
    const bool follows = bar->value() == bar->maximum();
    text_->clear();
    QTextCursor cursor(text_->document());
    QTextCharFormat given;
    given.setForeground(Theme::of(this).textSecondary);
    QTextCharFormat written;
    written.setForeground(Theme::of(this).text);
    cursor.insertText(prompt, given);
    cursor.insertText(continuation, written);
    bar->setValue(follows ? bar->maximum() : bar->value());
    showVerbs();
}

void AnswersCard::showEnd(const job::Answered& answered) {
    strip_->hide();
    cancel_->hide();
    QStringList words{tr("Answered by step %1").arg(units::count(answered.step))};
    if (answered.answers != 1)
        words << tr("%1 answers").arg(units::count(qint64(answered.answers)));
    if (answered.failures > 0)
        words << tr("%1 without an answer").arg(units::count(qint64(answered.failures)));
    if (answered.stopped) words << tr("cancelled");
    setSubtitle(words.join(QStringLiteral("  ·  ")));
    state_->hide();
    showVerbs();
}

void AnswersCard::showFailure(const Error& error) {
    strip_->hide();
    cancel_->hide();
    showState(sentence(error), true);
}

void AnswersCard::showState(const QString& words, bool isProblem) {
    state_->setText(words);
    markProblem(state_, "problem", isProblem);
    state_->show();
}

void AnswersCard::showVerbs() {
    const bool any = model_.rowCount() > 0;
    copy_->setVisible(any);
    save_->setVisible(any);
}

void AnswersCard::copy() {
    QApplication::clipboard()->setText(
        QString::fromStdString(job::answersAsCsv(model_.answers(), '\t')));
}

void AnswersCard::chooseFile() {
    const QString file =
        QFileDialog::getSaveFileName(window(), tr("Save answers"), QStringLiteral("answers.json"),
                                     tr("JSON (*.json);;CSV (*.csv)"));
    if (!file.isEmpty()) saveTo(file);
}

void AnswersCard::saveTo(const QString& file) {
    const bool isCsv = file.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    saving_.start(
        [answers = model_.answers(), path = file.toStdString(), isCsv] {
            return replaceFileDurably(
                path, isCsv ? job::answersAsCsv(answers) : job::answersAsJson(answers));
        },
        [this, file](const Result<void>& saved) {
            if (!saved) return showState(sentence(saved.error()), true);
            showState(tr("Saved as %1.").arg(file), false);
        });
}

}  // namespace lockstep::ui
