// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/collective/communicator.h"

namespace lockstep::tests {

/// Passes everything on to another communicator; who watches overrides what it watches.
class PassingCommunicator : public collective::Communicator {
public:
    explicit PassingCommunicator(collective::Communicator& inner) : inner_(inner) {}

    [[nodiscard]] int replica() const override { return inner_.replica(); }
    [[nodiscard]] int replicaCount() const override { return inner_.replicaCount(); }
    [[nodiscard]] std::string_view backend() const override { return inner_.backend(); }
    void showPlaceIn(CollectivePlace& place) override { inner_.showPlaceIn(place); }
    [[nodiscard]] std::span<float> gradients() override { return inner_.gradients(); }
    [[nodiscard]] std::span<float> parameters() override { return inner_.parameters(); }
    [[nodiscard]] std::span<const float> sums() override { return inner_.sums(); }
    [[nodiscard]] std::span<float> moments(int index) override { return inner_.moments(index); }
    void setVotes(const collective::StepVotes& mine) override { inner_.setVotes(mine); }
    void post(std::size_t bucket) override { inner_.post(bucket); }
    [[nodiscard]] Result<collective::Range> reduce(std::size_t bucket) override {
        return inner_.reduce(bucket);
    }
    [[nodiscard]] const collective::StepVotes& votes() const override { return inner_.votes(); }
    void publish(std::size_t bucket) override { inner_.publish(bucket); }
    [[nodiscard]] Result<void> finishStep() override { return inner_.finishStep(); }
    [[nodiscard]] Result<void> broadcastState() override { return inner_.broadcastState(); }
    [[nodiscard]] Result<void> allGather(std::span<const std::uint64_t> mine,
                                         std::span<std::uint64_t> all) override {
        return inner_.allGather(mine, all);
    }
    [[nodiscard]] Result<void> allToAll(std::span<const std::uint64_t> mine,
                                        std::span<std::uint64_t> pieces) override {
        return inner_.allToAll(mine, pieces);
    }
    void abort() override { inner_.abort(); }

private:
    collective::Communicator& inner_;
};

}  // namespace lockstep::tests
