// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/evaluator/question_card.h"

#include <QApplication>
#include <QClipboard>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>
#include <limits>

#include "ui/pages/evaluator/file_drop.h"
#include "ui/pages/evaluator/row_form.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kMostTokens = 5000;
constexpr int kUsualTokens = 200;
constexpr double kUsualTemperature = 0.8;
constexpr int kPromptLines = 5;

QVBoxLayout* columnIn(QWidget* widget) {
    auto* layout = new QVBoxLayout(widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    return layout;
}

QPushButton* primaryButton(const QString& verb, const char* name, QWidget* parent) {
    auto* button = new QPushButton(verb, parent);
    button->setObjectName(QLatin1String(name));
    button->setProperty("primary", true);
    return button;
}

}  // namespace

QuestionCard::QuestionCard(QWidget* parent) : Card(tr("Ask the network"), parent) {
    state_ = wrappedLabel(this);
    state_->setObjectName(QStringLiteral("questionState"));
    retry_ = new QPushButton(tr("Try again"), this);
    retry_->setObjectName(QStringLiteral("retryFacts"));
    connect(retry_, &QPushButton::clicked, this, &QuestionCard::retried);
    files_ = new FileDrop(this);
    connect(files_, &FileDrop::chosen, this, &QuestionCard::askAbout);
    buildRows();
    buildPrompt();
    body()->addWidget(state_);
    body()->addWidget(retry_, 0, Qt::AlignLeft);
    body()->addWidget(rows_, 1);
    body()->addWidget(prompts_, 1);
    body()->addWidget(files_);
    body()->addStretch(0);
    showReading();
}

void QuestionCard::buildRows() {
    rows_ = new QWidget(this);
    row_ = new RowForm(rows_);
    auto* scroll = new QScrollArea(rows_);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(row_);
    scroll->viewport()->setAutoFillBackground(false);  // the card's surface
    row_->setAutoFillBackground(false);
    QPushButton* ask = primaryButton(tr("Predict"), "predictRow", rows_);
    auto* paste = new QPushButton(tr("Paste rows"), rows_);
    paste->setObjectName(QStringLiteral("pasteRows"));
    paste->setToolTip(
        tr("Ask about the rows that were copied from a spreadsheet or a CSV file, "
           "with or without their header"));
    connect(row_, &RowForm::entered, this, &QuestionCard::askRow);
    connect(ask, &QPushButton::clicked, this, &QuestionCard::askRow);
    connect(paste, &QPushButton::clicked, this, &QuestionCard::askPasted);
    auto* verbs = new QHBoxLayout;
    verbs->setSpacing(kGrid);
    verbs->addWidget(ask);
    verbs->addWidget(paste);
    verbs->addStretch(1);
    QVBoxLayout* layout = columnIn(rows_);
    layout->addWidget(scroll, 1);
    layout->addLayout(verbs);
}

/// How freely the text is drawn.
QWidget* QuestionCard::buildDrawing() {
    auto* drawing = new QWidget(this);
    tokens_ = new QSpinBox(drawing);
    tokens_->setObjectName(QStringLiteral("promptTokens"));
    tokens_->setRange(1, kMostTokens);
    tokens_->setValue(kUsualTokens);
    temperature_ = new QDoubleSpinBox(drawing);
    temperature_->setObjectName(QStringLiteral("promptTemperature"));
    temperature_->setRange(0, 10);
    temperature_->setSingleStep(0.1);
    temperature_->setValue(kUsualTemperature);
    temperature_->setToolTip(tr("How freely tokens are drawn; 0: always the likeliest one"));
    seed_ = new QSpinBox(drawing);
    seed_->setObjectName(QStringLiteral("promptSeed"));
    seed_->setRange(0, std::numeric_limits<int>::max());
    seed_->setValue(1);
    seed_->setToolTip(tr("Decides what is drawn"));
    auto* form = new QFormLayout(drawing);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(kGrid);
    form->addRow(tr("Tokens"), tokens_);
    form->addRow(tr("Temperature"), temperature_);
    form->addRow(tr("Seed"), seed_);
    return drawing;
}

void QuestionCard::buildPrompt() {
    prompts_ = new QWidget(this);
    prompt_ = new QPlainTextEdit(prompts_);
    prompt_->setObjectName(QStringLiteral("promptEdit"));
    prompt_->setAccessibleName(tr("Prompt"));
    prompt_->setPlaceholderText(tr("A text to be continued"));
    prompt_->setFont(fixedFont());
    prompt_->setTabChangesFocus(true);
    prompt_->setMinimumHeight(prompt_->fontMetrics().lineSpacing() * kPromptLines);
    QPushButton* ask = primaryButton(tr("Continue"), "continuePrompt", prompts_);
    connect(ask, &QPushButton::clicked, this, &QuestionCard::askPrompt);
    QVBoxLayout* layout = columnIn(prompts_);
    layout->addWidget(prompt_, 1);
    layout->addWidget(buildDrawing());
    layout->addWidget(ask, 0, Qt::AlignLeft);
}

void QuestionCard::showForm(bool files, bool rows, bool prompt) {
    files_->setVisible(files);
    rows_->setVisible(rows);
    prompts_->setVisible(prompt);
    retry_->hide();
    state_->hide();
    markProblem(state_, "problem", false);
}

void QuestionCard::showReading() {
    facts_.reset();
    showForm(false, false, false);
    state_->setText(tr("Reading the checkpoint …"));
    state_->show();
}

void QuestionCard::showFailure(const Error& error) {
    facts_.reset();
    showForm(false, false, false);
    QString words = fromCore(error.message);
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    state_->setText(words + QStringLiteral(". ") + fromCore(error.remedy));
    markProblem(state_, "problem", true);
    state_->show();
    retry_->show();
}

void QuestionCard::showFacts(const job::NetworkFacts& facts) {
    using Takes = job::NetworkFacts::Takes;
    const bool isSame =
        facts_ && facts_->takes == facts.takes && facts_->columns.size() == facts.columns.size();
    facts_ = facts;
    showForm(facts.takes != Takes::Numbers, facts.takes == Takes::Rows,
             facts.takes == Takes::Prompts);
    files_->setCompact(facts.takes != Takes::Images);
    if (facts.takes == Takes::Images)
        files_->setWords(tr("Drop images here"),
                         tr("JPEG, PNG, a folder of them, or an IDX file of images; all are "
                            "brought to the network's size."));
    if (facts.takes == Takes::Rows) {
        files_->setWords({}, tr("Or drop CSV files with these columns"));
        if (!isSame) row_->setColumns(facts.columns);  // what was typed stays
    }
    if (facts.takes == Takes::Prompts)
        files_->setWords({}, tr("Or drop files that each hold a prompt"));
    if (facts.takes != Takes::Numbers) return;
    state_->setText(
        tr("The network takes numbers that come from no table, which cannot be typed "
           "here. Export it as ONNX to run it in a program of yours."));
    state_->show();
}

void QuestionCard::setDropTarget(bool on) {
    files_->setTarget(on);
}

bool QuestionCard::takesFiles() const {
    return facts_ && facts_->takes != job::NetworkFacts::Takes::Numbers;
}

/// Texts are drawn as the form says.
job::Question QuestionCard::blank() const {
    job::Question question;
    question.tokens = tokens_->value();
    question.temperature = temperature_->value();
    question.seed = std::uint64_t(seed_->value());
    return question;
}

void QuestionCard::askAbout(const QStringList& files) {
    job::Question question = blank();
    for (const QString& file : files)
        question.files.emplace_back(file.toStdString());
    Q_EMIT asked(question);
}

void QuestionCard::askRow() {
    job::Question question = blank();
    question.rows = row_->csv();
    Q_EMIT asked(question);
}

void QuestionCard::askPasted() {
    job::Question question = blank();
    question.rows = row_->csvOf(QApplication::clipboard()->text());
    if (!question.rows.empty()) return Q_EMIT asked(question);
    state_->setText(tr("Nothing was copied: copy rows from a spreadsheet or a CSV file first."));
    state_->show();
}

void QuestionCard::askPrompt() {
    job::Question question = blank();
    question.prompt = prompt_->toPlainText().toStdString();
    Q_EMIT asked(question);
}

}  // namespace lockstep::ui
