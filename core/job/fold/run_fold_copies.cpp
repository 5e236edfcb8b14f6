// SPDX-License-Identifier: Apache-2.0
// What becomes of the copies of checkpoints on another host, as those who watch are told.
#include <fmt/format.h>

#include "core/base/plural.h"
#include "core/job/fold/run_fold.h"

namespace lockstep::job {

namespace {

constexpr int kInfo = 1;
constexpr int kWarning = 2;

}  // namespace

/// Each attempt is a line of the log; the first that fails, and the first that succeeds again, are
/// worth a notice.
void RunFold::applyCopy(const wire::CheckpointCopy& copy, double wallTime) {
    const auto step = static_cast<std::int64_t>(copy.step());
    const bool failed = !copy.error().empty();
    std::string sentence;
    if (failed)
        sentence = fmt::format(
            "the checkpoint of step {} was not copied to {}, attempt {}: {}; it is tried again",
            step, copy.host(), copy.failures(), copy.error());
    else
        sentence = fmt::format("the checkpoint of step {} is copied to {}, {:.1f} s", step,
                               copy.host(), copy.seconds());
    if (!failed && copy.failures() > 0)
        sentence += fmt::format(", after {} that failed", counted(copy.failures(), "attempt"));
    addLog({wallTime, 0, Role::Agent, failed ? kWarning : kInfo, sentence});
    const bool isTurn = failed ? copy.failures() == 1 : copy.failures() > 0;
    if (isTurn) now_.notices.push_back({0, Role::Agent, sentence, wallTime});
}

}  // namespace lockstep::job
