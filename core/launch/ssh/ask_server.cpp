// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/ask_server.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>

#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/launch/ssh/ask_frames.h"

namespace lockstep::launch {

namespace {

constexpr int kBacklog = 128;
constexpr int kLook = 50;  // ms
constexpr std::chrono::seconds kFrameTime{5};

bool isReadable(int fd, int millis) {
    pollfd entry{fd, POLLIN, 0};
    return ::poll(&entry, 1, millis) > 0;
}

bool belongsToThisUser(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == ::geteuid();
}

Result<UniqueFd> listenAt(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto* at = reinterpret_cast<const sockaddr*>(&address);
    if (!fd.valid() || ::bind(fd.get(), at, sizeof address) != 0 ||
        ::chmod(path.c_str(), 0600) != 0 || ::listen(fd.get(), kBacklog) != 0)
        return fail(ErrorCode::Io, "cannot listen at " + path + ": " + errnoText());
    return fd;
}

void wipe(std::string& secret) {
    ::explicit_bzero(secret.data(), secret.size());
}

}  // namespace

struct AskServer::Request {
    AskQuestion question;
    int ssh = 0;  ///< Its process id: who asks twice was given a wrong answer.
    std::string opening{};
};

Result<std::shared_ptr<AskServer>> AskServer::start(Ask ask, AskServerOptions options) {
    if (options.program.empty()) {
        std::error_code error;
        options.program = std::filesystem::read_symlink("/proc/self/exe", error);
    }
    auto folder = TRY(SocketFolder::make());
    auto server = std::shared_ptr<AskServer>(
        new AskServer(std::move(ask), std::move(options), std::move(folder)));
    server->listener_ = TRY(listenAt(server->folder_.path() / "ask"));
    server->thread_ = startThread(
        "ssh questions", [raw = server.get()](const std::stop_token& stop) { raw->serve(stop); });
    return server;
}

AskServer::AskServer(Ask ask, AskServerOptions options, SocketFolder folder)
    : ask_(std::move(ask)), options_(std::move(options)), folder_(std::move(folder)) {}

AskServer::~AskServer() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    for (auto& [identity, answer] : known_)
        wipe(answer.secret);
}

std::vector<std::string> AskServer::environment(const std::string& destination,
                                                const std::string& opening) const {
    std::vector<std::string> settings{
        "SSH_ASKPASS=" + options_.program.string(), "SSH_ASKPASS_REQUIRE=force",
        fmt::format("{}={}", kAskSocketVariable, (folder_.path() / "ask").string()),
        fmt::format("{}={}", kAskHostVariable, destination),
        fmt::format("{}={}", kAskOpeningVariable, opening)};
    // Before 8.4, ssh asks through a program only where there is a display.
    if (std::getenv("DISPLAY") == nullptr) settings.emplace_back("DISPLAY=:0");
    return settings;
}

void AskServer::serve(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        if (!isReadable(listener_.get(), kLook)) continue;
        UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (client.valid() && belongsToThisUser(client.get())) answer(std::move(client), stop);
    }
}

void AskServer::answer(UniqueFd client, const std::stop_token& stop) {
    const auto frame = readAskFrame(client.get(), kFrameTime);
    if (!frame) return;  // it went away, or is not ours
    const Request request{askQuestionIn(frame->prompt, frame->promptKind, frame->destination),
                          frame->ssh, frame->opening};
    auto given = answerOf(request, client.get(), stop);
    std::string reply = given ? askReply(request.question, *given) : std::string();
    std::ignore = writeAskReply(client.get(), given.has_value(), reply, kFrameTime);
    wipe(reply);
    if (given) wipe(given->secret);
}

std::optional<AskAnswer> AskServer::answerOf(const Request& request, int client,
                                             const std::stop_token& stop) {
    const std::string identity = askIdentity(request.question);
    const bool wasWrong = given_.contains({request.ssh, identity});
    if (const auto known = known_.find(identity); known != known_.end() && !wasWrong) {
        given_.emplace(request.ssh, identity);
        return known->second;
    }
    const auto declined = declined_.find(identity);
    if (declined != declined_.end() && declined->second == request.opening) return std::nullopt;
    auto answer = askNow(request.question, client, stop);
    if (answer) {
        known_[identity] = *answer;
        given_.emplace(request.ssh, identity);
        return answer;
    }
    if (wasWrong) known_.erase(identity);
    // What ssh itself has withdrawn was not declined by anybody.
    if (!isReadable(client, 0) && !request.opening.empty()) declined_[identity] = request.opening;
    return answer;
}

std::optional<AskAnswer> AskServer::askNow(const AskQuestion& question, int client,
                                           const std::stop_token& stop) const {
    std::promise<std::optional<AskAnswer>> promise;
    auto answer = promise.get_future();
    std::jthread asking = startThread("ssh question", [&](const std::stop_token& withdrawn) {
        promise.set_value(ask_(question, withdrawn));
    });
    const Nanos deadline = SteadyClock::read() + options_.patience;
    while (answer.wait_for(Millis(kLook)) != std::future_status::ready) {
        // ssh kills its askpass when the connection ends: nothing is sent here, so what can be
        // read is the end.
        if (stop.stop_requested() || SteadyClock::read() >= deadline || isReadable(client, 0))
            break;
    }
    asking.request_stop();
    return answer.get();
}

}  // namespace lockstep::launch
