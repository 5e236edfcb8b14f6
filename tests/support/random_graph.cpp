// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include "core/base/rng.h"
#include "tests/support/graph_sketch.h"

namespace lockstep::testing {

namespace {

using model::Extent;
using model::Function;
using model::Shape;
using PoolingKind = model::Pooling::Kind;

constexpr std::int64_t kMostNumbers = 400;  ///< Of a node for a sample.

class Maker {
public:
    explicit Maker(std::uint64_t seed) : rng_(seed, 1) {}

    model::Graph make() {
        begin();
        const int steps = between(3, 9);
        for (int i = 0; i < steps; ++i)
            if (const std::optional<int> next = grow()) {
                current_ = *next;
                if (chance(0.45)) current_ = activate();
            }
        finish();
        freezeSome();
        return sketch_.take();
    }

private:
    int between(int low, int high) {
        return low + static_cast<int>(rng_.nextBelow(static_cast<std::uint32_t>(high - low + 1)));
    }
    bool chance(double probability) { return static_cast<double>(rng_.nextFloat()) < probability; }
    [[nodiscard]] const Shape& shape() const { return sketch_.shapeOf(current_); }
    [[nodiscard]] std::int64_t channels() const { return shape().back(); }
    [[nodiscard]] bool hasPlaces() const { return shape().size() > 1; }
    /// Height and width; sequences have a height of one.
    [[nodiscard]] Extent extent() const {
        return shape().size() == 2 ? Extent{1, shape()[0]} : Extent{shape()[0], shape()[1]};
    }
    /// A number for the height and the width of something; 1 for the height of a sequence.
    Extent drawExtent(int low, int high) {
        const int height = between(low, high);
        return {shape().size() == 2 ? 1 : height, between(low, high)};
    }

    void begin() {
        switch (between(0, 3)) {
            case 0:
                current_ = sketch_.input({between(1, 7)});
                break;
            case 1:
                current_ = sketch_.input({between(1, 6), between(1, 5)});
                break;
            case 2:
                current_ = sketch_.input({between(1, 7), between(1, 7), between(1, 4)});
                break;
            default:
                current_ = sketch_.input({between(2, 6)});
                current_ = sketch_.embedding(current_, kVocabulary, 2 * between(1, 3));
                if (chance(0.7)) current_ = sketch_.positionEmbedding(current_, between(0, 1));
        }
    }

    /// Something behind the current node; nothing where what was drawn does not fit.
    std::optional<int> grow() {
        switch (between(0, 23)) {
            case 0:
            case 1:
            case 2:
                return dense();
            case 3:
            case 4:
            case 5:
                return convolve();
            case 6:
                return depthwise();
            case 7:
                return pool();
            case 8:
            case 9:
            case 10:
                return normaliseBatch();
            case 11:
                return normaliseRows();
            case 12:
                return sketch_.dropout(current_, 0.25F * static_cast<float>(between(0, 3)),
                                       chance(0.4));
            case 13:
            case 14:
                return merge(model::Add{});
            case 15:
                return merge(model::Multiply{});
            case 16:
                return concatenate();
            case 17:
                return attend();
            case 18:
                return move();
            case 19:
            case 20:
                return recur();
            case 21:
            case 22:
                return transpose();
            default:
                return scale();
        }
    }

    int activate() {
        constexpr std::array<Function, 16> kFunctions = {
            Function::Relu,    Function::Relu,     Function::Relu,    Function::Sigmoid,
            Function::Sigmoid, Function::Sigmoid,  Function::Tanh,    Function::Tanh,
            Function::Tanh,    Function::Softmax,  Function::Softmax, Function::LeakyRelu,
            Function::Gelu,    Function::GeluTanh, Function::Silu,    Function::Elu};
        const Function function = kFunctions[rng_.nextBelow(kFunctions.size())];
        const float slope = function == Function::Elu ? 0.7F : 0.3F;
        return sketch_.activation(current_, function, slope);
    }

    /// Sometimes with the weight of an earlier node; biases are their own.
    std::optional<int> dense() {
        if (chance(0.5))
            for (const model::Node& node : sketch_.graph().nodes) {
                if (!hasTable(node)) continue;
                const Shape kernel = tensorOf(node).shape;
                if (kernel[1] != channels()) continue;
                Shape out = shape();
                out.back() = kernel[0];
                std::vector<int> tensors{node.tensors[0]};
                if (chance(0.5)) tensors.push_back(sketch_.tensor("bias", {kernel[0]}));
                return sketch_.node(model::Dense{}, {current_}, out, tensors);
            }
        const std::int64_t units = chance(0.5) ? channels() : between(1, 7);
        return sketch_.dense(current_, units, chance(0.7));
    }

    static bool hasTable(const model::Node& node) {
        return std::holds_alternative<model::Dense>(node.operation) ||
               std::holds_alternative<model::Embedding>(node.operation) ||
               std::holds_alternative<model::PositionEmbedding>(node.operation);
    }

    model::Window window(int mostSize, bool mayDilate) {
        const Extent size = drawExtent(1, mostSize);
        const Extent strides = drawExtent(1, 2);
        const Extent dilation = mayDilate && chance(0.3) ? drawExtent(1, 2) : Extent{1, 1};
        if (chance(0.5)) return sameWindow(shape(), size, strides, dilation);
        model::Window window{.size = size, .strides = strides, .dilation = dilation};
        for (std::size_t i = shape().size() == 2 ? 1 : 0; i < size.size(); ++i) {
            const int most = static_cast<int>(std::min<std::int64_t>(size[i] - 1, 2));
            window.before[i] = between(0, most);
            window.after[i] = between(0, most);
        }
        return window;
    }

    [[nodiscard]] bool fits(const model::Window& window) const {
        for (std::size_t i = 0; i < window.size.size(); ++i)
            if (extent()[i] + window.before[i] + window.after[i] <
                (window.size[i] - 1) * window.dilation[i] + 1)
                return false;
        return true;
    }

    std::optional<int> convolve() {
        if (!hasPlaces()) return std::nullopt;
        const model::Window placed = window(3, true);
        if (!fits(placed)) return std::nullopt;
        const std::int64_t groups = channels() % 2 == 0 && chance(0.3) ? 2 : 1;
        const std::int64_t filters = chance(0.3) ? channels() : groups * between(1, 4);
        return sketch_.convolution(current_, filters, placed, groups, chance(0.6));
    }

    std::optional<int> depthwise() {
        if (!hasPlaces() || channels() > 6) return std::nullopt;
        const model::Window placed = window(3, true);
        if (!fits(placed)) return std::nullopt;
        return sketch_.convolution(current_, channels() * between(1, 2), placed, channels(),
                                   chance(0.6));
    }

    std::optional<int> pool() {
        if (!hasPlaces()) return std::nullopt;
        const PoolingKind kind = chance(0.5) ? PoolingKind::Maximum : PoolingKind::Average;
        if (chance(0.4)) return sketch_.globalPooling(current_, kind);
        const model::Window placed = window(3, false);
        if (!fits(placed)) return std::nullopt;
        const bool hasRelu = kind == PoolingKind::Maximum && chance(0.5);
        const int before = hasRelu ? sketch_.activation(current_, Function::Relu) : current_;
        return sketch_.pooling(before, kind, placed);
    }

    int normaliseBatch() {
        return sketch_.normalization(current_, {.momentum = 0.9F,
                                                .epsilon = chance(0.5) ? 1e-3F : 1e-2F,
                                                .hasScale = chance(0.8),
                                                .hasCenter = chance(0.8),
                                                .isSynchronized = chance(0.7)});
    }

    int normaliseRows() {
        const bool hasScale = chance(0.8);
        const bool hasCenter = chance(0.8);
        switch (between(0, 2)) {
            case 0:
                return sketch_.normalization(
                    current_,
                    model::LayerNormalization{.hasScale = hasScale, .hasCenter = hasCenter});
            case 1:
                return sketch_.normalization(
                    current_,
                    model::LayerNormalization{
                        .hasScale = hasScale, .hasCenter = false, .isRootMeanSquare = true});
            default:
                return sketch_.normalization(
                    current_,
                    model::GroupNormalization{.groups = channels() % 2 == 0 ? channels() / 2 : 1,
                                              .hasScale = hasScale,
                                              .hasCenter = hasCenter});
        }
    }

    /// Nodes whose shape `isWanted` likes, the current one perhaps among them.
    template <typename IsWanted>
    std::vector<int> nodesWhere(const IsWanted& isWanted) const {
        std::vector<int> found;
        const int first = takesWholeNumbers(sketch_.graph()) ? 1 : 0;
        for (int i = first; i <= current_; ++i)
            if (isWanted(sketch_.shapeOf(i))) found.push_back(i);
        return found;
    }

    std::vector<int> someOf(const std::vector<int>& nodes) {
        std::vector<int> inputs{current_};
        const int more = between(1, 2);
        for (int i = 0; i < more; ++i)
            inputs.push_back(nodes[rng_.nextBelow(static_cast<std::uint32_t>(nodes.size()))]);
        if (chance(0.5)) std::ranges::reverse(inputs);
        return inputs;
    }

    int merge(model::Operation operation) {
        const auto equal = nodesWhere([&](const Shape& other) { return other == shape(); });
        return sketch_.together(std::move(operation), someOf(equal));
    }

    std::optional<int> concatenate() {
        const auto alike = nodesWhere([&](const Shape& other) {
            return other.size() == shape().size() &&
                   std::equal(other.begin(), other.end() - 1, shape().begin());
        });
        const std::vector<int> inputs = someOf(alike);
        std::int64_t width = 0;
        for (const int input : inputs)
            width += sketch_.shapeOf(input).back();
        if (width * (model::elementCount(shape()) / channels()) > kMostNumbers) return std::nullopt;
        return sketch_.concatenate(inputs);
    }

    std::optional<int> attend() {
        if (shape().size() != 2) return std::nullopt;
        const std::int64_t heads = between(1, 2);
        const int queries = sketch_.dense(current_, 3 * heads * between(1, 3), chance(0.5));
        return sketch_.attention(
            queries,
            {.heads = heads, .isCausal = chance(0.5), .dropout = chance(0.3) ? 0.5F : 0.0F});
    }

    /// Mostly of gates that a dense layer gives, as layers have it.
    std::optional<int> recur() {
        if (shape().size() != 2) return std::nullopt;
        const bool isLstm = chance(0.5);
        const model::Recurrence operation{
            .kind = isLstm ? model::Recurrence::Kind::Lstm : model::Recurrence::Kind::Gru,
            .returnsSequences = chance(0.6),
            .goesBackwards = chance(0.4)};
        const bool areGates = channels() % operation.gates() == 0 && chance(0.5);
        const int gates =
            areGates ? current_
                     : sketch_.dense(current_, operation.gates() * between(1, 4), chance(0.7));
        return sketch_.recurrence(gates, operation, chance(0.7));
    }

    std::optional<int> transpose() {
        if (shape().size() != 3) return std::nullopt;
        model::Window window{.size = drawExtent(1, 3),
                             .strides = drawExtent(1, 2),
                             .dilation = chance(0.3) ? drawExtent(1, 2) : Extent{1, 1}};
        Extent more{};
        for (std::size_t i = 0; i < more.size(); ++i) {
            const std::int64_t reach = (window.size[i] - 1) * window.dilation[i] + 1;
            const std::int64_t whole = (shape()[i] - 1) * window.strides[i] + reach;
            const auto most = static_cast<int>(std::min<std::int64_t>(reach - 1, (whole - 1) / 2));
            window.before[i] = between(0, most);
            window.after[i] = between(0, most);
            if (window.after[i] == 0) more[i] = between(0, static_cast<int>(window.strides[i]) - 1);
        }
        const std::int64_t places =
            (shape()[0] + 2) * (shape()[1] + 2) * window.strides[0] * window.strides[1];
        const std::int64_t filters = between(1, 4);
        if (places * filters > kMostNumbers) return std::nullopt;
        const int made = sketch_.transposed(current_, filters, window, more, chance(0.6));
        constexpr std::array kFused = {Function::Relu, Function::Sigmoid, Function::Tanh};
        return chance(0.6) ? sketch_.activation(made, kFused[rng_.nextBelow(kFused.size())]) : made;
    }

    std::optional<int> move() {
        const int choice = between(0, 3);
        if (choice == 0) return sketch_.flatten(current_);
        if (choice == 1) return reshape();
        if (!hasPlaces()) return std::nullopt;
        if (choice == 2 && model::elementCount(shape()) * 4 <= kMostNumbers)
            return sketch_.upSampling(current_, drawExtent(1, 2));
        return sketch_.padding(current_, {.before = padding(), .after = padding()});
    }

    Extent padding() {
        const int height = between(0, 2);
        return {shape().size() == 2 ? 0 : height, between(0, 2)};
    }

    int reshape() {
        const std::int64_t count = model::elementCount(shape());
        Shape to{count};
        if (count % 2 == 0 && chance(0.7)) to = Shape{count / 2, 2};
        if (count % 4 == 0 && chance(0.5)) to = Shape{2, count / 4, 2};
        return sketch_.node(model::Reshape{}, {current_}, to);
    }

    int scale() {
        const std::size_t count = chance(0.5) ? 1 : static_cast<std::size_t>(channels());
        model::Affine operation;
        for (std::size_t i = 0; i < count; ++i) {
            operation.scale.push_back(rng_.nextFloat(0.5F, 1.5F));
            operation.offset.push_back(rng_.nextFloat(-0.5F, 0.5F));
        }
        return sketch_.node(operation, {current_}, shape());
    }

    /// Mostly a row of numbers behind a dense layer; sometimes what there is.
    void finish() {
        if (current_ > 0 && chance(0.2)) return;
        if (hasPlaces() && chance(0.8))
            current_ = chance(0.5) ? sketch_.flatten(current_)
                                   : sketch_.globalPooling(current_, PoolingKind::Average);
        current_ = sketch_.dense(current_, between(1, 4));
    }

    /// A layer as a whole: what is frozen in part shares a tensor with another.
    void freezeSome() {
        if (chance(0.7)) return;  // most graphs train all of their tensors
        std::string layer;
        bool isTrained = true;
        for (model::Tensor& tensor : sketch_.graph().tensors) {
            const std::string its = tensor.name.substr(0, tensor.name.rfind('.'));
            if (its != layer) isTrained = chance(0.6);
            layer = its;
            tensor.isTrainable = isTrained;
        }
    }

    [[nodiscard]] const model::Tensor& tensorOf(const model::Node& node) const {
        return sketch_.graph().tensors[static_cast<std::size_t>(node.tensors[0])];
    }

    CounterRng rng_;
    GraphSketch sketch_;
    int current_ = 0;
};

}  // namespace

model::Graph makeRandomGraph(std::uint64_t seed) {
    return Maker(seed).make();
}

model::Graph firstNodesOf(const model::Graph& graph, std::size_t count) {
    model::Graph first{.input = graph.input, .nodes = {}, .tensors = {}, .layers = graph.layers};
    std::map<int, int> places;
    for (std::size_t i = 0; i < count; ++i) {
        model::Node& node = first.nodes.emplace_back(graph.nodes[i]);
        for (int& tensor : node.tensors) {
            const auto [place, isNew] =
                places.emplace(tensor, static_cast<int>(first.tensors.size()));
            if (isNew) first.tensors.push_back(graph.tensors[static_cast<std::size_t>(tensor)]);
            tensor = place->second;
        }
    }
    return first;
}

bool takesWholeNumbers(const model::Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const model::Node& node) {
        return std::holds_alternative<model::Embedding>(node.operation);
    });
}

}  // namespace lockstep::testing
