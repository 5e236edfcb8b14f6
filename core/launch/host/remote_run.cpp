// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/remote_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/runtime_folder.h"
#include "core/base/thread.h"
#include "core/launch/host/lease.h"

namespace lockstep::launch {

namespace {

constexpr Millis kTurn{50};
constexpr Millis kBriefTurn{2};
constexpr Millis kNextPiece{200};  ///< Within it the next piece of a file is asked for.
constexpr std::chrono::seconds kAnswerTimeout{10};
constexpr std::chrono::seconds kFirstAttach{15};
constexpr std::chrono::seconds kFirstPause{1};
constexpr std::chrono::seconds kLongestPause{30};
constexpr std::size_t kMostFileRequests = 16;
/// Of a file, small enough for a slow line to carry it within kAnswerTimeout.
constexpr std::uint32_t kPieceBytes = 128 << 10;
constexpr std::string_view kIpc = "ipc://";

}  // namespace

RemoteRun::RemoteRun(std::variant<RemoteOrder, Comeback> what, MakeLinks makeLinks)
    : what_(std::move(what)), makeLinks_(std::move(makeLinks)) {
    if (auto keys = wire::newKeyPair()) keys_ = std::move(*keys);
    thread_ = startThread("links", [this](const std::stop_token& stop) { loop(stop); });
}

RemoteRun::~RemoteRun() {
    cancelled_ = true;
}

RemoteRun::State RemoteRun::state() const {
    Lock lock(mutex_);
    return state_;
}

void RemoteRun::waitForChange(Nanos timeout) const {
    Lock lock(mutex_);
    const std::uint64_t seen = version_;
    changed_.wait_for(mutex_, timeout, [&]() LS_REQUIRES(mutex_) { return version_ != seen; });
}

void RemoteRun::say(const std::string& sentence) {
    change([&](State& state) { state.sentence = sentence; });
}

void RemoteRun::fail(RemoteFailure failure) {
    change([&](State& state) {
        state.phase = Phase::Failed;
        state.sentence = failure.error.message;
        state.failure = std::move(failure);
    });
}

bool RemoteRun::tied() const {
    const auto* order = std::get_if<RemoteOrder>(&what_);
    return order != nullptr && order->tied;
}

double RemoteRun::leaseSeconds() const {
    const auto* order = std::get_if<RemoteOrder>(&what_);
    return order != nullptr ? order->leaseSeconds : std::get<Comeback>(what_).leaseSeconds;
}

void RemoteRun::loop(const std::stop_token& stop) {
    if (begin())
        while (!stop.stop_requested())
            turn();
    refuseFiles();
    relay_.reset();
    links_.reset();
    opener_.reset();
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

/// False when it has failed.
bool RemoteRun::begin() {
    links_ = std::make_unique<LinkSet>(leaseWithinBounds(leaseSeconds()));
    if (const auto* comeback = std::get_if<Comeback>(&what_)) {
        place_ = comeback->place;
        change([&](State& state) {
            state.phase = Phase::Broken;
            state.place = place_;
            state.sentence = "connecting to " + place_.host;
        });
        return true;
    }
    const auto& order = std::get<RemoteOrder>(what_);
    RemoteLaunch launch(
        order, *links_, [this](const std::string& line) { say(line); }, cancelled_);
    auto place = launch.run(makeLinks_);
    if (!place) return fail(place.error()), false;
    place_ = std::move(*place);
    agentRuns_.assign(links_->size(), true);
    change([&](State& state) { state.place = place_; });
    if (auto attached = attachFirst(); !attached)
        return fail({attached.error(), place_.host, 0}), false;
    links_->expectSignsOfLife();
    if (order.tied || state().phase == Phase::Ended) return true;
    if (auto detached = launch.detachAgents(); !detached) {
        // An agent whose run is over already has nothing to go on with.
        turn();
        if (agentRuns_.front()) return fail(detached.error()), false;
    }
    return true;
}

Result<std::string> RemoteRun::reachSocket(const std::string& socketOfHost) {
    relay_.reset();
    auto forwarded = links_->linkAt(0)->forwardSocket(socketOfHost);
    if (forwarded || forwarded.error().code != ErrorCode::Unavailable) return forwarded;
    if (folder_.empty()) {
        auto folder = makeRuntimeFolder("relay-" + place_.runId.substr(0, 12));
        if (!folder) return tl::unexpected(folder.error());
        folder_ = std::move(*folder);
    }
    auto relay = RelaySocket::open(folder_, socketOfHost);
    if (!relay) return tl::unexpected(relay.error());
    relay_.emplace(std::move(*relay));
    return relay_->path();
}

/// Where the run is now: served at a socket, or over.
Result<void> RemoteRun::attach() {
    wire::ToHost request;
    request.mutable_attach()->set_run_dir(place_.runDir);
    request.mutable_attach()->set_run_id(place_.runId);
    request.mutable_attach()->set_monitor_public(keys_.publicKey);
    auto answer = links_->ask(0, std::move(request), kAnswerTimeout);
    if (!answer) return tl::unexpected(answer.error());
    const wire::Attached& attached = answer->attached();
    if (!attached.monitor_endpoint().starts_with(kIpc)) {
        // The ends of the agents that this launcher knows tell how it ended.
        if (state().connection > 0 && std::holds_alternative<RemoteOrder>(what_)) {
            if (settleDeadline_ == Nanos{}) settleDeadline_ = SteadyClock::read() + kAgentsSettle;
            return {};
        }
        change([](State& state) {
            state.phase = Phase::Ended;
            state.sentence = "the run has ended";
        });
        return {};
    }
    auto socket = reachSocket(attached.monitor_endpoint().substr(kIpc.size()));
    if (!socket) return tl::unexpected(socket.error());
    change([&](State& state) {
        state.phase = Phase::Connected;
        state.sentence = "connected to " + place_.host;
        ++state.connection;
        state.agentsWords.clear();  // it has answered
        state.socket = std::string(kIpc) + *socket;
        state.serverPublic = attached.server_public();
        state.journalStart = attached.journal_start();
    });
    pause_ = Nanos{};
    return {};
}

/// A coordinator may be busy, or ending already, at the moment of the launch.
Result<void> RemoteRun::attachFirst() {
    const Nanos deadline = SteadyClock::read() + kFirstAttach;
    for (;;) {
        auto attached = attach();
        if (attached || attached.error().code != ErrorCode::Unavailable) return attached;
        if (links_->linkAt(0) == nullptr || SteadyClock::read() > deadline) return attached;
        if (cancelled_)
            return tl::unexpected(Error{ErrorCode::Cancelled, "the launch was cancelled", ""});
        links_->pump(kTurn);
    }
}

void RemoteRun::turn() {
    std::vector<pollfd> relayed;
    if (relay_) relay_->addTo(relayed);
    const bool reading = SteadyClock::read() - fileRead_ < kNextPiece;
    links_->pump(reading ? kBriefTurn : kTurn, relayed);
    if (relay_)
        for (wire::ToHost& message : relay_->serve(relayed))
            links_->tell(0, std::move(message));
    takeNews();
    noteLostLinks();
    noteLink();
    killIfWanted();
    tryAgain();
    readFiles();
}

void RemoteRun::takeNews() {
    for (const LinkSet::News& news : links_->takeNews()) {
        if (news.message.has_agent_ended()) noteAgentEnd(news.link, news.message.agent_ended());
        if (news.message.has_agent_stopped()) noteStop(news.link, news.message.agent_stopped());
        const bool relayed = news.message.has_relay_data() || news.message.has_relay_end();
        if (relayed && relay_ && news.link == 0) relay_->take(news.message);
    }
    settle();
}

/// Once process 0's agent has ended, those of the other hosts are given a moment to end, too.
void RemoteRun::settle() {
    const bool ended = std::ranges::count(agentRuns_, true) == 0;
    if (settleDeadline_ == Nanos{} || (!ended && SteadyClock::read() < settleDeadline_)) return;
    settleDeadline_ = Nanos{};
    const Error silent{ErrorCode::PeerLost, "nothing is heard from the host any more", ""};
    for (std::size_t i = 1; i < agentRuns_.size(); ++i)
        if (agentRuns_[i]) noteLostHost(i, silent);
    change([](State& state) {
        state.phase = Phase::Ended;
        state.sentence = "the run has ended";
    });
}

void RemoteRun::noteLostLinks() {
    const Phase phase = state().phase;
    for (std::size_t i = 1; i < links_->size(); ++i) {
        if (!links_->errorAt(i) || !agentRuns_[i]) continue;
        agentRuns_[i] = false;
        if (phase == Phase::Ended) continue;
        change([](State& state) { state.lostConnection = true; });
        noteLostHost(i, *links_->errorAt(i));
    }
    if (links_->size() == 0 || !links_->errorAt(0) || phase != Phase::Connected) return;
    Error error = *links_->errorAt(0);
    if (settleDeadline_ != Nanos{}) return;  // its agent has ended: what is left is on disk
    if (tied()) {
        error.remedy = fmt::format(
            "The job was tied to this connection: it ends there by itself "
            "within {:.0f} s.",
            leaseSeconds() + Seconds(kAgentsSettle).count());
        change([](State& state) { state.lostConnection = true; });
        return fail({std::move(error), place_.host, 0});
    }
    relay_.reset();
    nextAttempt_ = SteadyClock::read() + kFirstPause;
    pause_ = kFirstPause;
    change([&](State& state) {
        state.phase = Phase::Broken;
        state.sentence = error.message + "; connecting again";
    });
}

void RemoteRun::noteLink() {
    const bool linked = hasLink();
    if (linked == state().linked) return;
    change([&](State& state) { state.linked = linked; });
}

/// The run's socket does not answer: perhaps it is served elsewhere now. While its host's service
/// answers, the coordinator may only be slow: what is tied to the connection stays.
void RemoteRun::lookAgain() {
    auto attached = attach();
    if (attached || tied() || links_->linkAt(0) == nullptr) return;
    if (attached.error().code == ErrorCode::BadInput)  // there is no such run
        return fail({attached.error(), place_.host, 0});
    // The service itself is silent; nothing is tied to it, and another one may answer.
    if (attached.error().code == ErrorCode::Timeout) links_->close(0);
}

/// A detached run: the way back to it, again and again.
void RemoteRun::tryAgain() {
    const Phase phase = state().phase;
    if (settleDeadline_ != Nanos{}) return;
    if (phase == Phase::Connected && askAgain_.exchange(false)) return lookAgain();
    const bool filesWait = phase == Phase::Ended && filesWanted_ && !hasLink();
    if (phase != Phase::Broken && !filesWait) return;
    const Nanos now = SteadyClock::read();
    if (!opener_ && now >= nextAttempt_)
        opener_ = std::make_unique<LinkOpener>(std::vector{place_.host}, makeLinks_);
    if (!opener_ || !opener_->isDone()) return;
    auto link = std::move(opener_->take().front());
    opener_.reset();
    if (!link) change([](State& state) { state.agentsWords.clear(); });  // nobody looks at it
    const Result<void> back =
        link ? comeBack(std::move(*link)) : Result<void>(tl::unexpected(link.error()));
    if (back) return links_->expectSignsOfLife();
    if (!filesWait && back.error().code == ErrorCode::BadInput)  // there is no such run
        return fail({back.error(), place_.host, 0});
    pause_ = std::clamp<Nanos>(2 * pause_, kFirstPause, kLongestPause);
    nextAttempt_ = SteadyClock::read() + pause_;
    say(fmt::format("{}; connecting again in {:.0f} s", back.error().message,
                    Seconds(pause_).count()));
}

Result<void> RemoteRun::comeBack(std::unique_ptr<HostLink> link) {
    links_ = std::make_unique<LinkSet>(leaseWithinBounds(leaseSeconds()));
    links_->add(std::move(link));
    agentRuns_.assign(1, true);
    wire::ToHost hello;
    hello.mutable_hello()->set_lease_seconds(leaseSeconds());
    auto greeted = links_->ask(0, std::move(hello), kAnswerTimeout);
    if (!greeted) return tl::unexpected(greeted.error());
    if (state().phase != Phase::Ended) return attach();
    pause_ = Nanos{};
    return {};
}

bool RemoteRun::hasLink() const {
    return links_->size() > 0 && !links_->errorAt(0);
}

Result<wire::RunFileBytes> RemoteRun::readFile(const std::string& name, std::uint64_t offset,
                                               Nanos timeout) {
    std::future<Result<wire::RunFileBytes>> answer;
    {
        Lock lock(mutex_);
        if (over_ || files_.size() >= kMostFileRequests)
            return tl::unexpected(Error{ErrorCode::Unavailable, "the host cannot be asked", ""});
        files_.push_back({name, offset, {}});
        answer = files_.back().answer.get_future();
    }
    if (answer.wait_for(timeout) == std::future_status::ready) return answer.get();
    return tl::unexpected(Error{ErrorCode::Timeout, place_.host + " does not answer", ""});
}

void RemoteRun::readFiles() {
    for (;;) {
        FileRequest file;
        {
            Lock lock(mutex_);
            if (files_.empty()) return;
            file = std::move(files_.front());
            files_.pop_front();
        }
        filesWanted_ = true;
        if (!hasLink()) {
            file.answer.set_value(
                tl::unexpected(Error{ErrorCode::Unavailable, "there is no connection", ""}));
            continue;
        }
        wire::ToHost request;
        wire::ReadRunFile& read = *request.mutable_read_run_file();
        read.set_run_dir(place_.runDir);
        read.set_run_id(place_.runId);
        read.set_name(file.name);
        read.set_offset(file.offset);
        read.set_max_bytes(kPieceBytes);
        auto answer = links_->ask(0, std::move(request), kAnswerTimeout);
        fileRead_ = SteadyClock::read();
        if (answer)
            file.answer.set_value(answer->run_file());
        else
            file.answer.set_value(tl::unexpected(answer.error()));
    }
}

void RemoteRun::refuseFiles() {
    Lock lock(mutex_);
    over_ = true;
    for (FileRequest& file : files_)
        file.answer.set_value(
            tl::unexpected(Error{ErrorCode::Unavailable, "there is no connection", ""}));
    files_.clear();
}

}  // namespace lockstep::launch
