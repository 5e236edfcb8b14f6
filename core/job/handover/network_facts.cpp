// SPDX-License-Identifier: Apache-2.0
#include "core/job/handover/network_facts.h"

#include "core/base/try.h"
#include "core/data/table/table_preparation.h"
#include "core/job/handover/opened_network.h"

namespace lockstep::job {

namespace {

std::vector<NetworkFacts::Column> columnsOf(const data::SampleFacts& samples) {
    std::vector<NetworkFacts::Column> columns;
    const auto json = text::parseJson(samples.preparation, samples.preparation.size());
    const auto table = json ? data::TablePreparation::fromJson(*json)
                            : Result<data::TablePreparation>(fail(json.error()));
    if (!table) return columns;
    for (const data::PreparedFeature& feature : table->features())
        columns.push_back(
            {feature.name, data::isCategory(feature.kind), feature.vocabulary, feature.mean});
    return columns;
}

}  // namespace

Result<NetworkFacts> factsOfNetwork(const NetworkPlace& place) {
    const auto saved = TRY(openNetwork(place, [](const std::string&) {}));
    const data::SampleFacts& samples = saved.samples;
    NetworkFacts facts{.step = saved.state.step,
                       .epoch = static_cast<int>(saved.state.epoch),
                       .jobName = saved.job.name,
                       .classNames = samples.classNames,
                       .targetNames = samples.targetNames};
    if (samples.targetKind == data::TargetKind::NextToken) {
        facts.takes = NetworkFacts::Takes::Prompts;
    } else if (samples.inputKind == data::InputKind::Floats) {
        facts.columns = columnsOf(samples);
        facts.takes =
            facts.columns.empty() ? NetworkFacts::Takes::Numbers : NetworkFacts::Takes::Rows;
    }
    return facts;
}

}  // namespace lockstep::job
