// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/this_host_link.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <list>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/mutex.h"
#include "core/base/thread.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostRequests = 256;  ///< In the life of a link.

class ThisHostLink final : public HostLink {
public:
    ThisHostLink(std::string host, HostRequests requests)
        : host_(std::move(host)),
          requests_(std::move(requests)),
          wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) {}

    [[nodiscard]] const std::string& host() const override { return host_; }
    [[nodiscard]] Result<void> send(const wire::ToHost& message, Nanos timeout) override;
    [[nodiscard]] Result<std::optional<wire::FromHost>> receive(Nanos timeout) override;
    [[nodiscard]] int fd() const override { return wake_.get(); }
    [[nodiscard]] Result<std::string> forwardSocket(const std::string& socket) override {
        return socket;  // it is here already
    }

private:
    void answer(wire::FromHost message);

    const std::string host_;
    const HostRequests requests_;
    UniqueFd wake_;
    Mutex mutex_;
    std::deque<wire::FromHost> answers_ LS_GUARDED_BY(mutex_);
    std::list<std::jthread> threads_;  ///< The last: they end before what they touch.
};

Result<void> ThisHostLink::send(const wire::ToHost& message, Nanos) {
    if (message.has_hello()) {
        wire::FromHost greeting;
        greeting.set_request(message.request());
        greeting.mutable_greeting()->set_host(hostName());
        answer(std::move(greeting));
        return {};
    }
    const auto found = requests_.find(message.body_case());
    if (found == requests_.end()) return {};  // a lease: nobody needs it here
    if (threads_.size() >= kMostRequests)
        return fail(ErrorCode::Unavailable, "this machine was asked too much at once");
    threads_.push_back(startThread(
        "host-request", [this, message, &request = found->second](const std::stop_token& stop) {
            wire::FromHost reply;
            if (auto done = request(message, stop)) {
                reply = std::move(*done);
            } else {
                reply.mutable_error()->set_error(done.error().message);
                reply.mutable_error()->set_remedy(done.error().remedy);
            }
            reply.set_request(message.request());
            answer(std::move(reply));
        }));
    return {};
}

void ThisHostLink::answer(wire::FromHost message) {
    {
        Lock lock(mutex_);
        answers_.push_back(std::move(message));
    }
    const std::uint64_t one = 1;
    std::ignore = ::write(wake_.get(), &one, sizeof one);
}

Result<std::optional<wire::FromHost>> ThisHostLink::receive(Nanos timeout) {
    pollfd entry{wake_.get(), POLLIN, 0};
    const auto wait = std::chrono::ceil<Millis>(timeout).count();
    if (::poll(&entry, 1, static_cast<int>(wait)) <= 0) return std::nullopt;
    std::uint64_t count = 0;
    if (::read(wake_.get(), &count, sizeof count) != sizeof count) return std::nullopt;
    Lock lock(mutex_);
    if (answers_.empty()) return std::nullopt;
    wire::FromHost message = std::move(answers_.front());
    answers_.pop_front();
    return message;
}

}  // namespace

std::unique_ptr<HostLink> makeThisHostLink(std::string host, HostRequests requests) {
    return std::make_unique<ThisHostLink>(std::move(host), std::move(requests));
}

}  // namespace lockstep::launch
