// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/model_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/models/job_editor.h"
#include "ui/models/network.h"
#include "ui/pages/job/graph_legend.h"
#include "ui/pages/job/graph_view.h"
#include "ui/pages/job/key_fields.h"
#include "ui/pages/job/layer_editor.h"
#include "ui/pages/page_parts.h"
#include "ui/style/icons.h"
#include "ui/style/units.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr double kZoomStep = 1.25;
}  // namespace

ModelCard::ModelCard(JobEditor& editor, Network& network, QWidget* parent)
    : Card(tr("Model"), parent), editor_(editor), network_(network) {
    addKeyFields(body(), editor, {{"model.initial_weights", "initialWeights"}});
    layers_ = new LayerEditor(editor, network, this);
    auto* side = new QWidget(this);
    buildPicture(side);
    auto* row = new QHBoxLayout;
    row->setSpacing(2 * kGrid);
    row->addWidget(layers_, 1);
    row->addWidget(side, 1);
    body()->addLayout(row);
    stackWhenCrowded(this, row, 4 * kGrid);
    connect(layers_, &LayerEditor::textRequested, this, &ModelCard::textRequested);
    connect(layers_, &LayerEditor::chosen, view_, &GraphView::mark);
    connect(view_, &GraphView::placeChosen, this,
            [this](const QString& place) { layers_->chooseKey(place.toStdString()); });
    connect(&network_, &Network::changed, this, &ModelCard::refresh);
    refresh();
}

void ModelCard::addZoom(const char* name, int icon, const QString& words, void (*act)(GraphView&)) {
    auto* button = new QToolButton(this);
    button->setObjectName(QLatin1String(name));
    button->setIcon(makeIcon(Icon(icon)));
    button->setToolTip(words);
    button->setAccessibleName(words);
    button->setFocusPolicy(Qt::StrongFocus);
    connect(button, &QToolButton::clicked, this, [this, act] { act(*view_); });
    addHeadWidget(button);
}

void ModelCard::buildPicture(QWidget* side) {
    view_ = new GraphView(network_, side);
    legend_ = new GraphLegend(editor_, network_, *view_, side);
    note_ = wrappedLabel(side);
    note_->setObjectName(QStringLiteral("networkNote"));
    readout_ = wrappedLabel(side);
    readout_->setObjectName(QStringLiteral("networkReadout"));
    for (QLabel* label : {note_, readout_}) {
        label->setFont(smallFont());
        label->setProperty("secondary", true);
    }
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid / 2);
    layout->addWidget(legend_);
    layout->addWidget(view_, 1);
    layout->addWidget(readout_);
    layout->addWidget(note_);
    readout_->hide();
    connect(view_, &GraphView::readoutChanged, this, [this](const QString& words) {
        readout_->setText(words);
        readout_->setVisible(!words.isEmpty());
    });
    addZoom("foldBlocks", int(Icon::ChevronUp), tr("Fold all blocks of the picture"),
            [](GraphView& view) { view.foldAll(true); });
    addZoom("unfoldBlocks", int(Icon::ChevronDown), tr("Unfold all blocks of the picture"),
            [](GraphView& view) { view.foldAll(false); });
    addZoom("zoomOutPicture", int(Icon::Minus), tr("Smaller (−)"),
            [](GraphView& view) { view.zoomBy(1 / kZoomStep); });
    addZoom("zoomInPicture", int(Icon::Plus), tr("Larger (+)"),
            [](GraphView& view) { view.zoomBy(kZoomStep); });
    addZoom("fitPicture", int(Icon::ZoomFit), tr("Fit the width (0)"),
            [](GraphView& view) { view.fit(); });
}

void ModelCard::refresh() {
    const model::Graph& graph = network_.graph();
    QStringList figures;
    if (!graph.layers.empty()) {
        qint64 parameters = 0;
        double flops = 0;
        for (const model::Layer& layer : graph.layers) {
            parameters += layer.parameters;
            flops += double(layer.flops);
        }
        figures << (graph.layers.size() == 1 ? tr("1 layer")
                                             : tr("%1 layers").arg(graph.layers.size()))
                << tr("%1 parameters").arg(units::count(parameters))
                << tr("%1FLOP a sample").arg(units::compact(flops));
    }
    setSubtitle(figures.join(QStringLiteral("  ·  ")));
    const QString& problem = network_.problem();
    const QString& samples = network_.dataWords();
    // What is wrong at a layer stands there.
    const bool isSaid = editor_.problemOf(QStringLiteral("model")) != nullptr;
    note_->setText(!problem.isEmpty() && isSaid && !graph.layers.empty()
                       ? tr("The picture is of the last text that was a network.")
                   : !problem.isEmpty()
                       ? (graph.layers.empty() ? problem
                                               : tr("The picture is of the last text that was a "
                                                    "network. %1")
                                                     .arg(problem))
                       : tr("For samples of %1.").arg(samples));
    note_->setVisible(!problem.isEmpty() || !samples.isEmpty());
}

}  // namespace lockstep::ui
