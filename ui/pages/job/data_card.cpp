// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QVBoxLayout>

#include "core/base/plural.h"
#include "ui/models/job_editor.h"
#include "ui/pages/job/job_cards.h"
#include "ui/pages/job/key_fields.h"
#include "ui/widgets/card.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

using config::JobSpec;

/// Where the data set is one of these.
JobField::Fits of(std::initializer_list<const char*> names) {
    return [all = std::vector<std::string>(names.begin(), names.end())](const JobSpec& spec) {
        return std::ranges::find(all, spec.data.dataset) != all.end();
    };
}

std::vector<KeyField> sourceFields() {
    const auto isOfFiles = of({"table", "text"});
    const auto isSplit = of({"table", "text", "arrays", "image_folder"});
    return {
        {"data.dataset", "dataset"},
        {"data.directory", "dataDirectory", of({"mnist", "idx", "image_folder", ""})},
        {"data.files", "dataFiles", isOfFiles},
        {"data.target", "target", of({"table"})},
        {"data.target_scale", "targetScale", of({"table", "arrays"})},
        {"data.missing", "missing", of({"table"})},
        {"data.tokenizer", "tokenizer", of({"text"})},
        {"data.sequence_length", "sequenceLength", of({"text"})},
        {"data.inputs", "arrayInputs", of({"arrays"})},
        {"data.targets", "arrayTargets", of({"arrays"})},
        {"data.validation_inputs", "validationInputs", of({"arrays"})},
        {"data.validation_targets", "validationTargets", of({"arrays"})},
        {"data.test_inputs", "testInputs", of({"arrays"})},
        {"data.test_targets", "testTargets", of({"arrays"})},
        {"data.image_size", "imageSize", of({"image_folder"})},
        {"data.color", "imageColor", of({"image_folder"})},
        {"data.validation_directory", "validationDirectory", of({"image_folder"})},
        {"data.validation_split", "validationSplit",
         [isSplit](const JobSpec& spec) {
             return isSplit(spec) && spec.data.validationDirectory.empty();
         }},
        {"data.validation_samples", "validationSamples",
         // Tables, texts and arrays are split by a share, which has a default.
         [isNumbered = of({"digits", "mnist", "idx", "image_folder", ""})](const JobSpec& spec) {
             return isNumbered(spec) && spec.data.validationDirectory.empty() &&
                    !spec.data.validationSplit;
         }},
        {"data.test_directory", "testDirectory", of({"image_folder"})},
        {"data.on_error", "onError", of({"image_folder", "table", "arrays"})},
    };
}

/// What a form has no fields for is counted, and changed in the text.
QString whatTheTextHas(const JobSpec& spec) {
    QStringList words;
    if (!spec.data.table.features.empty())
        words << QString::fromStdString(counted(spec.data.table.features.size(), "column") +
                                        " (data.features)");
    if (!spec.data.augment.empty())
        words << QString::fromStdString(counted(spec.data.augment.size(), "random change") +
                                        " of images (data.augment)");
    if (!spec.data.normalize.mean.empty()) words << JobEditor::tr("normalisation (data.normalize)");
    if (words.isEmpty()) return {};
    return JobEditor::tr("Edited as text below: %1.").arg(words.join(QStringLiteral(", ")));
}

}  // namespace

QWidget* buildDataCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Data"), parent);
    addKeyFields(card->body(), editor, sourceFields());
    auto* note = wrappedLabel(card);
    note->setObjectName(QStringLiteral("dataNote"));
    note->setProperty("secondary", true);
    const auto refresh = [&editor, note] {
        const QString words = whatTheTextHas(editor.spec());
        note->setText(words);
        note->setVisible(!words.isEmpty());
    };
    QObject::connect(&editor, &JobEditor::changed, note, refresh);
    refresh();
    card->body()->addWidget(note);
    return card;
}

}  // namespace lockstep::ui
