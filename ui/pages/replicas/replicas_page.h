// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QVector>
#include <QWidget>

#include "core/job/fold/session.h"
#include "ui/models/named_values.h"

class QSortFilterProxyModel;
class QTableView;
class QVBoxLayout;

namespace lockstep::ui {

class EmptyState;
class LogModel;
class PhaseLegend;
class ReplicaMap;
class ReplicaPanel;
class ReplicaTableModel;
class SegmentedControl;

/// All replicas and the evaluator in a table that shows as many rows as fit, with a legend of the
/// phases beneath; more than a table can show at a glance as a map. The chosen one opens its
/// details at the side.
class ReplicasPage final : public QWidget {
    Q_OBJECT
public:
    ReplicasPage(ReplicaTableModel& model, LogModel& log, QWidget* parent = nullptr);

    void reset();
    /// What the user has chosen there is chosen here, too: table or map, and the map's figure.
    void lookLike(const ReplicasPage& other);
    /// They come anew; what is chosen stays chosen.
    void forgetSteps();
    /// By start, the step that it goes on behind: what was said of later ones is undone.
    void setStarts(const std::vector<std::int64_t>& stepsBefore) { named_.setStarts(stepsBefore); }
    /// Keeps the newest steps of each replica for the details.
    void addSteps(const std::vector<job::StepColumns>& steps);
    /// Keeps what each replica said last, for the map.
    void addScalars(const std::vector<job::ScalarColumns>& scalars);
    [[nodiscard]] ReplicaMap& map() const { return *map_; }
    /// After the models were updated.
    void refreshPanel();
    /// The run goes on: a drill may be made in the process whose details are shown.
    void offerDrills(bool on);

Q_SIGNALS:
    void drillRequested(int process);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct History {
        QVector<float> losses;
        QVector<float> stepMilliseconds;
    };

    void buildTable();
    void buildLayout();
    QWidget* buildHint();
    void buildMap();
    void showMap(bool on);
    void refreshMap();
    void chooseRow(int row);
    void showRows();
    [[nodiscard]] int extraForStates() const;
    void showPanel(bool on);
    void closePanel();
    [[nodiscard]] const job::ReplicaView* chosen() const;

    ReplicaTableModel& model_;
    LogModel& log_;
    QHash<int, History> history_;
    NamedValues named_;
    QSortFilterProxyModel* sorted_ = nullptr;
    QTableView* table_ = nullptr;
    QWidget* tableCard_ = nullptr;
    QWidget* mapCard_ = nullptr;
    ReplicaMap* map_ = nullptr;
    SegmentedControl* form_ = nullptr;
    bool isFormChosen_ = false;  ///< By the user: table or map.
    ReplicaPanel* panel_ = nullptr;
    EmptyState* empty_ = nullptr;
    QWidget* content_ = nullptr;
    QWidget* hint_ = nullptr;
    PhaseLegend* legend_ = nullptr;
    QVBoxLayout* left_ = nullptr;
};

}  // namespace lockstep::ui
