// SPDX-License-Identifier: Apache-2.0
// What computes a pass of a convolution: oneDNN, tiles or products of matrices, all to the same
// end.
#include <QtTest>

#include "core/base/rng.h"
#include "core/tensor/cpu/layers/convolution.h"
#include "tests/support/convolution_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

/// That all methods take.
const ConvolutionShape kShapes[] = {
    tileShape(2, {8, 8}, 32, 48, {1, 1}, {1, 1}),
    tileShape(2, {13, 11}, 16, 32, {0, 0}, {0, 0}),
    tileShape(2, {7, 9}, 16, 16, {0, 2}, {2, 0}),
    tileShape(43, {7, 7}, 32, 32, {1, 1}, {1, 1}),
};

/// Of few channels and many, with windows that may be wider than the image without its padding.
ConvolutionShape drawShape(std::uint64_t seed) {
    CounterRng rng(seed);
    const auto draw = [&rng](std::uint32_t low, std::uint32_t high) {
        return std::size_t{low} + rng.nextBelow(high - low + 1);
    };
    const auto drawExtent = [&draw](std::uint32_t low, std::uint32_t high) {
        return Extent{draw(low, high), draw(low, high)};
    };
    for (;;) {
        const std::size_t groups = draw(0, 4) == 0 ? 2 : 1;
        const Window window{.size = drawExtent(1, 5),
                            .strides = drawExtent(1, 3),
                            .dilation = draw(0, 3) == 0 ? drawExtent(1, 2) : Extent{1, 1},
                            .before = drawExtent(0, 2),
                            .after = drawExtent(0, 2)};
        const ConvolutionShape shape = shapeOf(draw(1, 5), drawExtent(1, 14), groups * draw(1, 20),
                                               groups * draw(1, 20), window, groups);
        if (shape.placeCount() > 0) return shape;
    }
}

}  // namespace

class ConvolutionMethodTest : public QObject {
    Q_OBJECT

private slots:
    void weightGradientsOverManyPlacesStayExact() {
        // 50,000 places: added up one behind the other in float32, they were up to 6e-6 off.
        const ConvolutionShape shape =
            shapeOf(64, {28, 28}, 1, 12, {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}});
        const Operands o(shape);
        auto made = Convolution::make(shape, {ConvolutionPass::WeightGradient});
        QVERIFY(made.has_value());
        Found found(shape);
        made->weightGradient(o.x, o.dy, found.dWeight, {});
        QVERIFY(worstError(found.dWeight, Expected(shape, o).dWeight) < 2e-6);
    }
    void aLastPartOfFewerImagesCountsInWeightGradients() {
        // 14 images of 196 places: one part of 11 images, one of 3.
        const ConvolutionShape shape =
            shapeOf(14, {14, 14}, 3, 5, {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}});
        const Operands o(shape);
        auto made = Convolution::make(shape, {ConvolutionPass::WeightGradient});
        QVERIFY(made.has_value());
        Found found(shape);
        made->weightGradient(o.x, o.dy, found.dWeight, {});
        QVERIFY(worstError(found.dWeight, Expected(shape, o).dWeight) < kTolerance);
    }
    void windowsOfEveryKindGiveWhatProductsGive() {
        for (std::uint64_t seed = 0; seed < 1500; ++seed) {
            const ConvolutionShape shape = drawShape(seed);
            const Operands o(shape);
            auto made = Convolution::make(shape);
            QVERIFY(made.has_value());
            Im2colConvolution products(shape);
            Found found(shape), expected(shape);
            made->forward(o.x, o.weight, o.bias, found.y, false);
            made->weightGradient(o.x, o.dy, found.dWeight, found.dBias);
            made->inputGradient(o.dy, o.weight, found.dx);
            products.forward(o.x, o.weight, o.bias, expected.y);
            products.weightGradient(o.x, o.dy, expected.dWeight);
            products.inputGradient(o.dy, o.weight, expected.dx);
            const auto isNear = [](const Floats& a, const Floats& b) {
                return worstError(a, std::vector<double>(b.begin(), b.end())) < kTileTolerance;
            };
            const std::string text = "seed " + std::to_string(seed) + ": " +
                                     passText(shape, ConvolutionPass::Forward) + " by " +
                                     made->implementation(ConvolutionPass::Forward);
            QVERIFY2(isNear(found.y, expected.y), text.c_str());
            QVERIFY2(isNear(found.dWeight, expected.dWeight), text.c_str());
            QVERIFY2(isNear(found.dx, expected.dx), text.c_str());
        }
    }
    void everyAllowedMethodGivesTheSame_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < std::size(kShapes); ++i)
            QTest::newRow(passText(kShapes[i], ConvolutionPass::Forward).c_str())
                << static_cast<int>(i);
    }
    void everyAllowedMethodGivesTheSame() {
        QFETCH(int, index);
        const ConvolutionShape& shape = kShapes[index];
        const Operands o(shape);
        const Expected expected(shape, o);
        for (const ConvolutionMethod method : kConvolutionMethods) {
            auto made = Convolution::make(shape, kAllConvolutionPasses, method);
            QVERIFY(made.has_value());
            for (const ConvolutionPass pass : kAllConvolutionPasses) {
                if (!Convolution::allows(shape, pass, method)) continue;
                const std::string found = made->implementation(pass);
                QCOMPARE(found == "tiles", method == ConvolutionMethod::Tiles);
                QCOMPARE(found == "im2col", method == ConvolutionMethod::Product);
            }
            Found found(shape);
            made->forward(o.x, o.weight, o.bias, found.y, false);
            made->weightGradient(o.x, o.dy, found.dWeight, found.dBias);
            made->inputGradient(o.dy, o.weight, found.dx);
            QVERIFY(worstError(found.y, expected.y) < kTileTolerance);
            QVERIFY(worstError(found.dWeight, expected.dWeight) < kTileTolerance);
            QVERIFY(worstError(found.dx, expected.dx) < kTileTolerance);
        }
    }
    void aMethodThatAShapeDoesNotAllowIsReplaced() {
        ConvolutionShape strided = kShapes[0];
        strided.window.strides = {2, 2};
        QVERIFY(!Convolution::allows(strided, ConvolutionPass::Forward, ConvolutionMethod::Tiles));
        const auto made =
            Convolution::make(strided, kAllConvolutionPasses, ConvolutionMethod::Tiles);
        QVERIFY(made.has_value());
        QVERIFY(made->implementation(ConvolutionPass::Forward) != "tiles");
    }
    void chosenMethodsAreKeptInWords() {
        ConvolutionShape shape = kShapes[1];
        shape.window = {.size = {3, 5}, .strides = {2, 1}, .before = {1, 2}, .after = {0, 2}};
        shape.groups = 4;
        QCOMPARE(
            passText(shape, ConvolutionPass::WeightGradient),
            std::string("weights of 13x11x16 by 3x5x32, strides 2x1, padding 1+0x2+2, groups 4"));
        ConvolutionMethods chosen;
        chosen.choose(shape, ConvolutionPass::WeightGradient, ConvolutionMethod::Product);
        const auto again = ConvolutionMethods::parse(chosen.words());
        QVERIFY(again.has_value());
        shape.batch = 77;  // the choice is one of images
        QVERIFY(again->of(shape, ConvolutionPass::WeightGradient) == ConvolutionMethod::Product);
        QVERIFY(!again->of(shape, ConvolutionPass::Forward));
        const auto wrong = ConvolutionMethods::parse({{"result of it", "magic"}});
        QVERIFY(!wrong.has_value());
        QCOMPARE(wrong.error().code, lockstep::ErrorCode::Corrupt);
        QVERIFY(wrong.error().message.find("\"magic\"") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(ConvolutionMethodTest)
#include "tst_convolution_method.moc"
