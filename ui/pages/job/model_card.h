// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/card.h"

class QLabel;

namespace lockstep::ui {

class GraphLegend;
class GraphView;
class JobEditor;
class LayerEditor;
class Network;

/// The network of the job: its layers to be edited, and beside them its picture.
class ModelCard final : public Card {
    Q_OBJECT
public:
    ModelCard(JobEditor& editor, Network& network, QWidget* parent = nullptr);

    [[nodiscard]] GraphLegend& legend() { return *legend_; }

Q_SIGNALS:
    /// What stands at a line of the text cannot be edited here.
    void textRequested(int line);

private:
    void buildPicture(QWidget* side);
    void addZoom(const char* name, int icon, const QString& words, void (*act)(GraphView&));
    void refresh();

    JobEditor& editor_;
    Network& network_;
    LayerEditor* layers_ = nullptr;
    GraphView* view_ = nullptr;
    GraphLegend* legend_ = nullptr;
    QLabel* note_ = nullptr;
    QLabel* readout_ = nullptr;
};

}  // namespace lockstep::ui
