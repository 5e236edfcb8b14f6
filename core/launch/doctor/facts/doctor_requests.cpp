// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/facts/doctor_requests.h"

#include <memory>
#include <vector>

#include "core/base/clock.h"
#include "core/base/mutex.h"
#include "core/launch/doctor/facts/host_facts.h"
#include "core/launch/doctor/facts/listening_ports.h"
#include "core/wire/connections.h"
#include "core/wire/echo_listener.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostListeners = 256;

/// Requests come on threads of their own.
class Listeners {
public:
    Result<wire::FromHost> open(const wire::OpenListener& wanted) {
        wire::FromHost answer;
        auto listener = wire::EchoListener::open(wanted, *answer.mutable_listener_opened());
        nameHolder(wanted, *answer.mutable_listener_opened());
        Lock lock(mutex_);
        if (open_.size() >= kMostListeners)
            return fail(ErrorCode::Unavailable, "the doctor listens at too many ports already");
        if (listener) open_.push_back(std::move(listener));
        return answer;
    }

private:
    Mutex mutex_;
    std::vector<std::unique_ptr<wire::EchoListener>> open_ LS_GUARDED_BY(mutex_);
};

}  // namespace

HostRequests doctorRequests(const std::filesystem::path& worker) {
    HostRequests requests;
    requests[wire::ToHost::kExamine] = [worker](const wire::ToHost& request,
                                                const std::stop_token&) {
        wire::FromHost answer;
        *answer.mutable_host_facts() = examineHost(request.examine(), worker);
        return Result<wire::FromHost>(std::move(answer));
    };
    requests[wire::ToHost::kReadClock] = [](const wire::ToHost&, const std::stop_token&) {
        wire::FromHost answer;
        answer.mutable_clock_reading()->set_wall_seconds(wallSeconds());
        return Result<wire::FromHost>(std::move(answer));
    };
    requests[wire::ToHost::kOpenListener] = [listeners = std::make_shared<Listeners>()](
                                                const wire::ToHost& request,
                                                const std::stop_token&) {
        return listeners->open(request.open_listener());
    };
    requests[wire::ToHost::kTryConnections] = [](const wire::ToHost& request,
                                                 const std::stop_token&) {
        wire::FromHost answer;
        *answer.mutable_connections_tried() = wire::tryConnections(request.try_connections());
        return Result<wire::FromHost>(std::move(answer));
    };
    return requests;
}

}  // namespace lockstep::launch
