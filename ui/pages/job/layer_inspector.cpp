// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/layer_inspector.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "core/config/document/layer_rename.h"
#include "core/config/document/model_edit.h"
#include "core/model/description/layer_table.h"
#include "core/text/toml_text.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/network.h"
#include "ui/pages/job/option_field.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

using config::OutlineRow;
using Kind = OutlineRow::Kind;

constexpr int kColumns = 2;

/// "a, b" as an array, where it is none yet.
QString listOf(const QString& typed) {
    if (typed.startsWith(QLatin1Char('['))) return typed;
    QStringList items;
    for (const QString& item : typed.split(QLatin1Char(','), Qt::SkipEmptyParts))
        items << QString::fromStdString(config::tomlString(item.trimmed().toStdString()));
    return QLatin1Char('[') + items.join(QStringLiteral(", ")) + QLatin1Char(']');
}

}  // namespace

LayerInspector::LayerInspector(JobEditor& editor, Network& network, QWidget* parent)
    : QWidget(parent), editor_(editor), network_(network) {
    title_ = wrappedLabel(this);
    title_->setFont(strongFont());
    problem_ = wrappedLabel(this);
    problem_->setObjectName(QStringLiteral("layerProblem"));
    note_ = wrappedLabel(this);
    note_->setObjectName(QStringLiteral("layerNote"));
    note_->setProperty("secondary", true);
    stray_ = new QPushButton(this);
    stray_->setObjectName(QStringLiteral("removeStrayOptions"));
    connect(stray_, &QPushButton::clicked, this, &LayerInspector::removeStray);
    showText_ = new QPushButton(tr("Edit as text"), this);
    showText_->setObjectName(QStringLiteral("layerAsText"));
    showBlock_ = new QPushButton(tr("Show the block"), this);
    showBlock_->setObjectName(QStringLiteral("showBlockButton"));
    more_ = new QToolButton(this);
    more_->setObjectName(QStringLiteral("moreOptions"));
    more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    more_->setCheckable(true);
    more_->setFocusPolicy(Qt::StrongFocus);
    connect(more_, &QToolButton::toggled, this, &LayerInspector::layOut);
    grid_ = new QGridLayout;
    grid_->setHorizontalSpacing(2 * kGrid);
    grid_->setVerticalSpacing(kGrid / 2);
    auto* buttons = new QHBoxLayout;
    for (QPushButton* button : {stray_, showBlock_, showText_})
        buttons->addWidget(button);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    for (QLabel* label : {title_, problem_, note_})
        layout->addWidget(label);
    layout->addLayout(grid_);
    layout->addWidget(more_, 0, Qt::AlignLeft);
    layout->addLayout(buttons);
    connect(showText_, &QPushButton::clicked, this, [this] {
        const int row = network_.outline().rowAt(path_);
        if (row >= 0) Q_EMIT textRequested(network_.outline().rows[std::size_t(row)].line);
    });
    connect(showBlock_, &QPushButton::clicked, this, [this] {
        const int row = network_.outline().rowAt(path_);
        if (row >= 0)
            Q_EMIT blockRequested(
                QString::fromStdString(network_.outline().rows[std::size_t(row)].type));
    });
    connect(&network_, &Network::changed, this, &LayerInspector::refresh);
    refresh();
}

void LayerInspector::showRow(const config::TomlPath& path) {
    if (path == path_ && !path.empty()) return;
    path_ = path;
    more_->setChecked(false);
    refresh();
}

void LayerInspector::refresh() {
    const int row = path_.empty() ? -1 : network_.outline().rowAt(path_);
    setVisible(row >= 0);
    if (row < 0) {
        path_.clear();
        return;
    }
    setEnabled(editor_.wellFormed());
    const std::vector<OptionKind> kinds = optionsOf(network_.outline(), row);
    const bool isSame =
        builtFor_ == path_ && std::equal(kinds.begin(), kinds.end(), fields_.begin(), fields_.end(),
                                         [](const OptionKind& kind, const OptionField* field) {
                                             return kind == field->kind();
                                         });
    if (!isSame) rebuild(kinds);
    fill(row);
}

void LayerInspector::rebuild(const std::vector<OptionKind>& kinds) {
    QString focused;  // what is edited: its field goes, and the keyboard goes on in the new one
    for (OptionField* field : fields_) {
        // Hiding it hands the focus to the next: the first that has it is the one.
        if (focused.isEmpty() && field->input()->hasFocus()) focused = field->kind().name;
        field->hide();
        field->deleteLater();  // it may be the sender of what brought us here
    }
    fields_.clear();
    const config::TomlPath former = std::exchange(builtFor_, path_);
    const OutlineRow& row = network_.outline().rows[std::size_t(network_.outline().rowAt(path_))];
    first_.clear();
    for (const OptionKind& kind : kinds) {
        auto* field = new OptionField(kind, this);
        connect(field, &OptionField::edited, this,
                [this, kind](const QString& value) { write(kind, value); });
        connect(field, &OptionField::cleared, this, [this, kind] { clear(kind); });
        fields_.push_back(field);
        first_.push_back(isFirst(kind, row));
    }
    layOut();
    QWidget* last = nullptr;
    const auto follow = [&last](QWidget* next) {
        if (last) setTabOrder(last, next);
        last = next;
    };
    for (const OptionField* field : fields_)
        follow(field->input());
    for (QWidget* widget : std::initializer_list<QWidget*>{more_, stray_, showBlock_, showText_})
        follow(widget);
    for (const OptionField* field : fields_)
        if (field->kind().name == focused && builtFor_ == former) field->input()->setFocus();
    Q_EMIT rebuilt();
}

/// What is written, and what has to be.
bool LayerInspector::isFirst(const OptionKind& kind, const OutlineRow& row) const {
    static const QStringList kAlways{QStringLiteral("type"),   QStringLiteral("name"),
                                     QStringLiteral("inputs"), QStringLiteral("activation"),
                                     QStringLiteral("repeat"), QStringLiteral("block")};
    return kAlways.contains(kind.name) || kind.byDefault.isEmpty() ||
           row.find(kind.name.toStdString()) != nullptr;
}

void LayerInspector::layOut() {
    while (QLayoutItem* item = grid_->takeAt(0))
        delete item;
    int place = 0;
    int hidden = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const bool isShown = first_[i] || more_->isChecked();
        fields_[i]->setVisible(isShown);
        hidden += first_[i] ? 0 : 1;
        if (!isShown) continue;
        grid_->addWidget(fields_[i], place / kColumns, place % kColumns, Qt::AlignTop);
        ++place;
    }
    for (int column = 0; column < kColumns; ++column)
        grid_->setColumnStretch(column, 1);
    more_->setVisible(hidden > 0);
    more_->setArrowType(more_->isChecked() ? Qt::DownArrow : Qt::RightArrow);
    more_->setText(hidden == 1 ? tr("1 more option") : tr("%1 more options").arg(hidden));
}

QString LayerInspector::titleOf(const OutlineRow& row) const {
    const QString type = QString::fromStdString(row.type);
    const auto typed = [](const QString& words, const std::string& help) -> QString {
        return words + QStringLiteral(": ") + fromCore(help);
    };
    switch (row.kind) {
        case Kind::Layer:
            if (const model::LayerType* known = model::findLayerType(row.type))
                return typed(type, known->help);
            return type.isEmpty() ? tr("A layer without a type") : type;
        case Kind::Residual:
            return typed(tr("Residual"), model::residualType().help);
        case Kind::Shortcut:
            return tr(
                "Shortcut: what the residual's input goes through on its way past the layers");
        case Kind::BlockUse:
            return tr("Use of block %1").arg(type);
        case Kind::Block:
            return tr("Block %1: its layers may have “$name” for values that each use gives")
                .arg(type);
        case Kind::Blocks:
            return tr("Blocks: lists of layers that are used by name");
        case Kind::Defaults:
            return tr("Defaults: what layers of a type have that do not say otherwise");
        case Kind::TypeDefaults:
            return tr("Defaults of every %1").arg(type);
        case Kind::Other:
            break;
    }
    return tr("This is no layer");
}

void LayerInspector::fill(int index) {
    const config::ModelOutline& outline = network_.outline();
    const OutlineRow& row = outline.rows[std::size_t(index)];
    title_->setText(titleOf(row));
    const config::Finding* problem = findingOf(editor_, outline, index);
    bool isAtField = false;
    for (OptionField* field : fields_) {
        const std::string name = field->kind().name.toStdString();
        const config::OutlineOption* option = row.find(name);
        field->setValue(option ? std::optional(QString::fromStdString(option->value))
                               : std::nullopt);
        const config::Finding* own =
            editor_.problemOf(QString::fromStdString(row.key + "." + name));
        isAtField |= own != nullptr && own == problem;
        field->setProblem(own ? sentenceOf(*own, row.key) : QString(),
                          own != nullptr && own->severity == config::Severity::Error);
    }
    problem_->setVisible(problem != nullptr && !isAtField);
    if (problem) {
        problem_->setText(sentenceOf(*problem, row.key));
        markProblem(problem_, "problem", problem->severity == config::Severity::Error);
    }
    const QStringList stray = strayOptions(outline, index);
    stray_->setVisible(!stray.isEmpty());
    stray_->setText(tr("Remove what %1 does not have: %2")
                        .arg(QString::fromStdString(row.type), stray.join(QStringLiteral(", "))));
    showBlock_->setVisible(row.kind == Kind::BlockUse);
    const bool isInOpenList = row.parent < 0 ? outline.isListEditable
                                             : outline.rows[std::size_t(row.parent)].isListEditable;
    const bool isClosed = row.kind == Kind::Other || !row.isListEditable || !isInOpenList;
    note_->setVisible(isClosed);
    note_->setText(
        row.kind == Kind::Other
            ? tr("Only a table such as { type = \"dense\", units = 10 } is a layer: edit "
                 "this one as text.")
            : tr("This list is not written in brackets, so its layers are added, moved "
                 "and removed in the text."));
    showText_->setVisible(isClosed);
}

/// What takes the layer by its name takes the new one. While a name is typed every letter changes
/// the text as it was before the first: half a name may be that of another layer. Empty: no name.
void LayerInspector::rename(const QString& name) {
    const std::string present = editor_.text().toStdString();
    if (renamed_.path != path_ || renamed_.after != present) renamed_ = {path_, present, present};
    const auto text = name.isEmpty()
                          ? config::withoutOption(renamed_.before, path_, "name")
                          : config::withLayerRenamed(renamed_.before, path_, name.toStdString());
    if (text) renamed_.after = *text;
    editor_.apply(text, tr("renaming of %1").arg(QString::fromStdString(config::toString(path_))),
                  true);
}

void LayerInspector::write(const OptionKind& kind, const QString& value) {
    if (kind.name == QLatin1String("name")) return rename(value);
    const bool isList = kind.name == QLatin1String("inputs");
    editor_.apply(
        config::withOption(editor_.text().toStdString(), path_, kind.name.toStdString(),
                           (isList ? listOf(value) : value).toStdString(), kind.isText),
        tr("change of %1 in %2").arg(kind.name, QString::fromStdString(config::toString(path_))),
        true);
}

void LayerInspector::clear(const OptionKind& kind) {
    if (kind.name == QLatin1String("name")) return rename({});
    editor_.apply(
        config::withoutOption(editor_.text().toStdString(), path_, kind.name.toStdString()),
        tr("change of %1 in %2").arg(kind.name, QString::fromStdString(config::toString(path_))),
        true);
}

void LayerInspector::removeStray() {
    const int row = network_.outline().rowAt(path_);
    if (row < 0) return;
    Result<std::string> text = editor_.text().toStdString();
    for (const QString& name : strayOptions(network_.outline(), row))
        if (text) text = config::withoutOption(*text, path_, name.toStdString());
    editor_.apply(text, tr("removal of options"));
}

}  // namespace lockstep::ui
