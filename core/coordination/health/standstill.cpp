// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/standstill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/text.h"
#include "core/coordination/health/phase_words.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

namespace {

using Waiters = std::vector<CollectiveWaiter>;

constexpr const char* kMayBeDown = "the network between them may be down";

std::string nameOf(const CollectiveWaiter& one) {
    return coordination::nameOf({wire::ROLE_WORKER, one.process}, one.host);
}

/// "in all-reduce for 12 s at step 58"
std::string sinceWhen(const Waiters& all) {
    const Nanos age = std::ranges::min(all, {}, &CollectiveWaiter::age).age;
    const std::uint64_t done = std::ranges::max(all, {}, &CollectiveWaiter::step).step;
    const wire::Phase phase = std::ranges::min(all, {}, &CollectiveWaiter::points).phase;
    return fmt::format("in {} for {:.0f} s {}", phaseName(phase), std::floor(Seconds(age).count()),
                       stepWords(phase, done));
}

Waiters thoseBehind(const Waiters& all) {
    const std::uint64_t fewest = std::ranges::min(all, {}, &CollectiveWaiter::points).points;
    Waiters behind;
    std::ranges::copy_if(all, std::back_inserter(behind),
                         [&](const CollectiveWaiter& one) { return one.points == fewest; });
    return behind;
}

bool waitsForNobody(const CollectiveWaiter& one) {
    return !one.awaited || one.awaited == one.replica;
}

/// Its own host's memory loses nothing: the mark of who is further is there.
bool waitsForWhatIsThere(const CollectiveWaiter& one, const Waiters& all) {
    return std::ranges::any_of(all, [&](const CollectiveWaiter& other) {
        return other.replica == one.awaited && other.host == one.host && other.points > one.points;
    });
}

/// One of each process.
Waiters thoseStandingStill(const Waiters& all) {
    const Waiters behind = thoseBehind(all);
    // Where all are level and nobody says whom it waits for, nothing is known.
    const bool isKnown = behind.size() < all.size() || !std::ranges::all_of(all, waitsForNobody);
    Waiters still;
    for (const CollectiveWaiter& one : behind) {
        if (!still.empty() && still.back().process == one.process) continue;
        if ((isKnown && waitsForNobody(one)) || waitsForWhatIsThere(one, all)) still.push_back(one);
    }
    return still;
}

Finding standsStill(const Waiters& still, const Waiters& all) {
    Finding finding;
    std::vector<std::string> names;
    for (const CollectiveWaiter& one : still) {
        finding.processes.push_back(one.process);
        names.push_back(nameOf(one));
    }
    const bool several = still.size() > 1;
    finding.sentence =
        fmt::format("{} {} not moved {}; the others wait for {} there", joinWords(names),
                    several ? "have" : "has", sinceWhen(all), several ? "them" : "it");
    finding.cause = several ? "is stuck: " + finding.sentence
                            : finding.sentence.substr(names.front().size() + 1);
    return finding;
}

/// Who waits for `one`'s message and is waited for by it, if any.
const CollectiveWaiter* otherEnd(const CollectiveWaiter& one, const Waiters& all) {
    const auto found = std::ranges::find_if(all, [&](const CollectiveWaiter& other) {
        return other.process != one.process && one.awaited == other.replica &&
               other.awaited == one.replica;
    });
    return found == all.end() ? nullptr : &*found;
}

/// Two that wait for each other. The cause follows the name of the first and a colon.
Finding cutOff(const CollectiveWaiter& one, const CollectiveWaiter& other, const Waiters& all) {
    const std::string both = fmt::format("and {} have waited for each other {}: {}", nameOf(other),
                                         sinceWhen(all), kMayBeDown);
    Finding finding;
    finding.processes = {one.process, other.process};
    finding.sentence = fmt::format("{} {}", nameOf(one), both);
    finding.cause = "it " + both;
    return finding;
}

/// One whose message never comes.
Finding notHeard(const CollectiveWaiter& one, const CollectiveWaiter& awaited, const Waiters& all) {
    Finding finding;
    finding.processes = {one.process};
    finding.cause = fmt::format("has waited for {} {}: it stands still, or {}", nameOf(awaited),
                                sinceWhen(all), kMayBeDown);
    finding.sentence = fmt::format("{} {}", nameOf(one), finding.cause);
    return finding;
}

Finding networkDown(const Waiters& all) {
    const Waiters behind = thoseBehind(all);
    for (const CollectiveWaiter& one : behind)
        if (const CollectiveWaiter* other = otherEnd(one, all)) return cutOff(one, *other, all);
    for (const CollectiveWaiter& one : behind) {
        const auto awaited = std::ranges::find_if(all, [&](const CollectiveWaiter& other) {
            return one.awaited == other.replica && one.host != other.host;
        });
        if (awaited != all.end()) return notHeard(one, *awaited, all);
    }
    Finding finding;
    finding.sentence = fmt::format("all replicas have waited {}: {}", sinceWhen(all), kMayBeDown);
    finding.cause = finding.sentence;
    return finding;
}

}  // namespace

Finding judgeStandstill(const std::vector<CollectiveWaiter>& all) {
    const Waiters still = thoseStandingStill(all);
    Finding finding = still.empty() ? networkDown(all) : standsStill(still, all);
    finding.isOfNetwork = still.empty();
    finding.severity = kSeverityStuck;
    finding.age = std::ranges::min(all, {}, &CollectiveWaiter::age).age;
    finding.subject =
        fmt::format("all-reduce {}", std::ranges::min(all, {}, &CollectiveWaiter::points).points);
    return finding;
}

}  // namespace lockstep::coordination
