// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/group_meeting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/absolute_path.h"
#include "core/base/host_address.h"
#include "core/base/ids.h"
#include "core/base/runtime_folder.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/ticket/start_ticket.h"
#include "core/wire/context.h"

namespace lockstep::distribution {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBuild = "lockstep::distribution 4";
/// Of a job whose keys all processes know already.
constexpr const char* kKnownRunId = "group";
constexpr const char* kStartsFolder = "runs/.starts";
constexpr Millis kTick{50};
constexpr Millis kJoinSlice{500};
constexpr Millis kBetweenRefusals{250};
constexpr std::chrono::seconds kAfterTheCoordinator{5};  ///< Its sentence names who is missing.

coordination::ProcessKey keyOfThis(const config::ClusterFacts& cluster) {
    if (cluster.role->value == config::ProcessRole::Evaluator) return {wire::ROLE_EVALUATOR, 0};
    return {wire::ROLE_WORKER, static_cast<std::uint32_t>(cluster.processId->value)};
}

/// All who will come but agents, of which such a group has none.
std::vector<coordination::ProcessKey> membersOf(const config::ClusterFacts& cluster,
                                                bool evaluator) {
    std::vector<coordination::ProcessKey> members;
    for (int id = 0; id < cluster.numProcesses->value; ++id)
        members.push_back({wire::ROLE_WORKER, static_cast<std::uint32_t>(id)});
    if (evaluator) members.push_back({wire::ROLE_EVALUATOR, 0});
    return members;
}

/// As a file's name.
std::string fileName(std::string text) {
    for (char& c : text)
        if (c == '/' || c == '[' || c == ']' || c == ':') c = '-';
    return text;
}

/// Who has another secret is answered nothing.
constexpr const char* kStrangersRemedy =
    "Check that process 0 was started, that its port can be reached from here, and that both were "
    "given the same secret and the same address.";

}  // namespace

GroupMeeting::GroupMeeting(const InitializeOptions& options, const config::ClusterFacts& cluster,
                           std::optional<std::string> secret, OnAbort onAbort)
    : options_(options),
      cluster_(cluster),
      secret_(std::move(secret)),
      self_(keyOfThis(cluster)),
      onAbort_(std::move(onAbort)) {}

std::string GroupMeeting::address() const {
    return config::toString(cluster_.coordinatorAddress->value);
}

bool GroupMeeting::hasEvaluator() const {
    return self_.role == wire::ROLE_EVALUATOR ||
           (cluster_.evaluator && cluster_.evaluator->value) ||
           cluster_.evaluatorAddress.has_value();
}

void GroupMeeting::removeFiles() {
    if (offered_) offered_->withdraw();
    if (coordinator_) coordinator_->removeFolder();
}

Result<wire::Welcome> GroupMeeting::meet(const wire::Register& self) {
    place_ = TRY(coordination::meetingPlaceOf(cluster_));
    keyFile_ = TRY(keyFile());
    search_ = coordination::TicketSearch(keyFile_, options_.keyFile.empty() && cluster_.startId);
    if (options_.insecure)
        std::fprintf(stderr,
                     "warning: insecure: whoever reaches %s can join this job and read it\n",
                     address().c_str());
    if (self_ == coordination::ProcessKey{wire::ROLE_WORKER, 0}) TRY(host());
    const Nanos deadline = SteadyClock::read() + toNanos(options_.initializationTimeoutSeconds);
    for (;;) {
        TRY(awaitTicket(deadline));
        const auto connected = connect(self);
        auto welcome = connected ? join(deadline + kAfterTheCoordinator)
                                 : Result<wire::Welcome>(lockstep::fail(connected.error()));
        if (welcome) return welcome;
        const bool mayComeLater = client_ && client_->isRefusedByThisStartAlone();
        client_.reset();
        if (coordinator_) return welcome;
        if (mayComeLater && awaitNextStart(welcome.error(), deadline)) continue;
        if (mayComeLater || knowsKeys() || !ticketIsOfAFormerStart(welcome.error())) return welcome;
    }
}

/// Where the keys go from hand to hand; empty: there are none.
Result<fs::path> GroupMeeting::keyFile() const {
    const bool alone = cluster_.numProcesses->value == 1 && !hasEvaluator();
    if (knowsKeys() || alone) return fs::path();
    if (!options_.keyFile.empty()) return absolutePath(options_.keyFile);
    if (cluster_.startId)
        return absolutePath(fs::path(kStartsFolder) / (fileName(cluster_.startId->value) + ".key"));
    if (place_.onOneHost) {
        const auto folder = TRY(makeSharedRuntimeFolder("starts"));
        coordination::sweepTickets(folder);
        return folder / (fileName(address()) + ".key");
    }
    return lockstep::fail(
        ErrorCode::BadInput,
        fmt::format("the processes of this job are on several machines (process 0 at {}), and "
                    "there is no way to hand them the job's keys",
                    address()),
        "Give all of them the same secret in a file of mode 0600 that LOCKSTEP_JOB_SECRET_FILE "
        "names, or through secretFd;\n"
        "or the same keyFile on a file system that they share;\n"
        "or, in a network where nobody else can reach that port, say insecure = true.");
}

Result<void> GroupMeeting::host() {
    auto keys = TRY(jobKeys());
    auto options = coordinatorOptions();
    std::vector<wire::MemberKeys> members;
    for (const coordination::ProcessKey& member : membersOf(cluster_, hasEvaluator())) {
        members.push_back(TRY(keys.makeFor(member)));
        options.members.emplace_back(members.back().own_public(), members.back().user());
    }
    coordinator_ = TRY(coordination::HostedCoordinator::start(std::move(options), std::move(keys),
                                                              "group-" + randomHex(6)));
    guard_.emplace(**coordinator_, coordination::nameOf(self_, hostName()),
                   toNanos(options_.heartbeatTimeoutSeconds), onAbort_);
    wire::StartTicket ticket = coordinator_->blankTicket();
    const int port = place_.advertisedPort != 0 ? place_.advertisedPort : (*coordinator_)->port();
    ticket.set_coordinator_address(config::toString(config::Address{place_.advertisedHost, port}));
    for (wire::MemberKeys& member : members)
        *ticket.add_members() = std::move(member);
    ticket_ = ticket;
    if (keyFile_.empty()) return {};
    auto offered = TRY(coordination::OfferedTicket::offer(keyFile_, ticket));
    offered_.emplace(std::move(offered));
    return {};
}

coordination::CoordinatorOptions GroupMeeting::coordinatorOptions() const {
    config::ClusterSpec cluster;
    cluster.numProcesses = cluster_.numProcesses->value;
    cluster.evaluator = hasEvaluator();
    cluster.initializationTimeoutSeconds = options_.initializationTimeoutSeconds;
    cluster.heartbeatTimeoutSeconds = options_.heartbeatTimeoutSeconds;
    coordination::CoordinatorOptions options;
    options.rules = coordination::rulesOf(cluster);
    options.rules.runId = knowsKeys() ? kKnownRunId : randomHex(6);
    options.rules.drainTimeout = toNanos(options_.shutdownTimeoutSeconds);
    options.bindHost = place_.bindHost;
    options.port = place_.bindPort;
    return options;
}

Result<coordination::JobKeys> GroupMeeting::jobKeys() const {
    if (secret_) return coordination::JobKeys::ofSecret(*secret_, address());
    if (!options_.insecure) return coordination::JobKeys::make();
    return coordination::JobKeys::openAt(address());
}

Result<void> GroupMeeting::awaitTicket(Nanos deadline) {
    if (coordinator_) return {};
    if (knowsKeys()) return makeOwnTicket();
    while (SteadyClock::read() < deadline) {
        auto ticket = TRY(search_.look());
        if (ticket) {
            ticket_ = std::move(*ticket);
            return {};
        }
        std::this_thread::sleep_for(kTick);
    }
    return lockstep::fail(
        ErrorCode::Timeout,
        fmt::format("process 0 ({}) is missing: it did not write {} within {:.3g} s{}", address(),
                    keyFile_.string(), options_.initializationTimeoutSeconds,
                    search_.passedOverWords()),
        "Check that process 0 was started, and that this file's folder is shared by all "
        "machines.");
}

Result<void> GroupMeeting::makeOwnTicket() {
    const auto keys = TRY(jobKeys());
    ticket_.set_run_id(kKnownRunId);
    ticket_.set_coordinator_address(address());
    ticket_.set_server_public(keys.coordinator().publicKey);
    ticket_.clear_members();
    *ticket_.add_members() = TRY(keys.makeFor(self_));
    return {};
}

Result<void> GroupMeeting::connect(const wire::Register& self) {
    const auto keys = coordination::keysOf(ticket_, self_);
    if (!keys)
        return lockstep::fail(ErrorCode::BadInput,
                              fmt::format("{} has no place in the job that process 0 has started",
                                          coordination::nameOf(self_, hostName())),
                              "Give every process the same number of processes.");
    // Whatever the others dial, process 0's is here.
    const auto address = TRY(config::parseAddress(coordinator_ ? coordinator_->addressHere()
                                                               : ticket_.coordinator_address()));
    auto numeric = TRY(addressOfHost(address.host));
    auto context = TRY(wire::Context::make());
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + config::toString(config::Address{numeric, address.port});
    options.serverPublicKey = keys->server_public();
    options.keys = {keys->own_public(), keys->own_secret()};
    options.runId = ticket_.run_id();
    options.incarnation = incarnation_;
    options.heartbeatTimeout = toNanos(options_.heartbeatTimeoutSeconds);
    options.self = self;
    options.self.set_role(self_.role);
    options.self.set_process_id(self_.id);
    options.self.set_host(hostName());
    options.self.set_pid(::getpid());
    options.self.set_address(ownAddressToward(numeric));
    options.self.set_build(kBuild);
    coordination::ClientCallbacks callbacks;
    callbacks.onAbort = [this](const std::string& cause, int) { onAbort_(cause); };
    client_ = TRY(coordination::Client::connect(context, std::move(options), std::move(callbacks)));
    return {};
}

Result<wire::Welcome> GroupMeeting::join(Nanos deadline) {
    for (;;) {
        auto welcome = client_->join(kJoinSlice);
        if (welcome || welcome.error().code != ErrorCode::Timeout) return welcome;
        if (SteadyClock::read() >= deadline) {
            const bool mayBeStranger = secret_ && !coordinator_;
            return fail(ErrorCode::Timeout, welcome.error().message,
                        mayBeStranger ? kStrangersRemedy : welcome.error().remedy);
        }
        if (coordinator_ || knowsKeys()) continue;
        const auto replaced = search_.isReplaced();
        if (replaced && *replaced) return welcome;
    }
}

/// Who was started again alone finds the former start's coordinator, which knows its former life,
/// until that start has ended, too. False: nothing came of it by then.
bool GroupMeeting::awaitNextStart(const Error& refusal, Nanos deadline) {
    const Nanos left = deadline - SteadyClock::read();
    if (left <= Nanos{}) return false;
    if (!std::exchange(saysThatItWaits_, true))
        std::fprintf(stderr,
                     "warning: %s; if that was a former start, the next one is awaited for %.3g "
                     "s\n",
                     refusal.message.c_str(), Seconds(left).count());
    if (knowsKeys()) {  // nothing but the coordinator tells one start from another
        std::this_thread::sleep_for(std::min<Nanos>(kBetweenRefusals, left));
        return true;
    }
    while (SteadyClock::read() < deadline) {
        const auto replaced = search_.isReplaced();
        if (!replaced || *replaced) return true;
        std::this_thread::sleep_for(kTick);
    }
    return false;
}

/// What led nowhere may be what an earlier start has left, and process 0 is yet to come.
bool GroupMeeting::ticketIsOfAFormerStart(const Error& failure) {
    return search_.passOver(failure) || search_.isReplacedSoon();
}

}  // namespace lockstep::distribution
