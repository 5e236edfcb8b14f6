// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <filesystem>
#include <tuple>
#include <utility>

#include "core/base/try.h"
#include "core/launch/host/host_link.h"
#include "core/launch/host/link_frames.h"
#include "core/launch/process/child_process.h"

namespace lockstep::launch {

class LocalLink final : public HostLink {
public:
    LocalLink(std::string host, std::unique_ptr<ChildProcess> service, bool forwards)
        : host_(std::move(host)),
          service_(std::move(service)),
          frames_(service_->inputFd(), service_->outputFd()),
          forwards_(forwards) {
        ::fcntl(service_->inputFd(), F_SETFL, O_NONBLOCK);
        ::fcntl(service_->outputFd(), F_SETFL, O_NONBLOCK);
    }
    /// The end of its input ends the service.
    ~LocalLink() override {
        service_->closeInput();
        std::ignore = service_->wait(std::chrono::seconds(5));
    }
    LocalLink(const LocalLink&) = delete;
    LocalLink& operator=(const LocalLink&) = delete;

    const std::string& host() const override { return host_; }
    [[nodiscard]] Result<void> send(const wire::ToHost& message, Nanos timeout) override {
        return frames_.send(message, timeout);
    }
    [[nodiscard]] Result<std::optional<wire::FromHost>> receive(Nanos timeout) override {
        return frames_.receive(timeout);
    }
    int fd() const override { return service_->outputFd(); }
    [[nodiscard]] Result<std::string> forwardSocket(const std::string& socket) override {
        if (forwards_) return socket;
        return fail(ErrorCode::Unavailable, "this link forwards no sockets");
    }

private:
    std::string host_;
    std::unique_ptr<ChildProcess> service_;
    LinkFrames frames_;
    bool forwards_;
};

/// Links to services on this machine, whatever the host is called: a child process each.
/// `workerProgram`: lockstep-worker. `forwards`: whether the link leads to sockets by itself, as
/// ssh does where sshd allows it.
[[nodiscard]] inline OpenLink localLinks(std::filesystem::path workerProgram, bool forwards) {
    return
        [program = std::move(workerProgram), forwards](
            const std::string& host,
            const std::function<void(const std::string&)>&) -> Result<std::unique_ptr<HostLink>> {
            ChildOptions options;
            options.program = program;
            options.arguments = {"--host"};
            options.ownSession = true;
            options.dieWithParent = false;  // its input's end ends it
            options.captureOutput = false;
            options.separateOutput = true;
            auto service = TRY(ChildProcess::start(options));
            return std::make_unique<LocalLink>(host, std::move(service), forwards);
        };
}

}  // namespace lockstep::launch
