// SPDX-License-Identifier: Apache-2.0
#include "core/job/model_parallel_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/job/model_spec.h"
#include "core/config/lint/known_dataset.h"
#include "core/config/lint/lint_report.h"
#include "core/config/lint/mesh_rules.h"
#include "core/data/data_facts.h"
#include "core/distribution/devices.h"
#include "core/model/build_graph.h"
#include "core/model/mesh/keras_variables.h"

namespace lockstep::job {

namespace {

using distribution::DeviceMesh;
using distribution::ModelParallel;
using model::AxisCut;
using model::KerasVariable;

/// The mesh as a table: rows along the batch's axis, columns along the other one.
struct Table {
    std::string modelAxis;  ///< Empty: there is no other axis with more than one place.
    int rows = 1;
    int columns = 1;
};

Result<Table> tableOf(const ModelParallel& parallel) {
    const DeviceMesh& mesh = parallel.deviceMesh();
    Table table{.modelAxis = {}, .rows = parallel.numModelReplicas()};
    for (const std::string& axis : mesh.axisNames()) {
        if (axis == parallel.batchDimName() || mesh.sizeOf(axis) == 1) continue;
        if (!table.modelAxis.empty())
            return fail(ErrorCode::BadInput,
                        fmt::format("the mesh shares variables along '{}' and along '{}', but they "
                                    "are shared along one axis here, beside the batch's, '{}'",
                                    table.modelAxis, axis, parallel.batchDimName()),
                        "Use a mesh of two axes; others may have a size of 1.");
        table.modelAxis = axis;
        table.columns = mesh.sizeOf(axis);
    }
    return table;
}

/// Replicas are numbered by their processes, and fill the table row by row.
Result<void> checkOrder(const ModelParallel& parallel, const Table& table) {
    const DeviceMesh& mesh = parallel.deviceMesh();
    const auto devices = TRY(distribution::describeDevices(
        mesh.devices().front().substr(0, mesh.devices().front().find(':'))));
    struct Place {
        int row = 0;
        int column = 0;
        int process = 0;
        std::string device;
    };
    std::vector<Place> places;
    const auto axisIndex = [&mesh](const std::string& axis) {
        return static_cast<std::size_t>(std::ranges::find(mesh.axisNames(), axis) -
                                        mesh.axisNames().begin());
    };
    for (const std::string& id : mesh.devices()) {
        const std::vector<int> at = mesh.placeOf(id).value_or(std::vector<int>{});
        Place place{.row = at[axisIndex(parallel.batchDimName())], .device = id};
        if (!table.modelAxis.empty()) place.column = at[axisIndex(table.modelAxis)];
        const auto found = std::ranges::find(devices, id, &distribution::DeviceInfo::id);
        if (found != devices.end()) place.process = found->processId;
        places.push_back(std::move(place));
    }
    std::ranges::sort(places, {}, [](const Place& one) { return std::pair(one.row, one.column); });
    for (std::size_t i = 1; i < places.size(); ++i)
        if (places[i].process < places[i - 1].process)
            return fail(ErrorCode::BadInput,
                        fmt::format("the mesh has {} of process {} behind {} of process {}, where "
                                    "it is read row by row along '{}'; processes fill it in order",
                                    places[i].device, places[i].process, places[i - 1].device,
                                    places[i - 1].process, parallel.batchDimName()),
                        "Name the batch's axis first, and the devices in the order of "
                        "listDevices().");
    return {};
}

Result<model::DataFacts> factsOf(const config::JobSpec& job,
                                 const std::filesystem::path& jobFolder) {
    if (const auto known = config::knownFacts(job.data)) return *known;
    return data::readDataFacts(job.data, jobFolder);
}

Result<model::Graph> networkOf(const config::JobSpec& job, const std::filesystem::path& jobFolder) {
    const auto facts = TRY(factsOf(job, jobFolder));
    auto graph = model::buildGraph(config::descriptionOf(job.model), facts);
    if (!graph) return fail(ErrorCode::BadInput, sentenceOf(graph.error()), graph.error().remedy);
    return *std::move(graph);
}

/// The one axis of a variable that lies along the model's axis of the mesh.
Result<AxisCut> cutOf(const KerasVariable& variable, const distribution::TensorLayout& layout,
                      const ModelParallel& parallel, const Table& table) {
    AxisCut cut;
    const auto& axes = layout.axes();
    if (axes.size() > variable.shape.size())
        return fail(ErrorCode::BadInput,
                    fmt::format("{} has {}, but its layout {} has {}", variable.path,
                                counted(variable.shape.size(), "axis"), layout.text(), axes.size()),
                    "Give an axis of the mesh, or none, for each of its own.");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (!axes[i] || layout.mesh().sizeOf(*axes[i]) == 1) continue;
        if (*axes[i] != table.modelAxis)
            return fail(ErrorCode::BadInput,
                        fmt::format("{}: its axis {} lies along '{}', the axis of the batch, along "
                                    "which no variable is shared here",
                                    variable.path, i, parallel.batchDimName()),
                        "Share it along the other axis of the mesh. What an optimiser keeps of it "
                        "is shared along the batch's axis anyway.");
        cut.axis = static_cast<int>(i);
    }
    return cut;
}

/// Keys that mean nothing: a slip is likely, but a map may serve several networks, as in Keras.
Result<void> checkKeys(const distribution::LayoutMap& map, const model::Graph& graph,
                       const std::vector<std::string>& paths) {
    const auto unmatched = map.unmatched(paths);
    if (unmatched.empty()) return {};
    std::vector<std::string> tensors;
    std::vector<std::string> outputs;
    for (const model::Tensor& tensor : graph.tensors)
        tensors.push_back(tensor.name);
    for (const model::Layer& layer : graph.layers)
        outputs.push_back(layer.name + "/output");
    const auto ofTensors = map.unmatched(tensors);
    const auto ofOutputs = map.unmatched(outputs);
    const auto means = [](const std::vector<std::string>& nothing, const std::string& key) {
        return std::ranges::find(nothing, key) == nothing.end();
    };
    for (const std::string& key : unmatched) {
        if (means(ofTensors, key))
            return fail(ErrorCode::BadInput,
                        fmt::format("LayoutMap: '{}' is the name of a tensor in files; a key is "
                                    "the path of a variable, whose axes are Keras'",
                                    sanitizeLine(key, 80)),
                        "Write it as one of: " + joinWords(paths) + ".");
        if (means(ofOutputs, key))
            return fail(ErrorCode::BadInput,
                        fmt::format("LayoutMap: '{}' is what a layer gives, which lies here as the "
                                    "layers' variables want it",
                                    sanitizeLine(key, 80)),
                        "Leave the key out.");
    }
    std::fprintf(stderr, "warning: LayoutMap: no variable is called as %s; there are %s\n",
                 sanitizeLine(joinWords(unmatched), 400).c_str(),
                 sanitizeLine(joinWords(paths), 400).c_str());
    return {};
}

}  // namespace

Result<config::DistributionSpec> distributionUnder(const ModelParallel& parallel,
                                                   const config::JobSpec& job,
                                                   const std::filesystem::path& jobFolder) {
    const config::DistributionSpec& own = job.distribution;
    if (own.model != 1 || own.batch != 0 || own.isMegatron || !own.layout.empty())
        return fail(ErrorCode::BadInput,
                    "the job has a [distribution] of its own, and a ModelParallel is set",
                    "Leave one of them out.");
    const Table table = TRY(tableOf(parallel));
    TRY(checkOrder(parallel, table));
    const model::Graph graph = TRY(networkOf(job, jobFolder));
    const auto variables = model::kerasVariables(graph);
    std::vector<std::string> paths;
    std::vector<std::optional<AxisCut>> asked;
    for (const KerasVariable& variable : variables) {
        paths.push_back(variable.path);
        const auto layout = TRY(parallel.layoutMap().find(variable.path));
        asked.emplace_back();
        if (layout) asked.back() = TRY(cutOf(variable, *layout, parallel, table));
    }
    TRY(checkKeys(parallel.layoutMap(), graph, paths));
    config::DistributionSpec distribution;
    if (table.columns == 1) return distribution;  // nothing is shared
    distribution.batch = table.rows;
    distribution.model = table.columns;
    distribution.layout = TRY(model::rulesOfAxes(graph, variables, asked, table.columns));
    return distribution;
}

void tellPrice(const config::JobSpec& job, const std::filesystem::path& jobFolder) {
    const auto facts = factsOf(job, jobFolder);
    if (!facts) return;  // reading the data will say why
    const config::KeyPlaces nowhere;
    config::Report report(nowhere);
    config::checkLayout(job, *facts, report);
    for (const config::Finding& finding : report.take())
        std::fprintf(stderr, "%s: %s; %s\n",
                     finding.severity == config::Severity::Note ? "note" : "warning",
                     finding.message.c_str(), finding.remedy.c_str());
}

}  // namespace lockstep::job
