// SPDX-License-Identifier: Apache-2.0
// fit_by_layouts FOLDER ROWS COLUMNS: trains FOLDER/model.toml on FOLDER/x.npy and y.npy,
// in batches of FOLDER's `batch` file, under a ModelParallel of ROWS x COLUMNS whose layout map is
// FOLDER/layouts: a line "KEY AXIS..." an entry, axes of the mesh or "-". The run comes to lie in
// FOLDER/run. Prints each variable as Keras has it, "PATH SHAPE PART": what of it a device holds.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "core/config/document/job_file.h"
#include "core/config/job/mesh.h"
#include "core/config/job/model_spec.h"
#include "core/data/data_facts.h"
#include "core/data/shared_bytes.h"
#include "core/distribution/devices.h"
#include "core/distribution/model_parallel.h"
#include "core/fit/model.h"
#include "core/model/build_graph.h"
#include "core/model/mesh/keras_variables.h"
#include "core/model/mesh/layout_words.h"
#include "core/model/mesh/split_graph.h"

namespace {

using namespace lockstep;
namespace fs = std::filesystem;

[[noreturn]] void give(const Error& error) {
    std::fprintf(stderr, "error: %s\n  %s\n", error.message.c_str(), error.remedy.c_str());
    std::exit(1);
}

template <typename T>
T had(Result<T> result) {
    if (!result) give(result.error());
    return *std::move(result);
}

fit::Tensor tensorIn(const fs::path& file) {
    return fit::Tensor::of(had(data::parseNpy(had(data::mapFile(file)))));
}

distribution::LayoutMap layoutsIn(const fs::path& file, const distribution::DeviceMesh& mesh) {
    distribution::LayoutMap map(mesh);
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        distribution::TensorLayout::Axes axes;
        for (std::string axis; words >> axis;)
            axes.push_back(axis == "-" ? std::nullopt : std::optional(axis));
        if (const auto put = map.insert(key, axes); !put) give(put.error());
    }
    return map;
}

std::string sizes(const model::Shape& shape) {
    std::string text;
    for (const std::int64_t size : shape)
        text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
}

/// As the run's own job file has it.
void printVariables(const fs::path& run) {
    const auto job = had(had(config::loadJobFile(run / "job.toml")).checked());
    const auto facts = had(data::readDataFacts(job.data, run));
    const auto graph = model::buildGraph(config::descriptionOf(job.model), facts).value();
    const auto layout = had(config::meshLayoutOf(job, graph));
    const auto shards = model::splitGraph(graph, layout, 0).shards;
    for (const model::KerasVariable& variable : model::kerasVariables(graph)) {
        model::Shape part = variable.shape;
        const int tensor = variable.tensors.front();
        const auto& shard = shards[static_cast<std::size_t>(tensor)];
        for (std::size_t axis = 0; axis < part.size() && !shard.isWhole(); ++axis) {
            const auto cut = model::cutOf(graph, tensor, variable.words[axis]);
            if (!cut || cut->axis != shard.axis || cut->segments != shard.segments) continue;
            part[axis] /= shard.members;
            break;
        }
        std::printf("%s %s %s\n", variable.path.c_str(), sizes(variable.shape).c_str(),
                    sizes(part).c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const fs::path folder(argv[1]);
    const int rows = std::atoi(argv[2]);
    const int columns = std::atoi(argv[3]);
    if (auto set = distribution::setCpuDeviceCount(rows * columns); !set) give(set.error());
    const auto mesh = had(distribution::DeviceMesh::make({rows, columns}, {"batch", "model"}));
    distribution::setDistribution(
        had(distribution::ModelParallel::make({.layoutMap = layoutsIn(folder / "layouts", mesh)})));
    auto model = had(fit::Model::fromJobFile(folder / "model.toml"));
    const fs::path weights = folder / "weights.safetensors";
    if (fs::exists(weights))
        if (auto done = model.loadWeights(weights); !done) give(done.error());
    if (auto done = model.compile({"sgd", {{"learning_rate", 0.05}, {"momentum", 0.9}}}); !done)
        give(done.error());
    std::uint64_t batch = 0;
    std::ifstream(folder / "batch") >> batch;
    const auto data =
        fit::Dataset::fromTensors(tensorIn(folder / "x.npy"), tensorIn(folder / "y.npy"));
    const auto history =
        had(model.fit(data.batch(batch), {.runFolder = folder / "run", .seed = 1}));
    printVariables(history.runFolder);
    return 0;
}
