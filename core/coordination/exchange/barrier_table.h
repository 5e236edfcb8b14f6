// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/exchange/key_value_store.h"

namespace lockstep::coordination {

/// Barriers of all workers, by name. The first to arrive sets the deadline; at it everybody who
/// came is told who did not. A name may be used again once its barrier is over. Requests of a
/// process are numbered upwards, so that a repeated one is recognised. No clock, no thread.
class BarrierTable {
public:
    static constexpr std::size_t kMaxOpen = 64;
    static constexpr std::size_t kMaxNameBytes = 256;

    explicit BarrierTable(std::uint32_t workers) : workers_(workers) {}

    /// A worker enters; answers are due to all who wait when it is the last one.
    [[nodiscard]] std::vector<RequestAnswer> enter(std::uint32_t worker, std::uint64_t request,
                                                   const std::string& name, Nanos timeout,
                                                   Nanos now);
    [[nodiscard]] std::vector<RequestAnswer> expire(Nanos now);
    /// `worker` has left and will enter no more: barriers that wait for it fail.
    [[nodiscard]] std::vector<RequestAnswer> leave(std::uint32_t worker);
    [[nodiscard]] std::vector<RequestAnswer> abort(const std::string& reason);

private:
    struct Open {
        std::map<std::uint32_t, std::uint64_t> arrived;  // worker -> its request
        Nanos deadline{};
        Nanos timeout{};
    };
    struct Last {
        std::uint64_t request = 0;
        bool answered = false;
        std::string error;
    };
    [[nodiscard]] std::vector<RequestAnswer> close(const Open& barrier, const std::string& error);
    [[nodiscard]] std::vector<RequestAnswer> answerAtOnce(std::uint32_t worker,
                                                          std::uint64_t request, std::string error);
    [[nodiscard]] std::vector<int> missing(const Open& barrier) const;
    [[nodiscard]] std::string timeoutSentence(const std::string& name, const Open& barrier) const;

    std::uint32_t workers_;
    std::map<std::string, Open> open_;
    std::map<std::uint32_t, Last> last_;  // the newest request of each worker
    std::set<std::uint32_t> left_;
};

}  // namespace lockstep::coordination
