// SPDX-License-Identifier: Apache-2.0
// A tied launch that goes on without a host: it is not reached for as long as a launch is patient,
// and no spare takes its place.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/job/source/remote_names.h"
#include "core/job/source/remote_source.h"
#include "core/launch/host/fewer_hosts.h"

namespace lockstep::job {

/// Whether the host's part is done by those that are left, or looked into whether it can be. False:
/// the launch ends; why, where the job would have it otherwise, is in `fewerProblem_`.
bool RemoteSource::leavesBehind(const launch::RemoteFailure& failure) {
    const launch::RemoteOrder& order = *this->order();
    fewerProblem_.clear();
    const auto plan = std::ranges::find(order.plan, failure.host, &launch::HostPlan::host);
    if (plan == order.plan.end() || launch::leastProcessesOf(order.config.job_toml()) == 0)
        return false;
    if (!failure.isUnreached && broughtBy(failure.host) == nullptr) return false;
    if (order.takeover && failure.host == order.takeover->copyHost) {
        fewerProblem_ = "it alone has a copy of the run";
        return false;
    }
    auto fewer = launch::orderWithout(order, static_cast<std::size_t>(plan - order.plan.begin()));
    if (!fewer) {
        fewerProblem_ = fewer.error().message;
        return false;
    }
    run_.reset();
    unreached_ = failure;
    fewer_ = std::move(*fewer);
    plan == order.plan.begin() ? seekHome() : goOnWithFewer();
    return true;
}

void RemoteSource::endOrLeaveBehind(const launch::RemoteFailure& failure) {
    if (!leavesBehind(failure)) endWithoutStart(failure);
}

/// Process 0's host is lost: the next one in its place has the copy of the run's folder, or must
/// see the folder itself.
void RemoteSource::seekHome() {
    const std::string& home = fewer_->plan.front().host;
    fewer_->takeover.reset();
    if (copyHost() == home) {
        const wire::CheckpointCopy& copy = *ledger_.copy();
        fewer_->resumedDir = copy.path();
        placeSince_ = runIds_.size();  // where the lost host has the folder, it is not the run's
        warnings_.push_back(fmt::format(
            "the run goes on in the copy that {} has, in {}, which had the checkpoint "
            "of step {}; the logs and event files of {} stay there",
            home, copy.path(), copy.step(), fewer_->config.left_hosts().rbegin()->host()));
        return goOnWithFewer();
    }
    next_->replaced(SteadyClock::read());
}

void RemoteSource::lookAtHome() {
    launch::SpareNeeds needs = spareNeedsOf(order()->plan.front());
    needs.gpus = 0;  // it has those of its own processes
    needs.mayTakeCopy = false;
    homeLook_ = std::make_unique<launch::SpareSearch>(
        std::vector<std::string>{fewer_->plan.front().host}, std::move(needs),
        launch::SpareSearch::Extent::UntilOneFits, options_.makeLinks);
}

/// Again and again, for as long as a launch is patient: it may be slow to answer, and what was lost
/// may hold the folder for a while.
void RemoteSource::awaitHome(Nanos timeout) {
    if (asked()) {
        homeLook_.reset();
        fewer_.reset();
        return;
    }
    const std::string home = fewer_->plan.front().host;
    if (!homeLook_ && next_->isDue(SteadyClock::read())) lookAtHome();
    if (!homeLook_ || !homeLook_->isDone()) {
        status_.link = {
            false, false,
            fmt::format("{}; looking whether {} sees the run's folder", next_->loss(), home)};
        std::this_thread::sleep_for(
            std::min<Nanos>(timeout, Millis(50)));  // a stop may be asked for
        return;
    }
    const std::vector<launch::SpareFacts> found = homeLook_->take();
    homeLook_.reset();
    if (!found.empty() && found.front().problem.empty()) return goOnWithFewer();
    if (!found.empty())
        fewerProblem_ = fmt::format("{} cannot take the place of process 0's host: {}", home,
                                    withoutHost(found.front().problem, home));
    if (!next_->triesAgain(SteadyClock::read())) endWithoutStart(*unreached_);
}

/// It is due at once, and as patient as the first one: another host may be lost, too.
void RemoteSource::goOnWithFewer() {
    *order() = std::move(*fewer_);
    fewer_.reset();
    unreachedSince_.clear();
    failedStarts_.clear();
    spareProblems_.clear();
    next_->replaced(SteadyClock::read());
}

}  // namespace lockstep::job
