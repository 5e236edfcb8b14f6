// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/base/check.h"
#include "core/collective/communicator.h"

namespace lockstep::collective {

namespace {

/// Cuts one layer that is larger than a bucket, from its end.
void cutLayer(Range layer, std::size_t limit, std::vector<Range>& buckets) {
    while (layer.size() > limit) {
        buckets.push_back({layer.end - limit, layer.end});
        layer.end -= limit;
    }
    buckets.push_back(layer);
}

}  // namespace

std::vector<Range> planBuckets(std::span<const std::size_t> layerBegins, std::size_t parameters,
                               std::size_t bucketBytes) {
    LS_CHECK(std::is_sorted(layerBegins.begin(), layerBegins.end()), "layers are in order");
    LS_CHECK(layerBegins.empty() || layerBegins.back() <= parameters, "layers lie in the buffer");
    const std::size_t limit = std::max<std::size_t>(bucketBytes / sizeof(float), 1);
    std::vector<Range> buckets;
    Range open{parameters, parameters};  // Whole layers gathered so far, not yet a bucket.
    const auto closeOpen = [&] {
        if (open.size() > 0) buckets.push_back(open);
    };
    for (std::size_t layer = layerBegins.size() + 1; layer-- > 0;) {
        // Whatever lies before the first named layer is treated as a layer of its own.
        const std::size_t begin = layer == 0 ? 0 : layerBegins[layer - 1];
        if (open.end - begin <= limit) {
            open.begin = begin;
            continue;
        }
        closeOpen();
        const Range whole{begin, open.begin};
        open = {begin, open.begin};
        if (whole.size() > limit) {
            cutLayer(whole, limit, buckets);
            open = {begin, begin};
        }
    }
    closeOpen();
    // A model without parameters still has its votes, which travel with bucket 0.
    if (buckets.empty()) buckets.push_back({0, 0});
    return buckets;
}

}  // namespace lockstep::collective
