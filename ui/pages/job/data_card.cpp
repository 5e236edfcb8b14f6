// SPDX-License-Identifier: GPL-3.0-or-later
#include <QVBoxLayout>

#include "ui/models/job_editor.h"
#include "ui/pages/job/augment_editor.h"
#include "ui/pages/job/columns_editor.h"
#include "ui/pages/job/job_cards.h"
#include "ui/pages/job/key_fields.h"
#include "ui/widgets/card.h"

namespace lockstep::ui {
namespace {

using config::JobSpec;

/// Where the data set is one of these.
JobField::Fits of(std::initializer_list<const char*> names) {
    return [all = std::vector<std::string>(names.begin(), names.end())](const JobSpec& spec) {
        return std::ranges::find(all, spec.data.dataset) != all.end();
    };
}

JobField::Fits hasImages() {
    return of({"digits", "mnist", "idx", "image_folder", ""});
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
        {"data.normalize.mean", "normalizeMean", hasImages()},
        {"data.normalize.std", "normalizeDeviation", hasImages()},
    };
}

/// How the samples come to the replicas.
std::vector<KeyField> deliveryFields() {
    const auto isShuffled = [](const JobSpec& spec) { return spec.data.shuffle.buffer != 1; };
    return {
        // Digits are generated and always kept in memory.
        {"data.cache", "dataCache",
         [](const JobSpec& spec) { return spec.data.dataset != "digits"; }},
        {"data.prefetch", "prefetch", {}, "0"},
        {"data.auto_shard", "autoShard",
         [](const JobSpec& spec) { return spec.cluster.numProcesses > 1; }},
        {"data.shuffle", "shuffle", {}},
        {"data.reshuffle", "reshuffle", isShuffled},
        {"data.shuffle_seed", "shuffleSeed", isShuffled},
        {"data.drop_remainder", "dropRemainder", {}},
    };
}

}  // namespace

QWidget* buildDataCard(JobEditor& editor, QWidget* parent) {
    auto* card = new Card(JobEditor::tr("Data"), parent);
    addKeyFields(card->body(), editor, sourceFields());
    addKeyFields(card->body(), editor, deliveryFields());
    auto* columns = new ColumnsEditor(editor, card);
    card->body()->addWidget(columns);
    auto* changes = new AugmentEditor(editor, card);
    card->body()->addWidget(changes);
    const auto refresh = [&editor, changes] {
        changes->setVisible(hasImages()(editor.spec()) ||
                            editor.isWritten(QStringLiteral("data.augment")));
    };
    QObject::connect(&editor, &JobEditor::changed, changes, refresh);
    refresh();
    return card;
}

}  // namespace lockstep::ui
