// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "app/self_test/check.h"
#include "app/self_test/sample.h"
#include "core/base/rng.h"
#include "core/tensor/cuda_module.h"
#include "core/tensor/device.h"

namespace lockstep::app {

namespace {

using namespace tensor;

/// The CPU and the GPU side by side: an array has its values in both memories.
class Pair {
public:
    [[nodiscard]] static Result<std::unique_ptr<Pair>> open(Precision precision) {
        auto gpu = openCudaDevice(0, precision);
        if (!gpu) return fail(std::move(gpu).error());
        auto pair = std::make_unique<Pair>();
        pair->gpu = std::move(*gpu);
        pair->cpu = openCpuDevice();
        auto gpuStream = pair->gpu->makeStream();
        auto cpuStream = pair->cpu->makeStream();
        if (!gpuStream) return fail(std::move(gpuStream).error());
        if (!cpuStream) return fail(std::move(cpuStream).error());
        pair->onGpu = std::move(*gpuStream);
        pair->onCpu = std::move(*cpuStream);
        return pair;
    }

    std::unique_ptr<Device> cpu;
    std::unique_ptr<Device> gpu;
    std::unique_ptr<Stream> onCpu;
    std::unique_ptr<Stream> onGpu;
};

/// Elements in the host's memory and, pinned, in the GPU's reach.
template <typename T>
struct Twin {
    std::vector<T> host;
    Buffer shared;

    [[nodiscard]] static Result<Twin> make(Pair& pair, std::vector<T> values) {
        auto memory = pair.gpu->allocate(values.size() * sizeof(T), Memory::HostVisible);
        if (!memory) return fail(std::move(memory).error());
        if (!values.empty()) std::memcpy(memory->data(), values.data(), values.size() * sizeof(T));
        return Twin{std::move(values), std::move(*memory)};
    }
    [[nodiscard]] std::span<T> gpu() { return shared.as<T>(); }
};

std::vector<float> draw(std::size_t count, std::uint64_t seed, float limit = 1) {
    CounterRng rng(seed);
    std::vector<float> values(count);
    for (float& value : values)
        value = rng.nextFloat(-limit, limit);
    return values;
}

bool sameBits(std::span<const float> a, std::span<const float> b) {
    return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

constexpr std::size_t kRows = 37;
constexpr std::size_t kIn = 91;
constexpr std::size_t kOut = 53;

Result<std::string> denseAsOnCpu(Precision precision, double most) {
    auto pair = Pair::open(precision);
    if (!pair) return fail(std::move(pair).error());
    Pair& p = **pair;
    auto x = Twin<float>::make(p, draw(kRows * kIn, 1));
    auto w = Twin<float>::make(p, draw(kOut * kIn, 2));
    auto b = Twin<float>::make(p, draw(kOut, 3));
    auto dy = Twin<float>::make(p, draw(kRows * kOut, 4));
    auto y = Twin<float>::make(p, std::vector<float>(kRows * kOut));
    auto dw = Twin<float>::make(p, std::vector<float>(kOut * kIn));
    auto db = Twin<float>::make(p, std::vector<float>(kOut));
    auto dx = Twin<float>::make(p, std::vector<float>(kRows * kIn));
    for (auto* one : {&x, &w, &b, &dy, &y, &dw, &db, &dx})
        if (!*one) return fail(one->error());
    const auto run = [&](Ops& ops, Stream& stream, auto of) {
        const Matrix mx{of(*x).data(), kRows, kIn}, mw{of(*w).data(), kOut, kIn};
        const Matrix mdy{of(*dy).data(), kRows, kOut};
        ops.denseForward(stream, mx, mw, of(*b), Activation::Relu, {of(*y).data(), kRows, kOut});
        ops.denseWeightGradient(stream, mdy, mx, {of(*dw).data(), kOut, kIn}, of(*db));
        ops.denseInputGradient(stream, mdy, mw, mx, Activation::Relu, {of(*dx).data(), kRows, kIn});
    };
    run(p.cpu->ops(), *p.onCpu, [](Twin<float>& one) { return std::span<float>(one.host); });
    run(p.gpu->ops(), *p.onGpu, [](Twin<float>& one) { return one.gpu(); });
    if (auto done = p.onGpu->synchronize(); !done) return fail(std::move(done).error());
    double worst = 0;
    for (auto* one : {&y, &dw, &db, &dx})
        worst = std::max(worst, relativeError(std::span<const float>((*one)->gpu()),
                                              std::span<const float>((*one)->host)));
    return judge(worst, most);
}

Result<std::string> lossAsOnCpu() {
    auto pair = Pair::open(Precision::Float32);
    if (!pair) return fail(std::move(pair).error());
    Pair& p = **pair;
    std::vector<std::int32_t> classes(kRows);
    for (std::size_t i = 0; i < kRows; ++i)
        classes[i] = static_cast<std::int32_t>(i % kOut);
    auto logits = Twin<float>::make(p, draw(kRows * kOut, 5, 20));
    auto gradient = Twin<float>::make(p, std::vector<float>(kRows * kOut));
    auto chances = Twin<float>::make(p, std::vector<float>(kRows * kOut));
    auto labels = Twin<std::int32_t>::make(p, classes);
    auto predicted = Twin<std::int32_t>::make(p, std::vector<std::int32_t>(kRows));
    auto totals = Twin<LossTotals>::make(p, {LossTotals{}});
    for (auto* one : {&logits, &gradient, &chances})
        if (!*one) return fail(one->error());
    if (!labels || !predicted || !totals) return fail(ErrorCode::Unavailable, "no pinned memory");
    const auto run = [&](Ops& ops, Stream& stream, std::span<float> l, std::span<float> g,
                         std::span<float> c, std::span<std::int32_t> y, std::span<std::int32_t> q,
                         LossTotals& sums) {
        const Matrix ml{l.data(), kRows, kOut};
        ops.softmaxCrossEntropy(stream, ml, y, 0.5F, {g.data(), kRows, kOut}, sums);
        ops.predict(stream, ml, q, {c.data(), kRows, kOut});
    };
    run(p.cpu->ops(), *p.onCpu, logits->host, gradient->host, chances->host, labels->host,
        predicted->host, totals->host[0]);
    run(p.gpu->ops(), *p.onGpu, logits->gpu(), gradient->gpu(), chances->gpu(), labels->gpu(),
        predicted->gpu(), totals->gpu()[0]);
    if (auto done = p.onGpu->synchronize(); !done) return fail(std::move(done).error());
    const LossTotals& mine = totals->gpu()[0];
    const LossTotals& theirs = totals->host[0];
    if (!std::ranges::equal(predicted->gpu(), predicted->host) || mine.correct != theirs.correct ||
        mine.samples != theirs.samples)
        return fail(ErrorCode::Corrupt, "other classes are predicted than on the CPU");
    double worst = std::abs(mine.lossSum - theirs.lossSum) / theirs.lossSum;
    for (auto* one : {&gradient, &chances})
        worst = std::max(worst, relativeError(std::span<const float>((*one)->gpu()),
                                              std::span<const float>((*one)->host)));
    return judge(worst, 1e-6);
}

Result<std::string> updatesAsOnCpu() {
    auto pair = Pair::open(Precision::Float32);
    if (!pair) return fail(std::move(pair).error());
    Pair& p = **pair;
    constexpr std::size_t kCount = 100'003;
    std::vector<float> squares = draw(kCount, 9);
    for (float& value : squares)
        value *= value * 1e-20F;  // into the denormals, which are flushed on both sides
    auto g = Twin<float>::make(p, draw(kCount, 6));
    auto w = Twin<float>::make(p, draw(kCount, 7));
    auto m = Twin<float>::make(p, draw(kCount, 8));
    auto v = Twin<float>::make(p, squares);
    for (auto* one : {&g, &w, &m, &v})
        if (!*one) return fail(one->error());
    const auto run = [&](Ops& ops, Stream& stream, auto of) {
        ops.adam(stream, {0.01F, 0.1F, 0.001F, 1e-7F}, of(*g), of(*w), of(*m), of(*v));
        ops.sgd(stream, {0.1F, 0.9F}, of(*g), of(*w), of(*m));
        ops.sgd(stream, {0.1F, 0}, of(*g), of(*w), {});
    };
    run(p.cpu->ops(), *p.onCpu, [](Twin<float>& one) { return std::span<float>(one.host); });
    run(p.gpu->ops(), *p.onGpu, [](Twin<float>& one) { return one.gpu(); });
    const std::span<const float> parts[] = {w->gpu(), m->gpu()};
    const auto hash = p.gpu->ops().stateHash(*p.onGpu, parts);
    const std::span<const float> hostParts[] = {w->host, m->host};
    const auto hostHash = p.cpu->ops().stateHash(*p.onCpu, hostParts);
    if (!hash) return fail(hash.error());
    for (auto* one : {&w, &m, &v})
        if (!sameBits((*one)->gpu(), (*one)->host))
            return fail(ErrorCode::Corrupt, "an update gives other bits than on the CPU");
    if (*hash != *hostHash) return fail(ErrorCode::Corrupt, "the state's hash is another one");
    return std::string("bit for bit, and so the hash");
}

Result<std::string> gatherAsOnCpu() {
    auto pair = Pair::open(Precision::Float32);
    if (!pair) return fail(std::move(pair).error());
    Pair& p = **pair;
    CounterRng rng(1);
    std::vector<std::uint8_t> bytes(200 * kIn);
    std::vector<std::uint32_t> places(kRows);
    for (auto& byte : bytes)
        byte = static_cast<std::uint8_t>(rng.nextBelow(256));
    for (auto& place : places)
        place = rng.nextBelow(200);
    auto images = Twin<std::uint8_t>::make(p, bytes);
    auto indices = Twin<std::uint32_t>::make(p, places);
    auto rows = Twin<float>::make(p, std::vector<float>(kRows * kIn));
    auto labels = Twin<std::int32_t>::make(p, std::vector<std::int32_t>(kRows));
    if (!images || !indices || !rows || !labels)
        return fail(ErrorCode::Unavailable, "no pinned memory");
    p.cpu->ops().gatherImages(*p.onCpu, images->host, indices->host,
                              {rows->host.data(), kRows, kIn});
    p.cpu->ops().gatherLabels(*p.onCpu, images->host, indices->host, labels->host);
    p.gpu->ops().gatherImages(*p.onGpu, images->gpu(), indices->gpu(),
                              {rows->gpu().data(), kRows, kIn});
    p.gpu->ops().gatherLabels(*p.onGpu, images->gpu(), indices->gpu(), labels->gpu());
    if (auto done = p.onGpu->synchronize(); !done) return fail(std::move(done).error());
    if (!sameBits(rows->gpu(), rows->host) || !std::ranges::equal(labels->gpu(), labels->host))
        return fail(ErrorCode::Corrupt, "other samples are gathered than on the CPU");
    return std::string("bit for bit");
}

Result<std::string> smallOperations() {
    auto pair = Pair::open(Precision::Float32);
    if (!pair) return fail(std::move(pair).error());
    Pair& p = **pair;
    auto values = Twin<float>::make(p, draw(70'000, 3));
    auto copy = Twin<float>::make(p, std::vector<float>(70'000));
    auto flags = Twin<std::uint8_t>::make(p, std::vector<std::uint8_t>(2));
    if (!values || !copy || !flags) return fail(ErrorCode::Unavailable, "no pinned memory");
    bool* finite = flags->shared.as<bool>().data();
    Ops& ops = p.gpu->ops();
    ops.copy(*p.onGpu, values->gpu(), copy->gpu());
    ops.allFinite(*p.onGpu, copy->gpu(), finite[0]);
    ops.fill(*p.onGpu, copy->gpu().subspan(69'999), std::numeric_limits<float>::infinity());
    ops.allFinite(*p.onGpu, copy->gpu(), finite[1]);
    if (auto done = p.onGpu->synchronize(); !done) return fail(std::move(done).error());
    if (!sameBits(copy->gpu().first(69'999), values->gpu().first(69'999)) ||
        !std::isinf(copy->gpu()[69'999]))
        return fail(ErrorCode::Corrupt, "copy or fill touched other elements");
    if (!finite[0] || finite[1])
        return fail(ErrorCode::Corrupt, "the check for finite values is wrong");
    return std::string("copy, fill, finite");
}

}  // namespace

std::vector<SelfCheck> operationChecks() {
    return {
        {"a dense layer and its gradients, float32",
         [] { return denseAsOnCpu(Precision::Float32, 1e-5); }},
        {"a dense layer and its gradients, tf32",
         [] { return denseAsOnCpu(Precision::Tf32, 5e-3); }},
        {"softmax, cross-entropy, prediction", [] { return lossAsOnCpu(); }},
        {"updates and state hash", [] { return updatesAsOnCpu(); }},
        {"gathering of samples", [] { return gatherAsOnCpu(); }},
        {"copy, fill and the check for finite values", [] { return smallOperations(); }},
    };
}

}  // namespace lockstep::app
