// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/row_processors.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "core/base/text.h"

namespace lockstep::train {

namespace {

struct Place {
    std::uint32_t process = 0;
    std::string host;
    std::string processor;
};

/// Where each replica computes, in their order: a GPU is one's own, processors are alike, and the
/// first of them has the name.
std::vector<Place> placesOf(const wire::Welcome& roster, std::string_view type) {
    std::vector<Place> places;
    for (const wire::Member& member : roster.members()) {
        std::vector<std::string> names;
        for (const wire::Device& device : member.devices())
            if (device.type() == type && !device.name().empty()) names.push_back(device.name());
        for (std::size_t i = 0; i < member.replicas(); ++i) {
            const std::size_t which = type == "gpu" ? i : 0;
            places.push_back({member.process_id(), member.host(),
                              which < names.size() ? names[which] : std::string()});
        }
    }
    return places;
}

std::string unlikeOnes(const wire::Welcome& roster, int members, std::string_view type) {
    const auto places = placesOf(roster, type);
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

}  // namespace

std::string unlikeProcessors(const wire::Welcome& roster, int members, const GpuChoice& choice) {
    std::string unlike = choice.gpu ? unlikeOnes(roster, members, "gpu") : std::string();
    const bool hostComputes = !choice.gpu || !choice.nccl;
    return unlike.empty() && hostComputes ? unlikeOnes(roster, members, "cpu") : unlike;
}

}  // namespace lockstep::train
