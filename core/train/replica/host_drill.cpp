// SPDX-License-Identifier: Apache-2.0
// Faults that a drill makes in a replica's step, by its own thread.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <thread>

#include "core/base/thread.h"
#include "core/coordination/state/drill_refusals.h"
#include "core/train/replica/host_steps.h"

namespace lockstep::train {

namespace refusals = coordination::refusals;

namespace {

constexpr int kSlowFactor = 4;
/// A drill that has not landed 30 s after its order counts for nothing: then it may not happen.
constexpr Nanos kStillCounts = std::chrono::seconds(25);
/// In the middle of a float's mantissa: a weight changes by a thousandth of itself, which no loss
/// shows.
constexpr std::uint32_t kFlippedBit = 1U << 13U;

}  // namespace

/// The step's batch is there; its work begins.
void HostSteps::sufferDrill(std::int64_t step) {
    const auto fault = setup_.faults->take();
    if (!fault) return;
    if (SteadyClock::read() - fault->orderedAt > kStillCounts)
        return fault->refused("its next step came too late for it");
    const std::string at = fmt::format("at step {}", step);
    switch (fault->kind) {
        case wire::DRILL_KIND_STUCK: {
            fault->done(fmt::format("replica {} stands still {}", setup_.replica(), at), step);
            const double seconds =
                fault->seconds > 0 ? fault->seconds : std::numeric_limits<std::int32_t>::max();
            std::this_thread::sleep_for(Seconds(seconds));  // what stands still hears nothing
            return;
        }
        case wire::DRILL_KIND_SLOW:
            if (record_.stepMicroseconds == 0)
                return fault->refused(
                    "its first step is not done yet: nothing tells how long they "
                    "take");
            slowBy_ = (kSlowFactor - 1) * toNanos(double{record_.stepMicroseconds} * 1e-6);
            slowUntil_ =
                fault->seconds > 0 ? SteadyClock::read() + toNanos(fault->seconds) : Nanos::max();
            return fault->done(fmt::format("steps of replica {} take {:.1f} ms longer from step {} "
                                           "on",
                                           setup_.replica(), Seconds(slowBy_).count() * 1e3, step),
                               step);
        case wire::DRILL_KIND_NAN:
            if (setup_.mesh != nullptr)
                return fault->refused(std::string(refusals::kLossOfColumns));
            isNanDue_ = true;
            return fault->done(
                fmt::format("the loss of replica {} is not a number {}", setup_.replica(), at),
                step);
        case wire::DRILL_KIND_BIT_FLIP:
            return flipBit(*fault, step);
        default:
            return fault->refused("its steps do not know such a fault");
    }
}

/// A step that a drill slows down: by its backward pass, so that the others wait for it.
void HostSteps::dragOn() {
    if (SteadyClock::read() < slowUntil_)
        std::this_thread::sleep_for(slowBy_);
    else
        slowBy_ = Nanos{};
    record_.backwardMicroseconds += lap();
}

/// In the middle of its first share of the weights.
void HostSteps::flipBit(const StepFault& fault, std::int64_t step) {
    const std::span<float> parameters = setup_.communicator.parameters();
    if (engine_ != nullptr) return fault.refused(std::string(refusals::kWeightsOnGpu));
    if (!identity_.isGuarded()) return fault.refused(std::string(refusals::kNoIdentity));
    if (firstShare_.size() == 0)
        return fault.refused("its share of the weights is empty, or not known before a step");
    const std::size_t element = firstShare_.begin + firstShare_.size() / 2;
    float& weight = parameters[element];
    const float before = weight;
    auto& bits = reinterpret_cast<std::uint32_t&>(weight);
    std::atomic_ref(bits).fetch_xor(kFlippedBit);
    fault.done(
        fmt::format("a bit of element {} of tensor '{}' was flipped in replica {}'s share of "
                    "the weights before step {} ({} became {})",
                    element - identity_.tensorAt(element).offset, identity_.tensorAt(element).name,
                    setup_.replica(), step, before, weight),
        step);
}

}  // namespace lockstep::train
