// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/tensor/cpu/layers/convolution.h"
#include "tests/support/convolution_values.h"

using namespace lockstep;
using namespace lockstep::tensor;
using namespace lockstep::testing;

namespace {

struct Case {
    const char* name;
    ConvolutionShape shape;
};

const Case kCases[] = {
    {"one number", shapeOf(1, {1, 1}, 1, 1, {})},
    {"3x3 of one channel", shapeOf(2, {9, 8}, 1, 32, {.size = {3, 3}})},
    {"3x3 same", shapeOf(3, {10, 11}, 3, 17, {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}})},
    {"17 to 5", shapeOf(2, {7, 7}, 17, 5, {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}})},
    {"even image, stride 2, padded after",
     shapeOf(2, {8, 8}, 16, 16, {.size = {3, 3}, .strides = {2, 2}, .after = {1, 1}})},
    {"odd image, stride 2",
     shapeOf(2, {9, 9}, 16, 8,
             {.size = {3, 3}, .strides = {2, 2}, .before = {1, 1}, .after = {1, 1}})},
    {"a rest that no window reaches",
     shapeOf(1, {10, 8}, 4, 4, {.size = {3, 3}, .strides = {3, 3}})},
    {"strides and sides differ",
     shapeOf(2, {11, 6}, 5, 7,
             {.size = {2, 4}, .strides = {3, 1}, .before = {0, 2}, .after = {1, 1}})},
    {"dilated", shapeOf(2, {12, 13}, 6, 6,
                        {.size = {3, 3}, .dilation = {2, 3}, .before = {2, 3}, .after = {2, 3}})},
    {"1x1", shapeOf(4, {6, 6}, 64, 128, {})},
    {"1x1, stride 2", shapeOf(2, {7, 7}, 16, 32, {.strides = {2, 2}})},
    {"1x1 of a few, stride 2", shapeOf(4, {30, 4}, 3, 8, {.strides = {2, 2}})},
    {"groups", shapeOf(2, {8, 8}, 12, 8, {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}}, 4)},
    {"depthwise",
     shapeOf(2, {9, 9}, 16, 16, {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}}, 16)},
    {"depthwise of 5, stride 2, padded after",
     shapeOf(2, {8, 8}, 5, 5, {.size = {3, 3}, .strides = {2, 2}, .after = {1, 1}}, 5)},
    {"depthwise, two filters a channel", shapeOf(2, {6, 6}, 3, 6, {.size = {3, 3}}, 3)},
    {"a sequence, padded before",
     shapeOf(3, {1, 20}, 8, 16, {.size = {1, 5}, .dilation = {1, 2}, .before = {0, 8}})},
    {"7x7, stride 2",
     shapeOf(1, {17, 17}, 3, 64,
             {.size = {7, 7}, .strides = {2, 2}, .before = {3, 3}, .after = {3, 3}})},
};

const Case kTileCases[] = {
    {"one place", tileShape(1, {3, 3}, 16, 16, {0, 0}, {0, 0})},
    {"whole tiles", tileShape(2, {8, 8}, 32, 48, {1, 1}, {1, 1})},
    {"tiles that reach beyond", tileShape(3, {9, 10}, 32, 16, {1, 1}, {1, 1})},
    {"no padding", tileShape(2, {13, 11}, 16, 32, {0, 0}, {0, 0})},
    {"padded on one side", tileShape(2, {7, 9}, 16, 16, {0, 2}, {2, 0})},
    {"padded more than windows are wide", tileShape(1, {5, 5}, 16, 16, {3, 4}, {5, 0})},
    {"several blocks, the last of few tiles", tileShape(43, {7, 7}, 32, 32, {1, 1}, {1, 1})},
    {"many channels", tileShape(2, {8, 8}, 256, 128, {1, 1}, {1, 1})},
};

}  // namespace

class ConvolutionTest : public QObject {
    Q_OBJECT
    static void rows() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < std::size(kCases); ++i)
            QTest::newRow(kCases[i].name) << static_cast<int>(i);
    }
    static const ConvolutionShape& current() {
        const int index = *static_cast<int*>(QTest::qData("index", QMetaType::Int));
        return kCases[static_cast<std::size_t>(index)].shape;
    }

private slots:
    void passesAreTheSumsOfTheirProducts_data() { rows(); }
    void passesAreTheSumsOfTheirProducts() {
        const ConvolutionShape& shape = current();
        const Operands o(shape);
        const Expected expected(shape, o);
        auto made = Convolution::make(shape);
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        for (const auto pass : {ConvolutionPass::Forward, ConvolutionPass::WeightGradient,
                                ConvolutionPass::InputGradient})
            qInfo() << made->implementation(pass).c_str();
        Found found(shape);
        made->forward(o.x, o.weight, o.bias, found.y, false);
        made->weightGradient(o.x, o.dy, found.dWeight, found.dBias);
        made->inputGradient(o.dy, o.weight, found.dx);
        QVERIFY(worstError(found.y, expected.y) < kTolerance);
        QVERIFY(worstError(found.dWeight, expected.dWeight) < kTolerance);
        QVERIFY(worstError(found.dBias, expected.dBias) < kTolerance);
        QVERIFY(worstError(found.dx, expected.dx) < kTolerance);
    }
    void theWayByMatricesGivesTheSame_data() { rows(); }
    void theWayByMatricesGivesTheSame() {
        const ConvolutionShape& shape = current();
        const Operands o(shape);
        const Expected expected(shape, o);
        Im2colConvolution convolution(shape);
        Found found(shape);
        convolution.forward(o.x, o.weight, o.bias, found.y);
        convolution.weightGradient(o.x, o.dy, found.dWeight);
        convolution.inputGradient(o.dy, o.weight, found.dx);
        QVERIFY(worstError(found.y, expected.y) < kTolerance);
        QVERIFY(worstError(found.dWeight, expected.dWeight) < kTolerance);
        QVERIFY(worstError(found.dx, expected.dx) < kTolerance);
    }
    void tilesGiveTheSame_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < std::size(kTileCases); ++i)
            QTest::newRow(kTileCases[i].name) << static_cast<int>(i);
    }
    void tilesGiveTheSame() {
        QFETCH(int, index);
        const ConvolutionShape& shape = kTileCases[index].shape;
        const Operands o(shape);
        const Expected expected(shape, o);
        std::optional<Found> first;
        for (const VectorIsa isa : supportedIsas()) {
            const WinogradConvolution convolution(shape, isa);
            Found found(shape);
            convolution.forward(o.x, o.weight, o.bias, found.y, false);
            convolution.weightGradient(o.x, o.dy, found.dWeight);
            convolution.inputGradient(o.dy, o.weight, found.dx);
            QVERIFY(worstError(found.y, expected.y) < kTileTolerance);
            QVERIFY(worstError(found.dWeight, expected.dWeight) < kTileTolerance);
            QVERIFY(worstError(found.dx, expected.dx) < kTileTolerance);
            if (!first) first = found;
            QVERIFY(found.y == first->y && found.dWeight == first->dWeight &&
                    found.dx == first->dx);
        }
    }
    void tilesOfASampleDoNotDependOnTheOthersOfTheBatch() {
        const ConvolutionShape& whole = kTileCases[6].shape;
        const Operands o(whole);
        Found all(whole);
        WinogradConvolution(whole).forward(o.x, o.weight, o.bias, all.y, true);
        ConvolutionShape one = whole;
        one.batch = 1;
        for (const std::size_t sample : {std::size_t{0}, std::size_t{31}, whole.batch - 1}) {
            Found alone(one);
            const std::span<const float> x(o.x);
            WinogradConvolution(one).forward(x.subspan(sample * one.imageSize(), one.imageSize()),
                                             o.weight, o.bias, alone.y, true);
            QVERIFY(
                std::equal(alone.y.begin(), alone.y.end(),
                           all.y.begin() + static_cast<std::ptrdiff_t>(sample * one.outputSize())));
        }
    }
    void tilesFuseReluAndKeepNan() {
        const ConvolutionShape& shape = kTileCases[1].shape;
        Operands o(shape);
        o.x[0] = std::numeric_limits<float>::quiet_NaN();
        const WinogradConvolution convolution(shape);
        Found linear(shape), relu(shape);
        convolution.forward(o.x, o.weight, o.bias, linear.y, false);
        convolution.forward(o.x, o.weight, o.bias, relu.y, true);
        QVERIFY(std::isnan(relu.y[0]));
        for (std::size_t i = 0; i < relu.y.size(); ++i)
            if (!std::isnan(linear.y[i])) QCOMPARE(relu.y[i], std::max(linear.y[i], 0.0F));
    }
    void smallBatchesAreComputedAsLargeOnes() {
        // What is chosen is a function of the image: of one that tiles suit, and of others.
        ConvolutionShape shape = kTileCases[1].shape;
        for (const std::size_t batch : {std::size_t{1}, std::size_t{64}}) {
            shape.batch = batch;
            QVERIFY(isFasterByTiles(shape));
        }
        QVERIFY(!isFasterByTiles(kTileCases[0].shape));
        for (const Case& other : kCases)
            QVERIFY(!isFasterByTiles(other.shape));
    }
    void aBiasMayBeMissing() {
        const ConvolutionShape& shape = kCases[2].shape;
        Operands o(shape);
        auto made = Convolution::make(shape);
        QVERIFY(made.has_value());
        Found found(shape);
        made->forward(o.x, o.weight, {}, found.y, false);
        o.bias.assign(shape.filters, 0.0F);
        QVERIFY(worstError(found.y, Expected(shape, o).y) < kTolerance);
        made->weightGradient(o.x, o.dy, found.dWeight, {});
        QCOMPARE(found.dBias[0], 7.0F);
    }
    void reluIsAppliedWhereItIsWantedAndKeepsNan() {
        const ConvolutionShape& shape = kCases[2].shape;
        Operands o(shape);
        o.x[0] = std::numeric_limits<float>::quiet_NaN();
        auto made = Convolution::make(shape);
        QVERIFY(made.has_value());
        Found linear(shape), relu(shape);
        made->forward(o.x, o.weight, o.bias, linear.y, false);
        made->forward(o.x, o.weight, o.bias, relu.y, true);
        QVERIFY(std::isnan(relu.y[0]));
        for (std::size_t i = 0; i < relu.y.size(); ++i)
            if (!std::isnan(linear.y[i])) QCOMPARE(relu.y[i], std::max(linear.y[i], 0.0F));
    }
    void aSamplesBitsDoNotDependOnTheBatch_data() { rows(); }
    void aSamplesBitsDoNotDependOnTheBatch() {
        ConvolutionShape whole = current();
        whole.batch = 13;
        const Operands o(whole);
        auto all = Convolution::make(whole);
        QVERIFY(all.has_value());
        Found expected(whole);
        all->forward(o.x, o.weight, o.bias, expected.y, true);
        all->inputGradient(o.dy, o.weight, expected.dx);
        for (const std::size_t batch : {1U, 2U, 5U, 12U}) {
            ConvolutionShape part = whole;
            part.batch = batch;
            auto made = Convolution::make(part);
            QVERIFY(made.has_value());
            Found found(part);
            const std::size_t first = whole.batch - batch;
            const auto x = std::span(o.x).subspan(first * whole.imageSize());
            const std::size_t results = whole.placeCount() * whole.filters;
            made->forward(x, o.weight, o.bias, found.y, true);
            made->inputGradient(std::span(o.dy).subspan(first * results), o.weight, found.dx);
            QVERIFY(sameBits(found.y, std::span(expected.y).subspan(first * results)));
            QVERIFY(sameBits(found.dx, std::span(expected.dx).subspan(first * whole.imageSize())));
        }
    }
    void aRepetitionGivesTheSameBits_data() { rows(); }
    void aRepetitionGivesTheSameBits() {
        const ConvolutionShape& shape = current();
        const Operands o(shape);
        auto one = Convolution::make(shape);
        auto other = Convolution::make(shape);
        QVERIFY(one.has_value() && other.has_value());
        Found first(shape), again(shape), second(shape);
        one->weightGradient(o.x, o.dy, first.dWeight, first.dBias);
        one->weightGradient(o.x, o.dy, again.dWeight, again.dBias);
        other->weightGradient(o.x, o.dy, second.dWeight, second.dBias);
        QVERIFY(sameBits(first.dWeight, again.dWeight) && sameBits(first.dBias, again.dBias));
        QVERIFY(sameBits(first.dWeight, second.dWeight));
    }
    void theWayThatWritesBeyondItsMemoryIsNotTaken() {
        for (const std::size_t channels : {1U, 3U, 6U, 7U})
            for (const Extent strides : {Extent{2, 2}, Extent{1, 3}}) {
                const auto made =
                    Convolution::make(shapeOf(4, {30, 9}, channels, 8, {.strides = strides}),
                                      {ConvolutionPass::WeightGradient});
                QVERIFY(made.has_value());
                const std::string way = made->implementation(ConvolutionPass::WeightGradient);
                QVERIFY2(way.find("jit_1x1:avx2") == std::string::npos, way.c_str());
            }
    }
    void aConvolutionThatHasNoRoomIsRefusedWhenItIsMade() {
        // Tiles of as many channels as filters take 144 bytes a pair: 600 GB.
        constexpr std::size_t kMany = 65'536;
        const auto made = Convolution::make(
            shapeOf(1, {4, 4}, kMany, kMany, {.size = {3, 3}, .before = {1, 1}, .after = {1, 1}}),
            {ConvolutionPass::Forward});
        QVERIFY(!made && made.error().code == ErrorCode::Unavailable);
        QVERIFY(made.error().message.find("has no room for") != std::string::npos);
    }
    void shapesWithoutAResultAreRefusedInWords() {
        const auto tooLarge = Convolution::make(shapeOf(1, {3, 3}, 1, 1, {.size = {4, 4}}));
        QVERIFY(!tooLarge && tooLarge.error().code == ErrorCode::BadInput);
        QCOMPARE(tooLarge.error().message.c_str(),
                 "A window of 4 x 4 does not fit on an image of 3 x 3 with its padding.");
        const auto uneven = Convolution::make(shapeOf(1, {3, 3}, 6, 4, {}, 3));
        QVERIFY(!uneven && uneven.error().code == ErrorCode::BadInput);
        QCOMPARE(uneven.error().message.c_str(),
                 "6 channels and 4 filters cannot be cut into 3 equal groups.");
        QVERIFY(!Convolution::make(shapeOf(1, {3, 3}, 1, 1, {.strides = {0, 1}})));
    }
};

QTEST_GUILESS_MAIN(ConvolutionTest)
#include "tst_convolution.moc"
