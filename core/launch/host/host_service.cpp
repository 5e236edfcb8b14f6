// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/host_service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/process_start_time.h"
#include "core/base/user_folders.h"
#include "core/config/document/job_file.h"
#include "core/launch/host/host_answer.h"
#include "core/launch/host/lease.h"
#include "core/launch/host/request_crew.h"
#include "core/launch/host/restore_requests.h"
#include "core/launch/host/run_requests.h"
#include "core/launch/host/service_agent.h"
#include "core/launch/host/service_relays.h"
#include "core/launch/host/stopped_watch.h"
#include "core/launch/process/child_process.h"
#include "core/run/agent_process.h"
#include "core/wire/codec.h"
#include "core/wire/frame_queue.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kAgentReady{60};
constexpr std::chrono::seconds kAtLeastWithoutAgent{120};  ///< While others are still reached.
/// Nothing is tied to a launcher that has not said anything yet: it may be copying this build to
/// other hosts. The end of the input is what ends the service then.
constexpr std::chrono::seconds kUntilGreeted{3600};
constexpr std::chrono::seconds kRequestsEnd{2};
constexpr Millis kLongestWait{1000};
constexpr std::size_t kRelayBacklog = 1 << 20;  ///< Above it relays wait.
constexpr std::size_t kMostBacklog = 64 << 20;  ///< Above it the launcher counts as gone.
constexpr off_t kLogLimit = 1 << 20;

/// Nobody reads what this program's errors would say at the other end, and agents inherit it.
void moveErrorOutput() {
    const std::filesystem::path folder = stateFolder();
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    UniqueFd log(::open((folder / "host.log").c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct stat status {};
    if (log.valid() && ::fstat(log.get(), &status) == 0 && status.st_size > kLogLimit)
        std::ignore = ::ftruncate(log.get(), 0);
    if (!log.valid()) log.reset(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (log.valid()) std::ignore = ::dup2(log.get(), STDERR_FILENO);
}

/// For so long a process of the job may be silent.
Nanos silenceAllowedBy(const std::string& jobToml) {
    const auto job = config::JobDocument::parse(jobToml, "job.toml");
    const config::JobSpec spec = job ? job->spec() : config::JobSpec();
    return std::chrono::duration_cast<Nanos>(Seconds(spec.cluster.heartbeatTimeoutSeconds));
}

class HostService {
public:
    explicit HostService(HostServiceOptions options)
        : options_(std::move(options)), crew_(std::move(options_.requests)) {}

    void run();

private:
    [[nodiscard]] bool turn();
    [[nodiscard]] std::vector<pollfd> waitForNews();
    [[nodiscard]] bool readInput();
    void take(const wire::ToHost& message);
    void greet(const wire::ToHost& message);
    void startAgent(const wire::ToHost& message);
    void detachAgent(std::uint64_t request);
    void serveAgent();
    void watchAgent(const wire::Attached& attached);
    void send(wire::FromHost message);
    void sendAll(std::vector<wire::FromHost> messages);
    [[nodiscard]] Nanos leaseEnd() const;

    HostServiceOptions options_;
    wire::FrameReader reader_;
    wire::FrameWriter writer_;
    RequestCrew crew_;
    ServiceRelays relays_;
    std::unique_ptr<ServiceAgent> agent_;
    UniqueFd watched_;  ///< pidfd of an agent that another service has started.
    std::optional<StoppedWatch> watchedStop_;
    std::filesystem::path watchedRun_;
    Nanos lease_ = kAtLeastWithoutAgent;
    Nanos renewed_ = SteadyClock::read();
    bool greeted_ = false;
};

void HostService::run() {
    ::fcntl(options_.input, F_SETFL, O_NONBLOCK);
    ::fcntl(options_.output, F_SETFL, O_NONBLOCK);
    while (turn()) {
    }
    agent_.reset();  // first: its job is what must end
    // A request that does not heed its stop must not keep this program alive.
    if (!crew_.finish(kRequestsEnd)) std::_Exit(0);
}

/// False when the launcher has gone, or its lease has expired.
bool HostService::turn() {
    const std::vector<pollfd> watched = waitForNews();
    if (!readInput()) return false;
    serveAgent();
    for (wire::FromHost& answer : crew_.takeAnswers()) {
        if (answer.has_attached()) watchAgent(answer.attached());
        if (answer.error().has_stopped()) watchAgent(answer.error().stopped());
        send(std::move(answer));
    }
    sendAll(relays_.serve(watched));
    if (!writer_.flush(options_.output) || writer_.pending() > kMostBacklog) return false;
    if (SteadyClock::read() < leaseEnd()) return true;
    std::fprintf(stderr, "%s: the launcher's lease has expired\n", utcStamp().c_str());
    return false;
}

Nanos HostService::leaseEnd() const {
    if (!greeted_) return renewed_ + kUntilGreeted;
    const bool bound = agent_ && !agent_->hasEnded();
    return renewed_ + (bound ? lease_ : std::max<Nanos>(lease_, kAtLeastWithoutAgent));
}

std::vector<pollfd> HostService::waitForNews() {
    std::vector<pollfd> watched{{options_.input, POLLIN, 0}, {crew_.fd(), POLLIN, 0}};
    if (writer_.pending() > 0) watched.push_back({options_.output, POLLOUT, 0});
    if (agent_) watched.push_back({agent_->outputFd(), POLLIN, 0});
    if (agent_) watched.push_back({agent_->pidFd(), POLLIN, 0});
    if (watched_.valid()) watched.push_back({watched_.get(), POLLIN, 0});
    relays_.addTo(watched, writer_.pending() < kRelayBacklog);
    const Nanos left = std::clamp<Nanos>(leaseEnd() - SteadyClock::read(), Nanos{0}, kLongestWait);
    ::poll(watched.data(), watched.size(),
           static_cast<int>(std::chrono::ceil<Millis>(left).count()));
    return watched;
}

bool HostService::readInput() {
    const auto open = reader_.fill(options_.input);
    while (const auto frame = reader_.next()) {
        wire::ToHost message;
        if (message.ParseFromString(*frame)) take(message);
    }
    return open && *open;
}

void HostService::take(const wire::ToHost& message) {
    if (message.has_hello()) return greet(message);
    if (!greeted_) {
        wire::FromHost answer =
            errorAnswer({ErrorCode::BadInput, "the launcher did not say which version it is", ""});
        answer.set_request(message.request());
        return send(std::move(answer));
    }
    renewed_ = SteadyClock::read();  // whoever asks is there
    switch (message.body_case()) {
        case wire::ToHost::kLease: {
            wire::FromHost heard;  // the launcher, too, goes by the lease
            heard.mutable_done();
            heard.set_request(message.request());
            return send(std::move(heard));
        }
        case wire::ToHost::kStartAgent:
        case wire::ToHost::kJoinAgent:
            return startAgent(message);
        case wire::ToHost::kDetach:
            return detachAgent(message.request());
        case wire::ToHost::kRelayOpen:
        case wire::ToHost::kRelayData:
        case wire::ToHost::kRelayEnd:
            return sendAll(relays_.take(message));
        default:
            break;
    }
    if (crew_.start(message)) return;
    wire::FromHost answer =
        errorAnswer({ErrorCode::BadInput, "this host's service does not know the request", ""});
    answer.set_request(message.request());
    send(std::move(answer));
}

void HostService::greet(const wire::ToHost& message) {
    wire::FromHost answer;
    if (message.protocol() != wire::kProtocol) {
        answer = errorAnswer({ErrorCode::BadInput,
                              fmt::format("the launcher speaks protocol {}, this host {}",
                                          message.protocol(), wire::kProtocol),
                              "Install the same version on every host."});
    } else {
        greeted_ = true;
        renewed_ = SteadyClock::read();
        lease_ = leaseWithinBounds(message.hello().lease_seconds());
        answer.mutable_greeting()->set_host(hostName());
        answer.mutable_greeting()->set_build(options_.build);
        answer.mutable_greeting()->set_pid(::getpid());
        answer.mutable_greeting()->set_runs_folder(privateRunsFolder().string());
    }
    answer.set_request(message.request());
    send(std::move(answer));
}

void HostService::startAgent(const wire::ToHost& message) {
    const auto refuse = [&](const Error& error) {
        wire::FromHost answer = errorAnswer(error);
        answer.set_request(message.request());
        send(std::move(answer));
    };
    if (agent_) return refuse({ErrorCode::BadInput, "there is an agent already", ""});
    ServiceAgent::Order order;
    order.joins = message.has_join_agent();
    order.request = message.request();
    order.readyTimeout = kAgentReady;
    if (order.joins) {
        wire::JoinConfig own = message.join_agent();
        own.set_worker_program(options_.workerProgram.string());
        order.message = own.SerializeAsString();
        order.stoppedPatience = silenceAllowedBy(own.ticket().job_toml());
    } else {
        wire::AgentConfig own = message.start_agent();
        own.set_worker_program(options_.workerProgram.string());
        order.message = own.SerializeAsString();
        order.run = own.run_dir();
        order.stoppedPatience = silenceAllowedBy(own.job_toml());
    }
    auto agent = ServiceAgent::start(options_.workerProgram, std::move(order));
    if (!agent) return refuse(agent.error());
    agent_ = std::move(*agent);
}

void HostService::detachAgent(std::uint64_t request) {
    wire::FromHost answer;
    answer.mutable_done();
    if (!agent_ || agent_->hasEnded())
        answer = errorAnswer({ErrorCode::NotFound, "there is no agent", ""});
    else if (auto detached = agent_->detach(); !detached)
        answer = errorAnswer(detached.error());
    answer.set_request(request);
    send(std::move(answer));
}

void HostService::serveAgent() {
    if (agent_) {
        const Nanos now = SteadyClock::read();
        if (auto answer = agent_->takeAnswer(now)) send(std::move(*answer));
        if (auto stop = agent_->takeStop(now)) send(std::move(*stop));
        if (auto end = agent_->takeEnd()) send(std::move(*end));
    }
    if (!watched_.valid()) return;
    if (auto stop = watchedStop_->look(SteadyClock::read())) send(std::move(*stop));
    pollfd watched{watched_.get(), POLLIN, 0};
    if (::poll(&watched, 1, 0) <= 0) return;
    watched_.reset();
    wire::FromHost news;
    news.mutable_agent_ended()->set_unknown(true);
    news.mutable_agent_ended()->set_forced(run::wasEndedByForce({watchedRun_}));
    send(std::move(news));
}

void HostService::watchAgent(const wire::Attached& attached) {
    const auto pid = static_cast<pid_t>(attached.agent_pid());
    if ((agent_ && !agent_->hasEnded()) || pid <= 0) return;
    UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!process.valid() || processStartTime(pid) != attached.agent_start_time()) return;
    watched_ = std::move(process);
    watchedStop_.emplace(pid);
    watchedRun_ = attached.run_dir();
}

void HostService::send(wire::FromHost message) {
    message.set_protocol(wire::kProtocol);
    if (!writer_.push(message.SerializeAsString()))
        std::fprintf(stderr, "an answer was above the limit of a frame\n");
}

void HostService::sendAll(std::vector<wire::FromHost> messages) {
    for (wire::FromHost& message : messages)
        send(std::move(message));
}

}  // namespace

int runHostService(HostServiceOptions options) {
    std::signal(SIGHUP, SIG_IGN);  // the input's end says it, after what was sent before
    moveErrorOutput();
    addRunRequests(options.requests);
    addRestoreRequests(options.requests);
    HostService(std::move(options)).run();
    return 0;
}

}  // namespace lockstep::launch
