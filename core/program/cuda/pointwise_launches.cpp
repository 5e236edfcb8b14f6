// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>
#include <variant>

#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/memory.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;

DeviceKernel makeSoftmax(const DeviceKernelSource& source) {
    const std::size_t columns = ImageShape(source.node().shape).channels;
    if (source.action() == Action::Forward)
        return [columns, x = source.read(0),
                y = source.write()](const DeviceFrame& frame) -> Result<void> {
            launchSoftmax(frame.stream, x.read(frame), y.write(frame), x.size(frame) / columns,
                          columns);
            return {};
        };
    return [columns, dy = source.read(0), y = source.read(1),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchSoftmaxGradient(frame.stream, dy.read(frame), y.read(frame), dx.write(frame),
                              y.size(frame) / columns, columns);
        return {};
    };
}

DeviceKernel makeActivation(const DeviceKernelSource& source) {
    const auto& operation = std::get<model::Activation>(source.node().operation);
    if (operation.function == model::Function::Softmax) return makeSoftmax(source);
    const Activate activate = activateOf(operation);
    if (source.action() == Action::Forward)
        return [activate, x = source.read(0),
                y = source.write()](const DeviceFrame& frame) -> Result<void> {
            launchActivate(frame.stream, activate, x.read(frame), y.write(frame), x.size(frame));
            return {};
        };
    return [activate, dy = source.read(0), value = source.read(1),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchActivationGradient(frame.stream, activate, dy.read(frame), value.read(frame),
                                 dx.write(frame), dy.size(frame));
        return {};
    };
}

DeviceKernel makeAdd(const DeviceKernelSource& source) {
    std::vector<Place> reads;
    for (std::size_t i = 0; i < source.instruction().reads.size(); ++i)
        reads.push_back(source.read(i));
    return [reads = std::move(reads), y = source.write(),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        const float* sum = reads.front().read(frame);
        for (std::size_t i = 1; i < reads.size(); ++i) {
            const bool isLast = i + 1 == reads.size();
            launchAdd(frame.stream, isLast ? activate : Activate{}, sum, reads[i].read(frame),
                      y.write(frame), y.size(frame));
            sum = y.write(frame);
        }
        return {};
    };
}

/// The product of all factors, of which there are two or more.
struct ProductOf {
    std::vector<Place> factors;
    Place result;

    void launch(const DeviceFrame& frame) const {
        const float* sofar = factors.front().read(frame);
        for (std::size_t i = 1; i < factors.size(); ++i) {
            launchMultiply(frame.stream, sofar, factors[i].read(frame), result.write(frame),
                           result.size(frame));
            sofar = result.write(frame);
        }
    }
};

DeviceKernel makeMultiply(const DeviceKernelSource& source) {
    std::vector<Place> reads;
    for (std::size_t i = 0; i < source.instruction().reads.size(); ++i)
        reads.push_back(source.read(i));
    std::vector<ProductOf> products;
    if (source.action() == Action::Forward) {
        products.push_back({reads, source.write()});
    } else {
        // The gradient of an input is that of the output, which is read first, times all others.
        for (std::size_t i = 0; i < source.instruction().writes.size(); ++i) {
            if (source.instruction().writes[i] < 0) continue;
            ProductOf product{reads, source.write(i)};
            product.factors.erase(product.factors.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            products.push_back(std::move(product));
        }
    }
    return [products = std::move(products)](const DeviceFrame& frame) -> Result<void> {
        for (const ProductOf& product : products)
            product.launch(frame);
        return {};
    };
}

/// Numbers that a kernel reads, in the device's memory.
Result<std::shared_ptr<tensor::Buffer>> constants(const std::vector<float>& values) {
    auto memory = TRY(deviceMemory(values.size() * sizeof(float)));
    TRY(check(
        cudaMemcpy(memory.data(), values.data(), values.size() * sizeof(float), cudaMemcpyDefault),
        "taking constants"));
    // From memory that is not pinned the last part may still be on its way.
    TRY(check(cudaDeviceSynchronize(), "taking constants"));
    return std::make_shared<tensor::Buffer>(std::move(memory));
}

Result<DeviceKernel> makeAffine(const DeviceKernelSource& source) {
    const auto& operation = std::get<model::Affine>(source.node().operation);
    auto scale = TRY(constants(operation.scale));
    auto offset = TRY(constants(operation.offset));
    AffineColumns affine{.scale = scale->as<float>().data(),
                         .offset = offset->as<float>().data(),
                         .scales = operation.scale.size(),
                         .offsets = operation.offset.size(),
                         .columns = ImageShape(source.node().shape).channels};
    if (source.action() != Action::Forward) affine.offset = nullptr;
    return [affine, scale = std::move(scale), offset = std::move(offset), x = source.read(0),
            y = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchAffine(frame.stream, affine, x.read(frame), y.write(frame), x.size(frame));
        return {};
    };
}

/// Where a relu is fused, the sum counts where what it gave is above 0.
DeviceKernel makeAccumulate(const DeviceKernelSource& source) {
    const bool isMasked = activateOf(source.instruction().fused).function == PointFunction::Relu;
    return [a = source.read(0), b = source.read(1), value = source.read(isMasked ? 2 : 0),
            y = source.write(), isMasked](const DeviceFrame& frame) -> Result<void> {
        if (isMasked)
            launchMaskedAdd(frame.stream, a.read(frame), b.read(frame), value.read(frame),
                            y.write(frame), y.size(frame));
        else
            launchAdd(frame.stream, {}, a.read(frame), b.read(frame), y.write(frame),
                      y.size(frame));
        return {};
    };
}

}  // namespace

Result<DeviceKernel> makeDevicePointwise(DeviceKernelSource& source) {
    const model::Operation& operation = source.node().operation;
    if (source.action() == Action::Accumulate) return makeAccumulate(source);
    if (std::holds_alternative<model::Activation>(operation)) return makeActivation(source);
    if (std::holds_alternative<model::Add>(operation)) return makeAdd(source);
    if (std::holds_alternative<model::Multiply>(operation)) return makeMultiply(source);
    return makeAffine(source);
}

}  // namespace lockstep::program
