// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <QSet>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/model/graph.h"
#include "core/model/parts.h"

namespace lockstep::ui {

/// A layer, a folded block or a residual's sum in a network's picture.
struct GraphBox {
    enum class Kind { Input, Layer, Sum, Block };
    Kind kind = Kind::Layer;
    QRectF rect;
    QString title;  ///< "conv2d", "basic".
    QString name;   ///< In full: "layer1.0.conv1".
    QString label;  ///< What is left of it within the unfolded block: "conv1".
    QString place;  ///< Of its entry in the job file; empty: an input.
    QString shape;  ///< What it gives.
    qint64 parameters = 0;
    qint64 flops = 0;
    qint64 bytes = 0;  ///< Of what it gives for a sample.
    int layers = 1;    ///< That it stands for.
    double part = 0;   ///< Its own of what GraphView::showShares() was given.
    double share = 0;  ///< The same of all, 0 to 1.

    /// What it is known by in the next picture: data and their columns have no name.
    [[nodiscard]] QString identity() const {
        return kind == Kind::Input ? title + QLatin1Char('/') + label : name;
    }
};

/// An unfolded block.
struct GraphFrame {
    QRectF rect;
    QRectF head;  ///< Where it is folded by a click.
    QString title;
    QString name;
};

struct GraphLine {
    QPainterPath path;
    bool isAside = false;  ///< Past the layers in between.
};

/// Where everything of a network's picture stands, in points; the flow goes down.
struct GraphPicture {
    std::vector<GraphBox> boxes{};     ///< From above.
    std::vector<GraphFrame> frames{};  ///< Outer ones first.
    std::vector<GraphLine> lines{};
    QRectF extent;
    qint64 mostFlops = 1;  ///< Of a box.
    qint64 mostBytes = 1;
    std::vector<int> boxOfLayer{};  ///< An index of boxes for each of the graph's layers.
};

/// `folded`: names of blocks that are boxes; `columns`: of the data. Lines are the graph's own
/// edges.
[[nodiscard]] GraphPicture layOutGraph(const std::vector<model::Part>& parts,
                                       const model::Graph& graph, const QSet<QString>& folded,
                                       const QStringList& columns = {});

/// The names of all blocks.
[[nodiscard]] QSet<QString> blocksOf(const std::vector<model::Part>& parts);

}  // namespace lockstep::ui
