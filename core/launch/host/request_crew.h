// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "core/base/bounded_queue.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/launch/host/host_requests.h"

namespace lockstep::launch {

/// Does requests of a table, each on a thread of its own ("request"), a limited number at a time.
/// Used by one thread, which takes the answers.
class RequestCrew {
public:
    explicit RequestCrew(HostRequests requests);
    /// Asks all to give up and joins them.
    ~RequestCrew();
    RequestCrew(const RequestCrew&) = delete;
    RequestCrew& operator=(const RequestCrew&) = delete;

    /// False when the table has no such entry. Too many at once are answered with an error.
    [[nodiscard]] bool start(const wire::ToHost& request);
    /// Readable when there are answers.
    [[nodiscard]] int fd() const { return bell_.get(); }
    /// Answers that have come, their request number filled in.
    [[nodiscard]] std::vector<wire::FromHost> takeAnswers();
    /// Asks all to give up; false when some have not by then.
    [[nodiscard]] bool finish(Nanos timeout);

private:
    void answer(wire::FromHost answer, std::uint64_t request);

    HostRequests requests_;
    UniqueFd bell_;  ///< eventfd
    BoundedQueue<wire::FromHost> answers_;
    std::vector<std::jthread> threads_;
    std::size_t running_ = 0;  ///< Started and not yet answered.
};

}  // namespace lockstep::launch
