// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/local_link.h"

#include <fcntl.h>

#include <tuple>
#include <utility>

#include "core/base/try.h"
#include "core/launch/host/link_frames.h"
#include "core/launch/process/child_process.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kEndPatience{5};

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
        std::ignore = service_->wait(kEndPatience);
    }
    LocalLink(const LocalLink&) = delete;
    LocalLink& operator=(const LocalLink&) = delete;

    const std::string& host() const override { return host_; }
    Result<void> send(const wire::ToHost& message, Nanos timeout) override {
        return frames_.send(message, timeout);
    }
    Result<std::optional<wire::FromHost>> receive(Nanos timeout) override {
        return frames_.receive(timeout);
    }
    int fd() const override { return service_->outputFd(); }
    Result<std::string> forwardSocket(const std::string& socket) override {
        if (forwards_) return socket;
        return fail(ErrorCode::Unavailable, "this link forwards no sockets");
    }

private:
    std::string host_;
    std::unique_ptr<ChildProcess> service_;
    LinkFrames frames_;
    bool forwards_;
};

}  // namespace

OpenLink localLinks(std::filesystem::path workerProgram, bool forwards) {
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
