// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/remote_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"

namespace lockstep::launch {

namespace {

constexpr Millis kLook{50};
constexpr std::chrono::seconds kAnswerTimeout{20};
constexpr std::chrono::seconds kAgentTimeout{70};  ///< Beyond the service's own.

}  // namespace

tl::unexpected<RemoteFailure> RemoteLaunch::failureAt(std::size_t host, Error error) const {
    const HostPlan& plan = order_.plan[host];
    return tl::unexpected(RemoteFailure{std::move(error), plan.host, plan.firstProcess()});
}

tl::unexpected<RemoteFailure> RemoteLaunch::cancelledAt(std::size_t host) const {
    return failureAt(host, {ErrorCode::Cancelled, "the launch was cancelled", ""});
}

tl::expected<RemotePlace, RemoteFailure> RemoteLaunch::run(const MakeLinks& makeLinks) {
    place_.host = order_.plan.front().host;
    place_.runId = order_.config.run_id();
    Step step = openLinks(makeLinks);
    if (step) step = greetHosts();
    if (step) step = chooseFolders();
    if (step) step = chooseCopies();
    if (step) step = restoreRun();
    if (step) step = startHomeAgent();
    if (step) step = joinAgents();
    if (!step) return tl::unexpected(step.error());
    return place_;
}

RemoteLaunch::Step RemoteLaunch::openLinks(const MakeLinks& makeLinks) {
    std::vector<std::string> hosts;
    for (const HostPlan& plan : order_.plan)
        hosts.push_back(plan.host);
    LinkOpener opener(hosts, makeLinks);
    while (!opener.isDone()) {
        if (cancelled_.load()) opener.giveUp();
        say_(opener.progress());
        std::this_thread::sleep_for(kLook);
    }
    auto links = opener.take();
    // Those that were given up because another one failed are not the cause.
    for (const bool cancelledOnes : {false, true})
        for (std::size_t i = 0; i < links.size(); ++i)
            if (!links[i] && (links[i].error().code == ErrorCode::Cancelled) == cancelledOnes) {
                auto failure = failureAt(i, links[i].error());
                failure.value().isUnreached = !cancelledOnes;
                return failure;
            }
    for (auto& link : links)
        links_.add(std::move(*link));
    return {};
}

RemoteLaunch::Answers RemoteLaunch::askAll(
    const std::vector<std::pair<std::size_t, wire::ToHost>>& requests, Nanos timeout) {
    std::vector<std::uint64_t> numbers;
    for (const auto& [host, request] : requests)
        numbers.push_back(links_.post(host, request));
    std::vector<wire::FromHost> answers(requests.size());
    std::vector<bool> there(requests.size());
    const Nanos deadline = SteadyClock::read() + timeout;
    while (std::ranges::count(there, false) > 0) {
        for (std::size_t i = 0; i < requests.size(); ++i) {
            const std::size_t host = requests[i].first;
            if (there[i]) continue;
            auto answer = links_.takeAnswer(numbers[i]);
            if (!answer) continue;
            if (!*answer) return failureAt(host, answer->error());
            answers[i] = std::move(**answer);
            there[i] = true;
        }
        const auto missing = std::ranges::find(there, false);
        if (missing == there.end()) break;
        const std::size_t host = requests[static_cast<std::size_t>(missing - there.begin())].first;
        if (heedsCancel_ && cancelled_.load()) return cancelledAt(host);
        if (SteadyClock::read() > deadline)
            return failureAt(host, {ErrorCode::Timeout,
                                    fmt::format("the host's service did not answer within {:g} s",
                                                Seconds(timeout).count()),
                                    ""});
        links_.pump(kLook);
    }
    return answers;
}

RemoteLaunch::Step RemoteLaunch::greetHosts() {
    std::vector<std::pair<std::size_t, wire::ToHost>> requests;
    for (std::size_t i = 0; i < order_.plan.size(); ++i) {
        wire::ToHost hello;
        hello.mutable_hello()->set_lease_seconds(order_.leaseSeconds);
        requests.emplace_back(i, std::move(hello));
    }
    auto answers = askAll(requests, kAnswerTimeout);
    if (!answers) return tl::unexpected(answers.error());
    for (const wire::FromHost& answer : *answers)
        greetings_.push_back(answer.greeting());
    return {};
}

std::string RemoteLaunch::privateFolderOf(std::size_t host) const {
    return std::filesystem::path(greetings_[host].runs_folder()) / order_.folderName;
}

std::string RemoteLaunch::newFolder(const CopyTakeover& takeover) const {
    return std::filesystem::path(greetings_[0].runs_folder()) / takeover.folderName;
}

/// Where the run lies on process 0's host, and which other hosts see it there: a file with a name
/// that nobody else knows tells the same folder from another one of the same path.
RemoteLaunch::Step RemoteLaunch::chooseFolders() {
    const std::string token = randomHex(16);
    const auto ask = [&](const std::string& folder, bool create, bool remove) {
        wire::ToHost request;
        request.mutable_see_folder()->set_folder(folder);
        request.mutable_see_folder()->set_token(token);
        request.mutable_see_folder()->set_create(create);
        request.mutable_see_folder()->set_remove(remove);
        return request;
    };
    const std::filesystem::path own = order_.config.run_dir();
    const std::filesystem::path ownToken = own / (".seen-" + token);
    std::error_code ignored;
    std::filesystem::create_directories(own, ignored);
    const bool written = replaceFileDurably(ownToken, "").has_value();
    auto seen = askAll({{0, ask(own, false, false)}}, kAnswerTimeout);
    if (!seen) {
        std::filesystem::remove(ownToken, ignored);
        return tl::unexpected(seen.error());
    }
    // Not this machine's copy of the journal, even where it is seen: nor once a spare has taken
    // over.
    place_.visible = written && seen->front().folder_seen().seen() && !order_.takeover &&
                     order_.resumedDir.empty();
    place_.runDir = order_.takeover              ? newFolder(*order_.takeover)
                    : place_.visible             ? own.string()
                    : !order_.resumedDir.empty() ? order_.resumedDir
                                                 : privateFolderOf(0);
    Answers others;
    if (!place_.visible) others = askAll({{0, ask(place_.runDir, true, false)}}, kAnswerTimeout);
    std::vector<std::pair<std::size_t, wire::ToHost>> requests;
    for (std::size_t i = 1; i < order_.plan.size(); ++i)
        requests.emplace_back(i, ask(place_.runDir, false, false));
    if (others) others = askAll(requests, kAnswerTimeout);
    if (others) {
        seesRun_ = {true};
        for (const wire::FromHost& answer : *others)
            seesRun_.push_back(answer.folder_seen().seen());
        if (!place_.visible)
            others = askAll({{0, ask(place_.runDir, false, true)}}, kAnswerTimeout);
    }
    std::filesystem::remove(ownToken, ignored);
    if (!others) return tl::unexpected(others.error());
    return {};
}

/// The first host behind process 0's, in the order of its processes, so that every start of the
/// run finds the same one. Where another host sees the run's folder, losing one loses nothing.
RemoteLaunch::Step RemoteLaunch::chooseCopies() {
    const auto document = config::JobDocument::parse(order_.config.job_toml(), "job.toml");
    if (!document) return failureAt(0, document.error());
    const config::JobSpec& job = document->spec();
    if (job.checkpoint.copies < 2 || job.launch.runsOwnProgram() || order_.plan.size() < 2)
        return {};
    const auto seeing = std::ranges::find(seesRun_.begin() + 1, seesRun_.end(), true);
    if (seeing == seesRun_.end())
        copyHost_ = 1;
    else
        copiesNeedless_ = order_.plan[static_cast<std::size_t>(seeing - seesRun_.begin())].host;
    return {};
}

std::optional<FormerHome> RemoteLaunch::formerHome() const {
    const std::string& host = order_.resumedHost;
    if (order_.takeover || host.empty() || host == order_.plan.front().host) return std::nullopt;
    FormerHome former{host, order_.resumedDir};
    for (const HostPlan& plan : order_.plan) {
        former.isListed = former.isListed || plan.host == host;
        former.processes += plan.processes.size();
    }
    return former;
}

/// Where the other hosts have copies of the run, or it itself.
std::vector<RunFolderOnHost> RemoteLaunch::otherFolders(
    const std::optional<FormerHome>& former) const {
    const auto& takeover = order_.takeover;
    std::vector<RunFolderOnHost> others;
    for (std::size_t i = 1; i < order_.plan.size(); ++i) {
        const std::string& host = order_.plan[i].host;
        if (takeover ? host == takeover->copyHost : !seesRun_[i])
            others.push_back({i, host, privateFolderOf(i)});
        if (former && former->host == host && !seesRun_[i] && former->folder != privateFolderOf(i))
            others.push_back({i, host, former->folder});
    }
    return others;
}

/// Of a run that is gone on with, where its folder is damaged or gone.
RemoteLaunch::Step RemoteLaunch::restoreRun() {
    if (!order_.config.resume()) return {};
    const auto& takeover = order_.takeover;
    const auto former = formerHome();
    std::vector<RunFolderOnHost> others = otherFolders(former);
    if (others.empty() && takeover)
        return failureAt(
            0, {ErrorCode::BadInput,
                takeover->copyHost + ", which has the copy of the run, takes no part", ""});
    if (others.empty() && !former) return {};
    const std::size_t asked = takeover ? others.front().host : 0;
    std::optional<RemoteFailure> failure;
    const auto ask = [&](std::size_t host, const wire::ToHost& request,
                         Nanos timeout) -> Result<wire::FromHost> {
        links_.expectSignsOfLife(timeout == RunRestore::kWhileItAnswers);
        auto answers = askAll({{host, request}}, timeout);
        links_.expectSignsOfLife(false);
        failure = answers ? std::nullopt : std::optional(answers.error());
        if (failure) return tl::unexpected(failure->error);
        return std::move(answers->front());
    };
    RunRestore restore(ask, say_, {0, order_.plan.front().host, place_.runDir}, std::move(others),
                       place_.visible ? "" : order_.config.run_dir());
    auto restored = takeover ? restore.takeCopy(*takeover) : restore.run(former);
    if (!restored && failure) return tl::unexpected(*failure);
    if (!restored) return failureAt(asked, restored.error());
    restored_ = std::move(*restored);
    return {};
}

RemoteLaunch::Step RemoteLaunch::checkReady(std::size_t host, const wire::AgentReady& ready) const {
    if (ready.error().empty()) return {};
    return failureAt(host, {ready.bad_input() ? ErrorCode::BadInput : ErrorCode::Io, ready.error(),
                            ready.remedy()});
}

RemoteLaunch::Step RemoteLaunch::startHomeAgent() {
    say_("starting the coordinator on " + place_.host);
    wire::ToHost request;
    wire::AgentConfig& config = *request.mutable_start_agent();
    config = order_.config;
    if (!place_.visible) {
        auto document = config::JobDocument::parse(config.job_toml(), "job.toml");
        if (!document) return failureAt(0, document.error());
        auto job = document->checked();
        if (!job) return failureAt(0, job.error());
        job->runDir = place_.runDir;
        config.set_job_toml(config::resolvedToml(*job));
        config.set_created_folder(config.resume() ? "" : place_.runDir);
    }
    jobToml_ = config.job_toml();
    const HostPlan& home = order_.plan.front();
    config.set_run_dir(place_.runDir);
    config.set_tied(true);  // until all are there
    config.set_begins_again(order_.tied);
    config.clear_process_ids();
    for (const std::uint32_t id : home.processes)
        config.add_process_ids(id);
    config.set_start_evaluator(home.evaluator);
    config.set_host_coordinator(true);
    if (copyHost_) config.set_copy_host(order_.plan[*copyHost_].host);
    config.set_copies_needless(copiesNeedless_);
    config.set_restored(restored_);
    for (std::size_t i = 1; i < order_.plan.size(); ++i)
        *config.add_other_agents() = otherAgentOf(order_.plan[i]);
    auto answers = askAll({{0, request}}, kAgentTimeout);
    if (!answers) return tl::unexpected(answers.error());
    home_ = answers->front().agent_ready();
    if (auto ready = checkReady(0, home_); !ready) return ready;
    return takeCountedReplicas();
}

/// Process 0's agent may have put a number in the place of "all": it is that of all processes. The
/// rest of the job is not a host's to say.
RemoteLaunch::Step RemoteLaunch::takeCountedReplicas() {
    if (home_.tickets_size() == 0 || home_.tickets(0).job_toml().empty()) return {};
    const auto counted = config::JobDocument::parse(home_.tickets(0).job_toml(), "job.toml");
    if (!counted) return failureAt(0, counted.error());
    const int replicas = counted->spec().cluster.devicesPerProcess;
    if (replicas == config::ClusterSpec::kAllDevices) return {};
    const auto document = config::JobDocument::parse(jobToml_, "job.toml");
    if (!document) return failureAt(0, document.error());
    auto job = document->checked();
    if (!job) return failureAt(0, job.error());
    if (job->cluster.devicesPerProcess != config::ClusterSpec::kAllDevices) return {};
    job->cluster.devicesPerProcess = replicas;
    jobToml_ = config::resolvedToml(*job);
    return {};
}

/// What a host hands on for another one: its keys and address. What the other shall do and where
/// is the launcher's to say.
wire::StartTicket RemoteLaunch::ticketFor(const wire::StartTicket& ofHome) const {
    wire::StartTicket ticket;
    ticket.set_run_id(place_.runId);
    ticket.set_run_dir(place_.runDir);
    ticket.set_job_toml(jobToml_);
    ticket.set_coordinator_address(ofHome.coordinator_address());
    ticket.set_server_public(ofHome.server_public());
    *ticket.mutable_members() = ofHome.members();
    return ticket;
}

RemoteLaunch::Step RemoteLaunch::joinAgents() {
    if (order_.plan.size() > 1) say_("starting the processes of the other hosts");
    std::vector<std::pair<std::size_t, wire::ToHost>> requests;
    for (std::size_t i = 1; i < order_.plan.size(); ++i) {
        const int ticket = static_cast<int>(i) - 1;
        if (ticket >= home_.tickets_size())
            return failureAt(i, {ErrorCode::Internal, "its agent got no ticket", ""});
        wire::ToHost request;
        wire::JoinConfig& join = *request.mutable_join_agent();
        *join.mutable_ticket() = ticketFor(home_.tickets(ticket));
        *join.mutable_processes() = otherAgentOf(order_.plan[i]);
        join.set_own_address(order_.plan[i].address);
        join.set_job_dir(order_.config.job_dir());
        join.set_tied(true);
        if (!seesRun_[i]) join.set_run_dir(privateFolderOf(i));
        if (copyHost_ == i) join.set_copy_host(order_.plan[i].host);
        requests.emplace_back(i, std::move(request));
    }
    auto answers = askAll(requests, kAgentTimeout);
    if (!answers) return tl::unexpected(answers.error());
    for (std::size_t i = 0; i < answers->size(); ++i)
        if (auto ready = checkReady(i + 1, (*answers)[i].agent_ready()); !ready) return ready;
    return {};
}

/// From the first Detach on there is no way back: whoever wants the run to stop asks the run.
RemoteLaunch::Step RemoteLaunch::detachAgents() {
    if (cancelled_.load()) return cancelledAt(0);
    heedsCancel_ = false;
    std::vector<std::pair<std::size_t, wire::ToHost>> requests;
    for (std::size_t i = 0; i < order_.plan.size(); ++i) {
        wire::ToHost request;
        request.mutable_detach();
        requests.emplace_back(i, std::move(request));
    }
    auto answers = askAll(requests, kAnswerTimeout);
    if (!answers) return tl::unexpected(answers.error());
    return {};
}

}  // namespace lockstep::launch
