// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/columns_editor.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr std::size_t kMostRows = 100;  ///< More are edited in the text.
constexpr int kTokensWidth = 88;
constexpr int kExampleWidth = 72;

enum Place { Name, Example, Kind, Output, Tokens, Places };

void addKinds(QComboBox* box) {
    box->addItem(ColumnsEditor::tr("left out"), QString());
    box->addItem(ColumnsEditor::tr("number, normalised"), QStringLiteral("float_normalized"));
    box->addItem(ColumnsEditor::tr("number as it is"), QStringLiteral("float"));
    box->addItem(ColumnsEditor::tr("category, words"), QStringLiteral("string_categorical"));
    box->addItem(ColumnsEditor::tr("category, whole numbers"),
                 QStringLiteral("integer_categorical"));
}

/// What is written may be no word of ours: it is shown all the same.
void choose(QComboBox* box, const QString& value) {
    if (box->findData(value) < 0) box->addItem(value, value);
    box->setCurrentIndex(box->findData(value));
}

QString tableOf(const JobEditor& editor) {
    const config::JobSpec& spec = editor.spec();
    if (spec.data.dataset != "table" || spec.data.files.empty()) return {};
    return editor.folder() + QLatin1Char('\n') + QString::fromStdString(spec.data.files.front()) +
           QString::number(int(spec.launch.method));
}

}  // namespace

ColumnsEditor::ColumnsEditor(JobEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor) {
    auto* title = new QLabel(tr("Columns of the table"), this);
    title->setFont(strongFont());
    all_ = new QPushButton(tr("Use all columns"), this);
    all_->setObjectName(QStringLiteral("useAllColumns"));
    all_->setToolTip(tr("Numbers normalised, words as categories; the target is left out"));
    connect(all_, &QPushButton::clicked, this, &ColumnsEditor::useAll);
    note_ = wrappedLabel(this);
    note_->setObjectName(QStringLiteral("columnsNote"));
    note_->setProperty("secondary", true);
    grid_ = new QGridLayout;
    grid_->setHorizontalSpacing(kGrid);
    grid_->setVerticalSpacing(kGrid / 2);
    grid_->setColumnStretch(Kind, 2);
    grid_->setColumnStretch(Output, 1);
    auto* head = new QHBoxLayout;
    head->addWidget(title, 1);
    head->addWidget(all_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, kGrid, 0, 0);
    layout->setSpacing(kGrid);
    layout->addLayout(head);
    layout->addLayout(grid_);
    layout->addWidget(note_);
    connect(&editor_, &JobEditor::changed, this, &ColumnsEditor::refresh);
    refresh();
}

void ColumnsEditor::setReader(Reader reader) {
    reader_ = std::move(reader);
    readFor_.clear();
    refresh();
}

void ColumnsEditor::readTable() {
    const QString wanted = tableOf(editor_);
    if (wanted == readFor_) return;
    readFor_ = wanted;
    table_.reset();
    failure_.clear();
    reading_.cancel();
    if (wanted.isEmpty() || !reader_) return;
    reading_.start([read = reader_, job = editor_.spec(),
                    folder = std::filesystem::path(
                        editor_.folder().toStdString())] { return read(job, folder); },
                   [this](const Result<std::vector<job::TableColumn>>& found) {
                       if (found)
                           table_ = *found;
                       else
                           failure_ = fromCore(found.error().message);
                       refresh();
                   });
}

void ColumnsEditor::refresh() {
    setVisible(editor_.spec().data.dataset == "table");
    setEnabled(editor_.hasJob() && editor_.wellFormed());
    readTable();
    if (!editor_.wellFormed() || editor_.spec().data.dataset != "table") return;
    columns_ = columnsOf(editor_, table_);
    QStringList names;
    for (const ColumnEntry& column : columns_)
        names << column.name;
    if (names != builtFor_) {
        builtFor_ = names;
        rebuild();
    }
    fill();
}

void ColumnsEditor::rebuild() {
    while (QLayoutItem* item = grid_->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();  // it may be what brought us here
        }
        delete item;
    }
    rows_.clear();
    for (std::size_t i = 0; i < std::min(columns_.size(), kMostRows); ++i)
        rows_.push_back(buildRow(int(i)));
}

ColumnsEditor::Row ColumnsEditor::buildRow(int index) {
    const QString& name = columns_[std::size_t(index)].name;
    Row row;
    row.name = new QLabel(name, this);
    row.example = new ElidedLabel({}, this);
    row.example->setSecondary(true);
    row.example->setFixedWidth(kExampleWidth);
    row.kind = new QComboBox(this);
    row.kind->setObjectName(QStringLiteral("columnKind ") + name);
    row.kind->setAccessibleName(tr("Kind of %1").arg(name));
    addKinds(row.kind);
    row.output = new QComboBox(this);
    row.output->setObjectName(QStringLiteral("columnOutput ") + name);
    row.output->setAccessibleName(tr("How %1 reaches the network").arg(name));
    row.output->setToolTip(
        tr("A number for each category; or one column of whole numbers, which "
           "an embedding takes"));
    row.output->addItem(tr("one-hot"), QStringLiteral("one_hot"));
    row.output->addItem(tr("whole numbers"), QStringLiteral("int"));
    row.tokens = new QLineEdit(this);
    row.tokens->setObjectName(QStringLiteral("columnTokens ") + name);
    row.tokens->setAccessibleName(tr("Most categories of %1").arg(name));
    row.tokens->setToolTip(tr("How many categories at most: the most frequent ones"));
    row.tokens->setPlaceholderText(tr("all"));
    row.tokens->setFixedWidth(kTokensWidth);
    row.problem = wrappedLabel(this);
    row.problem->setObjectName(QStringLiteral("columnProblem ") + name);
    connect(row.kind, &QComboBox::activated, this,
            [this, index, box = row.kind] { setKind(index, box->currentData().toString()); });
    connect(row.output, &QComboBox::activated, this, [this, index, box = row.output] {
        setOption(index, QStringLiteral("output_mode"), box->currentData().toString());
    });
    connect(row.tokens, &QLineEdit::textEdited, this, [this, index](const QString& typed) {
        setOption(index, QStringLiteral("max_tokens"), typed.trimmed());
    });
    const int line = 2 * index;
    grid_->addWidget(row.name, line, Name);
    grid_->addWidget(row.example, line, Example);
    grid_->addWidget(row.kind, line, Kind);
    grid_->addWidget(row.output, line, Output);
    grid_->addWidget(row.tokens, line, Tokens);
    grid_->addWidget(row.problem, line + 1, Kind, 1, Places - Kind);
    return row;
}

void ColumnsEditor::fill() {
    for (std::size_t i = 0; i < rows_.size(); ++i)
        fillRow(rows_[i], columns_[i]);
    const bool anyUnused = table_ && std::ranges::any_of(columns_, [](const ColumnEntry& column) {
                               return column.isInTable && column.kind.isEmpty() && !column.isTarget;
                           });
    all_->setVisible(anyUnused);
    showNote();
}

void ColumnsEditor::fillRow(const Row& row, const ColumnEntry& column) {
    row.name->setToolTip(column.example.isEmpty()
                             ? column.name
                             : tr("%1, for example %2").arg(column.name, column.example));
    row.example->setText(column.example);
    row.kind->setItemText(0, column.isTarget ? tr("the target") : tr("left out"));
    choose(row.kind, column.kind);
    row.output->setVisible(column.isCategory());
    choose(row.output, column.output.value_or(QStringLiteral("one_hot")));
    row.tokens->setVisible(column.isCategory());
    if (!row.tokens->hasFocus()) row.tokens->setText(column.tokens.value_or(QString()));
    const config::Finding* finding =
        editor_.problemOf(QStringLiteral("data.features.") + column.name);
    QString words = finding ? sentenceOf(*finding) : QString();
    if (words.isEmpty() && !column.isInTable) words = tr("The table has no such column.");
    row.problem->setText(words);
    row.problem->setVisible(!words.isEmpty());
    markProblem(row.problem, "problem", !words.isEmpty());
}

void ColumnsEditor::showNote() {
    QString words;
    if (columns_.size() > kMostRows)
        words =
            columns_.size() == kMostRows + 1
                ? tr("1 more column is edited in the text.")
                : tr("%1 more columns are edited in the text.").arg(columns_.size() - kMostRows);
    else if (reading_.isBusy())
        words = tr("Reading the table …");
    else if (!failure_.isEmpty())
        words = tr("The table's columns are not known: %1.").arg(failure_);
    else if (!table_ && columns_.empty())
        words = tr("Choose the table's file above: its columns are listed here.");
    note_->setText(words);
    note_->setVisible(!words.isEmpty());
}

void ColumnsEditor::setKind(int index, const QString& kind) {
    const ColumnEntry& column = columns_[std::size_t(index)];
    editor_.apply(withColumnKind(editor_.text().toStdString(), column, kind),
                  tr("kind of %1").arg(column.name));
}

void ColumnsEditor::setOption(int index, const QString& option, const QString& value) {
    const ColumnEntry& column = columns_[std::size_t(index)];
    editor_.apply(withColumnOption(editor_.text().toStdString(), column, option, value),
                  tr("%1 of %2").arg(option, column.name), true);
}

void ColumnsEditor::useAll() {
    Result<std::string> text = editor_.text().toStdString();
    for (const ColumnEntry& column : columns_)
        if (text && column.isInTable && column.kind.isEmpty() && !column.isTarget)
            text = withColumnKind(*text, column, column.suggested);
    editor_.apply(text, tr("use of all columns"));
}

}  // namespace lockstep::ui
