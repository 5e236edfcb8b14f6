// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <limits>

#include "core/tensor/cpu/layers/elementwise.h"
#include "core/tensor/cpu/layers/pooling.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

const PoolingShape kShapes[] = {
    {1, 1, 1, 1, {}},
    {2, 6, 8, 3, {.size = {2, 2}, .strides = {2, 2}}},
    {2, 7, 9, 20, {.size = {2, 2}, .strides = {2, 2}}},
    {2, 7, 7, 17, {.size = {2, 2}, .strides = {2, 2}, .after = {1, 1}}},
    {2, 9, 8, 1, {.size = {3, 3}, .strides = {2, 2}, .before = {1, 0}, .after = {1, 1}}},
    {1, 9, 9, 70, {.size = {3, 3}, .strides = {1, 1}, .before = {1, 1}, .after = {1, 1}}},
    {2, 11, 7, 5, {.size = {2, 3}, .strides = {2, 1}, .dilation = {3, 2}, .before = {1, 1}}},
    {3, 1, 10, 4, {.size = {1, 4}, .strides = {1, 3}, .after = {0, 2}}},
};

/// Small whole numbers, so that windows have several maxima.
Floats withTies(std::size_t count) {
    Floats values = randomFloats(count, 1, 0, 4);
    for (float& value : values)
        value = std::floor(value) - 2;
    return values;
}

/// Calls visit(result, elements of the image below the window, row by row).
template <typename Visit>
void forEachWindow(const PoolingShape& s, Visit visit) {
    const Extent places = s.places();
    std::size_t result = 0;
    for (std::size_t n = 0; n < s.batch; ++n)
        for (std::size_t row = 0; row < places[0]; ++row)
            for (std::size_t column = 0; column < places[1]; ++column)
                for (std::size_t c = 0; c < s.channels; ++c, ++result) {
                    std::vector<std::size_t> below;
                    for (std::size_t i = 0; i < s.window.size[0]; ++i)
                        for (std::size_t j = 0; j < s.window.size[1]; ++j) {
                            const long y = static_cast<long>(row * s.window.strides[0] +
                                                             i * s.window.dilation[0]) -
                                           static_cast<long>(s.window.before[0]);
                            const long x = static_cast<long>(column * s.window.strides[1] +
                                                             j * s.window.dilation[1]) -
                                           static_cast<long>(s.window.before[1]);
                            if (y >= 0 && x >= 0 && y < static_cast<long>(s.height) &&
                                x < static_cast<long>(s.width))
                                below.push_back(
                                    ((n * s.height + static_cast<std::size_t>(y)) * s.width +
                                     static_cast<std::size_t>(x)) *
                                        s.channels +
                                    c);
                        }
                    visit(result, below);
                }
}

}  // namespace

class PoolingTest : public QObject {
    Q_OBJECT

private slots:
    void theMaximumAndItsFirstPlaceAreFound() {
        for (const PoolingShape& shape : kShapes)
            for (const VectorIsa isa : supportedIsas()) {
                const Floats x = withTies(shape.inputSize());
                const Floats dy = randomFloats(shape.outputSize(), 2);
                Floats y(shape.outputSize(), 7), dx(shape.inputSize(), 7);
                maxPooling(shape, x, y, isa);
                maxPoolingGradient(shape, x, y, dy, dx, isa);
                Doubles expected(x.size());
                forEachWindow(shape, [&](std::size_t result, const auto& below) {
                    std::size_t largest = below[0];
                    for (const std::size_t i : below)
                        if (x[i] > x[largest]) largest = i;
                    QCOMPARE(y[result], x[largest]);
                    expected[largest] += static_cast<double>(dy[result]);
                });
                QVERIFY(worstError(dx, expected) < 1e-6);
            }
    }
    void reluOfMaximaIsReluBeforeThem() {
        for (const PoolingShape& shape : kShapes)
            for (const VectorIsa isa : supportedIsas()) {
                Floats x = withTies(shape.inputSize());
                x[x.size() / 2] = std::numeric_limits<float>::quiet_NaN();
                const Floats dy = randomFloats(shape.outputSize(), 2);
                Floats y(shape.outputSize()), dx(x.size());
                maxPooling(shape, x, y, isa, true);
                maxPoolingGradient(shape, x, y, dy, dx, isa, true);
                Floats before(x.size()), expected(y.size()), gradient(x.size());
                reluForward(x, before);
                maxPooling(shape, before, expected, isa);
                maxPoolingGradient(shape, before, expected, dy, gradient, isa);
                reluGradient(gradient, before, gradient);
                QVERIFY(sameBits(y, expected));
                for (std::size_t i = 0; i < dx.size(); ++i)  // 0 and -0 are one
                    QVERIFY(dx[i] == gradient[i]);
            }
    }
    void theAverageLeavesPaddingOut() {
        for (const PoolingShape& shape : kShapes)
            for (const VectorIsa isa : supportedIsas()) {
                const Floats x = randomFloats(shape.inputSize(), 1);
                const Floats dy = randomFloats(shape.outputSize(), 2);
                Floats y(shape.outputSize(), 7), dx(shape.inputSize(), 7);
                averagePooling(shape, x, y, isa);
                averagePoolingGradient(shape, dy, dx, isa);
                Doubles expected(y.size()), gradient(x.size());
                forEachWindow(shape, [&](std::size_t result, const auto& below) {
                    const auto count = static_cast<double>(below.size());
                    for (const std::size_t i : below) {
                        expected[result] += static_cast<double>(x[i]) / count;
                        gradient[i] += static_cast<double>(dy[result]) / count;
                    }
                });
                QVERIFY(worstError(y, expected) < 1e-6);
                QVERIFY(worstError(dx, gradient) < 1e-6);
            }
    }
    void everyInstructionSetGivesTheSameBits() {
        for (const PoolingShape& shape : kShapes) {
            const Floats x = withTies(shape.inputSize());
            const Floats dy = randomFloats(shape.outputSize(), 2);
            std::vector<Floats> first;
            for (const VectorIsa isa : supportedIsas()) {
                Floats y(shape.outputSize()), dx(x.size()), mean(y.size()), share(x.size());
                maxPooling(shape, x, y, isa);
                maxPoolingGradient(shape, x, y, dy, dx, isa);
                averagePooling(shape, dx, mean, isa);
                averagePoolingGradient(shape, dy, share, isa);
                const std::vector<Floats> found{y, dx, mean, share};
                if (first.empty()) first = found;
                for (std::size_t i = 0; i < found.size(); ++i)
                    QVERIFY(sameBits(found[i], first[i]));
            }
        }
    }
    void globalPoolingIsOneWindow() {
        const GlobalPoolingShape shape{3, 35, 5};
        const PoolingShape window{3, 5, 7, 5, {.size = {5, 7}}};
        const Floats x = withTies(3 * 35 * 5);
        const Floats dy = randomFloats(15, 2);
        Floats y(15), expected(15), dx(x.size()), expectedGradient(x.size());
        globalMaxPooling(shape, x, y);
        maxPooling(window, x, expected);
        QVERIFY(sameBits(y, expected));
        globalMaxPoolingGradient(shape, x, y, dy, dx);
        maxPoolingGradient(window, x, y, dy, expectedGradient);
        QVERIFY(sameBits(dx, expectedGradient));
        globalAveragePooling(shape, x, y);
        averagePooling(window, x, expected);
        QVERIFY(worstError(y, toDoubles(expected)) < 1e-6);
        globalAveragePoolingGradient(shape, dy, dx);
        averagePoolingGradient(window, dy, expectedGradient);
        QVERIFY(sameBits(dx, expectedGradient));
    }
    void aGlobalAverageOfManyPlacesIsExactEnough() {
        const GlobalPoolingShape shape{1, 50000, 2};
        const Floats x = randomFloats(100000, 3, 0.9F, 1.1F);
        Doubles expected(2);
        for (std::size_t i = 0; i < x.size(); ++i)
            expected[i % 2] += static_cast<double>(x[i]) / 50000;
        Floats y(2);
        globalAveragePooling(shape, x, y);
        QVERIFY(worstError(y, expected) < 2e-6);
    }
    void nanIsTheMaximumAndTakesTheGradient() {
        const PoolingShape shape{1, 2, 2, 1, {.size = {2, 2}}};
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (std::size_t at = 0; at < 4; ++at) {
            Floats x{1, 2, 3, 4}, y(1), dx(4);
            x[at] = nan;
            maxPooling(shape, x, y);
            QVERIFY(std::isnan(y[0]));
            maxPoolingGradient(shape, x, y, Floats{5}, dx);
            for (std::size_t i = 0; i < 4; ++i)
                QCOMPARE(dx[i], i == at ? 5.0F : 0.0F);
        }
    }
    void windowsOnPaddingAloneAreNoticed() {
        for (const PoolingShape& shape : kShapes)
            QVERIFY(!shape.hasEmptyWindow());
        QVERIFY((PoolingShape{1, 4, 4, 1, {.size = {2, 2}, .strides = {2, 2}, .before = {2, 0}}}
                     .hasEmptyWindow()));
        QVERIFY((PoolingShape{1, 4, 4, 1, {.size = {5, 5}}}.hasEmptyWindow()));
    }
};

QTEST_GUILESS_MAIN(PoolingTest)
#include "tst_pooling.moc"
