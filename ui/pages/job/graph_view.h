// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <QSet>

#include "ui/pages/job/graph_layout.h"

namespace lockstep::ui {

class Network;

/// The network as a picture: boxes in the order of the flow with what they give, their parameters
/// and bars for memory and work; residuals beside the trunk; blocks fold. Arrow keys go from box to
/// box, Return folds, plus, minus and 0 zoom; the wheel zooms with Ctrl, the mouse drags.
class GraphView final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit GraphView(Network& network, QWidget* parent = nullptr);

    /// Marks the boxes of an entry of the job file, and shows the first of them.
    void mark(const QString& place);
    void foldAll(bool fold);
    /// Boxes show what they have of a whole that is made of these parts, one a layer of the graph:
    /// operations, time. Empty: sizes instead, as at first.
    void showShares(std::vector<double> ofLayers, const QString& unit = {});
    void zoomBy(double factor);
    /// As large as fits the width, at most in natural size.
    void fit();

    [[nodiscard]] const GraphPicture& picture() const { return picture_; }
    [[nodiscard]] double zoom() const { return zoom_; }
    /// What is said of the chosen box: "conv2d layer1.0.conv1 gives 32 × 32 × 64, …".
    [[nodiscard]] QString readout() const;
    /// Where a box is in the viewport.
    [[nodiscard]] QRectF viewRect(const QRectF& rect) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// A box was chosen by click or key.
    void placeChosen(const QString& place);
    void readoutChanged(const QString& words);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void refresh();
    void lay();
    void share();
    void updateScrollBars();
    [[nodiscard]] QPointF origin() const;
    [[nodiscard]] int boxAt(const QPointF& position) const;
    [[nodiscard]] const GraphFrame* frameAt(const QPointF& position) const;
    void choose(int box);
    void toggle(const QString& block);
    void tell();
    void reveal(const QRectF& rect);
    [[nodiscard]] QString spoken(const GraphBox& box) const;

    Network& network_;
    GraphPicture picture_;
    QSet<QString> blocks_;
    QSet<QString> folded_;
    QString marked_;
    std::vector<double> parts_;  ///< Of a whole, one a layer; empty: sizes are shown.
    QString unit_;               ///< Of the parts.
    int chosen_ = -1;
    QString told_;  ///< Of the chosen box.
    double zoom_ = 1;
    bool fits_ = true;  ///< The zoom follows the width.
    QPoint dragFrom_;
    QPoint scrollFrom_;
    bool drags_ = false;
};

}  // namespace lockstep::ui
