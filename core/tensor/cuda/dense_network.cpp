// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/dense_network.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/tensor/cuda/memory.h"

namespace lockstep::tensor::cuda {

namespace {

/// Calls `body` with null pointers of the type that the precision computes in.
template <typename Body>
void typed(bool half, const Body& body) {
    if (half)
        body(static_cast<BFloat*>(nullptr));
    else
        body(static_cast<float*>(nullptr));
}

Result<void> reserve(Buffer& buffer, std::size_t bytes) {
    auto memory = deviceMemory(bytes);
    if (!memory) return fail(std::move(memory).error());
    buffer = std::move(*memory);
    return {};
}

}  // namespace

Result<std::unique_ptr<DenseNetwork>> DenseNetwork::make(const EngineProgram& program,
                                                         const FlatArrays& arrays,
                                                         std::uint32_t mostRows) {
    LS_CHECK(!program.layers.empty(), "a network has a layer");
    std::unique_ptr<DenseNetwork> network(new DenseNetwork(program, arrays, mostRows));
    network->program_.splits.clear();  // borrowed for the making of the engine alone
    auto products = LtProducts::make();
    if (!products) return fail(std::move(products).error());
    network->products_ = std::move(*products);
    if (auto done = network->allocate(); !done) return fail(std::move(done).error());
    return network;
}

Result<void> DenseNetwork::allocate() {
    const std::size_t rows = mostRows_;
    const std::size_t element = half() ? sizeof(BFloat) : sizeof(float);
    const std::size_t count = program_.layers.size();
    outputs_.resize(count);
    masks_.resize(count);
    deltas_.resize(count);
    TRY(reserve(x_, rows * program_.features * element));
    for (std::size_t i = 0; i < count; ++i) {
        const EngineLayer& layer = program_.layers[i];
        const std::size_t size = last(i) ? sizeof(float) : element;
        TRY(reserve(outputs_[i], rows * layer.units * size));
        if (!last(i) && layer.activation == Activation::Relu)
            TRY(reserve(masks_[i], maskBytes(rows, layer.units)));
        // In float32 the logits become their own gradient.
        if (!last(i) || half()) TRY(reserve(deltas_[i], rows * layer.units * element));
    }
    for (auto [buffer, bytes] :
         {std::pair{&labels_, rows * sizeof(std::int32_t)},
          std::pair{&rowLoss_, rows * sizeof(double)}, std::pair{&rowHit_, rows}})
        TRY(reserve(*buffer, bytes));
    results_ = {static_cast<std::int32_t*>(labels_.data()), static_cast<double*>(rowLoss_.data()),
                static_cast<std::uint8_t*>(rowHit_.data())};
    return {};
}

ProductKey DenseNetwork::key(Product product, std::size_t layer, std::uint32_t rows,
                             Epilogue epilogue) const {
    const EngineLayer& one = program_.layers[layer];
    const bool halfResult = half() && product != Product::WeightGradient &&
                            !(product == Product::Forward && last(layer));
    return {product,
            rows,
            one.inputs,
            one.units,
            epilogue,
            program_.precision,
            halfResult ? Element::BFloat16 : Element::Float32};
}

/// The product with the first of the epilogues that cuBLASLt has, and without any if it has none.
Result<ProductKey> DenseNetwork::best(Product product, std::size_t layer, std::uint32_t rows,
                                      std::initializer_list<Epilogue> wanted) {
    if (wanted.size() > 0) ++fusable_;
    for (const Epilogue epilogue : wanted) {
        const ProductKey candidate = key(product, layer, rows, epilogue);
        const auto possible = TRY(products_->plan(candidate));
        if (!possible) continue;
        ++fused_;
        return candidate;
    }
    const ProductKey plain = key(product, layer, rows, Epilogue::None);
    const auto possible = TRY(products_->plan(plain));
    if (possible) return plain;
    return fail(ErrorCode::Unavailable,
                fmt::format("cuBLASLt has no algorithm for a dense layer of {} and {} with {}",
                            counted(plain.inputs, "input"), counted(plain.units, "unit"),
                            counted(rows, "sample")));
}

Result<void> DenseNetwork::prepare(std::uint32_t rows) {
    LS_CHECK(rows > 0 && rows <= mostRows_, "a batch fits the network's memory");
    if (plans_.contains(rows)) return {};
    const std::size_t count = program_.layers.size();
    std::vector<LayerPlan> plans(count);
    for (std::size_t i = 0; i < count; ++i) {
        const bool withRelu = program_.layers[i].activation == Activation::Relu;
        auto forward =
            withRelu && !last(i)
                ? best(Product::Forward, i, rows, {Epilogue::ReluBiasMask, Epilogue::ReluBias})
                : best(Product::Forward, i, rows, {withRelu ? Epilogue::ReluBias : Epilogue::Bias});
        auto weights = best(Product::WeightGradient, i, rows, {Epilogue::BiasGradient});
        for (const auto* one : {&forward, &weights})
            if (!*one) return fail(one->error());
        plans[i].forward = *forward;
        plans[i].masked = forward->epilogue == Epilogue::ReluBiasMask;
        plans[i].weightGradient = *weights;
        if (i == 0) continue;
        auto inputs = plans[i - 1].masked
                          ? best(Product::InputGradient, i, rows, {Epilogue::MaskedGradient})
                          : best(Product::InputGradient, i, rows, {});
        if (!inputs) return fail(std::move(inputs).error());
        plans[i].inputGradient = *inputs;
    }
    plans_.emplace(rows, std::move(plans));
    return {};
}

const void* DenseNetwork::weight(std::size_t layer) const {
    const std::size_t offset = program_.layers[layer].weight;
    if (half()) return arrays_.shadow + offset;
    return arrays_.parameters + offset;
}

void* DenseNetwork::input(std::size_t layer) const {
    return layer == 0 ? x_.data() : outputs_[layer - 1].data();
}

void* DenseNetwork::delta(std::size_t layer) const {
    return last(layer) && !half() ? outputs_[layer].data() : deltas_[layer].data();
}

void DenseNetwork::gather(cudaStream_t stream, const GatherSource& source, std::uint32_t first,
                          std::uint32_t rows, const StepState* state) {
    typed(half(), [&]<typename T>(T*) {
        T* x = static_cast<T*>(x_.data());
        if (state != nullptr)
            launchStepGather<T>(stream, source, *state, rows, x, results_.labels);
        else
            launchGather<T>(stream, source, first, rows, x, results_.labels);
    });
}

Result<void> DenseNetwork::forward(cudaStream_t stream, std::uint32_t rows) {
    const auto& plans = plans_.at(rows);
    for (std::size_t i = 0; i < plans.size(); ++i)
        TRY(forwardLayer(stream, plans[i], i, rows));
    return {};
}

Result<void> DenseNetwork::forwardLayer(cudaStream_t stream, const LayerPlan& plan,
                                        std::size_t layer, std::uint32_t rows) {
    const EngineLayer& one = program_.layers[layer];
    const bool halfResult = plan.forward.result == Element::BFloat16;
    const void* bias = halfResult ? static_cast<const void*>(arrays_.shadow + one.bias)
                                  : static_cast<const void*>(arrays_.parameters + one.bias);
    ProductArrays arrays{
        .a = weight(layer), .b = input(layer), .c = outputs_[layer].data(), .bias = bias};
    const bool fused = plan.forward.epilogue != Epilogue::None;
    if (!fused) arrays.bias = nullptr;
    if (plan.masked) arrays.mask = masks_[layer].data();
    TRY(products_->run(stream, plan.forward, arrays));
    if (fused) return {};
    typed(halfResult, [&]<typename T>(T*) {
        launchAddBias<T>(stream, static_cast<T*>(outputs_[layer].data()),
                         static_cast<const T*>(bias), rows, one.units,
                         one.activation == Activation::Relu);
    });
    return {};
}

void DenseNetwork::loss(cudaStream_t stream, std::uint32_t rows, bool wantGradient, float scale,
                        const StepState* state) {
    const std::size_t top = program_.layers.size() - 1;
    const auto* logits = static_cast<const float*>(outputs_[top].data());
    const LossShape shape{rows, static_cast<std::uint32_t>(program_.layers[top].units)};
    typed(half(), [&]<typename T>(T*) {
        T* gradient = wantGradient ? static_cast<T*>(delta(top)) : nullptr;
        launchSoftmaxLoss<T>(stream, logits, results_.labels, shape, scale, gradient, results_.loss,
                             results_.hit, state);
    });
}

Result<void> DenseNetwork::backward(cudaStream_t stream, std::uint32_t rows,
                                    const std::function<Result<void>(std::size_t)>& onLayerDone) {
    const auto& plans = plans_.at(rows);
    for (std::size_t i = plans.size(); i-- > 0;) {
        TRY(weightGradient(stream, plans[i], i, rows));
        if (onLayerDone) TRY(onLayerDone(i));
        if (i > 0) TRY(inputGradient(stream, plans[i], i, rows));
    }
    return {};
}

Result<void> DenseNetwork::weightGradient(cudaStream_t stream, const LayerPlan& plan,
                                          std::size_t layer, std::uint32_t rows) {
    const EngineLayer& one = program_.layers[layer];
    float* biasGradient = arrays_.gradients + one.bias;
    const bool fused = plan.weightGradient.epilogue == Epilogue::BiasGradient;
    ProductArrays arrays{.a = input(layer), .b = delta(layer), .c = arrays_.gradients + one.weight};
    if (fused) arrays.biasGradient = biasGradient;
    TRY(products_->run(stream, plan.weightGradient, arrays));
    if (fused) return {};
    typed(half(), [&]<typename T>(T*) {
        launchColumnSums<T>(stream, static_cast<const T*>(delta(layer)), rows, one.units,
                            biasGradient);
    });
    return {};
}

Result<void> DenseNetwork::inputGradient(cudaStream_t stream, const LayerPlan& plan,
                                         std::size_t layer, std::uint32_t rows) {
    const EngineLayer& below = program_.layers[layer - 1];
    const bool fused = plan.inputGradient.epilogue == Epilogue::MaskedGradient;
    ProductArrays arrays{.a = weight(layer), .b = delta(layer), .c = delta(layer - 1)};
    if (fused) arrays.mask = masks_[layer - 1].data();
    TRY(products_->run(stream, plan.inputGradient, arrays));
    if (fused || below.activation != Activation::Relu) return {};
    typed(half(), [&]<typename T>(T*) {
        launchMaskByRelu<T>(stream, static_cast<T*>(delta(layer - 1)),
                            static_cast<const T*>(input(layer)),
                            static_cast<std::size_t>(rows) * below.units);
    });
    return {};
}

std::string DenseNetwork::fusion() const {
    return fmt::format("{} of {} epilogues fused", fused_, fusable_);
}

double DenseNetwork::operations(std::uint32_t rows) const {
    double sum = 0;
    for (std::size_t i = 0; i < program_.layers.size(); ++i)
        sum += operationsOf(key(Product::Forward, i, rows, Epilogue::None)) * (i == 0 ? 2 : 3);
    return sum;
}

}  // namespace lockstep::tensor::cuda
