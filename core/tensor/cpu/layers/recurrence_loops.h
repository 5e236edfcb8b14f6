// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/tensor/cpu/layers/elementary.h"

// One step of all rows of a batch, unit by unit. A distance of 0 between rows: all read the same
// ones.
namespace lockstep::tensor::recurrence_loops {

using elementary::sigmoid;
using elementary::tangent;

template <typename T>
struct Rows {
    T* data = nullptr;
    std::size_t distance = 0;

    [[nodiscard]] T* row(std::size_t index) const { return data + index * distance; }
};

struct ForwardStep {
    std::size_t rows = 0;
    std::size_t units = 0;
    Rows<const float> x;
    Rows<const float> product;
    const float* bias = nullptr;
    Rows<const float> extraBefore;  ///< Lstm only.
    Rows<float> gates;
    Rows<float> extra;
    Rows<float> state;  ///< Before, and after.
    Rows<float> given;  ///< The same as it is kept.
};

static LS_LOOP void lstmForward(ForwardStep step) {
    const std::size_t n = step.units;
    const float* bias = step.bias;
    for (std::size_t r = 0; r < step.rows; ++r) {
        const float* x = step.x.row(r);
        const float* product = step.product.row(r);
        const float* cellBefore = step.extraBefore.row(r);
        float* gates = step.gates.row(r);
        float* cell = step.extra.row(r);
        float* state = step.state.row(r);
        float* given = step.given.row(r);
        LS_ELEMENTWISE
        for (std::size_t u = 0; u < n; ++u) {
            const float i = sigmoid(x[u] + (product[u] + bias[u]));
            const float f = sigmoid(x[n + u] + (product[n + u] + bias[n + u]));
            const float g = tangent(x[2 * n + u] + (product[2 * n + u] + bias[2 * n + u]));
            const float o = sigmoid(x[3 * n + u] + (product[3 * n + u] + bias[3 * n + u]));
            const float c = f * cellBefore[u] + i * g;
            const float h = o * tangent(c);
            gates[u] = i;
            gates[n + u] = f;
            gates[2 * n + u] = g;
            gates[3 * n + u] = o;
            cell[u] = c;
            state[u] = h;
            given[u] = h;
        }
    }
}

static LS_LOOP void gruForward(ForwardStep step) {
    const std::size_t n = step.units;
    const float* bias = step.bias;
    for (std::size_t row = 0; row < step.rows; ++row) {
        const float* x = step.x.row(row);
        const float* product = step.product.row(row);
        float* gates = step.gates.row(row);
        float* extra = step.extra.row(row);
        float* state = step.state.row(row);
        float* given = step.given.row(row);
        LS_ELEMENTWISE
        for (std::size_t u = 0; u < n; ++u) {
            const float r = sigmoid(x[u] + (product[u] + bias[u]));
            const float z = sigmoid(x[n + u] + (product[n + u] + bias[n + u]));
            const float q = product[2 * n + u] + bias[2 * n + u];
            const float candidate = tangent(x[2 * n + u] + r * q);
            const float h = candidate + z * (state[u] - candidate);
            gates[u] = r;
            gates[n + u] = z;
            gates[2 * n + u] = candidate;
            extra[u] = q;
            state[u] = h;
            given[u] = h;
        }
    }
}

struct BackwardStep {
    std::size_t rows = 0;
    std::size_t units = 0;
    Rows<const float> dy;
    Rows<const float> product;  ///< What the step behind gives of the state's gradient.
    Rows<const float> gates;
    Rows<const float> extra;
    Rows<const float> before;  ///< Lstm: the cells, Gru: the state before the step.
    Rows<float> dx;
    Rows<float> hidden;  ///< The gradient of the product.
    Rows<float> carry;   ///< Lstm: of the cells; Gru: of the state, past the gates.
};

static LS_LOOP void lstmBackward(BackwardStep step) {
    const std::size_t n = step.units;
    for (std::size_t r = 0; r < step.rows; ++r) {
        const float* dy = step.dy.row(r);
        const float* product = step.product.row(r);
        const float* gates = step.gates.row(r);
        const float* cell = step.extra.row(r);
        const float* cellBefore = step.before.row(r);
        float* dx = step.dx.row(r);
        float* hidden = step.hidden.row(r);
        float* carry = step.carry.row(r);
        LS_ELEMENTWISE
        for (std::size_t u = 0; u < n; ++u) {
            const float i = gates[u];
            const float f = gates[n + u];
            const float g = gates[2 * n + u];
            const float o = gates[3 * n + u];
            const float bent = tangent(cell[u]);
            const float dh = dy[u] + product[u];
            const float dc = carry[u] + dh * o * (1.0F - bent * bent);
            const float di = dc * g * (i * (1.0F - i));
            const float df = dc * cellBefore[u] * (f * (1.0F - f));
            const float dg = dc * i * (1.0F - g * g);
            const float dOut = dh * bent * (o * (1.0F - o));
            carry[u] = dc * f;
            dx[u] = di;
            dx[n + u] = df;
            dx[2 * n + u] = dg;
            dx[3 * n + u] = dOut;
            hidden[u] = di;
            hidden[n + u] = df;
            hidden[2 * n + u] = dg;
            hidden[3 * n + u] = dOut;
        }
    }
}

static LS_LOOP void gruBackward(BackwardStep step) {
    const std::size_t n = step.units;
    for (std::size_t row = 0; row < step.rows; ++row) {
        const float* dy = step.dy.row(row);
        const float* product = step.product.row(row);
        const float* gates = step.gates.row(row);
        const float* extra = step.extra.row(row);
        const float* before = step.before.row(row);
        float* dx = step.dx.row(row);
        float* hidden = step.hidden.row(row);
        float* carry = step.carry.row(row);
        LS_ELEMENTWISE
        for (std::size_t u = 0; u < n; ++u) {
            const float r = gates[u];
            const float z = gates[n + u];
            const float candidate = gates[2 * n + u];
            const float dh = dy[u] + product[u] + carry[u];
            const float dn = dh * (1.0F - z) * (1.0F - candidate * candidate);
            const float dr = dn * extra[u] * (r * (1.0F - r));
            const float dz = dh * (before[u] - candidate) * (z * (1.0F - z));
            carry[u] = dh * z;
            dx[u] = dr;
            dx[n + u] = dz;
            dx[2 * n + u] = dn;
            hidden[u] = dr;
            hidden[n + u] = dz;
            hidden[2 * n + u] = dn * r;
        }
    }
}

}  // namespace lockstep::tensor::recurrence_loops
