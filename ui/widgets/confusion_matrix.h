// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>

#include "ui/style/accessible_role.h"
#include "ui/widgets/confusion_picture.h"

namespace lockstep::ui {

/// How often each truth was predicted as each class: rows are truths, columns predictions.
/// Arrow keys move the chosen cell; the chosen or hovered cell is told in words below. Plus, minus
/// and the wheel with Ctrl zoom, 0 shows all, the mouse drags: for up to a thousand classes.
class ConfusionMatrix final : public QWidget, public AccessibleGrid {
    Q_OBJECT
public:
    explicit ConfusionMatrix(QWidget* parent = nullptr);

    /// `counts`: classes x classes, row-major. Ignored when the sizes do not match.
    void setCounts(const QStringList& classNames, QVector<quint32> counts);
    void clear();
    /// Outlined while the samples of it alone are shown; x: prediction, y: truth; -1, -1: none.
    void setMarked(const QPoint& cell);
    /// Chooses a cell and shows it, as large as its words can be read.
    void reveal(int truth, int prediction);
    [[nodiscard]] double zoom() const { return zoom_; }
    void zoomBy(double factor, const QPointF& around);
    /// In words: "4 predicted as 9: 12 of 982 (1.2 %)". Empty without a cell.
    [[nodiscard]] QString readout() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// A cell was chosen by click or Return: show its samples.
    void cellActivated(int truth, int prediction);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    // For who cannot see it: cells row by row.
    [[nodiscard]] int partCount() const override { return classes() * classes(); }
    [[nodiscard]] QString partWords(int part) const override { return readout(placeOf(part)); }
    [[nodiscard]] QRect partArea(int part) const override;
    [[nodiscard]] int partUnder(const QPoint& point) const override;
    [[nodiscard]] int chosenPart() const override;
    [[nodiscard]] QSize gridSize() const override { return {classes(), classes()}; }
    [[nodiscard]] QPoint placeOf(int part) const override {
        return {part % classes(), part / classes()};
    }
    [[nodiscard]] int partAt(int row, int column) const override {
        return row * classes() + column;
    }
    [[nodiscard]] QString rowHeading(int row) const override { return names_.value(row); }
    [[nodiscard]] QString columnHeading(int column) const override { return names_.value(column); }

    [[nodiscard]] int classes() const { return int(names_.size()); }
    [[nodiscard]] QString readout(const QPoint& cell) const;
    struct Geometry {
        QRectF cells;  ///< Where cells are seen.
        qreal side = 0;
        qreal margin = 0;  ///< Free at the left and at the right.
        QPointF origin;    ///< Of the first cell; beyond `cells` where they are zoomed.

        [[nodiscard]] QRectF cellRect(int truth, int prediction) const {
            return {origin.x() + prediction * side, origin.y() + truth * side, side, side};
        }
    };
    [[nodiscard]] Geometry layoutCells() const;
    [[nodiscard]] Geometry layoutCells(qreal label) const;
    [[nodiscard]] bool hasLabels(const Geometry& geometry) const;
    [[nodiscard]] QPoint cellAt(const QPointF& position) const;
    [[nodiscard]] QPoint firstSeen(const Geometry& geometry) const;
    [[nodiscard]] QPoint lastSeen(const Geometry& geometry) const;
    bool zoomByKey(int key);
    void choose(const QPoint& cell);
    void paintCells(QPainter& painter, const Geometry& geometry) const;
    void paintCell(QPainter& painter, const Geometry& geometry, int truth, int prediction,
                   bool isLegible) const;
    void paintPicture(QPainter& painter, const Geometry& geometry) const;
    void paintReadout(QPainter& painter, const Geometry& geometry) const;
    /// The small font, or what of it fits the largest count into a cell.
    [[nodiscard]] QFont countFont(qreal side) const;
    void paintAxes(QPainter& painter, const Geometry& geometry) const;

    QStringList names_;
    ConfusionCounts counts_;
    QPoint chosen_{-1, -1};  ///< x: prediction, y: truth.
    QPoint hovered_{-1, -1};
    QPoint marked_{-1, -1};
    double zoom_ = 1;
    QPointF shift_;  ///< Of the first cell from the corner, in points: never positive.
    QPointF dragFrom_{-1, -1};
    QPointF shiftFrom_;
    bool drags_ = false;
    mutable QImage
        picture_;  ///< What was painted last of cells too small to be painted one by one.
    mutable QRectF pictureOf_;
    mutable bool pictureIsDark_ = false;
};

}  // namespace lockstep::ui
