// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <barrier>
#include <cstddef>
#include <span>
#include <vector>

#include "core/program/executor.h"

namespace lockstep::testing {

/// Sums of replicas that are threads of the test: of(i) is replica i's, for the thread that runs
/// it. All wait for each other at every sum.
class JoinedSums {
public:
    explicit JoinedSums(std::size_t replicas)
        : meeting_(static_cast<std::ptrdiff_t>(replicas)), values_(replicas) {
        for (std::size_t i = 0; i < replicas; ++i)
            sums_.emplace_back(*this, i);
    }

    [[nodiscard]] program::ReplicaSum& of(std::size_t replica) { return sums_[replica]; }
    /// How often replica 0 has joined a sum.
    [[nodiscard]] int calls() const { return calls_; }

private:
    class Sum final : public program::ReplicaSum {
    public:
        Sum(JoinedSums& all, std::size_t replica) : all_(all), replica_(replica) {}
        [[nodiscard]] Result<void> sum(std::span<double> values) override {
            all_.join(replica_, values);
            return {};
        }

    private:
        JoinedSums& all_;
        std::size_t replica_;
    };

    void join(std::size_t replica, std::span<double> values) {
        if (replica == 0) ++calls_;
        values_[replica].assign(values.begin(), values.end());
        meeting_.arrive_and_wait();  // all have said theirs
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = 0;
            for (const std::vector<double>& part : values_)
                values[i] += part.at(i);
        }
        meeting_.arrive_and_wait();  // all have read them
    }

    std::barrier<> meeting_;
    std::vector<std::vector<double>> values_;
    std::vector<Sum> sums_;
    int calls_ = 0;
};

}  // namespace lockstep::testing
