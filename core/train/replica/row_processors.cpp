// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/row_processors.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/base/text.h"

namespace lockstep::train {

namespace {

struct Place {
    std::uint32_t process = 0;
    std::string host;
    std::string processor;
};

/// Where each replica computes, in their order.
std::vector<Place> placesOf(const wire::Welcome& roster) {
    std::vector<Place> places;
    for (const wire::Member& member : roster.members()) {
        const auto named = std::ranges::find_if(member.devices(), [](const wire::Device& device) {
            return device.type() == "cpu" && !device.name().empty();
        });
        places.insert(places.end(), member.replicas(),
                      {member.process_id(), member.host(),
                       named == member.devices().end() ? std::string() : named->name()});
    }
    return places;
}

}  // namespace

std::string unlikeProcessors(const wire::Welcome& roster, int members) {
    const auto places = placesOf(roster);
    const auto size = static_cast<std::size_t>(members);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const Place& first = places[i / size * size];
        const Place& one = places[i];
        if (one.processor == first.processor || one.processor.empty() || first.processor.empty())
            continue;
        return fmt::format(
            "processes {} and {} share one network on unlike processors, {} on {} and {} on {}: "
            "what each computes for itself may differ in its last bits, and a checkpoint that "
            "finds it so ends the run",
            first.process, one.process, sanitizeLine(first.processor, 60),
            sanitizeLine(first.host, 60), sanitizeLine(one.processor, 60),
            sanitizeLine(one.host, 60));
    }
    return {};
}

}  // namespace lockstep::train
