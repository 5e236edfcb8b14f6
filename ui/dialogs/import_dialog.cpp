// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/import_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/config/dialects/dialect_readers.h"
#include "core/config/document/effective_cluster.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kTextLines = 10;
constexpr int kDetailLines = 7;

}  // namespace

ImportDialog::ImportDialog(JobEditor& editor, QWidget* parent) : QDialog(parent), editor_(editor) {
    setObjectName(QStringLiteral("importDialog"));
    setWindowTitle(tr("Import a cluster"));
    auto* intro = wrappedLabel(
        this,
        tr("Paste how another program describes the cluster. Which one it is need not be said."));
    text_ = new QPlainTextEdit(this);
    text_->setObjectName(QStringLiteral("importText"));
    text_->setAccessibleName(tr("Description of a cluster"));
    text_->setFont(fixedFont());
    text_->setTabChangesFocus(true);
    text_->setPlaceholderText(
        tr("TF_CONFIG='{\"cluster\": {\"worker\": [\"host1:12345\", \"host2:12345\"]}, …}'\n"
           "KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234,10.0.0.2:1234\n"
           "jax.distributed.initialize(coordinator_address=\"10.0.0.1:1234\", …)\n"
           "torchrun --nnodes 2 --master-addr host1 …, or its variables\n"
           "host1 slots=4          (a hostfile)\n"
           "node[001-004]          (a Slurm node list)\n"
           "the manifest of an indexed Kubernetes job"));
    text_->setMinimumHeight(text_->fontMetrics().lineSpacing() * kTextLines);
    verdict_ = wrappedLabel(this);
    verdict_->setObjectName(QStringLiteral("importVerdict"));
    verdict_->setFont(strongFont());
    details_ = wrappedLabel(this);
    details_->setObjectName(QStringLiteral("importDetails"));
    details_->setProperty("secondary", true);
    details_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    details_->setMinimumHeight(details_->fontMetrics().lineSpacing() * kDetailLines);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    take_ = buttons->addButton(tr("Write into the job"), QDialogButtonBox::AcceptRole);
    take_->setObjectName(QStringLiteral("importTakeButton"));
    take_->setDefault(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    layout->setSpacing(kGrid);
    layout->addWidget(intro);
    layout->addWidget(text_, 1);
    layout->addWidget(verdict_);
    layout->addWidget(details_);
    layout->addWidget(buttons);
    resize(80 * kGrid, 60 * kGrid);
    connect(text_, &QPlainTextEdit::textChanged, this, &ImportDialog::read);
    connect(buttons, &QDialogButtonBox::accepted, this, &ImportDialog::apply);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    read();
}

void ImportDialog::setText(const QString& text) {
    text_->setPlainText(text);
}

/// Says what the text means; a pure function of it, fast for whatever is pasted.
void ImportDialog::read() {
    facts_.reset();
    take_->setEnabled(false);
    const std::string text = text_->toPlainText().toStdString();
    if (text_->toPlainText().trimmed().isEmpty())
        return showVerdict(
            tr("Nothing is pasted yet."),
            {tr("Comments and blanks do not matter; quotes and “export” may stay.")});
    const auto reading = config::readAny(text);
    if (!reading)
        return showVerdict(fromCore(reading.error().message), {fromCore(reading.error().remedy)});
    facts_ = reading->facts;
    QStringList lines;
    for (std::size_t note = 1; note < reading->notes.size(); ++note)
        lines += fromCore(reading->notes[note]);
    for (const config::Finding& finding : reading->findings)
        lines += tr("Note: %1").arg(sentenceOf(finding));
    for (const std::string& line : config::explain(reading->facts))
        lines += fromCore(line);
    const QString verdict =
        reading->notes.empty() ? tr("Understood.") : fromCore(reading->notes[0]);
    take_->setEnabled(true);
    showVerdict(verdict, lines);
}

void ImportDialog::showVerdict(const QString& verdict, const QStringList& lines) {
    QString first = verdict;
    if (!first.isEmpty()) first[0] = first[0].toUpper();
    verdict_->setText(first);
    details_->setText(lines.join(QLatin1Char('\n')));
}

void ImportDialog::apply() {
    if (!facts_) return;
    if (const auto applied = editor_.importCluster(*facts_); !applied)
        return showVerdict(fromCore(applied.error().message), {fromCore(applied.error().remedy)});
    accept();
}

}  // namespace lockstep::ui
