// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/layer_editor.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "core/config/document/model_edit.h"
#include "core/model/description/layer_table.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/models/layer_options.h"
#include "ui/models/layer_tree_model.h"
#include "ui/models/network.h"
#include "ui/pages/job/layer_inspector.h"
#include "ui/pages/job/layer_tree.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

using config::OutlineRow;
using config::TomlPath;
using config::operator/;  // NOLINT(misc-unused-using-decls): it does not count operators
using Kind = OutlineRow::Kind;

const char* const kNewLayer = "dense";

const TomlPath& layersPath() {
    static const TomlPath kPath{"model", "layers"};
    return kPath;
}

/// How many types of layers a submenu holds at most.
constexpr int kGroup = 8;

bool isEntry(const OutlineRow& row) {
    return row.kind == Kind::Layer || row.kind == Kind::Residual || row.kind == Kind::BlockUse ||
           row.kind == Kind::Other;
}

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

/// The first option that has a default: a line of its own needs one. Null: there is none, or no
/// such type.
const model::OptionType* defaultOf(const std::string& type) {
    const model::LayerType* known = model::findLayerType(type);
    if (known == nullptr) return nullptr;
    for (const model::OptionType& option : known->options)
        if (!option.defaultToml.empty()) return &option;
    return nullptr;
}

/// Where a new layer goes: the list and the place in it.
struct Place {
    TomlPath list;
    std::size_t index = 0;
};

std::size_t lengthOf(const config::ModelOutline& outline, const TomlPath& list) {
    return std::size_t(std::ranges::count_if(outline.rows, [&list](const OutlineRow& row) {
        return isEntry(row) && config::parentOf(row.path) == list;
    }));
}

/// Behind the chosen layer, at the end of what is chosen, else before the network's last layer,
/// which gives the classes.
Place placeFor(const config::ModelOutline& outline, const OutlineRow* chosen) {
    if (chosen != nullptr && isEntry(*chosen))
        return {config::parentOf(chosen->path), config::indexOf(chosen->path) + 1};
    if (chosen != nullptr && !chosen->list.empty())
        return {chosen->list, lengthOf(outline, chosen->list)};
    const std::size_t count = lengthOf(outline, layersPath());
    return {layersPath(), count > 0 ? count - 1 : 0};
}

}  // namespace

LayerEditor::LayerEditor(JobEditor& editor, Network& network, QWidget* parent)
    : QWidget(parent), editor_(editor), network_(network) {
    model_ = new LayerTreeModel(editor_, network_, this);
    tree_ = new LayerTree(*model_, this);
    inspector_ = new LayerInspector(editor_, network_, this);
    problem_ = wrappedLabel(this);
    problem_->setObjectName(QStringLiteral("layersProblem"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(tree_);
    layout->addLayout(buildActions());
    layout->addWidget(problem_);
    layout->addWidget(inspector_);
    layout->addStretch(1);
    connect(tree_, &LayerTree::chosenChanged, this, &LayerEditor::showChosen);
    connect(tree_, &LayerTree::removeRequested, this, &LayerEditor::remove);
    connect(inspector_, &LayerInspector::textRequested, this, &LayerEditor::textRequested);
    connect(inspector_, &LayerInspector::blockRequested, this, [this](const QString& name) {
        tree_->choose({"model", "blocks", name.toStdString()});
    });
    connect(inspector_, &LayerInspector::rebuilt, this,
            [this] { followInTabOrder(actions_, inspector_); });
    connect(&network_, &Network::changed, this, &LayerEditor::refresh);
    refresh();
}

QToolButton* LayerEditor::addAction(const char* name, int icon, const QString& words,
                                    void (LayerEditor::*act)()) {
    auto* button = new QToolButton(actions_);
    button->setObjectName(QLatin1String(name));
    button->setIcon(makeIcon(Icon(icon)));
    button->setToolTip(words);
    button->setAccessibleName(words);
    button->setFocusPolicy(Qt::StrongFocus);
    connect(button, &QToolButton::clicked, this, act);
    return button;
}

QHBoxLayout* LayerEditor::buildActions() {
    actions_ = new QWidget(this);
    auto* layout = new QHBoxLayout(actions_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    add_ = new QPushButton(tr("Add"), actions_);
    add_->setObjectName(QStringLiteral("addLayerButton"));
    add_->setAccessibleName(tr("Add a layer, a residual or a block"));
    addMenu_ = new QMenu(add_);
    addMenu_->setObjectName(QStringLiteral("addLayerMenu"));
    add_->setMenu(addMenu_);
    add_->setProperty("menu", true);
    connect(addMenu_, &QMenu::aboutToShow, this, &LayerEditor::fillAddMenu);
    copy_ = addAction("copyLayerButton", int(Icon::Copy), tr("Duplicate"), &LayerEditor::duplicate);
    up_ = addAction("layerUpButton", int(Icon::ChevronUp), tr("Move up"), &LayerEditor::moveUp);
    down_ = addAction("layerDownButton", int(Icon::ChevronDown), tr("Move down"),
                      &LayerEditor::moveDown);
    wrap_ = addAction("wrapLayerButton", int(Icon::Model), tr("Make it a residual"),
                      &LayerEditor::wrap);
    remove_ = addAction("removeLayerButton", int(Icon::Trash), tr("Remove"), &LayerEditor::remove);
    fold_ = new QToolButton(actions_);
    fold_->setObjectName(QStringLiteral("foldLayersButton"));
    fold_->setText(tr("Fold all"));
    fold_->setCheckable(true);
    fold_->setFocusPolicy(Qt::StrongFocus);
    connect(fold_, &QToolButton::toggled, this, [this](bool folded) {
        tree_->foldAll(folded);
        fold_->setText(folded ? tr("Unfold all") : tr("Fold all"));
    });
    layout->addWidget(add_);
    for (QToolButton* button : {copy_, up_, down_, wrap_, remove_})
        layout->addWidget(button);
    layout->addStretch(1);
    layout->addWidget(fold_);
    auto* row = new QHBoxLayout;
    row->addWidget(actions_);
    return row;
}

void LayerEditor::fillAddMenu() {
    addMenu_->clear();
    const auto& types = model::layerTypes();
    QMenu* group = nullptr;
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (i % kGroup == 0) {
            const std::size_t last = std::min(types.size(), i + kGroup) - 1;
            group =
                addMenu_->addMenu(tr("%1 … %2").arg(text(types[i].name), text(types[last].name)));
        }
        QAction* action = group->addAction(text(types[i].name));
        action->setToolTip(fromCore(types[i].help));
        connect(action, &QAction::triggered, this,
                [this, name = types[i].name] { add(newLayer(name)); });
    }
    addMenu_->addSeparator();
    connect(addMenu_->addAction(tr("Residual")), &QAction::triggered, this,
            [this] { add("{ residual = [\n    " + newLayer(kNewLayer) + ",\n  ] }"); });
    const OutlineRow* row = chosenRow();
    QAction* shortcut = addMenu_->addAction(tr("Shortcut of the residual"));
    shortcut->setEnabled(row != nullptr && row->kind == Kind::Residual);
    connect(shortcut, &QAction::triggered, this, &LayerEditor::addShortcut);
    addMenu_->addSeparator();
    for (const std::string& block : network_.outline().blockNames())
        connect(addMenu_->addAction(tr("Use of block %1").arg(text(block))), &QAction::triggered,
                this, [this, block] { add(newUse(network_.outline(), block)); });
    connect(addMenu_->addAction(tr("New block")), &QAction::triggered, this,
            &LayerEditor::addBlock);
    const bool isLayer = row != nullptr && row->kind == Kind::Layer;
    const bool hasDefaults = isLayer && defaultOf(row->type) != nullptr;
    QAction* defaults = addMenu_->addAction(
        isLayer ? tr("Defaults of every %1").arg(text(row->type)) : tr("Defaults of a type"));
    defaults->setEnabled(hasDefaults);
    if (hasDefaults)
        connect(defaults, &QAction::triggered, this,
                [this, type = row->type] { addDefaults(type); });
}

void LayerEditor::chooseKey(const std::string& key) {
    if (const OutlineRow* row = model_->rowOf(model_->indexOfKey(key))) tree_->choose(row->path);
}

const OutlineRow* LayerEditor::chosenRow() const {
    const int row = tree_->chosen().empty() ? -1 : network_.outline().rowAt(tree_->chosen());
    return row < 0 ? nullptr : &network_.outline().rows[std::size_t(row)];
}

/// A block that is used stays.
bool LayerEditor::canRemove(const OutlineRow& row) const {
    const auto uses = [&row](const OutlineRow& each) {
        return each.kind == Kind::BlockUse && each.type == row.type;
    };
    if (row.kind == Kind::Block) return std::ranges::none_of(network_.outline().rows, uses);
    return isEntry(row) || row.kind == Kind::Shortcut || row.kind == Kind::TypeDefaults;
}

void LayerEditor::refresh() {
    const bool usable = editor_.hasJob() && editor_.wellFormed();
    setEnabled(usable);
    const OutlineRow* row = chosenRow();
    const config::ModelOutline& outline = network_.outline();
    const bool isLayer = row != nullptr && isEntry(*row);
    bool canMove = isLayer && outline.isListEditable;
    if (isLayer && row->parent >= 0)
        canMove = outline.rows[std::size_t(row->parent)].isListEditable;
    const std::size_t place = isLayer ? config::indexOf(row->path) : 0;
    const std::size_t count = isLayer ? lengthOf(outline, config::parentOf(row->path)) : 0;
    copy_->setEnabled(canMove);
    wrap_->setEnabled(canMove);
    up_->setEnabled(canMove && place > 0);
    down_->setEnabled(canMove && place + 1 < count);
    remove_->setEnabled(row != nullptr && canRemove(*row) && (canMove || !isLayer));
    const bool isUsedBlock = row != nullptr && row->kind == Kind::Block && !canRemove(*row);
    remove_->setToolTip(isUsedBlock ? tr("The block is used") : tr("Remove"));
    const config::Finding* problem = editor_.problemOf(QStringLiteral("model"));
    // The row that is chosen tells its own below.
    const bool isChosens = problem != nullptr && row != nullptr &&
                           findingOf(editor_, outline, outline.rowAt(row->path)) == problem;
    problem_->setVisible(problem != nullptr && !isChosens);
    if (!problem) return;
    problem_->setText(sentenceOf(*problem));
    markProblem(problem_, "problem", problem->severity == config::Severity::Error);
}

void LayerEditor::showChosen() {
    inspector_->showRow(tree_->chosen());
    refresh();
    const OutlineRow* row = chosenRow();
    Q_EMIT chosen(row ? text(row->key) : QString());
}

void LayerEditor::apply(const Result<std::string>& text, const QString& what,
                        const TomlPath& choose) {
    editor_.apply(text, what);
    if (text) tree_->choose(choose);
}

void LayerEditor::add(const std::string& layer) {
    const Place place = placeFor(network_.outline(), chosenRow());
    apply(config::withLayer(editor_.text().toStdString(), place.list, place.index, layer),
          tr("new layer"), place.list / place.index);
}

void LayerEditor::addShortcut() {
    const OutlineRow* row = chosenRow();
    if (!row) return;
    const TomlPath list = row->path / "shortcut";
    const std::size_t last = lengthOf(network_.outline(), list);
    apply(config::withLayer(editor_.text().toStdString(), list, last, newLayer(kNewLayer)),
          tr("new shortcut"), list / last);
}

void LayerEditor::addBlock() {
    const auto names = network_.outline().blockNames();
    std::string name = "block";
    for (int i = 2; std::ranges::find(names, name) != names.end(); ++i)
        name = "block_" + std::to_string(i);
    apply(config::withBlock(editor_.text().toStdString(), name, newLayer(kNewLayer)),
          tr("new block"), {"model", "blocks", name});
}

void LayerEditor::addDefaults(const std::string& type) {
    const TomlPath path{"model", "defaults", type};
    if (network_.outline().rowAt(path) >= 0) return tree_->choose(path);
    const model::OptionType* option = defaultOf(type);
    if (option == nullptr) return;
    apply(config::withOption(editor_.text().toStdString(), path, option->name, option->defaultToml),
          tr("new defaults"), path);
}

void LayerEditor::moveUp() {
    moveBy(-1);
}

void LayerEditor::moveDown() {
    moveBy(1);
}

void LayerEditor::moveBy(int places) {
    const OutlineRow* row = chosenRow();
    if (!row) return;
    const TomlPath list = config::parentOf(row->path);
    const std::size_t from = config::indexOf(row->path);
    const std::size_t to = places < 0 ? from - 1 : from + 1;
    apply(config::withLayerMoved(editor_.text().toStdString(), row->path, list,
                                 places < 0 ? to : to + 1),
          tr("move of a layer"), list / to);
}

void LayerEditor::duplicate() {
    const OutlineRow* row = chosenRow();
    if (!row) return;
    apply(config::withLayerCopied(editor_.text().toStdString(), row->path), tr("copy of a layer"),
          config::parentOf(row->path) / (config::indexOf(row->path) + 1));
}

void LayerEditor::wrap() {
    const OutlineRow* row = chosenRow();
    if (!row) return;
    apply(config::withLayerAsResidual(editor_.text().toStdString(), row->path), tr("new residual"),
          TomlPath(row->path));
}

void LayerEditor::remove() {
    const OutlineRow* row = chosenRow();
    if (!row || !remove_->isEnabled()) return;
    const std::string now = editor_.text().toStdString();
    const TomlPath path = row->path;
    if (row->kind == Kind::Block)
        return apply(config::withoutBlock(now, row->type), tr("removal of a block"), {});
    if (row->kind == Kind::Shortcut)
        return apply(config::withoutOption(now, config::parentOf(path), "shortcut"),
                     tr("removal of a shortcut"), config::parentOf(path));
    if (row->kind == Kind::TypeDefaults)
        return apply(config::withoutOption(now, config::parentOf(path), row->type),
                     tr("removal of defaults"), {});
    const std::size_t index = config::indexOf(path);
    const TomlPath list = config::parentOf(path);
    const std::size_t count = lengthOf(network_.outline(), list);
    apply(config::withoutLayer(now, path), tr("removal of a layer"),
          list / (index + 1 < count ? index : std::max<std::size_t>(index, 1) - 1));
}

}  // namespace lockstep::ui
