// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/replica_outliers.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep::ui {
namespace {

constexpr double kKept = 0.98;  // of what was known, by each step: about the last fifty count
constexpr int kLeastSteps = 30;
constexpr double kSlow = 1.25;  // times the others' work
constexpr double kFar = 6;      // times the usual distance of a loss from the middle one
constexpr double kStays = 0.6;  // of the way there, for who stood out
constexpr std::size_t kMost = 6;
constexpr double kGone = 1e6;  // worse than any slowness
constexpr double kLate = 1e3;

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

void ReplicaOutliers::Lately::add(double value) {
    if (!std::isfinite(value)) return;
    sum = sum * kKept + value;
    weight = weight * kKept + 1;
}

void ReplicaOutliers::reset() {
    replicas_.clear();
}

void ReplicaOutliers::add(const job::StepColumns& columns) {
    if (columns.replica < 0) return;
    const auto replica = std::size_t(columns.replica);
    if (replica >= replicas_.size()) replicas_.resize(replica + 1);
    Replica& mine = replicas_[replica];
    const auto& waits = columns.phaseMicroseconds[std::size_t(job::Phase::AllReduce)];
    for (std::size_t i = 0; i < columns.stepMicroseconds.size(); ++i) {
        const float wait = i < waits.size() ? waits[i] : 0.0F;
        mine.work.add(double(columns.stepMicroseconds[i] - wait));
        if (i < columns.loss.size()) mine.loss.add(double(columns.loss[i]));
        ++mine.steps;
    }
}

std::vector<int> ReplicaOutliers::find(const job::RunView& view) {
    // A run that goes on with fewer has no word of the others any more.
    const auto rowOf = [&view](std::size_t replica) {
        return std::ranges::find(view.replicas, int(replica), &job::ReplicaView::replica);
    };
    std::vector<double> works;
    std::vector<double> losses;
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
        if (replicas_[i].steps < kLeastSteps || rowOf(i) == view.replicas.end()) continue;
        works.push_back(replicas_[i].work.mean());
        losses.push_back(replicas_[i].loss.mean());
    }
    const double work = median(works);
    const double loss = median(losses);
    for (double& each : losses)
        each = std::abs(each - loss);
    const double usual = median(losses);

    // How far each is beyond what is usual; 1: it stands out.
    std::vector<std::pair<double, int>> found;
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
        Replica& replica = replicas_[i];
        const auto seen = rowOf(i);
        if (seen == view.replicas.end()) continue;
        double beyond = 0;
        if (replica.steps >= kLeastSteps && work > 0)
            beyond = (replica.work.mean() / work - 1) / (kSlow - 1);
        if (replica.steps >= kLeastSteps && usual > 0)
            beyond = std::max(beyond, std::abs(replica.loss.mean() - loss) / (kFar * usual));
        if (seen->liveness == job::Liveness::Lost) beyond += kGone;
        if (seen->liveness == job::Liveness::Late) beyond += kLate;
        replica.stoodOut = beyond >= (replica.stoodOut ? kStays : 1);
        if (replica.stoodOut) found.emplace_back(-beyond, int(i));
    }
    std::ranges::sort(found);
    std::vector<int> worst;
    for (std::size_t i = 0; i < std::min(kMost, found.size()); ++i)
        worst.push_back(found[i].second);
    return worst;
}

}  // namespace lockstep::ui
