// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "core/job/source/journal_source.h"
#include "core/job/source/live_source.h"
#include "core/launch/process/local_launcher.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::job {

/// Starts an agent on this machine when it is first asked, then follows its run. A tied agent ends
/// its job when this source is destroyed.
class LaunchSource final : public JournalSource {
public:
    explicit LaunchSource(wire::AgentConfig config) : config_(std::move(config)) {
        status_.link.sentence = "starting the agent";
    }

    [[nodiscard]] Result<std::optional<Piece>> next(Nanos timeout) override;
    [[nodiscard]] Status status() const override { return live_ ? live_->status() : status_; }
    void requestStop() override;
    void kill() override;
    void waitLonger() override;

private:
    void launch();
    void removeUnused() const;

    wire::AgentConfig config_;
    std::optional<launch::LocalAgent> agent_;
    std::unique_ptr<LiveSource> live_;
    bool stopRequested_ = false;
    bool killRequested_ = false;
    Status status_;
};

}  // namespace lockstep::job
