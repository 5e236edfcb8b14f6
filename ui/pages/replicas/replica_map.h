// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "ui/widgets/heat_map.h"

class QComboBox;

namespace lockstep::job {
struct ReplicaView;
}

namespace lockstep::ui {

class PhaseLegend;
class ReplicaTableModel;

/// All replicas at a glance, a row a host, coloured by one of their figures.
class ReplicaMap final : public QWidget {
    Q_OBJECT
public:
    enum Figure { Work, StepTime, Phase, Silence, Loss, Processor, Memory };

    explicit ReplicaMap(QWidget* parent = nullptr);

    void showReplicas(const ReplicaTableModel& model);
    [[nodiscard]] HeatMap& map() const { return *map_; }

Q_SIGNALS:
    /// A row of the model.
    void replicaChosen(int row);
    void figureChanged();

private:
    [[nodiscard]] Figure figure() const;
    [[nodiscard]] HeatMap::Cell cellOf(const job::ReplicaView& replica) const;
    [[nodiscard]] std::optional<HeatMap::Scale> scaleOf(const QVector<HeatMap::Row>& rows) const;
    [[nodiscard]] QString valueText(double value) const;

    void showPhases(const ReplicaTableModel& model);

    QComboBox* figure_;
    PhaseLegend* phases_;
    HeatMap* map_;
    QVector<int> modelRows_;  ///< Of the cells.
};

}  // namespace lockstep::ui
