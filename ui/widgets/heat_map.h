// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVector>
#include <QWidget>
#include <optional>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

/// Many cells in named rows, each coloured by a value: as large as there is room for, short rows in
/// several columns, and a row that is too long goes on beneath itself. Arrow keys move the chosen
/// cell, Return or a click opens it; the chosen or hovered one is told in words below.
class HeatMap final : public QWidget, public AccessibleGrid {
    Q_OBJECT
public:
    struct Cell {
        QString name;                ///< Short: written into the cell where there is room.
        QString words;               ///< "process 5 on node-a: 12.4 ms".
        double value = 0;            ///< NaN: not known; only outlined.
        std::optional<int> phase{};  ///< Given: its colour, whatever the value.
        Tone tone = Tone::Neutral;   ///< Bad: crossed out; Warn: outlined.
        bool operator==(const Cell&) const = default;
    };
    struct Row {
        QString name;
        QVector<Cell> cells;
        bool operator==(const Row&) const = default;
    };
    /// What the palest and the strongest colour stand for, in words; `low` and `high` are values.
    struct Scale {
        double low = 0;
        double high = 1;
        QString lowWords;
        QString highWords;
        bool operator==(const Scale&) const = default;
    };

    explicit HeatMap(QWidget* parent = nullptr);

    /// Without a scale no legend is painted.
    void setRows(QVector<Row> rows, std::optional<Scale> scale);
    /// Counted through all rows; -1: none is chosen.
    void setCurrent(int cell);
    [[nodiscard]] int current() const { return current_; }
    [[nodiscard]] int cellCount() const { return int(cells_.size()); }
    /// Where a cell is painted.
    [[nodiscard]] QRectF cellRect(int cell) const;
    [[nodiscard]] QString readout() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void activated(int cell);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    // For who cannot see it.
    [[nodiscard]] int partCount() const override { return cellCount(); }
    [[nodiscard]] QString partWords(int part) const override { return cellAt(part).words; }
    [[nodiscard]] QRect partArea(int part) const override { return cellRect(part).toRect(); }
    [[nodiscard]] int chosenPart() const override { return current_; }
    [[nodiscard]] QSize gridSize() const override;
    [[nodiscard]] QPoint placeOf(int part) const override;
    [[nodiscard]] int partAt(int row, int column) const override;
    [[nodiscard]] QString rowHeading(int row) const override;
    [[nodiscard]] QString columnHeading(int /*column*/) const override { return {}; }

    struct Place {
        int row = 0;
        int inRow = 0;
    };
    [[nodiscard]] const Cell& cellAt(int cell) const;
    /// Cells side by side, where the rows stand in so many columns.
    [[nodiscard]] int across(int side, int columns) const;
    /// Where each row begins; the last one is the end of the longest column.
    [[nodiscard]] QVector<QPoint> placesOf(int side, int columns) const;
    [[nodiscard]] int heightOf(int side, int columns) const;
    void layOut();
    void choose(int cell);
    [[nodiscard]] int under(const QPointF& position) const;
    /// The cell above or below: the nearest of the next line.
    [[nodiscard]] int beside(int cell, int direction) const;
    void paintCell(QPainter& painter, int cell) const;
    void paintFooter(QPainter& painter) const;
    [[nodiscard]] QColor colourOf(const Cell& cell) const;

    QVector<Row> rows_;
    QVector<Place> cells_;
    std::optional<Scale> scale_;
    QVector<QPoint> places_;  ///< Of each row.
    int side_ = 0;
    int columns_ = 1;
    int labels_ = 0;  ///< Their width.
    int current_ = -1;
    int hovered_ = -1;
};

}  // namespace lockstep::ui
