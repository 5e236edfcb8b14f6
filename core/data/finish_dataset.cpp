// SPDX-License-Identifier: Apache-2.0
#include "core/data/finish_dataset.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/hash.h"

namespace lockstep::data {

namespace {

/// Of what the samples hold and of what it means.
std::string fingerprintOf(const RawSets& sets, const Dataset& dataset,
                          const std::string& preparation) {
    ContentHash hash;
    hash.add(data::fingerprintOf({&sets.train, &sets.validation, &sets.test}));
    hash.add(preparation);
    for (const auto* names : {&dataset.classNames, &dataset.targetNames})
        for (const std::string& name : *names)
            hash.add("\n" + name);
    hash.add(fmt::format("\n{}", dataset.targetScale));
    return hash.digits();
}

}  // namespace

Result<Dataset> finishDataset(RawSets sets, Dataset dataset, const std::string& preparation,
                              bool mayLackBoth) {
    dataset.fingerprint =
        fingerprintOf(sets, dataset, preparation.empty() ? dataset.preparation : preparation);
    dataset.facts.input = sets.train.shape;
    dataset.train = std::make_shared<const Split>(std::move(sets.train));
    dataset.validation = std::make_shared<const Split>(std::move(sets.validation));
    if (sets.test.count > 0) {
        dataset.test = std::make_shared<const Split>(std::move(sets.test));
        return dataset;
    }
    if (dataset.validation->count == 0 && !mayLackBoth)
        return fail(ErrorCode::BadInput,
                    "there is nothing to test on: no test data are given, and "
                    "data.validation_split is 0",
                    "Set data.validation_split, for example to 0.1.");
    dataset.test = dataset.validation;
    if (dataset.validation->count == 0) return dataset;
    dataset.notes.emplace_back("the validation samples are the test samples, too");
    return dataset;
}

Split noneLike(const Split& split) {
    Split none = split;
    none.count = 0;
    none.inputs = none.targets = SharedBytes();
    return none;
}

}  // namespace lockstep::data
