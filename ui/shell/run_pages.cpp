// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_pages.h"

#include "ui/charts/surface/chart_group.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/models/run_starts.h"
#include "ui/pages/evaluator/evaluation_details.h"
#include "ui/pages/evaluator/evaluator_desk.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/pages/live/live_page.h"
#include "ui/pages/logs/logs_page.h"
#include "ui/pages/replicas/replicas_page.h"

namespace lockstep::ui {

RunPages::RunPages(const JobServices& services, QWidget* place)
    : networks_(services),
      live_(new LivePage(place)),
      replicas_(new ReplicasPage(replicaTable_, log_, place)),
      evaluator_(new EvaluatorDesk(evaluations_, networks_, place)),
      logs_(new LogsPage(log_, place)) {
    evaluator_->scores().details().setSampleReader(services.scoreSamples);
    evaluator_->scores().details().setAsker(services.askCheckpoints);
    connect(live_, &LivePage::markChosen, this, &RunPages::follow);
    connect(logs_, &LogsPage::momentChosen, this, [this](double wallTime, bool shows) {
        live_->showMoment(wallTime);
        if (shows) Q_EMIT liveWanted();
    });
}

RunPages::~RunPages() {
    for (QWidget* page : pages())
        delete page;
}

/// To where more is to be seen of what a chart marks.
void RunPages::follow(const AxisMark& mark) {
    if (mark.kind == AxisMark::Kind::Checkpoint) {
        evaluator_->showCheckpoint(mark.step);
        Q_EMIT evaluatorWanted();
    } else if (mark.wallTime > 0) {
        Q_EMIT momentWanted(mark.wallTime);
    }
}

std::array<QWidget*, 4> RunPages::pages() const {
    return {live_.data(), replicas_.data(), evaluator_.data(), logs_.data()};
}

LivePage& RunPages::live() const {
    return *live_;
}

ReplicasPage& RunPages::replicas() const {
    return *replicas_;
}

EvaluatorDesk& RunPages::evaluator() const {
    return *evaluator_;
}

LogsPage& RunPages::logs() const {
    return *logs_;
}

void RunPages::reset() {
    replicaTable_.update({});
    evaluations_.update({});
    log_.clear();
    live_->reset();
    replicas_->reset();
    evaluator_->reset();
}

void RunPages::beginAnew() {
    const ChartGroup& charts = live_->chart(LiveFeed::Loss).group();
    if (!charts.isFollowing()) zoomed_ = charts.xRange();
    live_->reset();
    replicas_->forgetSteps();
    evaluator_->reset();
}

void RunPages::finish() {
    if (zoomed_) live_->chart(LiveFeed::Loss).group().setXRange(*std::exchange(zoomed_, {}));
}

void RunPages::lookLike(const RunPages& other) {
    live_->lookLike(*other.live_);
    replicas_->lookLike(*other.replicas_);
}

void RunPages::showView(const View& view) {
    replicaTable_.update(view->replicas);
    evaluations_.update(view->evaluations);
    live_->showView(*view);
    replicas_->setStarts(stepsBeforeStarts(*view));
    evaluator_->showView(view);
    if (replicas_->isVisible()) replicas_->refreshPanel();
}

void RunPages::addSteps(const std::vector<job::StepColumns>& steps) {
    live_->addSteps(steps);
    replicas_->addSteps(steps);
}

void RunPages::addScalars(const std::vector<job::ScalarColumns>& scalars) {
    live_->addScalars(scalars);
    replicas_->addScalars(scalars);
}

void RunPages::add(const job::Arrivals& arrivals) {
    if (!arrivals.steps.empty()) addSteps(arrivals.steps);
    if (!arrivals.scalars.empty()) addScalars(arrivals.scalars);
    if (!arrivals.heartbeats.empty()) live_->addHeartbeats(arrivals.heartbeats);
    if (!arrivals.loads.empty()) live_->addLoads(arrivals.loads);
}

}  // namespace lockstep::ui
