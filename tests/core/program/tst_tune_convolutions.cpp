// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/program/compile.h"
#include "core/program/cpu/convolution_use.h"
#include "core/program/cpu/tune_convolutions.h"
#include "core/tensor/cpu/layers/convolution.h"
#include "tests/support/graph_sketch.h"

using namespace lockstep;
using namespace lockstep::testing;
using program::Program;
using tensor::ConvolutionMethod;

namespace {

/// Two convolutions, one of which tiles may take.
Program smallProgram() {
    GraphSketch sketch;
    int last = sketch.input({8, 8, 16});
    last = sketch.convolution(last, 16, paddedWindow({3, 3}, {1, 1}, 1));
    last = sketch.convolution(last, 8, paddedWindow({3, 3}, {2, 2}, 1));
    last = sketch.globalPooling(last, model::Pooling::Kind::Average);
    sketch.dense(last, 3);
    return program::compile(sketch.take(), 2, Program::Mode::Training);
}

std::vector<program::ConvolutionUse> usesOf(const Program& step) {
    std::vector<program::ConvolutionUse> uses;
    for (const auto* instructions : {&step.forward, &step.backward})
        for (const program::Instruction& instruction : *instructions)
            if (const auto use = convolutionUse(program::KernelSource(step, instruction)))
                uses.push_back(*use);
    return uses;
}

}  // namespace

class TuneConvolutionsTest : public QObject {
    Q_OBJECT

private slots:
    void everyPassGetsAMethodThatItsShapeAllows() {
        const Program step = smallProgram();
        const auto methods = program::tuneConvolutions(step);
        QVERIFY(methods.has_value());
        const auto uses = usesOf(step);
        QCOMPARE(uses.size(), std::size_t{5});  // the first layer's samples want no gradient
        QCOMPARE(methods->words().size(), uses.size());
        for (const auto& [shape, pass] : uses) {
            const auto method = methods->of(shape, pass);
            QVERIFY(method.has_value());
            QVERIFY(tensor::Convolution::allows(shape, pass, *method));
        }
    }
    void whatIsKnownIsNotMeasuredAgain() {
        Program step = smallProgram();
        for (const auto& [shape, pass] : usesOf(step))
            step.methods.choose(shape, pass, ConvolutionMethod::Product);
        const auto methods = program::tuneConvolutions(step);
        QVERIFY(methods.has_value());
        QVERIFY(methods->words() == step.methods.words());
    }
    void aNetworkWithoutConvolutionsHasNothingToChoose() {
        GraphSketch sketch;
        sketch.dense(sketch.input({4}), 2);
        const auto methods =
            program::tuneConvolutions(program::compile(sketch.take(), 2, Program::Mode::Training));
        QVERIFY(methods.has_value() && methods->isEmpty());
    }
};

QTEST_GUILESS_MAIN(TuneConvolutionsTest)
#include "tst_tune_convolutions.moc"
