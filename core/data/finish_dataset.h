// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/data/dataset.h"
#include "core/data/raw_sets.h"

namespace lockstep::data {

/// Puts the sets, of a source that splits its validation samples off itself, into `dataset`, which
/// says already what they mean. Without test samples the validation samples are the test set, which
/// a note says. `preparation`: what the fingerprint holds in the place of the data set's, which
/// may name places of this host; empty: that itself. BadInput where there are neither, unless
/// `mayLackBoth`.
[[nodiscard]] Result<Dataset> finishDataset(RawSets sets, Dataset dataset,
                                            const std::string& preparation = {},
                                            bool mayLackBoth = false);

/// No samples of the same kind.
[[nodiscard]] Split noneLike(const Split& split);

/// Numbers as a Split holds them, without a copy.
template <typename T>
[[nodiscard]] SharedBytes ownedBytes(std::vector<T> values) {
    auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    const auto bytes = std::as_bytes(std::span(*owner));
    return {owner, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}};
}

}  // namespace lockstep::data
