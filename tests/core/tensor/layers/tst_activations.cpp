// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <functional>

#include "core/tensor/cpu/layers/activations.h"
#include "core/tensor/cpu/layers/elementary.h"
#include "tests/support/layer_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

using Real = std::function<double(double)>;

constexpr double kSlope = 0.3;

struct Function {
    ElementFunction kind;
    Real value;
    double tolerance;  ///< Of the value and of the derivative, absolute.
};

double gelu(double x) {
    return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}

double geluTanh(double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

const Function kFunctions[] = {
    {ElementFunction::Relu, [](double x) { return x > 0 ? x : 0; }, 1e-9},
    {ElementFunction::LeakyRelu, [](double x) { return x > 0 ? x : kSlope * x; }, 1e-6},
    {ElementFunction::Gelu, gelu, 1e-6},
    {ElementFunction::GeluTanh, geluTanh, 1e-6},
    {ElementFunction::Silu, [](double x) { return x / (1 + std::exp(-x)); }, 1e-6},
    {ElementFunction::Sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 2e-7},
    {ElementFunction::Tanh, [](double x) { return std::tanh(x); }, 3e-7},
    {ElementFunction::Elu, [](double x) { return x > 0 ? x : kSlope * std::expm1(x); }, 1e-6},
};

/// The error of `found` in units of the last place of what it should be.
double ulps(float found, double expected) {
    const auto rounded = static_cast<float>(expected);
    if (std::isinf(rounded)) return found == rounded ? 0 : 1e9;
    const float size = std::max(std::abs(rounded), std::numeric_limits<float>::min());
    const double unit =
        static_cast<double>(std::nextafter(size, 1e38F)) - static_cast<double>(size);
    return std::abs(static_cast<double>(found) - expected) / unit;
}

struct Worst {
    double error = 0;
    float at = 0;
};

/// Over floats of both signs from 2^-30 to `end`, more of them near the ends of binades.
Worst worstUlps(float (*found)(float), const Real& expected, float begin, float end) {
    Worst worst;
    const auto check = [&](float x) {
        const double error = ulps(found(x), expected(static_cast<double>(x)));
        if (!(error <= worst.error)) worst = {error, x};
    };
    for (float size = 0x1p-30F; size <= std::max(std::abs(begin), std::abs(end)); size *= 1.0001F) {
        if (size <= end) check(size);
        if (-size >= begin) check(-size);
    }
    return worst;
}

}  // namespace

class ActivationsTest : public QObject {
    Q_OBJECT

private slots:
    void elementaryFunctionsAreAsExactAsTheySay() {
        struct Row {
            const char* name;
            float (*found)(float);
            Real expected;
            float begin, end;
            double limit;
        };
        const Row rows[] = {
            {"exp", [](float x) { return elementary::exponential(x); },
             [](double x) { return std::exp(x); }, -103, 90, 1.0},
            {"expm1", [](float x) { return elementary::expMinusOne(x); },
             [](double x) { return std::expm1(x); }, -100, 0, 1.0},
            {"tanh", [](float x) { return elementary::tangent(x); },
             [](double x) { return std::tanh(x); }, -30, 30, 1.3},
            {"erf", [](float x) { return elementary::errorFunction(x); },
             [](double x) { return std::erf(x); }, -30, 30, 1.2},
            {"sigmoid", [](float x) { return elementary::sigmoid(x); },
             [](double x) { return 1 / (1 + std::exp(-x)); }, -100, 100, 2.4},
        };
        for (const Row& row : rows) {
            const Worst worst = worstUlps(row.found, row.expected, row.begin, row.end);
            qInfo("%s: %.3f ulp at %.9g", row.name, worst.error, static_cast<double>(worst.at));
            QVERIFY(worst.error < row.limit);
        }
    }
    void elementaryFunctionsKnowTheirEnds() {
        constexpr float kInf = std::numeric_limits<float>::infinity();
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(elementary::exponential(0.0F), 1.0F);
        QCOMPARE(elementary::exponential(kInf), kInf);
        QCOMPARE(elementary::exponential(-kInf), 0.0F);
        QCOMPARE(elementary::exponential(89.0F), kInf);
        QCOMPARE(elementary::exponential(-104.0F), 0.0F);
        QVERIFY(elementary::exponential(-100.0F) > 0.0F);
        QCOMPARE(elementary::expMinusOne(-kInf), -1.0F);
        QCOMPARE(elementary::tangent(kInf), 1.0F);
        QCOMPARE(elementary::tangent(-kInf), -1.0F);
        QCOMPARE(elementary::errorFunction(kInf), 1.0F);
        QCOMPARE(elementary::errorFunction(-kInf), -1.0F);
        QCOMPARE(elementary::sigmoid(-kInf), 0.0F);
        QCOMPARE(elementary::sigmoid(kInf), 1.0F);
        for (const auto function : {+[](float x) { return elementary::exponential(x); },
                                    +[](float x) { return elementary::expMinusOne(x); },
                                    +[](float x) { return elementary::tangent(x); },
                                    +[](float x) { return elementary::errorFunction(x); },
                                    +[](float x) { return elementary::sigmoid(x); }})
            QVERIFY(std::isnan(function(kNan)));
    }
    void functionsAndTheirGradientsFollowTheFormula() {
        const Floats x = randomFloats(10007, 1, -8, 8);
        const Floats dy = randomFloats(10007, 2);
        for (const Function& function : kFunctions) {
            Floats y(x.size()), dx(x.size());
            activate(function.kind, static_cast<float>(kSlope), x, y);
            activationGradient(function.kind, static_cast<float>(kSlope), dy,
                               gradientNeedsOutput(function.kind) ? y : x, dx);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const auto at = static_cast<double>(x[i]);
                const double step = 1e-5;
                if (std::abs(at) < 2 * step) continue;  // A kink.
                const double slope =
                    (function.value(at + step) - function.value(at - step)) / (2 * step);
                const double expected = slope * static_cast<double>(dy[i]);
                QVERIFY(std::abs(static_cast<double>(y[i]) - function.value(at)) <
                        function.tolerance);
                QVERIFY(std::abs(static_cast<double>(dx[i]) - expected) < 2e-6);
            }
        }
    }
    void aKinkHasTheSlopeBelowIt() {
        const Floats zero{0.0F};
        const Floats one{1.0F};
        Floats dx(1);
        activationGradient(ElementFunction::Relu, 0, one, zero, dx);
        QCOMPARE(dx[0], 0.0F);
        activationGradient(ElementFunction::LeakyRelu, 0.3F, one, zero, dx);
        QCOMPARE(dx[0], 0.3F);
    }
    void everyInstructionSetGivesTheSameBitsAndNanStaysNan() {
        Floats x = randomFloats(10007, 1, -12, 12);
        const float nan = std::numeric_limits<float>::quiet_NaN();
        x[5] = 1e30F;
        x[6] = -1e30F;
        x[7] = 1e-40F;
        const Floats dy = randomFloats(x.size(), 2);
        for (const Function& function : kFunctions) {
            Floats y(x.size()), dx(x.size());
            activate(function.kind, 0.3F, x, y, VectorIsa::Baseline);
            activationGradient(function.kind, 0.3F, dy, x, dx, VectorIsa::Baseline);
            for (const VectorIsa isa : supportedIsas()) {
                Floats found = x;
                Floats gradient = dy;
                activate(function.kind, 0.3F, found, found, isa);
                activationGradient(function.kind, 0.3F, gradient, x, gradient, isa);
                QVERIFY(sameBits(found, y) && sameBits(gradient, dx));
                Floats broken(37, nan);
                activate(function.kind, 0.3F, broken, broken, isa);
                QVERIFY(std::ranges::all_of(broken, [](float v) { return std::isnan(v); }));
            }
        }
    }
    void softmaxSumsToOneAndItsGradientFollows() {
        for (const std::size_t columns : {1U, 3U, 16U, 17U, 100U}) {
            const std::size_t rows = 5;
            const Floats x = randomFloats(rows * columns, 3, -50, 50);
            const Floats dy = randomFloats(rows * columns, 4);
            Doubles expected(x.size()), gradient(x.size());
            for (std::size_t r = 0; r < rows; ++r) {
                double sum = 0;
                double dot = 0;
                for (std::size_t i = r * columns; i < (r + 1) * columns; ++i)
                    sum += expected[i] = std::exp(static_cast<double>(x[i]));
                for (std::size_t i = r * columns; i < (r + 1) * columns; ++i)
                    dot += (expected[i] /= sum) * static_cast<double>(dy[i]);
                for (std::size_t i = r * columns; i < (r + 1) * columns; ++i)
                    gradient[i] = expected[i] * (static_cast<double>(dy[i]) - dot);
            }
            Floats first, firstGradient;
            for (const VectorIsa isa : supportedIsas()) {
                Floats y = x;
                Floats dx = dy;
                softmax({y.data(), rows, columns}, {y.data(), rows, columns}, isa);
                softmaxGradient({dx.data(), rows, columns}, {y.data(), rows, columns},
                                {dx.data(), rows, columns}, isa);
                QVERIFY(worstError(y, expected) < 3e-7);
                QVERIFY(worstError(dx, gradient) < 1e-6);
                if (first.empty()) {
                    first = y;
                    firstGradient = dx;
                }
                QVERIFY(sameBits(y, first) && sameBits(dx, firstGradient));
            }
        }
    }
    void softmaxTakesLargeNumbersAndKeepsNan() {
        Floats x{1e30F, 1e30F, -1e30F};
        softmax({x.data(), 1, 3}, {x.data(), 1, 3});
        QVERIFY(x[0] == 0.5F && x[1] == 0.5F && x[2] == 0.0F);
        for (std::size_t at = 0; at < 20; ++at) {
            Floats y(20, 1.0F);
            y[at] = std::numeric_limits<float>::quiet_NaN();
            softmax({y.data(), 1, 20}, {y.data(), 1, 20});
            QVERIFY(std::ranges::all_of(y, [](float v) { return std::isnan(v); }));
        }
    }
};

QTEST_GUILESS_MAIN(ActivationsTest)
#include "tst_activations.moc"
