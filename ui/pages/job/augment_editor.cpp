// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/augment_editor.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/config/document/model_edit.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/pages/job/option_field.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
using config::operator/;  // NOLINT(misc-unused-using-decls): it does not count operators

namespace {

const config::TomlPath kList{"data", "augment"};

QString keyOf(int index) {
    return QStringLiteral("data.augment[%1]").arg(index);
}

/// Of the change itself, not of one of its options that has a field.
const config::Finding* findingOf(const JobEditor& editor, const QString& key) {
    for (const config::Finding& finding : editor.findings())
        if (finding.key == key.toStdString()) return &finding;
    return nullptr;
}

}  // namespace

AugmentEditor::AugmentEditor(JobEditor& editor, QWidget* parent)
    : QWidget(parent), editor_(editor) {
    auto* title = new QLabel(tr("Random changes of training images"), this);
    title->setFont(strongFont());
    note_ = wrappedLabel(this);
    note_->setObjectName(QStringLiteral("augmentNote"));
    note_->setProperty("secondary", true);
    rows_ = new QVBoxLayout;
    rows_->setSpacing(kGrid);
    add_ = new QComboBox(this);
    add_->setObjectName(QStringLiteral("addAugment"));
    add_->setAccessibleName(tr("Add a random change"));
    add_->addItem(tr("Add a change …"));
    for (const QString& type : augmentTypes()) {
        add_->addItem(type, type);
        add_->setItemData(add_->count() - 1, augmentHelp(type), Qt::ToolTipRole);
    }
    connect(add_, &QComboBox::activated, this, &AugmentEditor::add);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, kGrid, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(title);
    layout->addLayout(rows_);
    layout->addWidget(note_);
    layout->addWidget(add_, 0, Qt::AlignLeft);
    connect(&editor_, &JobEditor::changed, this, &AugmentEditor::refresh);
    refresh();
}

void AugmentEditor::refresh() {
    if (!editor_.wellFormed()) return setEnabled(false);
    setEnabled(editor_.hasJob());
    const AugmentList list = augmentListOf(editor_);
    QStringList types;
    for (const AugmentEntry& entry : list.entries)
        types << entry.type;
    if (types != builtFor_ || shown_.size() != list.entries.size()) rebuild(list);
    fill(list);
}

void AugmentEditor::rebuild(const AugmentList& list) {
    for (const Row& row : shown_) {
        row.widget->hide();
        row.widget->deleteLater();  // one of its buttons may be what brought us here
    }
    shown_.clear();
    builtFor_.clear();
    for (const AugmentEntry& entry : list.entries) {
        shown_.push_back(buildRow(entry, int(shown_.size()), int(list.entries.size())));
        rows_->addWidget(shown_.back().widget);
        builtFor_ << entry.type;
    }
}

QWidget* AugmentEditor::buildHead(const AugmentEntry& entry, int index, int count, QWidget* row) {
    auto* head = new QWidget(row);
    auto* title = new QLabel(QStringLiteral("%1  %2").arg(index + 1).arg(
                                 entry.type.isEmpty() ? tr("without a type") : entry.type),
                             head);
    title->setFont(strongFont());
    auto* help = new ElidedLabel(augmentHelp(entry.type), head);
    help->setSecondary(true);
    help->setToolTip(augmentHelp(entry.type));
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(title);
    layout->addWidget(help, 1);
    const auto addButton = [&](const char* name, Icon icon, const QString& words, auto act) {
        auto* button = new QToolButton(head);
        button->setObjectName(QLatin1String(name) + QString::number(index));
        button->setIcon(makeIcon(icon));
        button->setToolTip(words);
        button->setAccessibleName(tr("%1: %2").arg(entry.type, words));
        button->setFocusPolicy(Qt::StrongFocus);
        connect(button, &QToolButton::clicked, this, act);
        layout->addWidget(button);
        return button;
    };
    addButton("augmentUp", Icon::ChevronUp, tr("Earlier"), [this, index] {
        shift(index, -1);
    })->setEnabled(index > 0);
    addButton("augmentDown", Icon::ChevronDown, tr("Later"), [this, index] {
        shift(index, 2);
    })->setEnabled(index + 1 < count);
    addButton("removeAugment", Icon::Trash, tr("Remove"), [this, index] { remove(index); });
    return head;
}

AugmentEditor::Row AugmentEditor::buildRow(const AugmentEntry& entry, int index, int count) {
    Row row;
    row.widget = new QWidget(this);
    row.problem = wrappedLabel(row.widget);
    row.problem->setObjectName(QStringLiteral("augmentProblem%1").arg(index));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(2 * kGrid);
    grid->setVerticalSpacing(kGrid / 2);
    for (const AugmentEntry::Option& option : entry.options) {
        auto* field = new OptionField(option.kind, row.widget);
        field->input()->setObjectName(
            QStringLiteral("augment%1 %2").arg(index).arg(option.kind.name));
        const QString name = option.kind.name;
        connect(field, &OptionField::edited, this,
                [this, index, name](const QString& value) { write(index, name, value); });
        connect(field, &OptionField::cleared, this, [this, index, name] { clear(index, name); });
        const int place = int(row.fields.size());
        grid->addWidget(field, place / 2, place % 2, Qt::AlignTop);
        row.fields.push_back(field);
    }
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    auto* layout = new QVBoxLayout(row.widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    layout->addWidget(buildHead(entry, index, count, row.widget));
    layout->addWidget(row.problem);
    layout->addLayout(grid);
    return row;
}

void AugmentEditor::fill(const AugmentList& list) {
    for (std::size_t i = 0; i < shown_.size(); ++i) {
        const AugmentEntry& entry = list.entries[i];
        const QString key = keyOf(int(i));
        const config::Finding* own = findingOf(editor_, key);
        if (!own) own = findingOf(editor_, key + QStringLiteral(".type"));
        for (const QString& stray : entry.stray)
            if (!own) own = findingOf(editor_, key + QLatin1Char('.') + stray);
        shown_[i].problem->setVisible(own != nullptr);
        if (own) shown_[i].problem->setText(sentenceOf(*own));
        const bool isWrong = own && own->severity == config::Severity::Error;
        markProblem(shown_[i].problem, "problem", isWrong);
        for (std::size_t k = 0; k < shown_[i].fields.size() && k < entry.options.size(); ++k) {
            const QString& name = entry.options[k].kind.name;
            const config::Finding* finding = findingOf(editor_, key + QLatin1Char('.') + name);
            shown_[i].fields[k]->setValue(entry.options[k].value);
            shown_[i].fields[k]->setProblem(
                finding ? sentenceOf(*finding) : QString(),
                finding && finding->severity == config::Severity::Error);
        }
    }
    add_->setVisible(list.isEditable);
    note_->setVisible(!list.isEditable || list.entries.empty());
    note_->setText(list.isEditable
                       ? tr("None: images are trained on as they are.")
                       : tr("This list is not written in brackets, so its changes are added, moved "
                            "and removed in the text."));
}

void AugmentEditor::add() {
    const QString type = add_->currentData().toString();
    add_->setCurrentIndex(0);
    if (type.isEmpty()) return;
    editor_.apply(
        config::withLayer(editor_.text().toStdString(), kList, shown_.size(), newAugment(type)),
        tr("adding %1").arg(type));
}

void AugmentEditor::remove(int index) {
    editor_.apply(config::withoutLayer(editor_.text().toStdString(), kList / std::size_t(index)),
                  tr("removal of a random change"));
}

/// `by`: as withLayerMoved() counts, with the change still at its place.
void AugmentEditor::shift(int index, int by) {
    const int to = index + by;
    editor_.apply(config::withLayerMoved(editor_.text().toStdString(), kList / std::size_t(index),
                                         kList, std::size_t(to)),
                  tr("move of a random change"));
}

void AugmentEditor::write(int index, const QString& option, const QString& value) {
    editor_.apply(config::withOption(editor_.text().toStdString(), kList / std::size_t(index),
                                     option.toStdString(), value.toStdString()),
                  tr("change of %1 in %2").arg(option, keyOf(index)), true);
}

void AugmentEditor::clear(int index, const QString& option) {
    editor_.apply(config::withoutOption(editor_.text().toStdString(), kList / std::size_t(index),
                                        option.toStdString()),
                  tr("change of %1 in %2").arg(option, keyOf(index)), true);
}

}  // namespace lockstep::ui
