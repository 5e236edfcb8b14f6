// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

namespace lockstep {

/// Says in this process's log, which is its standard error, where the threads of a process are
/// that is stuck: on a thread of its own, since whoever is told of it must go on.
class StackTeller {
public:
    using Say = std::function<void(const std::string&)>;
    /// `tell`: gives what there is to say. May take some seconds.
    explicit StackTeller(std::function<void(const std::string& whose, const Say& say)> tell)
        : tell_(std::move(tell)) {}

    /// `process` is "process 2". Returns at once; nothing new is told while the former is not done.
    /// One thread.
    void tell(const std::string& process, double seconds);

private:
    const std::function<void(const std::string& whose, const Say& say)> tell_;
    std::atomic<bool> isTelling_{false};
    std::jthread thread_;
};

}  // namespace lockstep
