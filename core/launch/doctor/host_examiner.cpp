// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/host_examiner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"
#include "core/launch/host/host_answer.h"
#include "core/wire/codec.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kSendTimeout{5};
constexpr std::chrono::seconds kClockTimeout{3};
constexpr double kLeaseSeconds = 10;
constexpr int kClockReadings = 4;  ///< The one with the shortest way counts.
constexpr Millis kTick{50};
constexpr std::chrono::seconds kLeaseInterval{1};
constexpr std::uint32_t kConnectMilliseconds = 2500;  ///< Beyond the first repetition of a SYN.

}  // namespace

void HostExaminer::change(const std::function<void(ExaminedHost&)>& how) {
    board_.update([this, &how](Examination& all) { how(all.hosts[host_]); });
}

void HostExaminer::giveUp(const Error& error) {
    change([&error](ExaminedHost& host) {
        host.state = HostState::Failed;
        host.progress.clear();
        host.linkError = error;
    });
}

void HostExaminer::run(const std::stop_token& stop) {
    if (stop.stop_requested() || !connect()) return;
    auto done = greet();
    if (done) done = readClock();
    if (done) done = askFacts();
    if (done) done = askPorts();
    if (done) done = converse(stop);
    if (!done) return giveUp(done.error());
    change([](ExaminedHost& host) { host.state = HostState::Done; });
    stayForOthers(stop);
}

/// Its listeners live as long as the connection, and others may be about to try them.
void HostExaminer::stayForOthers(const std::stop_token& stop) {
    const Nanos latest = SteadyClock::read() + task_.connectTimeout + task_.examineTimeout;
    while (!stop.stop_requested() && SteadyClock::read() < latest && !board_.allDone()) {
        renewLease();
        if (!hear(kTick)) return;
    }
}

bool HostExaminer::connect() {
    std::string name;
    change([&name](ExaminedHost& host) {
        host.state = HostState::Connecting;
        name = host.name;
    });
    auto link = open_(name, [this](const std::string& words) {
        change([&words](ExaminedHost& host) { host.progress = words; });
    });
    if (!link) {
        giveUp(link.error());
        return false;
    }
    link_ = std::move(*link);
    change([](ExaminedHost& host) {
        host.state = HostState::Examining;
        host.wasReached = true;
        host.progress.clear();
    });
    return true;
}

Result<void> HostExaminer::greet() {
    wire::ToHost hello;
    hello.mutable_hello()->set_lease_seconds(kLeaseSeconds);
    auto asked = ask(std::move(hello), task_.greetingTimeout,
                     [this](Examination&, const wire::FromHost& answer) {
                         privateFolder_ = answer.greeting().runs_folder();
                     });
    while (asked && !awaited_.empty())
        asked = hear(kTick);
    return asked;
}

/// Before anything else is asked, so that nothing delays the answers.
Result<void> HostExaminer::readClock() {
    for (int reading = 0; reading < kClockReadings; ++reading) {
        const double before = wallSeconds();
        const Nanos began = SteadyClock::read();
        wire::ToHost request;
        request.mutable_read_clock();
        auto asked = ask(std::move(request), kClockTimeout,
                         [this, before, began](Examination& all, const wire::FromHost& answer) {
                             const double way = Seconds(SteadyClock::read() - began).count();
                             ClockOffset offset{
                                 answer.clock_reading().wall_seconds() - before - way / 2, way / 2};
                             auto& clock = all.hosts[host_].clock;
                             if (!clock || offset.uncertainty < clock->uncertainty) clock = offset;
                         });
        if (!asked) return asked;
        while (!awaited_.empty())
            TRY(hear(kTick));
    }
    return {};
}

Result<void> HostExaminer::ask(wire::ToHost request, Nanos patience, Answer answer) {
    request.set_protocol(wire::kProtocol);
    request.set_request(++lastRequest_);
    awaited_[lastRequest_] = {std::move(answer), SteadyClock::read() + patience};
    return link_->send(request, kSendTimeout);
}

Result<void> HostExaminer::askFacts() {
    wire::ToHost request;
    wire::Examine& what = *request.mutable_examine();
    what.set_run_folder(task_.runFolder.string());
    what.set_token_file(board_.read().tokenFile);
    what.set_private_folder(privateFolder_);
    what.set_dataset(task_.job.data.dataset);
    what.set_data_directory(task_.dataDirectory.string());
    for (const config::NamedFile& file : task_.dataPlaces) {
        wire::DataPlace& place = *what.add_data_places();
        place.set_key(file.key);
        place.set_path(file.path);
    }
    for (const std::string& name : hostNames(task_.job))
        what.add_names(name);
    return ask(std::move(request), task_.examineTimeout,
               [this](Examination& all, const wire::FromHost& answer) {
                   all.hosts[host_].facts = answer.host_facts();
               });
}

Result<void> HostExaminer::askPorts() {
    const std::vector<PortTest> ports = board_.read().hosts[host_].ports;
    for (std::size_t port = 0; port < ports.size(); ++port) {
        wire::ToHost request;
        wire::OpenListener& wanted = *request.mutable_open_listener();
        wanted.set_address(ports[port].address.host);
        wanted.set_port(static_cast<std::uint32_t>(ports[port].address.port));
        wanted.set_token(ports[port].token);
        auto asked = ask(std::move(request), task_.examineTimeout,
                         [this, port](Examination& all, const wire::FromHost& answer) {
                             all.hosts[host_].ports[port].opened = answer.listener_opened();
                         });
        if (!asked) return asked;
    }
    return {};
}

Result<void> HostExaminer::askTargets() {
    const auto targets = board_.takeTargets(host_);
    if (targets.empty()) return {};
    wire::ToHost request;
    request.mutable_try_connections()->set_timeout_ms(kConnectMilliseconds);
    for (const auto& target : targets)
        *request.mutable_try_connections()->add_targets() = target.where;
    return ask(std::move(request), task_.examineTimeout,
               [this, targets](Examination& all, const wire::FromHost& answer) {
                   const auto& results = answer.connections_tried().results();
                   const auto count =
                       std::min(targets.size(), static_cast<std::size_t>(results.size()));
                   for (std::size_t i = 0; i < count; ++i)
                       all.connections.push_back(
                           {host_, targets[i].to, targets[i].port, results[static_cast<int>(i)]});
               });
}

Result<void> HostExaminer::converse(const std::stop_token& stop) {
    const Nanos latest = SteadyClock::read() + task_.connectTimeout + task_.examineTimeout;
    while (!stop.stop_requested() && SteadyClock::read() < latest) {
        renewLease();
        const bool settled = board_.allSettled();  // before targets are taken: none is missed
        TRY(askTargets());
        if (awaited_.empty() && settled) break;
        TRY(hear(kTick));
    }
    return {};
}

Result<void> HostExaminer::hear(Nanos timeout) {
    auto answer = TRY(link_->receive(timeout));
    const bool late = std::ranges::any_of(awaited_, [now = SteadyClock::read()](const auto& one) {
        return now > one.second.deadline;
    });
    if (!answer && late)
        return fail(ErrorCode::Timeout,
                    fmt::format("{} has not told everything within its time", link_->host()),
                    "Look at its load and at the file systems that the job names, and try again.");
    if (!answer) return {};
    const auto awaited = awaited_.find(answer->request());
    if (awaited == awaited_.end()) return {};
    if (answer->has_error()) return fail(errorOf(answer->error()));
    board_.update([&](Examination& all) { awaited->second.answer(all, *answer); });
    awaited_.erase(awaited);
    return {};
}

void HostExaminer::renewLease() {
    const Nanos now = SteadyClock::read();
    if (now < leaseAt_) return;
    leaseAt_ = now + kLeaseInterval;
    wire::ToHost lease;
    lease.set_protocol(wire::kProtocol);
    lease.mutable_lease();
    std::ignore = link_->send(lease, kSendTimeout);  // a broken link is told by `receive`
}

}  // namespace lockstep::launch
