// SPDX-License-Identifier: Apache-2.0
#include "core/train/drill/drill_victim.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "core/base/clock.h"
#include "core/base/plural.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/coordination/state/drill_refusals.h"
#include "core/train/drill/process_faults.h"

namespace lockstep::train {

namespace refusals = coordination::refusals;

namespace {
constexpr Nanos kCommitPatience = std::chrono::seconds(10);
}

DrillVictim::DrillVictim(Options options, Send send, Step step)
    : options_(std::move(options)), send_(std::move(send)), step_(std::move(step)) {}

DrillVictim::~DrillVictim() {
    end();
}

void DrillVictim::end() {
    std::vector<UnderWay> underWay;
    {
        Lock lock(mutex_);
        isEnded_ = true;
        underWay.swap(underWay_);
    }
}  // they are asked to end, and awaited

void DrillVictim::take(const wire::DrillRequest& order) {
    Lock lock(mutex_);
    if (isEnded_ || !known_.insert(order.id()).second) return;
    std::erase_if(underWay_, [](const UnderWay& one) { return one.isDone->load(); });
    const auto isDone = std::make_shared<std::atomic<bool>>(false);
    underWay_.push_back(
        {isDone, startThread("drill", [this, order, isDone](const std::stop_token& stop) {
             inflict(order, stop);
             isDone->store(true);
         })});
}

void DrillVictim::inflict(const wire::DrillRequest& order, const std::stop_token& stop) {
    switch (order.kind()) {
        case wire::DRILL_KIND_KILL:
            if (say(order, wire::DRILL_PHASE_INFLICTED, "it kills itself (SIGKILL)", step_()))
                killThisProcess();
            return;  // nobody knows of it: it would be a failure like any other
        case wire::DRILL_KIND_STOP:
            return stopForAWhile(order);
        case wire::DRILL_KIND_TORN_CHECKPOINT:
            return tearAndEnd(order);
        case wire::DRILL_KIND_CUT: {
            const auto cut = cutConnections(options_.coordinatorPort);
            if (!cut) return refuse(order, cut.error().message);
            say(order, wire::DRILL_PHASE_INFLICTED,
                fmt::format("it has shut down {} to other processes", counted(*cut, "connection")),
                step_());
            return;
        }
        case wire::DRILL_KIND_DISK_FULL:
            return fillDisk(order, stop);
        case wire::DRILL_KIND_STUCK:
        case wire::DRILL_KIND_SLOW:
        case wire::DRILL_KIND_NAN:
        case wire::DRILL_KIND_BIT_FLIP:
            return leaveToSteps(order);
        default:
            return refuse(order, "the process does not know such a fault");
    }
}

void DrillVictim::stopForAWhile(const wire::DrillRequest& order) {
    if (!say(order, wire::DRILL_PHASE_INFLICTED, "it stops itself (SIGSTOP)", step_())) return;
    const auto stood = stopThisProcess(order.seconds());
    if (!stood) return refuse(order, stood.error().message);
    say(order, wire::DRILL_PHASE_LANDED,
        fmt::format("it stood still for {:.1f} s (SIGSTOP)", Seconds(*stood).count()), step_());
}

void DrillVictim::tearAndEnd(const wire::DrillRequest& order) {
    if (!options_.mayRestart) return refuse(order, std::string(refusals::kNoRestart));
    if (options_.keepsSteps) return refuse(order, std::string(refusals::kGoesOnFromMemory));
    if (!options_.seesRunFolder) return refuse(order, "the run's folder is on another host");
    if (const auto tear = findTear(options_.checkpoints); !tear)
        return refuse(order, tear.error().message);
    // A newer one that is under way would be read instead: it fails now, or is committed first.
    if (const auto still = keepFilesFromGrowing(); !still)
        return refuse(order, still.error().message);
    const auto torn = tearSaidFirst(order);
    if (torn && *torn) killThisProcess();
    allowFilesToGrow();
    if (!torn) refuse(order, torn.error().message);
}

/// What is torn stays so: only what is known to be a drill's may be. False: nobody heard of it.
Result<bool> DrillVictim::tearSaidFirst(const wire::DrillRequest& order) {
    TRY(waitForCommits(options_.checkpoints, kCommitPatience));
    const Tear tear = TRY(findTear(options_.checkpoints));
    const std::string name = tear.file.lexically_relative(options_.checkpoints).string();
    if (!say(order, wire::DRILL_PHASE_INFLICTED,
             fmt::format("it cuts {} from {} to {} bytes, and kills itself", name, tear.bytes,
                         tear.bytes / 2),
             step_()))
        return false;
    TRY(makeTear(tear));
    return true;
}

void DrillVictim::fillDisk(const wire::DrillRequest& order, const std::stop_token& stop) {
    if (const auto full = keepFilesFromGrowing(); !full) return refuse(order, full.error().message);
    say(order, wire::DRILL_PHASE_INFLICTED,
        "no file that it writes grows any more (a limit of its own, RLIMIT_FSIZE)", step_());
    if (order.seconds() <= 0) return;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any over;
    over.wait_for(lock, stop, Seconds(order.seconds()), [] { return false; });
    allowFilesToGrow();
}

void DrillVictim::leaveToSteps(const wire::DrillRequest& order) {
    if (!steps_.isAttached())
        return refuse(order,
                      "it is in no step that could be touched: it has not begun to train, or a "
                      "GPU runs its steps whole");
    const bool taken =
        steps_.order({.kind = order.kind(),
                      .seconds = order.seconds(),
                      .done =
                          [this, order](const std::string& sentence, std::int64_t step) {
                              say(order, wire::DRILL_PHASE_INFLICTED, sentence,
                                  static_cast<std::uint64_t>(step > 0 ? step - 1 : 0));
                          },
                      .refused = [this, order](const std::string& why) { refuse(order, why); }});
    if (!taken) refuse(order, "another fault still waits for its next step");
}

bool DrillVictim::say(const wire::DrillRequest& order, wire::DrillPhase phase,
                      const std::string& sentence, std::uint64_t step) {
    wire::Record record;
    wire::Drill& drill = *record.mutable_drill();
    drill.set_id(order.id());
    drill.set_kind(order.kind());
    drill.set_process_id(order.process_id());
    drill.set_phase(phase);
    drill.set_sentence(fmt::format("process {}: {}", order.process_id(), sentence));
    drill.set_landed_step(step);
    return send_(std::move(record));
}

void DrillVictim::refuse(const wire::DrillRequest& order, const std::string& why) {
    wire::Record record;
    wire::Drill& drill = *record.mutable_drill();
    drill.set_id(order.id());
    drill.set_kind(order.kind());
    drill.set_process_id(order.process_id());
    drill.set_phase(wire::DRILL_PHASE_REFUSED);
    drill.set_sentence(why);
    send_(std::move(record));
}

}  // namespace lockstep::train
