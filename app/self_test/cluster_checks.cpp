// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <thread>
#include <tuple>

#include "app/self_test/check.h"
#include "app/self_test/sample.h"
#include "core/base/try.h"
#include "core/collective/nccl_loader.h"
#include "core/telemetry/gpu_probe.h"

namespace lockstep::app {

namespace {

constexpr std::chrono::seconds kTimeout{60};

Result<collective::NcclReplica> joinAlone(const Sample& sample) {
    collective::NcclOptions options;
    options.topology.processes = {{0, 1}};
    options.layout.parameters = sample.network->parameterCount();
    options.layout.buckets =
        collective::planBuckets(sample.network->cuts(), options.layout.parameters, 64 << 10);
    options.devices = {0};
    options.prefix = "self-test";
    options.bindHost = "127.0.0.1";
    options.timeout = kTimeout;
    auto replicas = collective::makeNcclReplicas(options);
    if (!replicas) return fail(std::move(replicas).error());
    return std::move(replicas->front());
}

Result<std::vector<float>> trainTwenty(const Sample& sample, tensor::DeviceReducer* reducer) {
    auto engine = sample.engine(config::Precision::Float32, true, reducer);
    if (!engine) return fail(std::move(engine).error());
    std::vector<tensor::EngineStep> steps;
    for (std::int64_t step = 1; step <= 10; ++step)
        steps.push_back(sample.stepAt(step));
    for (int window = 0; window < 2; ++window) {
        if (auto sent = (*engine)->enqueue(steps); !sent) return fail(std::move(sent).error());
        std::ignore = TRY((*engine)->collect(kTimeout));
    }
    std::vector<float> parameters(sample.parameters.size());
    std::vector<float> first(parameters.size());
    std::vector<float> second(parameters.size());
    const std::span<float> moments[] = {first, second};
    if (auto got = (*engine)->download(parameters, {}, moments); !got)
        return fail(std::move(got).error());
    return parameters;
}

Result<std::string> oneReplicaThroughNccl() {
    const Sample sample = Sample::make(96, config::OptimizerKind::Adam);
    auto replica = joinAlone(sample);
    if (!replica) return fail(std::move(replica).error());
    const auto through = trainTwenty(sample, replica->links.reducer);
    const auto without = trainTwenty(sample, nullptr);
    if (!through) return fail(through.error());
    if (!without) return fail(without.error());
    if (std::memcmp(through->data(), without->data(), through->size() * sizeof(float)) != 0)
        return fail(ErrorCode::Corrupt, "sums of one replica are not its gradients");
    return std::string("20 captured steps: bit for bit as without");
}

Result<std::string> anAbortEndsTheSteps() {
    const Sample sample = Sample::make(96, config::OptimizerKind::Adam);
    auto replica = joinAlone(sample);
    if (!replica) return fail(std::move(replica).error());
    replica->communicator->abort();
    const Nanos begin = SteadyClock::read();
    while (replica->links.reducer->healthy()) {
        if (SteadyClock::read() - begin > std::chrono::seconds(10))
            return fail(ErrorCode::Timeout, "the abort was not noticed within 10 s");
        std::this_thread::sleep_for(Millis(5));
    }
    const auto refused = trainTwenty(sample, replica->links.reducer);
    if (refused || refused.error().code != ErrorCode::PeerLost)
        return fail(ErrorCode::Corrupt, "steps went on behind an abort");
    return "noticed after " +
           std::to_string(std::chrono::duration_cast<Millis>(SteadyClock::read() - begin).count()) +
           " ms";
}

Result<std::string> figuresOfTheGpus(const std::vector<std::string>& uuids) {
    auto probe = telemetry::GpuProbe::open(uuids);
    if (!probe) return fail(std::move(probe).error());
    std::string text;
    for (const wire::GpuFigures& gpu : (*probe)->sample()) {
        if (gpu.total_bytes() == 0 || gpu.celsius() <= 0)
            return fail(ErrorCode::Corrupt, gpu.name() + " tells no memory or temperature");
        text += gpu.name() + " " + std::to_string(static_cast<int>(gpu.celsius())) + " C " +
                std::to_string(static_cast<int>(gpu.watts())) + " W ";
    }
    return text;
}

}  // namespace

std::vector<SelfCheck> clusterChecks(const std::vector<std::string>& uuids) {
    return {
        {"one replica through NCCL", [] { return oneReplicaThroughNccl(); }},
        {"an abort of NCCL", [] { return anAbortEndsTheSteps(); }},
        {"figures of the GPU by NVML", [uuids] { return figuresOfTheGpus(uuids); }},
    };
}

}  // namespace lockstep::app
