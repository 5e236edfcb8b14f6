// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/layer_list.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include "core/base/plural.h"
#include "core/config/job/model_spec.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

const auto kLayersKey = QStringLiteral("model.layers");

QString keyOf(int index, const char* option) {
    return QStringLiteral("model.layers[%1].%2").arg(index).arg(QLatin1String(option));
}

QString activationWord(config::Activation activation) {
    return activation == config::Activation::Relu ? QStringLiteral("relu")
                                                  : QStringLiteral("linear");
}

QString layerToml(const config::LayerSpec& layer) {
    const QString activation = layer.activation == config::Activation::Relu
                                   ? QStringLiteral(", activation = \"relu\"")
                                   : QString();
    return QStringLiteral("{ type = \"%1\", units = %2%3 }")
        .arg(QString::fromStdString(layer.type))
        .arg(layer.units)
        .arg(activation);
}

/// A layer's type and name, as the job file has them.
QString entryText(const model::Entry& entry) {
    QString text = QString::fromStdString(entry.type);
    if (entry.kind == model::Entry::Kind::Residual)
        text = LayerList::tr("residual of %1")
                   .arg(QString::fromStdString(counted(entry.layers.size(), "layer")));
    if (entry.kind == model::Entry::Kind::BlockUse) text = LayerList::tr("block %1").arg(text);
    return entry.name.empty() ? text
                              : text + QStringLiteral("  ") + QString::fromStdString(entry.name);
}

bool isWrong(const JobEditor& editor, const QString& key) {
    const config::Finding* problem = editor.problemOf(key);
    return problem != nullptr && problem->severity == config::Severity::Error;
}

}  // namespace

LayerList::LayerList(JobEditor& editor, QWidget* parent) : QWidget(parent), editor_(editor) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    rowsLayout_ = new QVBoxLayout;
    rowsLayout_->setSpacing(8);
    problem_ = wrappedLabel(this);
    problem_->setObjectName(QStringLiteral("layersProblem"));
    add_ = new QPushButton(tr("Add layer"), this);
    add_->setObjectName(QStringLiteral("addLayerButton"));
    connect(add_, &QPushButton::clicked, this, [this] { writeLayers(-1, true); });
    described_ = wrappedLabel(this);
    described_->setObjectName(QStringLiteral("describedLayers"));
    layout->addLayout(rowsLayout_);
    layout->addWidget(described_);
    layout->addWidget(problem_);
    layout->addWidget(add_, 0, Qt::AlignLeft);
    connect(&editor_, &JobEditor::changed, this, &LayerList::refresh);
    refresh();
}

void LayerList::refresh() {
    const bool usable = editor_.hasJob() && editor_.wellFormed();
    setEnabled(usable);
    const config::ModelSpec& model = editor_.spec().model;
    const bool isStack = config::isDenseStack(model);
    add_->setVisible(isStack);
    described_->setVisible(!isStack);
    matchRows(int(model.layers.size()));
    for (int i = 0; i < int(rows_.size()); ++i)
        showLayer(i);
    if (!isStack) showDescribed();
    showProblem();
}

void LayerList::showDescribed() {
    QStringList lines;
    for (const auto& entry : editor_.spec().model.description.layers)
        lines << tr("%1  %2").arg(lines.size() + 1).arg(entryText(entry));
    lines << tr(
        "This model is more than dense layers one behind the other: change it in the job "
        "file's text.");
    described_->setText(lines.join(QLatin1Char('\n')));
}

void LayerList::matchRows(int count) {
    while (int(rows_.size()) > count) {
        rows_.back().widget->hide();
        rows_.back().widget->deleteLater();  // it may be the sender of what brought us here
        rows_.pop_back();
    }
    while (int(rows_.size()) < count) {
        rows_.push_back(buildRow(int(rows_.size())));
        rowsLayout_->addWidget(rows_.back().widget);
        rows_.back().widget->show();  // the layout would, but only later
    }
}

LayerList::Row LayerList::buildRow(int index) {
    Row row{new QWidget(this), nullptr, nullptr};
    row.units = new QLineEdit(row.widget);
    row.units->setObjectName(QStringLiteral("layer%1UnitsEdit").arg(index));
    row.units->setAccessibleName(tr("Units of layer %1").arg(index + 1));
    row.units->setFixedWidth(72);
    row.activation = new QComboBox(row.widget);
    row.activation->addItems({QStringLiteral("relu"), QStringLiteral("linear")});
    row.activation->setObjectName(QStringLiteral("layer%1ActivationEdit").arg(index));
    row.activation->setAccessibleName(tr("Activation of layer %1").arg(index + 1));
    auto* remove = new QToolButton(row.widget);
    remove->setIcon(makeIcon(Icon::Trash));
    remove->setToolTip(tr("Remove this layer"));
    remove->setFocusPolicy(Qt::StrongFocus);
    remove->setObjectName(QStringLiteral("layer%1RemoveButton").arg(index));
    remove->setAccessibleName(tr("Remove layer %1").arg(index + 1));

    auto* layout = new QHBoxLayout(row.widget);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* name = new QLabel(tr("%1  dense").arg(index + 1), row.widget);
    name->setFixedWidth(64);
    layout->addWidget(name);
    layout->addWidget(row.units);
    layout->addWidget(new QLabel(tr("units"), row.widget));
    layout->addWidget(row.activation);
    layout->addStretch(1);
    layout->addWidget(remove);

    // A new widget is the last of the window to be reached by Tab; its place is before the button.
    setTabOrder(add_, row.units);
    setTabOrder(row.units, row.activation);
    setTabOrder(row.activation, remove);
    setTabOrder(remove, add_);

    connect(row.units, &QLineEdit::textEdited, this, [this, index](const QString& text) {
        editor_.setValue(keyOf(index, "units"), text.trimmed());
    });
    connect(row.activation, &QComboBox::textActivated, this, [this, index](const QString& word) {
        editor_.setValue(keyOf(index, "activation"), word);
    });
    connect(remove, &QToolButton::clicked, this, [this, index] { writeLayers(index, false); });
    return row;
}

void LayerList::showLayer(int index) {
    const config::LayerSpec& layer = editor_.spec().model.layers[std::size_t(index)];
    const Row& row = rows_[std::size_t(index)];
    const bool wrong = isWrong(editor_, keyOf(index, "units"));
    const QString units = QString::number(layer.units);
    const bool typed = row.units->hasFocus() || (wrong && row.units->isModified());
    if (!typed && row.units->text() != units) row.units->setText(units);
    row.activation->setCurrentText(activationWord(layer.activation));
    markProblem(row.units, "invalid", wrong);
    markProblem(row.activation, "invalid", isWrong(editor_, keyOf(index, "activation")));
}

void LayerList::showProblem() {
    const config::Finding* problem = editor_.problemOf(kLayersKey);
    problem_->setVisible(problem != nullptr);
    if (!problem) return;
    markProblem(problem_, "problem", problem->severity == config::Severity::Error);
    problem_->setText(sentenceOf(*problem));
}

void LayerList::writeLayers(int removed, bool append) {
    const auto& layers = editor_.spec().model.layers;
    QStringList items;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        // A new layer goes before the last one, whose units are the classes.
        if (append && i + 1 == layers.size())
            items << layerToml({"dense", 256, config::Activation::Relu});
        if (int(i) != removed) items << layerToml(layers[i]);
    }
    if (append && layers.empty()) items << layerToml({"dense", 10, config::Activation::Linear});
    editor_.setValue(kLayersKey,
                     QLatin1Char('[') + items.join(QStringLiteral(", ")) + QLatin1Char(']'));
}

}  // namespace lockstep::ui
