// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAccessible>
#include <QPoint>
#include <QRect>

class QWidget;

namespace lockstep::ui {

/// Says what a widget that paints itself is to who cannot see it: Qt knows only that it is one. To
/// be said before the widget is named. What it has inside, it tells as one of the classes below.
void setAccessibleRole(QWidget& widget, QAccessible::Role role);

/// A figure from 0 to its limit.
class AccessibleFigure {
public:
    [[nodiscard]] virtual double figure() const = 0;
    [[nodiscard]] virtual double figureLimit() const = 0;
    /// What a screen reader's user asks for; a figure that is only shown stays.
    virtual void wantFigure(double /*figure*/) {}

protected:
    ~AccessibleFigure() = default;
};

/// Parts that are painted, not widgets: what each says and where it is, and which one is chosen.
/// Items of a list, tabs, or cells, by the widget's role.
class AccessibleParts {
public:
    [[nodiscard]] virtual int partCount() const = 0;
    [[nodiscard]] virtual QString partWords(int part) const = 0;
    [[nodiscard]] virtual QRect partArea(int part) const = 0;
    /// -1: none. Where there may be very many, not by going through all of them.
    [[nodiscard]] virtual int partUnder(const QPoint& point) const {
        for (int part = 0; part < partCount(); ++part)
            if (partArea(part).contains(point)) return part;
        return -1;
    }
    /// -1: none.
    [[nodiscard]] virtual int chosenPart() const = 0;

protected:
    ~AccessibleParts() = default;
};

/// Parts in rows and columns, a table.
class AccessibleGrid : public AccessibleParts {
public:
    /// Columns and rows.
    [[nodiscard]] virtual QSize gridSize() const = 0;
    /// Column and row of a part.
    [[nodiscard]] virtual QPoint placeOf(int part) const = 0;
    /// -1: there is none, where a row is shorter than others.
    [[nodiscard]] virtual int partAt(int row, int column) const = 0;
    [[nodiscard]] virtual QString rowHeading(int row) const = 0;
    [[nodiscard]] virtual QString columnHeading(int column) const = 0;

protected:
    ~AccessibleGrid() = default;
};

/// Another part is chosen: it is read out where the keyboard is in the widget.
void tellChosenPart(QWidget& widget);

}  // namespace lockstep::ui
