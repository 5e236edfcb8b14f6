// SPDX-License-Identifier: Apache-2.0
// A network that several GPUs of this machine share, beside the same network on one.
#include <fmt/format.h>

#include <thread>
#include <tuple>

#include "app/self_test/check.h"
#include "app/self_test/sample.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/collective/nccl_loader.h"
#include "core/model/mesh/split_graph.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::app {

namespace {

constexpr std::chrono::seconds kTimeout{60};
constexpr int kBatch = 96;
constexpr std::int64_t kSteps = 10;
/// Sums are added in another order than one GPU's.
constexpr double kMost = 1e-4;

struct Shape {
    int rows = 1;
    int members = 2;

    [[nodiscard]] int replicas() const { return rows * members; }
};

Result<std::vector<float>> trainSteps(tensor::StepEngine& engine, const Sample& sample,
                                      const data::BatchPlan& batches, int row,
                                      std::size_t parameters) {
    TRY(engine.setOrder(batches.epochOrder(0)));
    std::vector<tensor::EngineStep> steps;
    for (std::int64_t step = 1; step <= kSteps; ++step) {
        tensor::EngineStep one = sample.stepAt(step);
        const data::SampleRange share = batches.share(step - 1, row);
        one.first = share.first;
        one.count = share.count;
        one.firstPlace = batches.placeInStep(step - 1, row);
        steps.push_back(one);
    }
    TRY(engine.enqueue(steps));
    std::ignore = TRY(engine.collect(kTimeout));
    std::vector<float> trained(parameters);
    std::vector<std::vector<float>> moments(train::updateOf(sample.job.training).momentCount(),
                                            trained);
    const std::vector<std::span<float>> views(moments.begin(), moments.end());
    TRY(engine.download(trained, {}, views));
    return trained;
}

/// The members of a mesh, a GPU and a thread each.
class GpuMesh {
public:
    GpuMesh(const Sample& sample, const Shape& shape)
        : sample_(sample),
          shape_(shape),
          layout_(model::layOut(sample.network->graph(),
                                {{"layers.0.weight", "out"}, {"layers.1.weight", "in"}},
                                shape.members)
                      .value()),
          batches_(data::BatchPlan::make(sample.data.train->count, kBatch, shape.rows, 1).value()) {
        for (int member = 0; member < shape.members; ++member)
            parts_.emplace_back(model::splitGraph(sample.network->graph(), layout_, member));
    }

    /// The whole network after the steps: what the first row has, put together.
    [[nodiscard]] Result<std::vector<float>> train() {
        auto replicas = TRY(join());
        std::vector<Result<std::vector<float>>> trained(
            replicas.size(), fail(ErrorCode::Internal, "the replica did not run"));
        {
            std::vector<std::jthread> threads;
            for (std::size_t i = 0; i < replicas.size(); ++i)
                threads.push_back(
                    startThread(fmt::format("mesh-{}", i), [&, i](const std::stop_token&) {
                        trained[i] = trainPart(static_cast<int>(i), replicas[i].links);
                        if (!trained[i]) replicas[i].communicator->abort();  // lets the others go
                    }));
        }
        std::vector<float> whole(sample_.parameters.size());
        for (std::size_t i = 0; i < trained.size(); ++i) {
            if (!trained[i]) return fail(trained[i].error());
            if (i < parts_.size()) put(i, *trained[i], whole);
        }
        return whole;
    }

private:
    Result<std::vector<collective::NcclReplica>> join() const {
        collective::NcclOptions options;
        options.topology.processes = {{0, shape_.replicas()}};
        options.members = shape_.members;
        options.layout.parameters = parts_.front().parameterCount();
        options.layout.buckets = bucketsOf(parts_.front());
        for (int device = 0; device < shape_.replicas(); ++device)
            options.devices.push_back(device);
        options.prefix = "self-test-mesh";
        options.bindHost = "127.0.0.1";
        options.timeout = kTimeout;
        return collective::makeNcclReplicas(options);
    }
    static std::vector<collective::Range> bucketsOf(const program::Network& part) {
        return collective::planBuckets(part.cuts(), part.parameterCount(), 64 << 10);
    }

    [[nodiscard]] Result<std::vector<float>> trainPart(int replica,
                                                       const tensor::EngineLinks& links) const {
        const auto member = static_cast<std::size_t>(replica % shape_.members);
        const program::Network& part = parts_[member];
        std::vector<float> parameters(part.parameterCount());
        for (std::size_t i = 0; i < part.tensors().size(); ++i)
            model::takeShard(shardOf(i, member), sample_.network->tensors()[i].shape,
                             sample_.network->tensors()[i].in(std::span(sample_.parameters)),
                             part.tensors()[i].in(std::span(parameters)));
        const auto programs = train::enginePrograms(sample_.job.training, part, sample_.data,
                                                    bucketsOf(part), batches_.largestShare(), 1);
        auto engine = TRY(program::makeCudaEngine(programs, {.device = replica}, links));
        TRY(engine->upload(parameters, {}, {}));
        return trainSteps(*engine, sample_, batches_, replica / shape_.members, parameters.size());
    }
    [[nodiscard]] model::TensorShard shardOf(std::size_t tensor, std::size_t member) const {
        return layout_.shards[tensor].of(static_cast<std::int64_t>(member));
    }
    void put(std::size_t member, std::span<const float> part, std::span<float> whole) const {
        for (std::size_t i = 0; i < parts_[member].tensors().size(); ++i)
            model::putShard(shardOf(i, member), sample_.network->tensors()[i].shape,
                            parts_[member].tensors()[i].in(part),
                            sample_.network->tensors()[i].in(whole));
    }

    const Sample& sample_;
    const Shape shape_;
    const model::MeshLayout layout_;
    const data::BatchPlan batches_;
    std::vector<program::Network> parts_;
};

Result<std::string> meshTrainsAsOneGpu(const Shape& shape) {
    const Sample sample = Sample::make(kBatch, config::OptimizerKind::Sgd);
    const auto mesh = TRY(GpuMesh(sample, shape).train());
    auto engine = TRY(sample.engine(config::Precision::Float32, true, nullptr));
    const auto alone =
        TRY(trainSteps(*engine, sample, sample.batches(), 0, sample.parameters.size()));
    return judge(relativeError(std::span<const float>(mesh), std::span<const float>(alone)), kMost);
}

}  // namespace

std::vector<SelfCheck> meshChecks() {
    std::vector<SelfCheck> checks;
    for (const Shape shape : {Shape{1, 2}, Shape{2, 2}, Shape{1, 4}})
        checks.push_back(
            {fmt::format("GPUs that share a network, a mesh of {} x {}", shape.rows, shape.members),
             [shape] { return meshTrainsAsOneGpu(shape); }, shape.replicas()});
    return checks;
}

}  // namespace lockstep::app
