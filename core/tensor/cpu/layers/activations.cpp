// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/activations.h"

#include "core/base/check.h"
#include "core/tensor/cpu/layers/elementary.h"
#include "core/tensor/cpu/layers/elementwise.h"
#include "core/tensor/cpu/layers/row_sums.h"

namespace lockstep::tensor {
namespace {

using namespace elementary;

constexpr float kHalfRoot = 0x1.6a09e6p-1F;       // 1 / sqrt 2
constexpr float kDensityAtZero = 0x1.988454p-2F;  // 1 / sqrt(2 pi)
constexpr float kTanhScale = 0x1.988454p-1F;      // sqrt(2 / pi)
constexpr float kTanhCubic = 0.044715F;

// The functions and their derivatives: of the value that gradientNeedsOutput says.

struct LeakyRelu {
    static LS_LOOP float value(float x, float slope) { return x > 0.0F ? x : x * slope; }
    static LS_LOOP float derivative(float x, float slope) { return x > 0.0F ? 1.0F : slope; }
};

struct Gelu {
    static LS_LOOP float value(float x, float) {
        return 0.5F * x * (1.0F + errorFunction(x * kHalfRoot));
    }
    static LS_LOOP float derivative(float x, float) {
        const float cumulated = 0.5F * (1.0F + errorFunction(x * kHalfRoot));
        return cumulated + x * kDensityAtZero * exponential(-0.5F * x * x);
    }
};

struct GeluTanh {
    static LS_LOOP float value(float x, float) {
        return 0.5F * x * (1.0F + tangent(kTanhScale * (x + kTanhCubic * x * x * x)));
    }
    static LS_LOOP float derivative(float x, float) {
        const float t = tangent(kTanhScale * (x + kTanhCubic * x * x * x));
        const float inner = kTanhScale * (1.0F + 3.0F * kTanhCubic * x * x);
        return 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * inner;
    }
};

struct Silu {
    static LS_LOOP float value(float x, float) { return x * sigmoid(x); }
    static LS_LOOP float derivative(float x, float) {
        const float s = sigmoid(x);
        return s * (1.0F + x * (1.0F - s));
    }
};

struct Sigmoid {
    static LS_LOOP float value(float x, float) { return sigmoid(x); }
    static LS_LOOP float derivative(float y, float) { return y * (1.0F - y); }
};

struct Tanh {
    static LS_LOOP float value(float x, float) { return tangent(x); }
    static LS_LOOP float derivative(float y, float) { return 1.0F - y * y; }
};

struct Elu {
    static LS_LOOP float value(float x, float slope) {
        const float below = slope * expMinusOne(x);
        return x > 0.0F ? x : below;
    }
    static LS_LOOP float derivative(float x, float slope) {
        const float below = slope * exponential(x);
        return x > 0.0F ? 1.0F : below;
    }
};

template <typename Function>
LS_LOOP void valueLoop(const float* x, float slope, float* y, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i)
        y[i] = Function::value(x[i], slope);
}

template <typename Function>
LS_LOOP void gradientLoop(const float* dy, const float* value, float slope, float* dx,
                          std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i)
        dx[i] = dy[i] * Function::derivative(value[i], slope);
}

LS_LOOP void softmaxLoop(const float* x, float* y, std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r, x += columns, y += columns) {
        const float largest = row_sums::largest(x, columns);
        const float sum = row_sums::exponentials(x, 1.0F, largest, y, columns);
        row_sums::scaleRow(y, 1.0F / sum, y, columns);
    }
}

LS_LOOP void softmaxGradientLoop(const float* dy, const float* y, float* dx, std::size_t rows,
                                 std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r, dy += columns, y += columns, dx += columns) {
        const float sum = row_sums::dot(dy, y, columns);
        LS_ELEMENTWISE
        for (std::size_t c = 0; c < columns; ++c)
            dx[c] = y[c] * (dy[c] - sum);
    }
}

template <typename Visit>
void withFunction(ElementFunction function, Visit visit) {
    switch (function) {
        case ElementFunction::Relu:  // Has loops of its own.
        case ElementFunction::LeakyRelu:
            return visit(LeakyRelu{});
        case ElementFunction::Gelu:
            return visit(Gelu{});
        case ElementFunction::GeluTanh:
            return visit(GeluTanh{});
        case ElementFunction::Silu:
            return visit(Silu{});
        case ElementFunction::Sigmoid:
            return visit(Sigmoid{});
        case ElementFunction::Tanh:
            return visit(Tanh{});
        case ElementFunction::Elu:
            return visit(Elu{});
    }
}

}  // namespace

void activate(ElementFunction function, float slope, std::span<const float> x, std::span<float> y,
              VectorIsa isa) {
    LS_CHECK(x.size() == y.size(), "operands must be of one size");
    if (function == ElementFunction::Relu) return reluForward(x, y, isa);
    withFunction(function, [&]<typename Function>(Function) {
        runLoop<valueLoop<Function>>(isa, x.data(), slope, y.data(), y.size());
    });
}

void activationGradient(ElementFunction function, float slope, std::span<const float> dy,
                        std::span<const float> value, std::span<float> dx, VectorIsa isa) {
    LS_CHECK(dy.size() == value.size() && dx.size() == dy.size(), "operands must be of one size");
    if (function == ElementFunction::Relu) return reluGradient(dy, value, dx, isa);
    withFunction(function, [&]<typename Function>(Function) {
        runLoop<gradientLoop<Function>>(isa, dy.data(), value.data(), slope, dx.data(), dx.size());
    });
}

void softmax(ConstMatrix x, Matrix y, VectorIsa isa) {
    LS_CHECK(x.rows == y.rows && x.columns == y.columns, "y must be shaped as x");
    if (!x.empty()) runLoop<softmaxLoop>(isa, x.data, y.data, x.rows, x.columns);
}

void softmaxGradient(ConstMatrix dy, ConstMatrix y, Matrix dx, VectorIsa isa) {
    LS_CHECK(dy.rows == y.rows && dy.columns == y.columns && dx.rows == y.rows &&
                 dx.columns == y.columns,
             "operands must be of one shape");
    runLoop<softmaxGradientLoop>(isa, dy.data, y.data, dx.data, y.rows, y.columns);
}

}  // namespace lockstep::tensor
