// SPDX-License-Identifier: Apache-2.0
#include "core/model/look_ahead.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/base/check.h"

namespace lockstep::model {

namespace {

/// Of each place of a node: the latest position of the sample that it depends on; -1: on none. A
/// place is all the channels together, of a row each of its numbers.
using Latest = std::vector<std::int64_t>;

std::size_t channelsOf(const Shape& shape) {
    return shape.size() < 2 ? 1 : static_cast<std::size_t>(shape.back());
}

std::size_t placesIn(const Shape& shape) {
    return static_cast<std::size_t>(elementCount(shape)) / channelsOf(shape);
}

/// Height and width of what convolutions, poolings and frames work on.
Extent extentOf(const Shape& shape) {
    return shape.size() < 3 ? Extent{1, shape.front()} : Extent{shape[0], shape[1]};
}

class Reach {
public:
    explicit Reach(const Graph& graph) : graph_(graph) {
        for (const Node& node : graph.nodes)
            latest_.push_back(std::visit([&](const auto& operation) { return of(operation, node); },
                                         node.operation));
    }

    /// Whether a position of the node's sees a later one; never of other than the sample's.
    [[nodiscard]] bool looksAhead(std::size_t node) const {
        const Latest& latest = latest_[node];
        if (latest.size() != placesIn(graph_.input)) return false;
        for (std::size_t i = 0; i < latest.size(); ++i)
            if (latest[i] > static_cast<std::int64_t>(i)) return true;
        return false;
    }

private:
    [[nodiscard]] const Latest& input(const Node& node, std::size_t which = 0) const {
        return latest_[static_cast<std::size_t>(node.inputs[which])];
    }
    [[nodiscard]] const Shape& shapeBefore(const Node& node) const {
        return graph_.nodes[static_cast<std::size_t>(node.inputs.front())].shape;
    }

    /// Every place depends on all.
    [[nodiscard]] static Latest mixed(const Node& node, const Latest& from) {
        return Latest(placesIn(node.shape), from.empty() ? -1 : std::ranges::max(from));
    }
    [[nodiscard]] Latest mixed(const Node& node) const { return mixed(node, input(node)); }
    /// Every place depends on itself and on those before it.
    [[nodiscard]] Latest upToEach(const Node& node) const {
        Latest latest = input(node);
        std::partial_sum(latest.begin(), latest.end(), latest.begin(),
                         [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
        return latest;
    }
    /// The same numbers in the same order, or one each.
    [[nodiscard]] Latest inOrder(const Node& node, std::size_t numbersOfAPlace) const {
        const std::size_t before = channelsOf(shapeBefore(node));
        Latest latest(placesIn(node.shape), -1);
        for (std::size_t i = 0; i < latest.size() * numbersOfAPlace; ++i)
            latest[i / numbersOfAPlace] =
                std::max(latest[i / numbersOfAPlace], input(node)[i / before]);
        return latest;
    }
    /// Over the last dimension, which of a row is all of it.
    [[nodiscard]] Latest overChannels(const Node& node) const {
        return shapeBefore(node).size() < 2 ? mixed(node) : input(node);
    }
    /// Each place from those of the input that `from` names, row and column.
    [[nodiscard]] Latest fromPlaces(
        const Node& node, Extent size,
        const std::function<Extent(Extent place, Extent step)>& from) const {
        const Extent before = extentOf(shapeBefore(node));
        const Extent after = extentOf(node.shape);
        Latest latest(placesIn(node.shape), -1);
        for (std::size_t i = 0; i < latest.size(); ++i)
            for (std::int64_t step = 0; step < size[0] * size[1]; ++step) {
                const auto place = static_cast<std::int64_t>(i);
                const Extent at =
                    from({place / after[1], place % after[1]}, {step / size[1], step % size[1]});
                if (at[0] < 0 || at[1] < 0 || at[0] >= before[0] || at[1] >= before[1]) continue;
                latest[i] = std::max(
                    latest[i], input(node)[static_cast<std::size_t>(at[0] * before[1] + at[1])]);
            }
        return latest;
    }
    [[nodiscard]] Latest throughWindow(const Node& node, const Window& window) const {
        return fromPlaces(node, window.size, [&](Extent place, Extent step) {
            Extent at{};
            for (std::size_t i = 0; i < at.size(); ++i)
                at[i] =
                    place[i] * window.strides[i] - window.before[i] + step[i] * window.dilation[i];
            return at;
        });
    }

    [[nodiscard]] Latest of(const Input& operation, const Node& node) const {
        Latest latest(placesIn(node.shape), -1);
        if (operation.column < 0) std::iota(latest.begin(), latest.end(), std::int64_t{0});
        return latest;
    }
    [[nodiscard]] Latest of(const Dense&, const Node& node) const { return overChannels(node); }
    [[nodiscard]] Latest of(const LayerNormalization&, const Node& node) const {
        return overChannels(node);
    }
    [[nodiscard]] Latest of(const Activation& operation, const Node& node) const {
        return operation.function == Function::Softmax ? overChannels(node) : input(node);
    }
    [[nodiscard]] Latest of(const Convolution& operation, const Node& node) const {
        return throughWindow(node, operation.window);
    }
    [[nodiscard]] Latest of(const TransposedConvolution& operation, const Node& node) const {
        const Window& window = operation.window;
        return fromPlaces(node, window.size, [&](Extent place, Extent step) {
            Extent at{};
            for (std::size_t i = 0; i < at.size(); ++i) {
                const std::int64_t spread =
                    place[i] + window.before[i] - step[i] * window.dilation[i];
                at[i] = spread % window.strides[i] == 0 ? spread / window.strides[i] : -1;
            }
            return at;
        });
    }
    [[nodiscard]] Latest of(const Pooling& operation, const Node& node) const {
        return throughWindow(node, operation.window);
    }
    [[nodiscard]] Latest of(const GlobalPooling&, const Node& node) const { return mixed(node); }
    [[nodiscard]] Latest of(const GroupNormalization&, const Node& node) const {
        return mixed(node);
    }
    [[nodiscard]] Latest of(const Flatten&, const Node& node) const {
        return shapeBefore(node).size() < 2 ? input(node) : mixed(node);
    }
    [[nodiscard]] Latest of(const Reshape&, const Node& node) const {
        return inOrder(node, channelsOf(node.shape));
    }
    [[nodiscard]] Latest of(const Embedding&, const Node& node) const { return inOrder(node, 1); }
    [[nodiscard]] Latest of(const ZeroPadding& operation, const Node& node) const {
        return fromPlaces(node, {1, 1}, [&](Extent place, Extent) {
            return Extent{place[0] - operation.before[0], place[1] - operation.before[1]};
        });
    }
    [[nodiscard]] Latest of(const UpSampling& operation, const Node& node) const {
        return fromPlaces(node, {1, 1}, [&](Extent place, Extent) {
            return Extent{place[0] / operation.factor[0], place[1] / operation.factor[1]};
        });
    }
    [[nodiscard]] Latest of(const Attention& operation, const Node& node) const {
        return operation.isCausal ? upToEach(node) : mixed(node);
    }
    [[nodiscard]] Latest of(const Recurrence& operation, const Node& node) const {
        const bool goesOn = operation.returnsSequences && !operation.goesBackwards;
        return goesOn ? upToEach(node) : mixed(node);
    }
    /// What works on each place alone, and what joins several inputs place by place.
    template <typename Other>
    [[nodiscard]] Latest of(const Other&, const Node& node) const {
        if (std::is_same_v<Other, Concatenate> && node.shape.size() < 2) {
            Latest all;
            for (std::size_t i = 0; i < node.inputs.size(); ++i)
                all.insert(all.end(), input(node, i).begin(), input(node, i).end());
            return all;
        }
        Latest latest(placesIn(node.shape), -1);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const Latest from = input(node, i).size() == latest.size()
                                    ? input(node, i)
                                    : mixed(node, input(node, i));
            for (std::size_t place = 0; place < latest.size(); ++place)
                latest[place] = std::max(latest[place], from[place]);
        }
        return latest;
    }

    const Graph& graph_;
    std::vector<Latest> latest_;  ///< Of each node.
};

/// Which nodes the output depends on.
std::vector<bool> usedNodes(const Graph& graph) {
    std::vector<bool> used(graph.nodes.size());
    used.back() = true;
    for (std::size_t i = graph.nodes.size(); i-- > 0;)
        if (used[i])
            for (const int input : graph.nodes[i].inputs)
                used[static_cast<std::size_t>(input)] = true;
    return used;
}

}  // namespace

std::optional<int> firstLookAhead(const Graph& graph) {
    LS_CHECK(!graph.nodes.empty(), "a network has an input");
    const Reach reach(graph);
    const std::size_t output = graph.nodes.size() - 1;
    if (!reach.looksAhead(output)) return std::nullopt;
    const std::vector<bool> used = usedNodes(graph);
    for (std::size_t i = 0; i < output; ++i)
        if (used[i] && reach.looksAhead(i)) return static_cast<int>(i);
    return static_cast<int>(output);
}

}  // namespace lockstep::model
