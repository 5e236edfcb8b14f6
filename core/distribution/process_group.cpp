// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/process_group.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <tuple>

#include "core/base/absolute_path.h"
#include "core/base/host_address.h"
#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/base/runtime_folder.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"
#include "core/coordination/core/process_key.h"
#include "core/coordination/ticket/start_ticket.h"
#include "core/wire/context.h"

namespace lockstep::distribution {

namespace fs = std::filesystem;

namespace {

constexpr const char* kBuild = "lockstep::distribution 2";
constexpr const char* kStartsFolder = "runs/.starts";
constexpr const char* kRosterKey = "distribution/roster";
constexpr const char* kSeedKey = "distribution/seed";
constexpr const char* kPartitionKey = "distribution/partition/";
constexpr const char* kPartitionsKey = "distribution/partitions";
constexpr Millis kTick{50};
constexpr Millis kJoinSlice{500};
constexpr std::chrono::seconds kAfterTheCoordinator{5};  ///< Its sentence names who is missing.
constexpr std::chrono::seconds kTicketPatience{3};       ///< For the ticket of a newer start.
constexpr std::chrono::seconds kLeaveTimeout{10};
constexpr std::chrono::seconds kTellingTheOthers{1};

Nanos nanos(double seconds) {
    return std::chrono::duration_cast<Nanos>(Seconds(seconds));
}

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

}  // namespace

ProcessGroup::ProcessGroup(const InitializeOptions& options, config::ClusterFacts cluster,
                           int localDevices)
    : options_(options),
      cluster_(std::move(cluster)),
      localDevices_(localDevices),
      insecure_(options.insecure) {}

ProcessGroup::~ProcessGroup() {
    leaving_ = true;
    client_.reset();
    coordinator_.reset();
    removeFiles();
}

void ProcessGroup::removeFiles() const {
    std::error_code ignored;
    if (keyFileLock_.valid()) fs::remove(keyFile_, ignored);
    if (!runtimeFolder_.empty()) fs::remove_all(runtimeFolder_, ignored);
}

bool ProcessGroup::isEvaluator() const {
    return cluster_.role->value == config::ProcessRole::Evaluator;
}

bool ProcessGroup::hasEvaluator() const {
    return isEvaluator() || (cluster_.evaluator && cluster_.evaluator->value) ||
           cluster_.evaluatorAddress.has_value();
}

std::string ProcessGroup::userId() const {
    return coordination::userIdOf(keyOfThis(cluster_));
}

Result<std::unique_ptr<ProcessGroup>> ProcessGroup::form(const InitializeOptions& options,
                                                         config::ClusterFacts cluster,
                                                         int localDevices) {
    auto group =
        std::unique_ptr<ProcessGroup>(new ProcessGroup(options, std::move(cluster), localDevices));
    TRY(group->meet());
    return group;
}

Result<void> ProcessGroup::meet() {
    place_ = TRY(coordination::meetingPlaceOf(cluster_));
    keyFile_ = TRY(keyFile());
    search_ = coordination::TicketSearch(keyFile_, options_.keyFile.empty() && cluster_.startId);
    if (insecure_)
        std::fprintf(stderr,
                     "warning: insecure: whoever reaches %s can join this job and read it\n",
                     config::toString(cluster_.coordinatorAddress->value).c_str());
    if (keyOfThis(cluster_) == coordination::ProcessKey{wire::ROLE_WORKER, 0}) TRY(host());
    const Nanos deadline =
        SteadyClock::read() + nanos(options_.initializationTimeoutSeconds) + kAfterTheCoordinator;
    for (;;) {
        TRY(awaitTicket(deadline - kAfterTheCoordinator));
        auto joined = connect();
        if (joined) joined = joinOnce(deadline);
        if (joined) break;
        client_.reset();
        if (coordinator_ || insecure_ || !ticketIsOfAFormerStart(joined.error())) return joined;
    }
    joined_ = true;
    TRY(agreeOnPartitions());
    return agreeOnSeed();
}

/// Where the keys go from hand to hand; empty: there are none.
Result<fs::path> ProcessGroup::keyFile() const {
    const bool alone = cluster_.numProcesses->value == 1 && !hasEvaluator();
    if (insecure_ || alone) return fs::path();
    if (!options_.keyFile.empty()) return absolutePath(options_.keyFile);
    if (cluster_.startId)
        return absolutePath(fs::path(kStartsFolder) / (fileName(cluster_.startId->value) + ".key"));
    if (place_.onOneHost) {
        auto folder = makeSharedRuntimeFolder("starts");
        if (!folder) return lockstep::fail(folder.error());
        coordination::sweepTickets(*folder);
        const std::string address = config::toString(cluster_.coordinatorAddress->value);
        return *folder / (fileName(address) + ".key");
    }
    return lockstep::fail(
        ErrorCode::BadInput,
        fmt::format("the processes of this job are on several machines (process 0 at {}), and "
                    "there is no way to hand them the job's keys",
                    config::toString(cluster_.coordinatorAddress->value)),
        "Give all of them the same keyFile on a file system that they share;\n"
        "or, in a network where nobody else can reach that port, say insecure = true.");
}

Result<void> ProcessGroup::host() {
    auto context = TRY(wire::Context::make());
    wire::StartTicket ticket;
    ticket.set_run_id(insecure_ ? "insecure" : randomHex(6));
    runtimeFolder_ = TRY(makeRuntimeFolder("group-" + randomHex(6)));
    auto serverKeys = TRY(keyPair("coordinator"));

    coordination::CoordinatorOptions options;
    options.rules.runId = ticket.run_id();
    options.rules.workers = static_cast<std::uint32_t>(processCount());
    options.rules.evaluator = hasEvaluator();
    options.rules.seedWord = newIncarnation() >> 1;
    options.rules.initializationTimeout = nanos(options_.initializationTimeoutSeconds);
    options.rules.heartbeatTimeout = nanos(options_.heartbeatTimeoutSeconds);
    options.rules.drainTimeout = nanos(options_.shutdownTimeoutSeconds);
    options.bindHost = place_.bindHost;
    options.port = place_.bindPort;
    options.monitorSocket = runtimeFolder_ / "monitor";
    options.journal = runtimeFolder_ / "journal";
    options.keys = serverKeys;
    coordinator_ = TRY(coordination::Coordinator::start(context, std::move(options)));

    ticket.set_coordinator_address(config::toString(
        config::Address{place_.advertisedHost, place_.advertisedPort != 0 ? place_.advertisedPort
                                                                          : coordinator_->port()}));
    ticket.set_server_public(serverKeys.publicKey);
    for (const coordination::ProcessKey& key : membersOf(cluster_, hasEvaluator())) {
        const std::string user = coordination::userIdOf(key);
        auto keys = TRY(keyPair(user));
        TRY(coordinator_->allowMember(keys.publicKey, user));
        wire::MemberKeys& entry = *ticket.add_members();
        entry.set_user(user);
        entry.set_own_public(keys.publicKey);
        entry.set_own_secret(keys.secretKey);
    }
    ticket_ = ticket;
    if (keyFile_.empty()) return {};
    keyFileLock_ = TRY(coordination::writeTicket(keyFile_, ticket));
    return {};
}

Result<wire::KeyPair> ProcessGroup::keyPair(const std::string& user) const {
    if (!insecure_) return wire::newKeyPair();
    return wire::openKeyPair(user + " " + config::toString(cluster_.coordinatorAddress->value));
}

Result<void> ProcessGroup::awaitTicket(Nanos deadline) {
    if (coordinator_) return {};
    if (insecure_) return makeOpenTicket();
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
        fmt::format("process 0 ({}) is missing: it did not write {} within {:.3g} s{}",
                    config::toString(cluster_.coordinatorAddress->value), keyFile_.string(),
                    options_.initializationTimeoutSeconds, search_.passedOverWords()),
        "Check that process 0 was started, and that this file's folder is shared by all "
        "machines.");
}

Result<void> ProcessGroup::makeOpenTicket() {
    auto server = keyPair("coordinator");
    auto own = keyPair(userId());
    if (!server || !own) return lockstep::fail(server ? own.error() : server.error());
    ticket_.set_run_id("insecure");
    ticket_.set_coordinator_address(config::toString(cluster_.coordinatorAddress->value));
    ticket_.set_server_public(server->publicKey);
    ticket_.clear_members();
    wire::MemberKeys& entry = *ticket_.add_members();
    entry.set_user(userId());
    entry.set_own_public(own->publicKey);
    entry.set_own_secret(own->secretKey);
    return {};
}

Result<void> ProcessGroup::connect() {
    const auto& members = ticket_.members();
    const auto own = std::ranges::find(members, userId(), &wire::MemberKeys::user);
    if (own == members.end())
        return lockstep::fail(ErrorCode::BadInput,
                              fmt::format("{} has no place in the job that process 0 has started",
                                          coordination::nameOf(keyOfThis(cluster_), hostName())),
                              "Give every process the same number of processes.");
    auto address = TRY(config::parseAddress(ticket_.coordinator_address()));
    if (coordinator_)  // whatever the others dial, it is here
        address = {place_.bindHost == "*" ? "127.0.0.1" : place_.bindHost, coordinator_->port()};
    auto numeric = TRY(addressOfHost(address.host));
    auto context = TRY(wire::Context::make());
    coordination::ClientOptions options;
    options.endpoint = "tcp://" + config::toString(config::Address{*numeric, address->port});
    options.serverPublicKey = ticket_.server_public();
    options.keys = {own->own_public(), own->own_secret()};
    options.runId = ticket_.run_id();
    options.heartbeatTimeout = nanos(options_.heartbeatTimeoutSeconds);
    const coordination::ProcessKey key = keyOfThis(cluster_);
    options.self.set_role(key.role);
    options.self.set_process_id(key.id);
    options.self.set_host(hostName());
    options.self.set_pid(::getpid());
    options.self.set_replicas(static_cast<std::uint32_t>(localDevices_));
    options.self.set_device("cpu");
    options.self.set_address(ownAddressToward(numeric));
    options.self.set_build(kBuild);
    coordination::ClientCallbacks callbacks;
    callbacks.onAbort = [this](const std::string& cause, int) { noteFailure(cause); };
    client_ = TRY(coordination::Client::connect(context, std::move(options), std::move(callbacks)));
    return {};
}

Result<void> ProcessGroup::joinOnce(Nanos deadline) {
    for (;;) {
        auto welcome = client_->join(kJoinSlice);
        if (welcome) {
            welcome_ = std::move(*welcome);
            return {};
        }
        if (welcome.error().code != ErrorCode::Timeout || SteadyClock::read() >= deadline)
            return lockstep::fail(welcome.error());
        if (coordinator_ || insecure_) continue;
        const auto replaced = search_.isReplaced();
        if (replaced && *replaced) return lockstep::fail(welcome.error());
    }
}

/// What led nowhere may be what an earlier start has left, and process 0 is yet to come.
bool ProcessGroup::ticketIsOfAFormerStart(const Error& failure) {
    if (search_.passOver(failure)) return true;
    const Nanos patience = SteadyClock::read() + kTicketPatience;
    do {
        const auto replaced = search_.isReplaced();
        if (replaced && *replaced) return true;
        std::this_thread::sleep_for(kTick);
    } while (SteadyClock::read() < patience);
    return false;
}

/// Each says whether it gives a partition, and process 0 whether that goes together.
Result<void> ProcessGroup::agreeOnPartitions() {
    const Nanos timeout = nanos(options_.initializationTimeoutSeconds);
    if (isEvaluator()) return {};
    const auto& own = cluster_.partitionIndex;
    TRY(client_->set(kPartitionKey + std::to_string(processId()), own ? "given" : ""));
    if (coordinator_) {
        auto sentence = TRY(partitionProblem(timeout));
        TRY(client_->set(kPartitionsKey, sentence));
    }
    auto problem = TRY(client_->get(kPartitionsKey, timeout));
    if (problem.empty()) return {};
    leaving_ = true;
    std::ignore = client_->barrier(kPartitionsKey, kLeaveTimeout);  // all have read it
    return lockstep::fail(
        ErrorCode::BadInput, problem,
        "Give partition_index (JAX_PARTITION_INDEX) to every process, or to none.");
}

/// Who gives a partition and who does not; empty: all do, or none.
Result<std::string> ProcessGroup::partitionProblem(Nanos timeout) {
    std::vector<int> giving;
    std::vector<int> others;
    for (int id = 0; id < processCount(); ++id) {
        auto said = TRY(client_->get(kPartitionKey + std::to_string(id), timeout));
        (said.empty() ? others : giving).push_back(id);
    }
    if (giving.empty() || others.empty()) return std::string();
    return fmt::format(
        "partition_index must be given by all processes or by none: {} {} {} it, {} {} "
        "{} not",
        nounFor(giving.size(), "process"), compressRanges(giving),
        giving.size() == 1 ? "gives" : "give", nounFor(others.size(), "process"),
        compressRanges(others), others.size() == 1 ? "does" : "do");
}

Result<void> ProcessGroup::agreeOnSeed() {
    if (coordinator_) {
        seed_ = options_.seed.value_or(welcome_.seed_word());
        TRY(client_->set(kRosterKey, welcome_.SerializeAsString()));
        return client_->set(kSeedKey, std::to_string(seed_));
    }
    if (isEvaluator()) {  // it was welcome before the others had come
        auto roster = client_->get(kRosterKey, nanos(options_.initializationTimeoutSeconds));
        if (!roster) return lockstep::fail(roster.error());
        if (!welcome_.ParseFromString(*roster))
            return lockstep::fail(ErrorCode::Corrupt, "process 0's roster does not parse");
    }
    auto text = TRY(client_->get(kSeedKey, nanos(options_.initializationTimeoutSeconds)));
    seed_ = std::strtoull(text.c_str(), nullptr, 10);
    return {};
}

Result<void> ProcessGroup::set(const std::string& key, const std::string& value) {
    return client_->set(key, value);
}

Result<std::string> ProcessGroup::get(const std::string& key, Nanos timeout) {
    return client_->get(key, timeout);
}

Result<void> ProcessGroup::barrier(const std::string& name, Nanos timeout) {
    return client_->barrier(name, timeout);
}

/// On the client's thread.
void ProcessGroup::noteFailure(const std::string& sentence) {
    if (leaving_ || !joined_) return;  // whoever waits is told by its own call
    if (options_.onFailure) {          // it may leave the group, which waits for this thread
        startThread("on-failure", [handler = options_.onFailure, sentence](const std::stop_token&) {
            handler(sentence);
        }).detach();
        return;
    }
    std::fprintf(stderr, "error: %s\n", sentence.c_str());
    std::fflush(nullptr);
    // Whoever is told later than the coordinator's own process would only see it end.
    if (coordinator_) std::this_thread::sleep_for(kTellingTheOthers);
    removeFiles();  // no destructor will
    ::_exit(1);
}

Result<void> ProcessGroup::shutdown() {
    const Nanos timeout = nanos(options_.shutdownTimeoutSeconds);
    Result<void> met;
    if (!isEvaluator()) met = client_->barrier("distribution/shutdown", timeout);
    leaving_ = true;
    auto left = client_->leave("completed", "", kLeaveTimeout);
    if (coordinator_ && met) std::ignore = coordinator_->waitOutcome(timeout);
    if (!met) return failWithin("Shutdown barrier has failed", met.error());
    return left;
}

}  // namespace lockstep::distribution
