// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QVector>
#include <QWidget>

namespace lockstep::ui {

/// How often each truth was predicted as each class: rows are truths, columns predictions.
/// Arrow keys move the chosen cell; the chosen or hovered cell is told in words below.
class ConfusionMatrix final : public QWidget {
    Q_OBJECT
public:
    explicit ConfusionMatrix(QWidget* parent = nullptr);

    /// `counts`: classes x classes, row-major. Ignored when the sizes do not match.
    void setCounts(const QStringList& classNames, QVector<quint32> counts);
    void clear();
    /// Outlined while the samples of it alone are shown; x: prediction, y: truth; -1, -1: none.
    void setMarked(const QPoint& cell);
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

private:
    struct Geometry {
        QRectF cells;
        qreal side = 0;
        qreal margin = 0;  ///< Free at the left and at the right.
    };
    [[nodiscard]] Geometry layoutCells() const;
    [[nodiscard]] QPoint cellAt(const QPointF& position) const;
    [[nodiscard]] quint32 countAt(int truth, int prediction) const;
    void choose(const QPoint& cell);
    void paintCells(QPainter& painter, const Geometry& geometry) const;
    void paintReadout(QPainter& painter, const Geometry& geometry) const;
    /// The small font, or what of it fits the largest count into a cell.
    [[nodiscard]] QFont countFont(qreal side) const;
    void paintAxes(QPainter& painter, const Geometry& geometry) const;

    QStringList names_;
    QVector<quint32> counts_;
    QVector<quint64> rowSums_;
    QPoint chosen_{-1, -1};  ///< x: prediction, y: truth.
    QPoint hovered_{-1, -1};
    QPoint marked_{-1, -1};
};

}  // namespace lockstep::ui
