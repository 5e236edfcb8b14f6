// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/examination_board.h"

#include <algorithm>

namespace lockstep::launch {

void ExaminationBoard::update(const std::function<void(Examination&)>& change) {
    {
        Lock lock(mutex_);
        change(examination_);
        isNew_ = true;
    }
    changed_.notify_all();
}

std::optional<Examination> ExaminationBoard::awaitChange(Nanos timeout) {
    Lock lock(mutex_);
    changed_.wait_for(mutex_, timeout, [this]() LS_REQUIRES(mutex_) { return isNew_; });
    if (!std::exchange(isNew_, false)) return std::nullopt;
    return examination_;
}

Examination ExaminationBoard::read() const {
    Lock lock(mutex_);
    return examination_;
}

std::vector<ExaminationBoard::Target> ExaminationBoard::takeTargets(std::size_t from) {
    Lock lock(mutex_);
    std::vector<Target> targets;
    for (std::size_t to = 0; to < examination_.hosts.size(); ++to) {
        if (to == from) continue;
        const auto& ports = examination_.hosts[to].ports;
        for (std::size_t port = 0; port < ports.size(); ++port) {
            if (!ports[port].isOpen() || !taken_.insert({from, {to, port}}).second) continue;
            Target& target = targets.emplace_back();
            target.to = to;
            target.port = port;
            target.where.set_host(ports[port].address.host);
            target.where.set_port(ports[port].opened->port());
            target.where.set_token(ports[port].token);
        }
    }
    return targets;
}

bool ExaminationBoard::allSettled() const {
    Lock lock(mutex_);
    return std::ranges::all_of(examination_.hosts, &ExaminedHost::settled);
}

bool ExaminationBoard::allDone() const {
    Lock lock(mutex_);
    return std::ranges::all_of(examination_.hosts, [](const ExaminedHost& host) {
        return host.state == HostState::Done || host.state == HostState::Failed;
    });
}

}  // namespace lockstep::launch
