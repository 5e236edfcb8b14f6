// SPDX-License-Identifier: Apache-2.0
#include "core/base/stack_teller.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/mutex.h"
#include "core/base/thread.h"

namespace lockstep {

namespace {

constexpr std::chrono::seconds kToEnd{2};

/// Not by way of the C library's stream, whose lock the stuck thread may hold.
void sayInLog(const std::string& text) {
    std::ignore = writeAll(STDERR_FILENO, text);
}

}  // namespace

struct StackTeller::Shared {
    explicit Shared(std::function<void(const std::string& whose, const Say& say)> how)
        : tell(std::move(how)) {}

    const std::function<void(const std::string& whose, const Say& say)> tell;
    Mutex mutex;
    ConditionVariable changed;
    bool isTelling LS_GUARDED_BY(mutex) = false;
};

StackTeller::StackTeller(std::function<void(const std::string& whose, const Say& say)> tell)
    : shared_(std::make_shared<Shared>(std::move(tell))) {}

StackTeller::~StackTeller() {
    Lock lock(shared_->mutex);
    const bool isDone = shared_->changed.wait_for(
        shared_->mutex, kToEnd,
        [this]() LS_REQUIRES(shared_->mutex) { return !shared_->isTelling; });
    if (!isDone) thread_.detach();
}

bool StackTeller::tell(const std::string& process, double seconds) {
    {
        const Lock lock(shared_->mutex);
        if (std::exchange(shared_->isTelling, true)) return false;
    }
    const std::string whose = fmt::format("{} (stuck for {:.0f} s)", process, std::floor(seconds));
    thread_ = startThread("stacks", [shared = shared_, whose](const std::stop_token&) {
        shared->tell(whose, sayInLog);
        {
            const Lock lock(shared->mutex);
            shared->isTelling = false;
        }
        shared->changed.notify_all();
    });
    return true;
}

}  // namespace lockstep
