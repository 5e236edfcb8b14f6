// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/request_crew.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <tuple>

#include "core/base/thread.h"
#include "core/launch/host/host_answer.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostAtOnce = 64;
constexpr Millis kLook{20};

}  // namespace

RequestCrew::RequestCrew(HostRequests requests)
    : requests_(std::move(requests)),
      bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      answers_(2 * kMostAtOnce) {}

RequestCrew::~RequestCrew() {
    answers_.close();
}

bool RequestCrew::start(const wire::ToHost& request) {
    const auto entry = requests_.find(request.body_case());
    if (entry == requests_.end()) return false;
    ++running_;
    if (running_ > kMostAtOnce) {
        answer(errorAnswer({ErrorCode::Unavailable, "too many requests at once", ""}),
               request.request());
        return true;
    }
    if (running_ == 1) threads_.clear();  // all of them have answered
    threads_.push_back(
        startThread("request", [this, work = entry->second, request](const std::stop_token& stop) {
            auto done = work(request, stop);
            answer(done ? std::move(*done) : errorAnswer(done.error()), request.request());
        }));
    return true;
}

void RequestCrew::answer(wire::FromHost answer, std::uint64_t request) {
    answer.set_request(request);
    std::ignore = answers_.push(answer);  // there is a place for each that may be running
    const std::uint64_t one = 1;
    std::ignore = ::write(bell_.get(), &one, sizeof one);
}

std::vector<wire::FromHost> RequestCrew::takeAnswers() {
    std::uint64_t count = 0;
    std::ignore = ::read(bell_.get(), &count, sizeof count);
    std::vector<wire::FromHost> answers;
    for (wire::FromHost& answer : answers_.takeAll()) {
        --running_;
        answers.push_back(std::move(answer));
    }
    return answers;
}

bool RequestCrew::finish(Nanos timeout) {
    for (std::jthread& thread : threads_)
        thread.request_stop();
    const Nanos deadline = SteadyClock::read() + timeout;
    while (running_ > 0 && SteadyClock::read() < deadline) {
        std::ignore = takeAnswers();
        std::this_thread::sleep_for(kLook);
    }
    return running_ == 0;
}

}  // namespace lockstep::launch
