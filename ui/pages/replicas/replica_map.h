// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariant>
#include <QWidget>

#include "ui/widgets/heat_map.h"

class QComboBox;

namespace lockstep::job {
struct ReplicaView;
}

namespace lockstep::ui {

class NamedValues;
class PhaseLegend;
class ReplicaTableModel;

/// All replicas at a glance, a row a host, coloured by one of their figures: of those that every
/// run has, or of those that its replicas report under names of their own.
class ReplicaMap final : public QWidget {
    Q_OBJECT
public:
    enum Figure { Work, StepTime, Phase, Silence, Loss, Accuracy, Processor, Memory, Named };

    explicit ReplicaMap(QWidget* parent = nullptr);

    void showReplicas(const ReplicaTableModel& model, const NamedValues& named);
    [[nodiscard]] HeatMap& map() const { return *map_; }
    /// By what they are coloured, for choose() of another map.
    [[nodiscard]] QVariant chosen() const;
    void choose(const QVariant& figure);
    /// The names go, but for the one that is chosen.
    void forgetNames();

Q_SIGNALS:
    /// A row of the model.
    void replicaChosen(int row);
    void figureChanged();

private:
    void buildChoice();
    void addName(const QString& name);
    void matchNames(const NamedValues& named);
    [[nodiscard]] Figure figure() const;
    /// The named figure that is chosen, as in files.
    [[nodiscard]] std::string name() const;
    [[nodiscard]] HeatMap::Cell cellOf(const job::ReplicaView& replica,
                                       const NamedValues& named) const;
    [[nodiscard]] double namedValue(const job::ReplicaView& replica, const NamedValues& named,
                                    QStringList& words) const;
    [[nodiscard]] std::optional<HeatMap::Scale> scaleOf(const QVector<HeatMap::Row>& rows) const;
    [[nodiscard]] QString valueText(double value) const;

    void showPhases(const ReplicaTableModel& model);

    QComboBox* figure_;
    PhaseLegend* phases_;
    HeatMap* map_;
    QString unit_;                ///< Of the named figure that is shown.
    std::size_t namesKnown_ = 0;  ///< Of those that have come, in their order.
    QVector<int> modelRows_;      ///< Of the cells.
};

}  // namespace lockstep::ui
