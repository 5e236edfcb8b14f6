// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <set>

#include "core/exchange/onnx/encode_onnx.h"
#include "core/exchange/onnx/onnx.pb.h"
#include "tests/core/exchange/drawn_tensors.h"
#include "tests/core/model/model_text.h"
#include "tests/support/random_graph.h"

using namespace lockstep;
using namespace lockstep::exchange;

namespace {

constexpr std::uint64_t kGraphs = 200;

/// Those of opset 17 whose meaning was checked against onnxruntime (`./dev check interop`).
const std::set<std::string> kOperations{"Add",
                                        "AveragePool",
                                        "BatchNormalization",
                                        "Concat",
                                        "Conv",
                                        "ConvTranspose",
                                        "GRU",
                                        "LSTM",
                                        "Squeeze",
                                        "Unsqueeze",
                                        "Div",
                                        "Elu",
                                        "Erf",
                                        "Flatten",
                                        "Gather",
                                        "Gemm",
                                        "GlobalAveragePool",
                                        "Identity",
                                        "GlobalMaxPool",
                                        "LayerNormalization",
                                        "InstanceNormalization",
                                        "LeakyRelu",
                                        "MatMul",
                                        "MaxPool",
                                        "Mul",
                                        "Pad",
                                        "ReduceMean",
                                        "Relu",
                                        "Reshape",
                                        "Resize",
                                        "Sigmoid",
                                        "Slice",
                                        "Softmax",
                                        "Split",
                                        "Sqrt",
                                        "Tanh",
                                        "Transpose",
                                        "Cast"};

std::string wrongTensor(const onnx::TensorProto& tensor) {
    std::size_t count = 1;
    for (const std::int64_t size : tensor.dims())
        count *= static_cast<std::size_t>(size);
    const std::size_t each = tensor.data_type() == onnx::TensorProto::INT64 ? 8 : 4;
    return tensor.raw_data().size() == count * each
               ? std::string()
               : tensor.name() + " does not hold what its sizes say";
}

/// What is wrong with the form of a graph: every value has one source, and stands before its use.
std::string wrongForm(const onnx::GraphProto& graph) {
    std::set<std::string> values;
    for (const auto& input : graph.input())
        if (!values.insert(input.name()).second) return input.name() + " is there twice";
    for (const auto& tensor : graph.initializer()) {
        if (!values.insert(tensor.name()).second) return tensor.name() + " is there twice";
        if (const std::string wrong = wrongTensor(tensor); !wrong.empty()) return wrong;
    }
    for (const auto& node : graph.node()) {
        if (!kOperations.contains(node.op_type())) return node.op_type() + " is not known";
        for (const std::string& input : node.input())
            if (!input.empty() && !values.contains(input))
                return node.name() + " takes " + input + ", which is not there";
        for (const std::string& output : node.output())
            if (!values.insert(output).second) return output + " is there twice";
        for (const auto& attribute : node.attribute())
            if (!attribute.has_type()) return attribute.name() + " has no type";
    }
    if (graph.output_size() != 1 || !values.contains(graph.output(0).name()))
        return "the output is not there";
    return {};
}

std::vector<std::int64_t> sizesOf(const onnx::ValueInfoProto& value) {
    std::vector<std::int64_t> sizes;
    for (const auto& dimension : value.type().tensor_type().shape().dim())
        sizes.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
    return sizes;
}

onnx::ModelProto modelOf(const model::Graph& graph, const OnnxDescription& description = {}) {
    const tests::DrawnTensors drawn(graph);
    const auto bytes = encodeOnnx(graph, drawn.tensors(), description);
    onnx::ModelProto read;
    if (!bytes || !read.ParseFromString(*bytes)) qWarning("no ONNX");
    return read;
}

int countOf(const onnx::ModelProto& read, std::string_view type) {
    return static_cast<int>(std::ranges::count_if(
        read.graph().node(), [type](const auto& node) { return node.op_type() == type; }));
}

}  // namespace

class OnnxTest : public QObject {
    Q_OBJECT
private slots:
    void randomNetworksBecomeWellFormedGraphs() {
        for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
            const model::Graph graph = testing::makeRandomGraph(seed);
            const onnx::ModelProto read = modelOf(graph);
            QCOMPARE(read.ir_version(), 8);
            QCOMPARE(read.opset_import(0).version(), 17);
            const std::string wrong = wrongForm(read.graph());
            QVERIFY2(wrong.empty(), (std::to_string(seed) + ": " + wrong).c_str());
        }
    }

    void weightsKeepTheirNamesAndBytes() {
        const model::Graph graph = testing::makeRandomGraph(3);
        const tests::DrawnTensors drawn(graph);
        const onnx::ModelProto read = modelOf(graph);
        for (const checkpoint::TensorRef& tensor : drawn.tensors()) {
            const auto found = std::ranges::find_if(
                read.graph().initializer(),
                [&tensor](const auto& one) { return one.name() == tensor.name; });
            QVERIFY2(found != read.graph().initializer().end(), tensor.name.c_str());
            QVERIFY(std::memcmp(found->raw_data().data(), tensor.values.data(),
                                tensor.values.size_bytes()) == 0);
        }
    }

    void theLayoutOfAResidualNetworkOfImagesNeverChanges() {
        const onnx::ModelProto read = modelOf(model::test::graphOf(
            model::test::modelFile("resnet18-cifar10.toml"), model::test::images(32, 3)));
        QCOMPARE(wrongForm(read.graph()), std::string());
        QCOMPARE(countOf(read, "Transpose"), 0);
        QCOMPARE(countOf(read, "Conv"), 20);
        QCOMPARE(countOf(read, "BatchNormalization"), 20);
        QCOMPARE(read.graph().input(0).name(), std::string("data"));
        QCOMPARE(sizesOf(read.graph().input(0)), (std::vector<std::int64_t>{-1, 3, 32, 32}));
        QCOMPARE(sizesOf(read.graph().output(0)), (std::vector<std::int64_t>{-1, 10}));
    }

    void tokensAndColumnsGoInAsWholeNumbers() {
        const model::DataFacts facts{
            .input = {8}, .columns = {{.name = "ocean_proximity", .shape = {}, .vocabulary = 9}}};
        const onnx::ModelProto read =
            modelOf(model::test::graphOf(model::test::modelFile("houses.toml"), facts),
                    {.columns = {"ocean_proximity"}});
        QCOMPARE(wrongForm(read.graph()), std::string());
        QCOMPARE(read.graph().input_size(), 2);
        QCOMPARE(read.graph().input(0).name(), std::string("data"));
        QCOMPARE(read.graph().input(0).type().tensor_type().elem_type(), 1);
        QCOMPARE(read.graph().input(1).name(), std::string("data.ocean_proximity"));
        QCOMPARE(read.graph().input(1).type().tensor_type().elem_type(), 7);
        QCOMPARE(sizesOf(read.graph().input(1)), (std::vector<std::int64_t>{-1}));
    }

    void metadataAreKept() {
        const onnx::ModelProto read =
            modelOf(testing::makeRandomGraph(1),
                    {.name = "job", .version = "1", .metadata = {{"lockstep.step", "12"}}});
        QCOMPARE(read.graph().name(), std::string("job"));
        QCOMPARE(read.producer_name(), std::string("Lockstep"));
        QCOMPARE(read.metadata_props(0).key(), std::string("lockstep.step"));
        QCOMPARE(read.metadata_props(0).value(), std::string("12"));
    }
};

QTEST_GUILESS_MAIN(OnnxTest)
#include "tst_onnx.moc"
