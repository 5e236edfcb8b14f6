// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/graph_layout.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ui/models/network.h"

namespace lockstep::ui {
namespace {

using model::Part;

constexpr qreal kWidth = 288;
constexpr qreal kHeight = 46;
constexpr qreal kGap = 18;
constexpr qreal kAside = 26;  ///< From a residual's layers to the line past them.
constexpr qreal kFrame = 12;  ///< Around an unfolded block.
constexpr qreal kFrameHead = 26;
constexpr qreal kSum = 26;
constexpr qreal kLane = 9;  ///< Between lines at the picture's left.

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

/// How far something reaches from the line that its flow goes along.
struct Reach {
    qreal left = 0;
    qreal right = 0;
    qreal height = 0;
};

class Placing {
public:
    Placing(const model::Graph& graph, const QSet<QString>& folded, const QStringList& columns)
        : graph_(graph),
          folded_(folded),
          columns_(columns),
          boxOfLayer_(graph.layers.size(), -1),
          bypassOf_(graph.layers.size(), 0) {}

    GraphPicture run(const std::vector<Part>& parts) {
        const Reach reach = reachOf(parts);
        const qreal x = reach.left;
        const qreal top = placeInputs(x);
        placeList(parts, x, top + kGap);
        drawEdges();
        finish();
        return std::move(picture_);
    }

private:
    [[nodiscard]] bool isFolded(const Part& part) const {
        return part.kind == Part::Kind::Block && folded_.contains(text(part.name));
    }

    [[nodiscard]] Reach reachOf(const std::vector<Part>& parts) const {
        Reach reach;
        for (const Part& part : parts) {
            const Reach one = reachOf(part);
            reach.left = std::max(reach.left, one.left);
            reach.right = std::max(reach.right, one.right);
            reach.height += one.height + (&part == &parts.front() ? 0 : kGap);
        }
        return reach;
    }

    [[nodiscard]] Reach reachOf(const Part& part) const {
        if (part.kind == Part::Kind::Layer || isFolded(part))
            return {kWidth / 2, kWidth / 2, kHeight};
        const Reach body = reachOf(part.body);
        if (part.kind == Part::Kind::Block)
            return {body.left + kFrame, body.right + kFrame, body.height + kFrameHead + kFrame};
        const Reach past = reachOf(part.shortcut);
        const qreal width = part.shortcut.empty() ? 0 : past.left + past.right;
        return {std::max(body.left, kSum), body.right + kAside + width,
                std::max(body.height, past.height) + kGap + kSum};
    }

    /// What the network takes, side by side; gives where it ends.
    qreal placeInputs(qreal x) {
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            const model::Node& node = graph_.nodes[i];
            if (node.layer >= 0) continue;
            const auto* input = std::get_if<model::Input>(&node.operation);
            if (input == nullptr) {  // the data as they are normalised: still the data
                inputs_.push_back({int(i), boxOfNode(node.inputs.front())});
                continue;
            }
            GraphBox box;
            box.kind = GraphBox::Kind::Input;
            box.title = i == 0 ? Network::tr("data") : Network::tr("column");
            box.label = columns_.value(qsizetype(input->column));
            box.shape = shapeText(node.shape);
            box.layers = 0;
            const qreal left = x - kWidth / 2 + qreal(picture_.boxes.size()) * (kWidth + kAside);
            box.rect = QRectF(left, 0, kWidth, kHeight * 0.7);
            inputs_.push_back({int(i), int(picture_.boxes.size())});
            picture_.boxes.push_back(box);
        }
        return kHeight * 0.7;
    }

    qreal placeList(const std::vector<Part>& parts, qreal x, qreal y) {
        for (const Part& part : parts) {
            if (&part != &parts.front()) y += kGap;
            y = place(part, x, y);
        }
        return y;
    }

    /// Gives where the part ends.
    qreal place(const Part& part, qreal x, qreal y) {
        if (part.kind == Part::Kind::Layer || isFolded(part)) {
            addBox(part, QRectF(x - kWidth / 2, y, kWidth, kHeight));
            return y + kHeight;
        }
        const Reach body = reachOf(part.body);
        if (part.kind == Part::Kind::Block) {
            const QRectF rect(x - body.left - kFrame, y, body.left + body.right + 2 * kFrame,
                              body.height + kFrameHead + kFrame);
            picture_.frames.push_back({rect,
                                       QRectF(rect.topLeft(), QSizeF(rect.width(), kFrameHead)),
                                       text(part.type), text(part.name)});
            const QString outer = std::exchange(block_, text(part.name) + QLatin1Char('.'));
            const qreal end = placeList(part.body, x, y + kFrameHead) + kFrame;
            block_ = outer;
            return end;
        }
        const Reach past = reachOf(part.shortcut);
        const qreal aside = x + body.right + kAside;
        const qreal end = std::max(placeList(part.body, x, y), y + past.height);
        if (!part.shortcut.empty()) placeList(part.shortcut, aside + past.left, y);
        const QRectF sum(x - kSum / 2, end + kGap, kSum, kSum);
        addBox(part, sum);
        bypassOf_[std::size_t(part.layer)] = aside - kAside / 2;
        return sum.bottom();
    }

    void addBox(const Part& part, const QRectF& rect) {
        GraphBox box;
        box.kind = part.kind == Part::Kind::Block      ? GraphBox::Kind::Block
                   : part.kind == Part::Kind::Residual ? GraphBox::Kind::Sum
                                                       : GraphBox::Kind::Layer;
        box.rect = rect;
        box.title = text(part.type);
        box.name = text(part.name);
        box.label = box.name.startsWith(block_) ? box.name.mid(block_.size()) : box.name;
        box.place = text(part.place);
        if (const int last = model::lastLayerOf(part); last >= 0)
            box.shape = shapeText(graph_.layers[std::size_t(last)].output);
        // A residual's sum stands for itself alone.
        Part own = part;
        if (box.kind == GraphBox::Kind::Sum) {
            own.body.clear();
            own.shortcut.clear();
        }
        const model::PartTotals totals = model::totalsOf(own, graph_);
        box.parameters = totals.parameters;
        box.flops = totals.flops;
        box.bytes = totals.activations > (std::int64_t{1} << 60) ? totals.activations
                                                                 : totals.activations * 4;
        box.layers = totals.layers;
        claim(own, int(picture_.boxes.size()));
        picture_.mostFlops = std::max(picture_.mostFlops, box.flops);
        picture_.mostBytes = std::max(picture_.mostBytes, box.bytes);
        picture_.boxes.push_back(std::move(box));
    }

    void claim(const Part& part, int box) {
        if (part.layer >= 0) boxOfLayer_[std::size_t(part.layer)] = box;
        for (const auto* parts : {&part.body, &part.shortcut})
            for (const Part& inner : *parts)
                claim(inner, box);
    }

    [[nodiscard]] int boxOfNode(int node) const {
        const int layer = graph_.nodes[std::size_t(node)].layer;
        if (layer >= 0) return boxOfLayer_[std::size_t(layer)];
        const auto input = std::ranges::find(inputs_, node, &std::pair<int, int>::first);
        return input == inputs_.end() ? -1 : input->second;
    }

    void drawEdges() {
        std::set<std::pair<int, int>> drawn;
        for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
            const int to = boxOfNode(int(i));
            for (const int input : graph_.nodes[i].inputs) {
                const int from = boxOfNode(input);
                if (from < 0 || to < 0 || from == to || !drawn.insert({from, to}).second) continue;
                drawEdge(from, to, graph_.nodes[i].layer);
            }
        }
    }

    /// Whether a box stands between the two on the line from one to the other.
    [[nodiscard]] bool isBlocked(const GraphBox& from, const GraphBox& to) const {
        return std::ranges::any_of(picture_.boxes, [&](const GraphBox& box) {
            return box.rect.top() >= from.rect.bottom() - 1 &&
                   box.rect.bottom() <= to.rect.top() + 1 &&
                   box.rect.left() < from.rect.center().x() &&
                   box.rect.right() > from.rect.center().x();
        });
    }

    void drawEdge(int fromBox, int toBox, int toLayer) {
        const GraphBox& from = picture_.boxes[std::size_t(fromBox)];
        const GraphBox& to = picture_.boxes[std::size_t(toBox)];
        const QPointF start(from.rect.center().x(), from.rect.bottom());
        const QPointF end(to.rect.center().x(), to.rect.top());
        const bool isBelow = std::abs(start.x() - end.x()) < 1;
        QPainterPath path(start);
        if (isBelow && !isBlocked(from, to)) {
            path.lineTo(end);
            picture_.lines.push_back({path, false});
        } else if (to.kind == GraphBox::Kind::Sum) {
            bend(path, start, to, isBelow ? bypassOf_[std::size_t(toLayer)] : start.x());
            picture_.lines.push_back({path, true});
        } else if (!isBelow && !isBlocked(from, to)) {
            const qreal y = start.y() + kGap / 2;
            path.lineTo(start.x(), y);
            path.lineTo(end.x(), y);
            path.lineTo(end);
            picture_.lines.push_back({path, true});
        } else {
            drawAtLeft(from, to);
        }
    }

    /// To the right of the layers, and into the sum from its right.
    static void bend(QPainterPath& path, const QPointF& start, const GraphBox& sum, qreal x) {
        if (x != start.x()) {
            path.lineTo(start.x(), start.y() + kGap / 2);
            path.lineTo(x, start.y() + kGap / 2);
        }
        path.lineTo(x, sum.rect.center().y());
        path.lineTo(sum.rect.right(), sum.rect.center().y());
    }

    void drawAtLeft(const GraphBox& from, const GraphBox& to) {
        const qreal x = -kLane * (1.5 + lanes_++ % 12);
        QPainterPath path(QPointF(from.rect.left(), from.rect.center().y()));
        path.lineTo(x, from.rect.center().y());
        path.lineTo(x, to.rect.center().y());
        path.lineTo(to.rect.left(), to.rect.center().y());
        picture_.lines.push_back({path, true});
    }

    void finish() {
        for (const GraphBox& box : picture_.boxes)
            picture_.extent |= box.rect;
        for (const GraphFrame& frame : picture_.frames)
            picture_.extent |= frame.rect;
        for (const GraphLine& line : picture_.lines)
            picture_.extent |= line.path.boundingRect();
        picture_.extent.adjust(-kFrame, -kFrame, kFrame, kFrame);
        picture_.boxOfLayer = boxOfLayer_;
    }

    const model::Graph& graph_;
    const QSet<QString>& folded_;
    const QStringList& columns_;
    GraphPicture picture_;
    std::vector<int> boxOfLayer_;
    std::vector<qreal> bypassOf_;              ///< Of a residual's layer: where its line past is.
    std::vector<std::pair<int, int>> inputs_;  ///< Node and box.
    QString block_;                            ///< That is being gone through, with its point.
    int lanes_ = 0;
};

void collectBlocks(const std::vector<Part>& parts, QSet<QString>& names) {
    for (const Part& part : parts) {
        if (part.kind == Part::Kind::Block) names.insert(text(part.name));
        collectBlocks(part.body, names);
        collectBlocks(part.shortcut, names);
    }
}

}  // namespace

GraphPicture layOutGraph(const std::vector<Part>& parts, const model::Graph& graph,
                         const QSet<QString>& folded, const QStringList& columns) {
    if (graph.nodes.empty()) return {};
    return Placing(graph, folded, columns).run(parts);
}

QSet<QString> blocksOf(const std::vector<Part>& parts) {
    QSet<QString> names;
    collectBlocks(parts, names);
    return names;
}

}  // namespace lockstep::ui
