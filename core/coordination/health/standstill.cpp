// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/standstill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/coordination/health/phase_words.h"
#include "core/coordination/state/process_key.h"
#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

namespace {

using Waiters = std::vector<CollectiveWaiter>;

constexpr std::size_t kMostNamed = 4;
constexpr std::size_t kMostOfEach = 2;     // where there are two kinds
constexpr std::size_t kMostSuspects = 32;  // each fills its log with its stacks

/// What the processes have been asked for, about this trouble.
struct Known {
    const LinkFacts* links = nullptr;
    bool threads = false;
};

std::string nameOf(const CollectiveWaiter& one) {
    return coordination::nameOf({wire::ROLE_WORKER, one.process}, one.host);
}

/// "in all-reduce of bucket 2 for 12 s at step 58": that of those who are behind.
std::string sinceWhen(const Waiters& all) {
    const Nanos age = std::ranges::min(all, {}, &CollectiveWaiter::age).age;
    const std::uint64_t done = std::ranges::max(all, {}, &CollectiveWaiter::step).step;
    const CollectiveWaiter& behind = *std::ranges::min_element(all, {}, &CollectiveWaiter::points);
    return fmt::format(
        "in {} for {:.0f} s {}",
        behind.collective.empty() ? std::string(phaseName(behind.phase)) : behind.collective,
        std::floor(Seconds(age).count()), stepWords(behind.phase, done));
}

std::string linkWords(const LinkFacts* links) {
    if (links == nullptr) return "the network between them may be down";
    if (links->askedAll) return "each pair of processes reaches the other";
    return fmt::format("each pair of the {} that were asked reaches the other",
                       counted(links->asked, "process"));
}

/// What is known, or to be thought, where no link is known to be broken, and of no process that it
/// stands still.
std::string networkWords(const Known& known) {
    return linkWords(known.links) +
           (known.threads ? "; what their threads answer does not tell who stands still" : "");
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

/// The one whose threads do not answer, as those do that only wait.
Finding doesNotAnswer(const CollectiveWaiter& one, const Waiters& all) {
    Finding finding;
    finding.processes = {one.process};
    finding.cause =
        fmt::format("has not moved {}, and its threads do not answer; the others wait for it there",
                    sinceWhen(all));
    finding.sentence = fmt::format("{} {}", nameOf(one), finding.cause);
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
Finding eachOther(const CollectiveWaiter& one, const CollectiveWaiter& other, const Waiters& all,
                  const Known& known) {
    const std::string both = fmt::format("and {} have waited for each other {}: {}", nameOf(other),
                                         sinceWhen(all), networkWords(known));
    Finding finding;
    finding.processes = {one.process, other.process};
    finding.sentence = fmt::format("{} {}", nameOf(one), both);
    finding.cause = "it " + both;
    return finding;
}

/// One whose message never comes.
Finding notHeard(const CollectiveWaiter& one, const CollectiveWaiter& awaited, const Waiters& all,
                 const Known& known) {
    Finding finding;
    finding.processes = {one.process};
    finding.cause =
        fmt::format("has waited for {} {}: {}{}", nameOf(awaited), sinceWhen(all),
                    known.links == nullptr ? "it stands still, or " : "", networkWords(known));
    finding.sentence = fmt::format("{} {}", nameOf(one), finding.cause);
    return finding;
}

std::string nameOf(std::uint32_t process, const Waiters& all) {
    const auto found = std::ranges::find(all, process, &CollectiveWaiter::process);
    return coordination::nameOf({wire::ROLE_WORKER, process},
                                found == all.end() ? std::string() : found->host);
}

/// By process, the other ends of the broken links that end at it.
using Ends = std::map<std::uint32_t, std::set<std::uint32_t>>;

Ends endsOf(const std::vector<BrokenLink>& broken) {
    Ends ends;
    for (const BrokenLink& link : broken) {
        ends[link.from].insert(link.to);
        ends[link.to].insert(link.from);
    }
    return ends;
}

/// Where more broken links end than anywhere else.
std::optional<std::uint32_t> hubOf(const Ends& ends) {
    const auto countOf = [](const auto& entry) { return entry.second.size(); };
    const auto most = std::ranges::max_element(ends, {}, countOf);
    if (std::ranges::count(ends, countOf(*most), countOf) > 1) return std::nullopt;
    return most->first;
}

/// Those at the ends of broken links as two sides, of which each reaches nobody of the other and
/// all of its own; none: the links are broken in another way.
std::optional<std::pair<std::set<std::uint32_t>, std::set<std::uint32_t>>> sidesOf(
    const Ends& ends) {
    const std::set<std::uint32_t>& there = ends.begin()->second;
    std::set<std::uint32_t> here;
    for (const auto& [process, others] : ends)
        if (!there.contains(process)) here.insert(process);
    for (const auto& [process, others] : ends)
        if (others != (there.contains(process) ? here : there)) return std::nullopt;
    return std::pair(here, there);
}

std::vector<std::string> namesOf(const std::set<std::uint32_t>& processes, const Waiters& all) {
    std::vector<std::string> names;
    for (const std::uint32_t process : processes)
        names.push_back(nameOf(process, all));
    return names;
}

/// A few by their names, of more their numbers.
std::string sideText(const std::set<std::uint32_t>& side, const Waiters& all) {
    return side.size() > kMostOfEach ? processesText({side.begin(), side.end()})
                                     : joinWords(namesOf(side, all));
}

/// One link that is broken. The cause follows the name of the first and a colon.
Finding oneLinkDown(const BrokenLink& link, const Waiters& all, const std::string& waiting) {
    Finding finding;
    finding.processes = {link.from, link.to};
    const std::string from = nameOf(link.from, all);
    const std::string to = nameOf(link.to, all);
    if (link.bothWays) {
        const std::string both = fmt::format("and {} do not reach each other: {}", to, waiting);
        finding.sentence = fmt::format("{} {}", from, both);
        finding.cause = "it " + both;
    } else {
        finding.cause = fmt::format("does not reach {}, which reaches it: {}", to, waiting);
        finding.sentence = fmt::format("{} {}", from, finding.cause);
    }
    return finding;
}

bool isCut(const Known& known) {
    return known.links != nullptr && !known.links->broken.empty();
}

/// Most of the broken links end at one process.
Finding cutOff(std::uint32_t hub, const std::set<std::uint32_t>& others, const Waiters& all,
               const std::string& down, const std::string& waiting) {
    Finding finding;
    finding.processes = {hub};
    finding.cause =
        fmt::format("is cut off from {} ({}): {}",
                    others.size() > kMostNamed ? fmt::format("{} other processes", others.size())
                                               : joinWords(namesOf(others, all)),
                    down, waiting);
    finding.sentence = fmt::format("{} {}", nameOf(hub, all), finding.cause);
    return finding;
}

/// A few by their ends, of more the numbers of all that are at an end.
std::string linksText(const std::vector<BrokenLink>& broken, const std::vector<std::uint32_t>& ends,
                      const Waiters& all) {
    if (broken.size() > kMostOfEach) return processesText({ends.begin(), ends.end()});
    std::vector<std::string> pairs;
    for (const BrokenLink& link : broken)
        pairs.push_back(fmt::format("{} and {}", nameOf(link.from, all), nameOf(link.to, all)));
    return fmt::format("{}", fmt::join(pairs, ", "));
}

/// No process has more broken links than any other: all their ends are named, and none is at fault.
Finding severalLinksDown(const LinkFacts& links, const Ends& ends, const Waiters& all,
                         const std::string& down, const std::string& waiting) {
    Finding finding;
    finding.isOfSeveral = true;
    for (const auto& [process, others] : ends)
        finding.processes.push_back(process);
    if (const auto sides = sidesOf(ends))
        finding.sentence =
            fmt::format("{} are cut off from {} ({}): {}", sideText(sides->first, all),
                        sideText(sides->second, all), down, waiting);
    else
        finding.sentence = fmt::format("{}, between {}: {}", down,
                                       linksText(links.broken, finding.processes, all), waiting);
    finding.cause = finding.sentence;
    return finding;
}

Finding linkDown(const LinkFacts& links, const Waiters& all) {
    const std::string waiting = fmt::format("all replicas have waited {}", sinceWhen(all));
    if (links.broken.size() == 1) return oneLinkDown(links.broken.front(), all, waiting);
    const std::string down = fmt::format("{} of {} links are down", links.broken.size(),
                                         links.asked * (links.asked - 1) / 2);
    const Ends ends = endsOf(links.broken);
    if (const auto hub = hubOf(ends)) return cutOff(*hub, ends.at(*hub), all, down, waiting);
    return severalLinksDown(links, ends, all, down, waiting);
}

Finding networkDown(const Waiters& all, const Known& known) {
    if (isCut(known)) return linkDown(*known.links, all);
    const Waiters behind = thoseBehind(all);
    for (const CollectiveWaiter& one : behind)
        if (const CollectiveWaiter* other = otherEnd(one, all))
            return eachOther(one, *other, all, known);
    for (const CollectiveWaiter& one : behind) {
        const auto awaited = std::ranges::find_if(all, [&](const CollectiveWaiter& other) {
            return one.awaited == other.replica && one.host != other.host;
        });
        if (awaited != all.end()) return notHeard(one, *awaited, all, known);
    }
    Finding finding;
    finding.sentence =
        fmt::format("all replicas have waited {}: {}", sinceWhen(all), networkWords(known));
    finding.cause = finding.sentence;
    return finding;
}

/// Who stands still in its wait, by what the threads of all answer; null: nobody is known to.
const CollectiveWaiter* heldOne(const Waiters& all, const AnswerFacts& threads,
                                const Known& known) {
    if (!known.threads || !threads.held || isCut(known)) return nullptr;
    const auto found = std::ranges::find(all, *threads.held, &CollectiveWaiter::process);
    return found == all.end() ? nullptr : &*found;
}

/// Those who are named, then the others. None where they are too many to be asked all: of a part
/// of them whoever answers late would be taken for the one that stands still.
std::vector<std::uint32_t> suspectsOf(std::vector<std::uint32_t> named, const Waiters& all) {
    for (const CollectiveWaiter& one : all)
        if (std::ranges::find(named, one.process) == named.end()) named.push_back(one.process);
    if (named.size() > kMostSuspects) named.clear();
    return named;
}

}  // namespace

std::string collectiveName(const wire::ReplicaProgress& progress) {
    switch (progress.collective()) {
        case wire::COLLECTIVE_SUM:
            return progress.has_bucket() ? fmt::format("all-reduce of bucket {}", progress.bucket())
                                         : "all-reduce";
        case wire::COLLECTIVE_SHARES:
            return "all-gather of the weights";
        case wire::COLLECTIVE_BROADCAST:
            return "broadcast of the state";
        case wire::COLLECTIVE_GATHER:
            return "all-gather";
        case wire::COLLECTIVE_ALL_TO_ALL:
            return "all-to-all";
        default:
            return "all-reduce";
    }
}

Finding judgeStandstill(const std::vector<CollectiveWaiter>& all, const LinkFacts& links,
                        const AnswerFacts& threads) {
    const std::string subject =
        fmt::format("all-reduce {}", std::ranges::min(all, {}, &CollectiveWaiter::points).points);
    const Known known{links.subject == subject ? &links : nullptr, threads.subject == subject};
    const Waiters still = thoseStandingStill(all);
    const CollectiveWaiter* held = still.empty() ? heldOne(all, threads, known) : nullptr;
    Finding finding = !still.empty()    ? standsStill(still, all)
                      : held != nullptr ? doesNotAnswer(*held, all)
                                        : networkDown(all, known);
    finding.isOfNetwork = still.empty() && held == nullptr;
    finding.knowsLinks = finding.isOfNetwork && known.links != nullptr;
    finding.knowsThreads = still.empty() && known.threads;
    if (finding.isOfNetwork) finding.suspects = suspectsOf(finding.processes, all);
    finding.severity = kSeverityStuck;
    finding.age = std::ranges::min(all, {}, &CollectiveWaiter::age).age;
    finding.subject = subject;
    return finding;
}

}  // namespace lockstep::coordination
