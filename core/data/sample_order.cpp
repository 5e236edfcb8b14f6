// SPDX-License-Identifier: Apache-2.0
#include "core/data/sample_order.h"

#include <numeric>

#include "core/base/rng.h"
#include "core/config/job/job_spec.h"

namespace lockstep::data {

namespace {

/// The streams of a job's seed below this one initialise its layers: the order of the samples must
/// not be drawn from the same numbers.
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 32;

/// Each next sample is drawn from those that are in the buffer; the next one takes its place.
std::vector<std::uint32_t> drawnFromBuffer(std::uint32_t samples, std::uint32_t buffer,
                                           CounterRng numbers) {
    std::vector<std::uint32_t> waiting(buffer);
    std::iota(waiting.begin(), waiting.end(), 0U);
    std::vector<std::uint32_t> order;
    order.reserve(samples);
    for (std::uint32_t next = buffer; !waiting.empty(); ++next) {
        const std::uint32_t drawn = numbers.nextBelow(static_cast<std::uint32_t>(waiting.size()));
        order.push_back(waiting[drawn]);
        waiting[drawn] = next < samples ? next : waiting.back();
        if (next >= samples) waiting.pop_back();
    }
    return order;
}

}  // namespace

std::vector<std::uint32_t> sampleOrder(std::uint32_t samples, std::uint64_t seed,
                                       std::int64_t epoch, const SampleOrder& order) {
    const std::uint64_t stream =
        kFirstStream + (order.eachEpoch ? static_cast<std::uint64_t>(epoch) : 0);
    if (order.buffer == 0 || order.buffer >= samples) return permutation(samples, seed, stream);
    return drawnFromBuffer(samples, order.buffer, CounterRng(seed, stream));
}

SampleShards dealFiles(const std::vector<std::uint32_t>& files, int groups) {
    SampleShards shards(static_cast<std::size_t>(groups));
    std::uint32_t first = 0;
    for (std::size_t file = 0; file < files.size(); ++file) {
        shards[file % shards.size()].push_back({first, files[file]});
        first += files[file];
    }
    return shards;
}

SampleOrder orderOf(const config::DataSpec& spec) {
    return {.buffer = static_cast<std::uint32_t>(spec.shuffle.buffer),
            .eachEpoch = spec.shuffle.eachEpoch,
            .dropRemainder = spec.dropRemainder};
}

}  // namespace lockstep::data
