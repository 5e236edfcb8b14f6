// SPDX-License-Identifier: Apache-2.0
// Hosts that take the place of one that a tied launch has lost and does not reach again.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/job/source/remote_names.h"
#include "core/job/source/remote_source.h"
#include "core/launch/host/fewer_hosts.h"
#include "core/launch/host/host_replacement.h"
#include "core/launch/host/lease.h"

namespace lockstep::job {

namespace {

constexpr int kStartsOfASpare = 2;  ///< The first may fail for what passes.

std::vector<std::string> namesOf(const std::vector<launch::SpareHost>& spares) {
    std::vector<std::string> names;
    for (const launch::SpareHost& spare : spares)
        names.push_back(spare.host);
    return names;
}

const launch::HostPlan& fullestOf(const std::vector<launch::HostPlan>& plans) {
    return *std::ranges::max_element(
        plans, {}, [](const launch::HostPlan& plan) { return plan.processes.size(); });
}

bool asksForCopies(const std::string& jobToml) {
    const auto job = config::JobDocument::parse(jobToml, "job.toml");
    return job && job->spec().checkpoint.copies > 1 && !job->spec().launch.runsOwnProgram();
}

}  // namespace

std::string RemoteSource::takeWarning() {
    if (warnings_.empty()) return {};
    std::string warning = std::move(warnings_.front());
    warnings_.pop_front();
    return warning;
}

launch::SpareNeeds RemoteSource::spareNeedsOf(const launch::HostPlan& plan) {
    const launch::RemoteOrder& order = *this->order();
    launch::SpareNeeds needs{order.examination, 0, runDir_, {}, false};
    needs.runIds.assign(runIds_.begin() + static_cast<std::ptrdiff_t>(placeSince_), runIds_.end());
    if (const auto job = config::JobDocument::parse(order.config.job_toml(), "job.toml"))
        needs.gpus = launch::gpusNeeded(plan, job->spec(), ledger_.device() == "gpu");
    needs.mustSeeRun = plan.host == order.plan.front().host;
    needs.mayTakeCopy = needs.mustSeeRun && copyHost().has_value();
    return needs;
}

/// The host of the plan that has the newest copy of the run's folder, where that was seen by
/// process 0's host alone.
std::optional<std::string> RemoteSource::copyHost() {
    const auto& copy = ledger_.copy();
    const std::vector<launch::HostPlan>& plan = order()->plan;
    if (!copy || isSeenHere_) return std::nullopt;
    const auto keeper =
        std::find_if(plan.begin() + 1, plan.end(),
                     [&](const launch::HostPlan& one) { return one.host == copy->host(); });
    return keeper == plan.end() ? std::nullopt : std::optional(copy->host());
}

/// Where the spare, in process 0's place, does not see the run's folder, it goes on from the copy.
/// It gets a folder that nobody has: where the lost host, or one that has kept copies before, comes
/// back, what it has of the run is older, and stays as it is.
void RemoteSource::decideTakeover(const launch::SpareFacts& spare) {
    launch::RemoteOrder& order = *this->order();
    const auto former = std::exchange(order.takeover, std::nullopt);
    const auto keeper = copyHost();
    if (spare.seesRun || !keeper) return;
    launch::CopyTakeover& takeover = order.takeover.emplace(former.value_or(launch::CopyTakeover(
        {"", unreached_->host, order.folderName + "-" + randomHex(4), runIds_, 0})));
    takeover.copyHost = *keeper;
    takeover.trainedTo = ledger_.trainedTo();
}

/// Who sees to lost hosts is the launcher that a run is tied to.
void RemoteSource::tellWhatDetachedRunsLack() {
    const auto* order = this->order();
    if (order == nullptr || order->tied) return;
    if (!order->spares.empty())
        warnings_.emplace_back(
            "this run is detached: no host of launch.spares takes the place of a lost one, as in a "
            "run that is tied to its launcher");
    if (launch::leastProcessesOf(order->config.job_toml()) > 0)
        warnings_.emplace_back(
            "this run is detached: it does not go on without a lost host (launch.least_processes), "
            "as a run does that is tied to its launcher");
}

/// Once the run trains: what it computes on is known then. A spare that is of no use is better
/// known before it is needed.
void RemoteSource::lookAtSpares() {
    const auto* order = this->order();
    if (look_ && look_->isDone()) {
        tellOfSpares(look_->take());
        look_.reset();
    }
    if (lookedAtSpares_ || order == nullptr || !order->tied || order->spares.empty() ||
        ledger_.device().empty())
        return;
    lookedAtSpares_ = true;
    launch::SpareNeeds needs = spareNeedsOf(fullestOf(order->plan));
    needs.mustSeeRun = false;
    look_ =
        std::make_unique<launch::SpareSearch>(namesOf(order->spares), std::move(needs),
                                              launch::SpareSearch::Extent::All, options_.makeLinks);
}

void RemoteSource::tellOfSpares(const std::vector<launch::SpareFacts>& spares) {
    for (const launch::SpareFacts& spare : spares) {
        if (!spare.problem.empty())
            warnings_.push_back(fmt::format(
                "spare {} could not take the place of a host{}: {}", spare.host,
                spare.lacksGpus ? " with as many processes as " + fullestOf(order()->plan).host
                                : "",
                withoutHost(spare.problem, spare.host)));
        else if (!spare.seesRun)
            warnings_.push_back(
                fmt::format("spare {} does not see the run's folder {}: it can take the place of "
                            "any host but {}, where process 0 is{}",
                            spare.host, runDir_, order()->plan.front().host,
                            !isSeenHere_ && asksForCopies(order()->config.job_toml())
                                ? ", and of that one with a copy that another host has"
                                : ""));
    }
}

/// Until the agent of a host that was cut off has ended by its lease.
Nanos RemoteSource::untilItHasEnded() {
    return launch::leaseWithinBounds(order()->leaseSeconds) + options_.patience.ofTheLost;
}

Nanos RemoteSource::spareAfter() {
    return std::max(toNanos(order()->spareAfterSeconds), untilItHasEnded());
}

/// How the host has come into the next start, where it is a spare that nothing has trained on yet.
wire::HostReplacement* RemoteSource::broughtBy(const std::string& host) {
    wire::AgentConfig& config = order()->config;
    const auto restart = static_cast<std::uint32_t>(config.failures_before_size());
    for (wire::HostReplacement& one : *config.mutable_replaced_hosts())
        if (one.restart() == restart && one.spare() == host) return &one;
    return nullptr;
}

/// Counts the failed starts of a spare that has passed the look: whether it is shown that it cannot
/// join all the same.
bool RemoteSource::givesUpSpare(const launch::RemoteFailure& failure) {
    if (broughtBy(failure.host) == nullptr) return false;
    if (++failedStarts_[failure.host] < kStartsOfASpare) return false;
    if (failedStarts_[failure.host] == kStartsOfASpare)
        warnings_.push_back(fmt::format("spare {} could not join: {}", failure.host,
                                        withoutHost(failure.error.message, failure.host)));
    return true;
}

/// Whether another host is looked for in the place of the one that the failed start did not reach,
/// or of a spare that has failed to take such a place.
bool RemoteSource::seeksSpare(const launch::RemoteFailure& failure) {
    const launch::RemoteOrder& order = *this->order();
    const Nanos now = SteadyClock::read();
    const bool givesUp = givesUpSpare(failure);
    if (!failure.isUnreached) unreachedSince_.clear();  // all were reached
    if (!failure.isUnreached && !givesUp) return false;
    if (order.takeover && failure.host == order.takeover->copyHost) return false;
    const Nanos since = unreachedSince_.try_emplace(failure.host, now).first->second;
    if (!givesUp && now - since < spareAfter()) return false;
    std::vector<std::string> spares = namesOf(order.spares);
    std::erase_if(spares, [this](const std::string& spare) {
        const auto failed = failedStarts_.find(spare);
        return failed != failedStarts_.end() && failed->second >= kStartsOfASpare;
    });
    const auto plan = std::ranges::find(order.plan, failure.host, &launch::HostPlan::host);
    if (spares.empty() || plan == order.plan.end()) return false;
    run_.reset();
    unreached_ = failure;
    search_ = std::make_unique<launch::SpareSearch>(std::move(spares), spareNeedsOf(*plan),
                                                    launch::SpareSearch::Extent::UntilOneFits,
                                                    options_.makeLinks);
    return true;
}

Result<void> RemoteSource::awaitSpare(Nanos timeout) {
    if (asked()) return search_.reset(), Result<void>();
    if (!search_->isDone()) {
        status_.link = {false, false, next_->loss() + "; " + search_->progress()};
        std::this_thread::sleep_for(
            std::min<Nanos>(timeout, Millis(50)));  // a stop may be asked for
        return {};
    }
    const std::vector<launch::SpareFacts> found = search_->take();
    search_.reset();
    std::string problems;
    for (const launch::SpareFacts& spare : found) {
        if (spare.problem.empty()) return replaceUnreached(spare);
        problems += fmt::format("{}spare {}: {}", problems.empty() ? "" : "; ", spare.host,
                                withoutHost(spare.problem, spare.host));
    }
    if (problems != spareProblems_)
        warnings_.push_back(
            fmt::format("no spare can take the place of {} now: {}", unreached_->host, problems));
    spareProblems_ = std::move(problems);
    if (!triesAgain(nameOf(*unreached_))) endOrLeaveBehind(*unreached_);
    return {};
}

/// What a spare that is given up may have begun from the copy ends with its lease, as everywhere.
Result<void> RemoteSource::replaceUnreached(const launch::SpareFacts& found) {
    launch::RemoteOrder& order = *this->order();
    const std::string& spare = found.host;
    const bool isHome = unreached_->host == order.plan.front().host;
    const bool mayLive =
        isHome && !found.seesRun && (order.takeover || broughtBy(unreached_->host) != nullptr);
    if (isHome) decideTakeover(found);
    const auto plan = std::ranges::find(order.plan, unreached_->host, &launch::HostPlan::host);
    const auto taken = std::ranges::find(order.spares, spare, &launch::SpareHost::host);
    auto replacement =
        TRY(launch::replaceHost(order, static_cast<std::size_t>(plan - order.plan.begin()),
                                static_cast<std::size_t>(taken - order.spares.begin())));
    replacement.set_restart(static_cast<std::uint32_t>(order.config.failures_before_size()));
    if (wire::HostReplacement* former = broughtBy(unreached_->host))
        former->set_spare(spare);  // what has not joined has taken no place
    else
        *order.config.add_replaced_hosts() = std::move(replacement);
    auto& replaced = *order.config.mutable_replaced_hosts();
    replaced.erase(std::remove_if(replaced.begin(), replaced.end(),
                                  [](const auto& one) { return one.host() == one.spare(); }),
                   replaced.end());  // the lost host itself, which has come back
    spareProblems_.clear();
    next_->replaced(SteadyClock::read(), mayLive ? untilItHasEnded() : Nanos{});
    return {};
}

}  // namespace lockstep::job
