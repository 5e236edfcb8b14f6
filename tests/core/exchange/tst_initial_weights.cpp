// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <deque>
#include <limits>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/checkpoint/safetensors.h"
#include "core/exchange/float_values.h"
#include "core/exchange/initial_weights.h"
#include "core/exchange/torch_entries.h"
#include "tests/core/exchange/drawn_tensors.h"
#include "tests/core/model/model_text.h"

using namespace lockstep;
using namespace lockstep::exchange;
using checkpoint::DType;

namespace {

const char* const kNetwork = R"(
    { type = "conv2d", name = "conv", filters = 2, kernel_size = 3, use_bias = false },
    { type = "batch_normalization", name = "bn", scale = false },
    { type = "flatten" },
    { type = "dense", name = "fc", units = 3 },)";

const char* const kShared = R"(
    { type = "reshape", target_shape = [4, 4] },
    { type = "dense", name = "a", units = 4, use_bias = false },
    { type = "dense", name = "b", units = 4, use_bias = false, weights_of = "a" },)";

/// A file that is put together tensor by tensor.
struct File {
    std::deque<std::string> data;
    std::vector<checkpoint::SafetensorView> views;

    template <typename Number>
    void put(const std::string& name, DType dtype, std::vector<std::int64_t> shape,
             const std::vector<Number>& values) {
        std::string& bytes = data.emplace_back(values.size() * sizeof(Number), '\0');
        if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
        views.push_back({name, dtype, std::move(shape), bytes});
    }
    void remove(const std::string& name) {
        std::erase_if(views, [&name](const auto& view) { return view.name == name; });
    }
    checkpoint::SafetensorView& at(const std::string& name) {
        return *std::ranges::find(views, name, &checkpoint::SafetensorView::name);
    }
    [[nodiscard]] std::string bytes() const {
        return checkpoint::encodeSafetensors(views, {}).value();
    }
};

std::vector<float> numbersOf(const checkpoint::TensorRef& tensor) {
    return {tensor.values.begin(), tensor.values.end()};
}

/// A network with drawn numbers, and the file that fits it, names behind `prefix`.
struct Case {
    model::Graph graph;
    tests::DrawnTensors drawn{graph};
    File file;

    explicit Case(const std::string& layers = kNetwork, const std::string& prefix = {})
        : graph(model::test::graphOf(layers, {.input = {4, 4, 1}, .classes = 3})) {
        for (const checkpoint::TensorRef& tensor : drawn.tensors())
            file.put(prefix + tensor.name, DType::F32, tensor.shape, numbersOf(tensor));
    }

    /// "fits", or message and remedy.
    [[nodiscard]] std::string said(const config::InitialWeightsSpec& spec = {}) const {
        const auto matched = matchWeights(file.bytes(), graph, spec);
        return matched ? "fits" : matched.error().message + " | " + matched.error().remedy;
    }
    [[nodiscard]] bool isTakenWhole(const InitialWeights& weights) const {
        return std::ranges::all_of(drawn.tensors(), [&weights](const auto& tensor) {
            return std::ranges::any_of(weights.tensors, [&tensor](const auto& one) {
                return one.name == tensor.name && one.shape == tensor.shape &&
                       one.values == numbersOf(tensor);
            });
        });
    }
};

bool contains(const std::string& text, std::string_view part) {
    if (text.find(part) != std::string::npos) return true;
    qWarning("%s", text.c_str());
    return false;
}

}  // namespace

class InitialWeightsTest : public QObject {
    Q_OBJECT
private slots:
    void aFileThatFitsIsTakenWithItsStatistics() {
        const Case fits;
        const auto matched = matchWeights(fits.file.bytes(), fits.graph, {});
        QVERIFY(matched);
        QCOMPARE(matched->tensors.size(), fits.graph.tensors.size());
        QVERIFY(fits.isTakenWhole(*matched));
        QVERIFY(matched->left.empty() && matched->unused.empty());
        QCOMPARE(matched->hash, contentHash(fits.file.bytes()));
    }

    void whatPyTorchsModulesHaveBesidesIsUnderstood() {
        Case torch;
        torch.file.put<std::int64_t>("bn.num_batches_tracked", DType::I64, {}, {7});
        torch.file.put<float>("bn.weight", DType::F32, {2}, {1, 1});
        QCOMPARE(torch.said(), std::string("fits"));
        torch.file.remove("bn.weight");
        torch.file.put<float>("bn.weight", DType::F32, {2}, {1, 2});
        QVERIFY(contains(torch.said(), "bn.weight is not 1 throughout"));
    }

    void aSharedWeightMayStandUnderEitherNameOrBoth() {
        Case shared(kShared);
        QCOMPARE(shared.said(), std::string("fits"));
        const auto weight = numbersOf(shared.drawn.tensors()[0]);
        shared.file.put("b.weight", DType::F32, {4, 4}, weight);
        QCOMPARE(shared.said(), std::string("fits"));
        shared.file.remove("a.weight");
        QCOMPARE(shared.said(), std::string("fits"));
        QVERIFY(shared.isTakenWhole(matchWeights(shared.file.bytes(), shared.graph, {}).value()));
        shared.file.put<float>("a.weight", DType::F32, {4, 4}, std::vector<float>(16, 3));
        QVERIFY(contains(shared.said(), "b.weight differs from a.weight"));
    }

    void allThatDoesNotFitIsToldInOneSentence() {
        Case wrong;
        wrong.file.remove("conv.weight");
        wrong.file.put<float>("stem.weight", DType::F32, {1}, {1});
        wrong.file.remove("fc.weight");
        wrong.file.put<float>("fc.weight", DType::F32, {2, 2}, {1, 2, 3, 4});
        wrong.file.remove("fc.bias");
        wrong.file.put<std::int32_t>("fc.bias", DType::I32, {3}, {1, 2, 3});
        wrong.file.remove("bn.bias");
        wrong.file.put<float>("bn.bias", DType::F32, {2},
                              {1, std::numeric_limits<float>::infinity()});
        const std::string said = wrong.said();
        for (const char* part :
             {"it lacks conv.weight", "it has stem.weight, which the model does not have",
              "fc.weight is [2, 2] there, [3, 8] here", "fc.bias holds I32",
              "bn.bias holds numbers that are not finite", "model.initial_weights.except"})
            QVERIFY(contains(said, part));
    }

    void longListsAreCut() {
        std::string layers;
        for (int i = 0; i < 30; ++i)
            layers += "{ type = \"dense\", units = 3 },";
        Case many(layers);
        many.file.views.clear();
        many.file.put<float>("x", DType::F32, {1}, {1});
        QVERIFY(contains(many.said(), "and 52 more"));
    }

    void aBeginningThatAllNamesHaveIsFound() {
        const Case wrapped(kNetwork, "module.");
        QVERIFY(contains(wrapped.said(), "rename = { \"module.\" = \"\" }"));
        config::InitialWeightsSpec spec;
        spec.rename = {{"module.", ""}};
        QCOMPARE(wrapped.said(spec), std::string("fits"));
        QVERIFY(
            wrapped.isTakenWhole(matchWeights(wrapped.file.bytes(), wrapped.graph, spec).value()));
    }

    void aBeginningThatTheFileLacksIsPutBeforeAllItsNames() {
        const char* const kWrapped = R"(
            { type = "flatten" },
            { type = "dense", name = "net.fc", units = 3 },
            { type = "dense", name = "head", units = 3 },)";
        Case bare(kWrapped);
        bare.file.at("net.fc.weight").name = "fc.weight";
        bare.file.at("net.fc.bias").name = "fc.bias";
        bare.file.at("head.weight").name = "last.weight";
        bare.file.at("head.bias").name = "last.bias";
        config::InitialWeightsSpec spec{
            .file = "a.safetensors", .rename = {{"last.", "head."}}, .except = {"head.bias"}};
        QVERIFY(
            contains(bare.said(spec),
                     R"(Write model.initial_weights = { file = "a.safetensors", )"
                     R"(rename = { "last." = "head.", "" = "net." }, except = ["head.bias"] }.)"));
        spec.rename.emplace_back("", "net.");
        QCOMPARE(bare.said(spec), std::string("fits"));
    }

    void noBeginningIsSuggestedThatWouldTakeNamesFromOthers() {
        Case partly(std::string(kNetwork) + R"({ type = "dense", name = "net.stem", units = 3 },)");
        partly.file.at("net.stem.weight").name = "stem.weight";
        partly.file.at("net.stem.bias").name = "stem.bias";
        // "" = "net." would mend these two, and cost all others.
        QVERIFY(contains(partly.said(), "Name what is called otherwise"));
    }

    void aBeginningThatIsSuggestedLeavesNoneThatRenamesNothing() {
        const Case wrapped(kNetwork, "model.net.");
        const config::InitialWeightsSpec spec{.file = "a", .rename = {{"model.", ""}}};
        QVERIFY(contains(wrapped.said(spec), R"({ file = "a", rename = { "model.net." = "" } })"));
    }

    void theLongestBeginningRenames() {
        Case other(kNetwork, "net.");
        other.file.at("net.fc.weight").name = "net.head.weight";
        other.file.at("net.fc.bias").name = "net.head.bias";
        config::InitialWeightsSpec spec;
        spec.rename = {{"net.", ""}, {"net.head.", "fc."}};
        QCOMPARE(other.said(spec), std::string("fits"));
        spec.rename.emplace_back("nest.", "");
        QVERIFY(contains(other.said(spec), "rename's \"nest.\" renames none of its names"));
        spec.rename = {{"net.", ""}, {"net.head.", "fc."}, {"net.conv.", "fc."}};
        QVERIFY(contains(other.said(spec), "are both fc.weight here"));
    }

    void whatIsExceptedMayLackOrDiffer() {
        Case fine;
        fine.file.remove("fc.bias");
        fine.file.remove("fc.weight");
        fine.file.put<float>("fc.weight", DType::F32, {2, 2}, {1, 2, 3, 4});
        fine.file.put<float>("aux.weight", DType::F32, {1}, {1});
        config::InitialWeightsSpec spec;
        spec.except = {"fc.", "aux."};
        const auto matched = matchWeights(fine.file.bytes(), fine.graph, spec);
        QVERIFY(matched);
        QCOMPARE(matched->tensors.size(), fine.graph.tensors.size() - 2);
        QCOMPARE(matched->left, (std::vector<std::string>{"fc.weight", "fc.bias"}));
        QCOMPARE(matched->unused, std::vector<std::string>{"aux.weight"});
        spec.except.emplace_back("head.");
        QVERIFY(contains(fine.said(spec), "no tensor's name begins with \"head.\""));
    }

    void whatIsExceptedIsLeftThoughItFits() {
        const Case fits;
        const auto matched = matchWeights(fits.file.bytes(), fits.graph, {.except = {"fc."}});
        QVERIFY(matched);
        QCOMPARE(matched->left, (std::vector<std::string>{"fc.weight", "fc.bias"}));
        QCOMPARE(matched->tensors.size(), fits.graph.tensors.size() - 2);
        QVERIFY(matched->unused.empty());
    }

    void whatPyTorchHasBesidesIsExceptedToo() {
        Case torch;
        torch.file.put<float>("bn.weight", DType::F32, {2}, {1, 2});
        QVERIFY(contains(torch.said(), "bn.weight is not 1 throughout"));
        const auto matched =
            matchWeights(torch.file.bytes(), torch.graph, {.except = {"bn.weight"}});
        QVERIFY2(matched, matched ? "" : matched.error().message.c_str());
        QCOMPARE(matched->unused, std::vector<std::string>{"bn.weight"});
    }

    void aSharedWeightIsExceptedWithItsOwnerOrAlone() {
        Case shared(kShared);
        shared.file.put<float>("b.weight", DType::F32, {2, 2}, {1, 2, 3, 4});
        for (const char* one : {"a.", "b."}) {
            const auto matched = matchWeights(shared.file.bytes(), shared.graph, {.except = {one}});
            QVERIFY2(matched, matched ? "" : matched.error().message.c_str());
            QCOMPARE(matched->unused, std::vector<std::string>{"b.weight"});
            QCOMPARE(matched->left, one[0] == 'a' ? std::vector<std::string>{"a.weight"}
                                                  : std::vector<std::string>{});
        }
    }

    void numbersOfOtherSizesAreConverted() {
        File file;
        file.put<std::uint16_t>("half", DType::F16, {6},
                                {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x8000, 0x3555});
        file.put<std::uint16_t>("brain", DType::BF16, {2}, {0x3F80, 0xC049});
        file.put<double>("double", DType::F64, {2}, {0.1, -3e-5});
        QCOMPARE(floatValues(file.views[0]), (std::vector<float>{1, -2, 5.9604644775390625e-8F,
                                                                 65504, -0.0F, 0.333251953125F}));
        QCOMPARE(floatValues(file.views[1]), (std::vector<float>{1, -3.140625F}));
        QCOMPARE(floatValues(file.views[2]), (std::vector<float>{0.1F, -3e-5F}));
        QVERIFY(!isFloating(DType::I64) && !isFloating(DType::F8E4M3));
    }

    void otherFilesAreToldByWhatTheyAre() {
        const Case any;
        const auto said = [&any](std::string_view bytes) {
            return matchWeights(bytes, any.graph, {}).error().message;
        };
        QVERIFY(contains(said("PK\x03\x04 and so on"), "is a zip file, as torch.save writes"));
        QVERIFY(contains(said("\x89HDF\r\n and so on"), "is an HDF5 file, as Keras writes"));
        QVERIFY(contains(said("short"), "is no safetensors file"));
        QVERIFY(contains(said(any.file.bytes().substr(0, 200)), "is no safetensors file"));
    }

    void anErrorNamesTheKeyAndTheFile() {
        const QTemporaryDir folder;
        const std::filesystem::path path(folder.path().toStdString());
        const Case any;
        config::InitialWeightsSpec spec{.file = "there.safetensors"};
        const auto missing = readInitialWeights(spec, path, any.graph);
        QVERIFY(!missing && missing.error().code == ErrorCode::BadInput);
        QVERIFY(contains(missing.error().message, "model.initial_weights: "));
        QVERIFY(replaceFileDurably(path / spec.file, "no"));
        QVERIFY(contains(readInitialWeights(spec, path, any.graph).error().message,
                         "there.safetensors is no safetensors file"));
        QVERIFY(!checkWeightsFile(spec, path));
        QVERIFY(replaceFileDurably(path / spec.file, any.file.bytes()));
        QVERIFY(readInitialWeights(spec, path, any.graph));
        QVERIFY(checkWeightsFile(spec, path));
    }
};

QTEST_GUILESS_MAIN(InitialWeightsTest)
#include "tst_initial_weights.moc"
