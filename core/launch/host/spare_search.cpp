// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/spare_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/exit_status.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/launch/host/lease.h"
#include "core/wire/keys.h"

namespace lockstep::launch {

namespace {

constexpr Millis kLook{50};
constexpr double kLeaseSeconds = 10;
constexpr std::chrono::seconds kOpenTimeout{120};  ///< Lockstep may have to be copied.
constexpr std::chrono::seconds kAnswerTimeout{20};
constexpr std::chrono::seconds kExamineTimeout{60};  ///< Its data are read for it.

Result<std::unique_ptr<HostLink>> openLink(const std::string& host, const MakeLinks& makeLinks,
                                           const std::stop_token& stop) {
    LinkOpener opener({host}, makeLinks);
    const Nanos deadline = SteadyClock::read() + kOpenTimeout;
    while (!opener.isDone()) {
        if (stop.stop_requested() || SteadyClock::read() > deadline) opener.giveUp();
        std::this_thread::sleep_for(kLook);  // a stop may be asked for
    }
    return std::move(opener.take().front());
}

Result<wire::FromHost> ask(LinkSet& links, wire::ToHost request, Nanos timeout,
                           const std::stop_token& stop) {
    const std::uint64_t number = links.post(0, std::move(request));
    const Nanos deadline = SteadyClock::read() + timeout;
    for (;;) {
        if (auto answer = links.takeAnswer(number)) return std::move(*answer);
        if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "looking at it was given up");
        if (SteadyClock::read() > deadline)
            return fail(ErrorCode::Timeout,
                        fmt::format("it did not answer within {:g} s", Seconds(timeout).count()));
        links.pump(kLook);
    }
}

}  // namespace

SpareSearch::SpareSearch(std::vector<std::string> spares, SpareNeeds needs, Extent extent,
                         MakeLinks makeLinks)
    : spares_(std::move(spares)),
      needs_(std::move(needs)),
      extent_(extent),
      makeLinks_(std::move(makeLinks)),
      thread_(startThread("spares", [this](const std::stop_token& stop) { run(stop); })) {}

std::vector<SpareFacts> SpareSearch::take() {
    Lock lock(mutex_);
    return std::move(found_);
}

std::string SpareSearch::progress() const {
    Lock lock(mutex_);
    return "looking at spare " + current_;
}

void SpareSearch::run(const std::stop_token& stop) {
    for (const std::string& spare : spares_) {
        if (stop.stop_requested()) break;
        {
            Lock lock(mutex_);
            current_ = spare;
        }
        SpareFacts facts = lookAt(spare, stop);
        const bool fits = facts.problem.empty();
        Lock lock(mutex_);
        found_.push_back(std::move(facts));
        if (fits && extent_ == Extent::UntilOneFits) break;
    }
    done_ = true;
}

SpareFacts SpareSearch::lookAt(const std::string& host, const std::stop_token& stop) const {
    SpareFacts facts;
    facts.host = host;
    auto link = openLink(host, makeLinks_, stop);
    if (!link) {
        facts.problem = link.error().message;
        return facts;
    }
    LinkSet links(leaseWithinBounds(kLeaseSeconds));
    links.add(std::move(*link));
    if (auto examined = examine(links, facts, stop); !examined)
        facts.problem = examined.error().message;
    return facts;
}

Result<void> SpareSearch::examine(LinkSet& links, SpareFacts& facts,
                                  const std::stop_token& stop) const {
    wire::ToHost hello;
    hello.mutable_hello()->set_lease_seconds(kLeaseSeconds);
    const auto greeted = TRY(ask(links, std::move(hello), kAnswerTimeout, stop));
    TRY(lookForRun(links, facts, stop));
    wire::ToHost request;
    *request.mutable_examine() = needs_.examination;
    request.mutable_examine()->set_private_folder(greeted.greeting().runs_folder());
    const auto answer = TRY(ask(links, std::move(request), kExamineTimeout, stop));
    facts.problem = problemOf(answer.host_facts());
    if (!facts.problem.empty()) return {};
    facts.problem = gpusLacking(answer.host_facts().gpu());
    facts.lacksGpus = !facts.problem.empty();
    return {};
}

/// A folder that is held is held by a host that sees it, too: what was lost has not ended yet.
Result<void> SpareSearch::lookForRun(LinkSet& links, SpareFacts& facts,
                                     const std::stop_token& stop) const {
    wire::ToHost request;
    request.mutable_attach()->set_run_dir(needs_.runDir);
    request.mutable_attach()->set_monitor_public(TRY(wire::newKeyPair()).publicKey);
    const auto answer = ask(links, std::move(request), kAnswerTimeout, stop);
    if (!answer && answer.error().code == ErrorCode::Cancelled) return fail(answer.error());
    const bool isLocked = !answer && answer.error().code == ErrorCode::Unavailable;
    const bool isServed = answer && !answer->attached().monitor_endpoint().empty();
    const bool isKnown =
        answer && std::ranges::count(needs_.runIds, answer->attached().run_id()) > 0;
    facts.seesRun = isLocked || isKnown;
    if (!needs_.mustSeeRun) return {};
    if (isLocked) return fail(answer.error());
    if (isKnown && !isServed) return {};
    const bool isElsewhere = answer ? !isKnown : isBadInput(answer.error().code);
    if (isElsewhere && needs_.mayTakeCopy) return {};
    return fail(ErrorCode::Unavailable,
                isKnown ? fmt::format("the run in {} has not ended yet", needs_.runDir)
                        : "it does not see the run's folder " + needs_.runDir);
}

std::string SpareSearch::problemOf(const wire::HostFacts& facts) const {
    const wire::DataFacts& data = facts.data();
    if (facts.build().empty()) return "lockstep-worker does not run there";
    if (data.needed() && !data.missing().empty())
        return "it does not have " +
               joinWords(std::vector<std::string>(data.missing().begin(), data.missing().end()));
    if (data.needed() && !data.error().empty())
        return "the job's data cannot be read there: " + data.error();
    return {};
}

std::string SpareSearch::gpusLacking(const wire::GpuFacts& gpu) const {
    const int gpus = gpu.state() == "usable" ? gpu.gpus_size() : 0;
    if (gpus >= needs_.gpus) return {};
    return fmt::format("it has {} that can be used, and {} needed", counted(gpus, "GPU"),
                       needs_.gpus == 1 ? "1 is" : fmt::format("{} are", needs_.gpus));
}

}  // namespace lockstep::launch
