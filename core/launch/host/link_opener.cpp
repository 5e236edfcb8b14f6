// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/link_opener.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/thread.h"

namespace lockstep::launch {

LinkOpener::LinkOpener(const std::vector<std::string>& hosts, const MakeLinks& makeLinks)
    : hosts_(hosts), outcomes_(hosts.size()) {
    const OpenLink openLink = makeLinks(cancel_.get_token());
    for (std::size_t i = 0; i < hosts_.size(); ++i)
        threads_.push_back(startThread(
            "open-link", [this, i, openLink](const std::stop_token&) { open(i, openLink); }));
}

void LinkOpener::open(std::size_t index, const OpenLink& openLink) {
    auto link = openLink(hosts_[index], [this, index](const std::string& line) {
        Lock lock(mutex_);
        said_ = line.starts_with(hosts_[index]) ? line : hosts_[index] + ": " + line;
    });
    const bool failed = !link;
    {
        Lock lock(mutex_);
        outcomes_[index] = std::move(link);
    }
    if (failed) giveUp();
}

void LinkOpener::giveUp() {
    cancel_.request_stop();
}

bool LinkOpener::isDone() const {
    Lock lock(mutex_);
    return std::ranges::all_of(outcomes_, &Outcome::has_value);
}

bool LinkOpener::hasFailed() const {
    Lock lock(mutex_);
    return std::ranges::any_of(outcomes_,
                               [](const Outcome& outcome) { return outcome && !*outcome; });
}

std::vector<Result<std::unique_ptr<HostLink>>> LinkOpener::take() {
    Lock lock(mutex_);
    std::vector<Result<std::unique_ptr<HostLink>>> links;
    for (Outcome& outcome : outcomes_)
        links.push_back(std::move(*outcome));
    return links;
}

std::string LinkOpener::progress() const {
    Lock lock(mutex_);
    const auto there = std::ranges::count_if(outcomes_, &Outcome::has_value);
    std::string text = fmt::format(
        "connecting to {}",
        hosts_.size() == 1 ? hosts_.front()
                           : fmt::format("{}, {} there", counted(hosts_.size(), "host"), there));
    if (!said_.empty()) text += "; " + said_;
    return text;
}

}  // namespace lockstep::launch
