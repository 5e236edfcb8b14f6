// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/job_preview.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <QTextBlock>
#include <QToolButton>

#include "core/config/dialects/dialects.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/pages/job/toml_highlighter.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/code_edit.h"
#include "ui/widgets/wheel_guard.h"

namespace lockstep::ui {
namespace {

constexpr int kVisibleLines = 18;

constexpr int kEvaluator = -1;  ///< In the place of a process id.

enum Form { File, Resolved, FirstDialect };

QString dialectText(const config::JobSpec& spec, config::Dialect dialect,
                    const config::DialectTask& task) {
    const auto printed = config::printDialect(spec, dialect, task);
    if (!printed) {
        return QStringLiteral("# ") + fromCore(printed.error().message) + QStringLiteral("\n# ") +
               fromCore(printed.error().remedy);
    }
    QString text;
    for (const std::string& note : printed->notes)
        text += QStringLiteral("# %1\n").arg(fromCore(note));
    return text + QString::fromStdString(printed->text);
}

}  // namespace

JobPreview::JobPreview(JobEditor& editor, QWidget* parent) : QWidget(parent), editor_(editor) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    buildHeader();
    buildEditor();
    auto* header = new QHBoxLayout;
    header->setSpacing(8);
    header->addWidget(fold_);
    header->addWidget(form_);
    header->addWidget(task_);
    header->addWidget(note_);
    header->addStretch(1);
    layout->addLayout(header);
    layout->addWidget(text_, 1);
    connect(&editor_, &JobEditor::changed, this, &JobPreview::refresh);
    setExpanded(false);
}

void JobPreview::buildHeader() {
    fold_ = new QToolButton(this);
    fold_->setObjectName(QStringLiteral("previewFold"));
    fold_->setText(tr("Job file as text"));
    fold_->setAccessibleName(tr("Show the job file as text"));
    fold_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    fold_->setAutoRaise(true);
    fold_->setCheckable(true);
    connect(fold_, &QToolButton::toggled, this, &JobPreview::setExpanded);

    form_ = new QComboBox(this);
    guardWheel(form_);
    form_->setObjectName(QStringLiteral("previewForm"));
    form_->setAccessibleName(tr("Form of the job"));
    form_->addItem(tr("This file"));
    form_->addItem(tr("With all defaults"));
    for (const auto dialect :
         {config::Dialect::Keras, config::Dialect::Jax, config::Dialect::TfConfig,
          config::Dialect::Torchrun, config::Dialect::Hostfile}) {
        form_->addItem(
            tr("As %1").arg(QString::fromStdString(std::string(config::toString(dialect)))),
            int(dialect));
    }
    connect(form_, &QComboBox::currentIndexChanged, this, &JobPreview::refresh);
    task_ = new QComboBox(this);
    guardWheel(task_);
    task_->setObjectName(QStringLiteral("previewTask"));
    task_->setAccessibleName(tr("Process that the text is for"));
    connect(task_, &QComboBox::currentIndexChanged, this, &JobPreview::showDerived);
    note_ = new QLabel(this);
    note_->setProperty("secondary", true);
}

void JobPreview::buildEditor() {
    text_ = new CodeEdit(this);
    text_->setObjectName(QStringLiteral("jobTextEdit"));
    text_->setAccessibleName(tr("Text of the job file"));
    text_->setTabChangesFocus(true);
    // One undo for form and text: the job editor's.
    text_->setUndoRedoEnabled(false);
    colours_ = new TomlHighlighter(text_->document(), *text_);
    connect(text_, &QPlainTextEdit::textChanged, this, &JobPreview::textTyped);
}

void JobPreview::setExpanded(bool expanded) {
    fold_->setChecked(expanded);
    showParts();
}

void JobPreview::setBeside(bool beside) {
    beside_ = beside;
    showParts();
}

bool JobPreview::isUnfolded() const {
    return beside_ || fold_->isChecked();
}

void JobPreview::showParts() {
    const bool shown = isUnfolded();
    fold_->setArrowType(shown ? Qt::DownArrow : Qt::RightArrow);
    fold_->setVisible(!beside_);
    text_->setVisible(shown);
    text_->setMinimumHeight(beside_ ? 0 : text_->fontMetrics().lineSpacing() * kVisibleLines);
    form_->setVisible(shown);
    task_->setVisible(false);              // refresh() shows it where it matters
    note_->setVisible(shown && !beside_);  // there it is the tip of what is chosen
    if (shown) refresh();
}

void JobPreview::showPlace(int line, int column) {
    form_->setCurrentIndex(File);
    setExpanded(true);
    const QTextBlock block = text_->document()->findBlockByNumber(line - 1);
    if (!block.isValid()) return;
    QTextCursor cursor(block);
    cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor,
                        std::min(std::max(column - 1, 0), block.length() - 1));
    text_->setTextCursor(cursor);
    text_->setShownLine(line);
    text_->setFocus();
}

/// Where they are, of the text that is the file.
void JobPreview::showFindings() {
    QVector<CodeEdit::Mark> marks;
    for (const config::Finding& finding : editor_.findings()) {
        if (!showsFile() || finding.line < 1) continue;
        const Tone tone = finding.severity == config::Severity::Error     ? Tone::Bad
                          : finding.severity == config::Severity::Warning ? Tone::Warn
                                                                          : Tone::Accent;
        marks.append({finding.line, finding.column, tone, sentenceOf(finding)});
    }
    text_->setMarks(std::move(marks));
}

QRect JobPreview::centrePlace() {
    text_->centerCursor();
    const QRect cursor = text_->cursorRect();
    return {text_->viewport()->mapTo(this, cursor.topLeft()), cursor.size()};
}

void JobPreview::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && colours_) colours_->rehighlight();
}

bool JobPreview::showsFile() const {
    return form_->currentIndex() == File;
}

QString JobPreview::derivedText() const {
    if (form_->currentIndex() == Resolved)
        return QString::fromStdString(config::resolvedToml(editor_.spec()));
    config::DialectTask task;
    task.evaluator = task_->currentData().toInt() == kEvaluator;
    if (!task.evaluator) task.processId = std::max(0, task_->currentData().toInt());
    return dialectText(editor_.spec(), config::Dialect(form_->currentData().toInt()), task);
}

/// One entry for each process of the job; the chosen one stays chosen while it exists.
void JobPreview::fillTasks() {
    const config::ClusterSpec& cluster = editor_.spec().cluster;
    const int wanted = cluster.numProcesses + (cluster.evaluator ? 1 : 0);
    if (task_->count() == wanted) return;
    const QScopedValueRollback showing(showing_, true);
    const QVariant chosen = task_->currentData();
    task_->clear();
    for (int id = 0; id < cluster.numProcesses; ++id)
        task_->addItem(tr("for process %1").arg(id), id);
    if (cluster.evaluator) task_->addItem(tr("for the evaluator"), kEvaluator);
    task_->setCurrentIndex(std::max(0, task_->findData(chosen)));
}

void JobPreview::refresh() {
    if (!isUnfolded()) return;
    fillTasks();
    task_->setVisible(form_->currentIndex() >= FirstDialect &&
                      config::Dialect(form_->currentData().toInt()) != config::Dialect::Hostfile);
    text_->setReadOnly(!showsFile());
    note_->setText(showsFile() ? tr("Edits here and in the form are the same.")
                               : tr("Read only: derived from this file."));
    form_->setToolTip(note_->text());
    colours_->setOn(form_->currentIndex() < FirstDialect);
    showText(showsFile() ? editor_.text() : derivedText());
    showFindings();
}

void JobPreview::showDerived() {
    if (!showing_ && isUnfolded() && !showsFile()) showText(derivedText());
}

void JobPreview::showText(const QString& text) {
    if (text_->toPlainText() == text) return;
    const QScopedValueRollback showing(showing_, true);
    const int position = text_->textCursor().position();
    text_->setPlainText(text);
    QTextCursor cursor = text_->textCursor();
    cursor.setPosition(std::min(position, int(text.size())));
    text_->setTextCursor(cursor);
}

void JobPreview::textTyped() {
    if (!showing_ && showsFile() && text_->toPlainText() != editor_.text())
        editor_.setText(text_->toPlainText());
}

}  // namespace lockstep::ui
