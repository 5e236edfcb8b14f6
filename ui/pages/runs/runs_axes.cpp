// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/runs/runs_axes.h"

#include <QItemSelectionModel>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/parallel_axes.h"
#include "ui/models/runs_filter_model.h"
#include "ui/models/runs_model.h"
#include "ui/pages/runs/selected_rows.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/parallel_plot.h"

namespace lockstep::ui {

using Column = RunsModel::Column;

RunsAxes::RunsAxes(const RunsModel& model, RunsFilterModel& filtered,
                   QItemSelectionModel& selection, QWidget* parent)
    : QWidget(parent),
      model_(model),
      filtered_(filtered),
      selection_(selection),
      plot_(new ParallelPlot(this)),
      instead_(new QLabel(this)) {
    plot_->setObjectName(QStringLiteral("runsPlot"));
    instead_->setObjectName(QStringLiteral("runsPlotInstead"));
    instead_->setAlignment(Qt::AlignCenter);
    instead_->setWordWrap(true);
    instead_->setProperty("secondary", true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kGrid, kGrid, kGrid, 0);
    layout->addWidget(plot_, 1);
    layout->addWidget(instead_, 1);
    setFocusProxy(plot_);
    connect(plot_, &ParallelPlot::chosenByUser, this, &RunsAxes::choose);
    connect(plot_, &ParallelPlot::opened, this, [this](int line) {
        Q_EMIT runChosen(filtered_.index(line, 0).data(RunsModel::FolderRole).toString());
    });
    connect(&selection_, &QItemSelectionModel::selectionChanged, this, &RunsAxes::showChoice);
    connect(&filtered_, &QAbstractItemModel::layoutChanged, this, [this] {
        if (isVisible()) refresh();
    });
}

void RunsAxes::offer(const QList<QAction*>& actions) {
    plot_->addActions(actions);
    plot_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

/// Those that tell the runs apart, and of what came of them those that any run says.
QVector<int> RunsAxes::columns() const {
    const auto values = [this](int column) {
        QSet<QString> found;
        for (int row = 0; row < filtered_.rowCount(); ++row) {
            const QModelIndex index = filtered_.index(row, column);
            if (index.data(RunsModel::SortRole).isValid()) found.insert(index.data().toString());
        }
        return found.size();
    };
    QVector<int> all;
    for (int column = int(Column::Count); column < filtered_.columnCount(); ++column)
        if (values(column) > 1) all << column;
    for (const Column result : {Column::Took, Column::Validation, Column::Score})
        if (values(int(result)) > 1) all << int(result);
    return all;
}

void RunsAxes::refresh() {
    const int runs = filtered_.rowCount();
    const QVector<int> shown = runs <= kMostRuns ? columns() : QVector<int>();
    QVector<ParallelPlot::Axis> axes;
    QStringList names;
    if (shown.size() > 1) {
        for (const int column : shown)
            axes << axisOf(filtered_, column, RunsModel::SortRole);
        for (int row = 0; row < runs; ++row) {
            QStringList words{RunsModel::titleOf(
                model_.runAt(filtered_.mapToSource(filtered_.index(row, 0)).row()))};
            for (qsizetype i = 0; i < shown.size(); ++i)
                words << filtered_.headerData(shown[i], Qt::Horizontal).toString() +
                             QLatin1Char(' ') + filtered_.index(row, shown[i]).data().toString();
            names << words.join(QStringLiteral("  ·  "));
        }
    }
    const int last = int(shown.size()) - 1;
    const bool endsInScore =
        last >= 0 && (shown[last] == int(Column::Score) || shown[last] == int(Column::Validation));
    plot_->setAxes(axes, names, endsInScore && !axes.isEmpty() ? last : -1);
    plot_->setVisible(!axes.isEmpty());
    instead_->setVisible(axes.isEmpty());
    instead_->setText(
        runs > kMostRuns
            ? tr("%1 runs are too many lines; type above what they are to have, until %2 are left.")
                  .arg(units::count(runs), units::count(kMostRuns))
            : tr("Axes need two runs or more that differ in two settings or results, or more. "
                 "Columns, above, chooses the settings."));
    showChoice();
}

void RunsAxes::showChoice() {
    const QVector<int> rows = selectedRows(selection_);
    plot_->setChosen({rows.begin(), rows.end()});
}

/// Rows that are neighbours make one range: each is held against each other one.
void RunsAxes::choose(const QSet<int>& lines) {
    QVector<int> rows(lines.begin(), lines.end());
    std::sort(rows.begin(), rows.end());
    // While words are typed, the lines are those of a moment ago.
    rows.erase(std::lower_bound(rows.begin(), rows.end(), filtered_.rowCount()), rows.end());
    QItemSelection selection;
    for (qsizetype first = 0, next = 0; first < rows.size(); first = next) {
        for (next = first + 1; next < rows.size() && rows[next] == rows[next - 1] + 1;)
            ++next;
        selection.append({filtered_.index(rows[first], 0), filtered_.index(rows[next - 1], 0)});
    }
    selection_.select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!rows.isEmpty())
        selection_.setCurrentIndex(filtered_.index(rows.front(), 0), QItemSelectionModel::NoUpdate);
    Q_EMIT chosenByUser();
}

}  // namespace lockstep::ui
