// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace lockstep {

/// Says in this process's log, which is its standard error, where the threads of a process are
/// that is stuck: on a thread of its own, since whoever is told of it must go on.
class StackTeller {
public:
    using Say = std::function<void(const std::string&)>;
    /// `tell`: gives what there is to say. May take some seconds, and forever where a lock that it
    /// needs is held by a thread that is stuck: it must not refer to what ends with this object.
    explicit StackTeller(std::function<void(const std::string& whose, const Say& say)> tell);
    /// Waits for two seconds at most; then the thread is left to itself.
    ~StackTeller();
    StackTeller(const StackTeller&) = delete;
    StackTeller& operator=(const StackTeller&) = delete;

    /// `process` is "process 2". Returns at once; false, and nothing new is told, while the former
    /// is not done. One thread.
    bool tell(const std::string& process, double seconds);

private:
    struct Shared;
    const std::shared_ptr<Shared> shared_;  ///< With a thread that outlives this.
    std::jthread thread_;
};

}  // namespace lockstep
