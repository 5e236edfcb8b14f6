// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/parallel_axes.h"

#include <QMap>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/charts/paint/ticks.h"

namespace lockstep::ui {
namespace {

constexpr double kLogarithmicFrom = 20;  ///< The largest value by the smallest.
constexpr int kMostNamed = 8;            ///< So many values have a tick each.
constexpr int kTicks = 5;
constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();

struct Cell {
    QVariant value;
    QString words;
};

bool isNumber(const QVariant& value) {
    return value.userType() == QMetaType::Double;
}

QVector<Cell> cellsOf(const QAbstractItemModel& model, int column, int sortRole) {
    QVector<Cell> cells;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, column);
        QVariant value = index.data(sortRole);
        if (isNumber(value) && !std::isfinite(value.toDouble())) value = {};  // says nothing
        cells.append({value, index.data().toString()});
    }
    return cells;
}

/// Words in their order; numbers among them go by what is read.
void placeWords(const QVector<Cell>& cells, ParallelPlot::Axis& axis) {
    QMap<QString, double> places;
    for (const Cell& cell : cells) {
        if (cell.value.isValid()) places[cell.words] = 0;
    }
    double next = 0;
    for (auto place = places.begin(); place != places.end(); ++place) {
        place.value() = places.size() == 1 ? 0.5 : next++ / double(places.size() - 1);
        axis.ticks.append({place.value(), place.key()});
    }
    for (const Cell& cell : cells)
        axis.places.append(cell.value.isValid() ? places[cell.words] : kNowhere);
}

void placeNumbers(const QVector<Cell>& cells, ParallelPlot::Axis& axis) {
    QMap<double, QString> values;
    for (const Cell& cell : cells) {
        if (isNumber(cell.value)) values[cell.value.toDouble()] = cell.words;
    }
    const double low = values.firstKey();
    const double high = values.lastKey();
    // What is to be low, as a loss is, comes as its negative: up is better there, too.
    axis.isLogarithmic = low > 0    ? high / low >= kLogarithmicFrom
                         : high < 0 ? low / high >= kLogarithmicFrom
                                    : false;
    const auto scaled = [&](double value) {
        if (!axis.isLogarithmic) return value;
        return value > 0 ? std::log10(value) : -std::log10(-value);
    };
    const AxisRange range{scaled(low), scaled(high)};
    // Values that read alike, as two durations of 20 s, are not drawn as far apart as can be.
    const bool readsAlike =
        std::ranges::all_of(values, [&](const QString& words) { return words == values.first(); });
    const auto placeOf = [&](double value) {
        return high > low && !readsAlike
                   ? (scaled(value) - range.first) / (range.last - range.first)
                   : 0.5;
    };
    for (const Cell& cell : cells)
        axis.places.append(isNumber(cell.value) ? placeOf(cell.value.toDouble()) : kNowhere);
    if (values.size() <= kMostNamed || readsAlike) {
        for (auto value = values.begin(); value != values.end(); ++value)
            if (axis.ticks.isEmpty() || axis.ticks.back().words != value.value())
                axis.ticks.append({placeOf(value.key()), value.value()});
        return;
    }
    // The ends as they are read: a score's place may be another number than what is shown of it.
    axis.ticks = {{0, values.first()}, {1, values.last()}};
}

/// Where all cells begin with the same word, as "accuracy  98 %" does, that is the axis's.
QString takeCommonWord(QVector<Cell>& cells) {
    const QString gap = QStringLiteral("  ");
    QString word;
    for (const Cell& cell : cells) {
        if (!cell.value.isValid()) continue;
        const qsizetype end = cell.words.indexOf(gap);
        if (end < 0 || (!word.isEmpty() && cell.words.left(end) != word)) return {};
        word = cell.words.left(end);
    }
    for (Cell& cell : cells)
        if (cell.value.isValid()) cell.words.remove(0, word.size() + gap.size());
    return word;
}

}  // namespace

ParallelPlot::Axis axisOf(const QAbstractItemModel& model, int column, int sortRole) {
    ParallelPlot::Axis axis;
    axis.title = model.headerData(column, Qt::Horizontal).toString();
    QVector<Cell> cells = cellsOf(model, column, sortRole);
    const bool hasWords = std::any_of(cells.begin(), cells.end(), [](const Cell& cell) {
        return cell.value.isValid() && !isNumber(cell.value);
    });
    const bool hasNumbers = std::any_of(cells.begin(), cells.end(),
                                        [](const Cell& cell) { return isNumber(cell.value); });
    if (hasNumbers && !hasWords) {
        if (const QString word = takeCommonWord(cells); !word.isEmpty())
            axis.title += QStringLiteral(", ") + word;
        placeNumbers(cells, axis);
    } else {
        placeWords(cells, axis);
    }
    return axis;
}

}  // namespace lockstep::ui
