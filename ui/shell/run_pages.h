// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QPointer>
#include <array>
#include <filesystem>
#include <memory>

#include "core/job/fold/arrivals.h"
#include "core/job/logs/log_book.h"
#include "ui/bridge/network_bridge.h"
#include "ui/bridge/session_bridge.h"
#include "ui/charts/paint/axis_mark.h"
#include "ui/charts/paint/axis_range.h"
#include "ui/models/evaluation_model.h"
#include "ui/models/log_model.h"
#include "ui/models/replica_table_model.h"

class QWidget;

namespace lockstep::ui {

class EvaluatorDesk;
class LivePage;
class LogsPage;
class ReplicasPage;

/// The pages that show a run, and what they show: of the present, or of a moment in its past.
class RunPages final : public QObject {
    Q_OBJECT
public:
    /// `place`: what the pages lie in.
    RunPages(const JobServices& services, QWidget* place);
    ~RunPages() override;

    void reset();
    /// Another moment of the same run comes, from its beginning: what the user has chosen and
    /// zoomed into stays, where it is there then. finish() follows behind all of it.
    void beginAnew();
    void finish();
    /// As the user has left the others of this run: what is simple to carry from there.
    void lookLike(const RunPages& other);
    void showView(const View& view);
    void addSteps(const std::vector<job::StepColumns>& steps);
    void addScalars(const std::vector<job::ScalarColumns>& scalars);
    /// But for the lines, which log() follows.
    void add(const job::Arrivals& arrivals);

    /// In the order of the window's pages.
    [[nodiscard]] std::array<QWidget*, 4> pages() const;
    [[nodiscard]] LivePage& live() const;
    [[nodiscard]] ReplicasPage& replicas() const;
    [[nodiscard]] EvaluatorDesk& evaluator() const;
    [[nodiscard]] LogsPage& logs() const;
    [[nodiscard]] LogModel& log() { return log_; }
    [[nodiscard]] ReplicaTableModel& replicaTable() { return replicaTable_; }
    [[nodiscard]] EvaluationModel& evaluations() { return evaluations_; }

Q_SIGNALS:
    /// The moment of a log line was marked on Live, which is to be seen.
    void liveWanted();
    /// A checkpoint was chosen on the Evaluator's page, which is to be seen.
    void evaluatorWanted();
    /// The run is to be seen as it was then, in seconds since 1970.
    void momentWanted(double wallTime);

private:
    void follow(const AxisMark& mark);

    NetworkBridge networks_;
    ReplicaTableModel replicaTable_;
    LogModel log_;
    EvaluationModel evaluations_;
    QPointer<LivePage> live_;  ///< The window may take them down first.
    QPointer<ReplicasPage> replicas_;
    QPointer<EvaluatorDesk> evaluator_;
    QPointer<LogsPage> logs_;
    std::optional<AxisRange> zoomed_;  ///< What the charts are to show again.
};

}  // namespace lockstep::ui
