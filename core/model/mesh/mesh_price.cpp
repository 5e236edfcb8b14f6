// SPDX-License-Identifier: Apache-2.0
#include "core/model/mesh/mesh_price.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace lockstep::model {

namespace {

using Kind = MeshExchange::Kind;

/// Which nodes hand on a gradient to something that is trained.
std::vector<bool> wantGradients(const Graph& graph) {
    std::vector<bool> wants;
    for (const Node& node : graph.nodes) {
        const bool isTrained = std::ranges::any_of(node.tensors, [&graph](int tensor) {
            const Tensor& one = graph.tensors[static_cast<std::size_t>(tensor)];
            return one.role != Tensor::Role::Statistic && one.isTrainable;
        });
        wants.push_back(isTrained || std::ranges::any_of(node.inputs, [&wants](int input) {
                            return wants[static_cast<std::size_t>(input)];
                        }));
    }
    return wants;
}

class Bill {
public:
    explicit Bill(const Graph& part) : part_(part), wants_(wantGradients(part)) {
        for (std::size_t i = 0; i < part.tensors.size(); ++i) {
            const Tensor& tensor = part.tensors[i];
            if (tensor.role != Tensor::Role::Parameter) continue;
            price_.parameters += tensor.size();
            price_.wholeParameters += elementCount(
                part.shards.empty() ? tensor.shape : wholeShapeOf(part.shards[i], tensor.shape));
        }
        for (const Node& node : part.nodes)
            add(node);
    }

    [[nodiscard]] const MeshPrice& price() const { return price_; }

private:
    [[nodiscard]] bool handsBack(const Node& node) const {
        return std::ranges::any_of(
            node.inputs, [this](int input) { return wants_[static_cast<std::size_t>(input)]; });
    }

    void add(const Node& node) {
        // Once forward, once where the gradient of the input is computed with it.
        for (const int tensor : node.tensors) {
            const int from = part_.tensors[static_cast<std::size_t>(tensor)].gatheredFrom;
            if (from < 0) continue;
            const std::int64_t size = part_.tensors[static_cast<std::size_t>(from)].size();
            const int times = handsBack(node) && !isPassedOn(node) ? 2 : 1;
            price_.exchanges += times;
            price_.sentPerStep += times * size;
            price_.largestPerStep = std::max(price_.largestPerStep, size);
        }
        const auto* exchange = std::get_if<MeshExchange>(&node.operation);
        if (exchange == nullptr) return;
        const bool isForward = exchange->kind == Kind::Sum || exchange->kind == Kind::Gather;
        if (!isForward && !handsBack(node)) return;
        std::int64_t sent = elementCount(node.shape);
        if (exchange->kind == Kind::Gather) sent /= exchange->members;
        ++price_.exchanges;
        price_.sentPerSample += sent;
        if (exchange->kind == Kind::Sum || exchange->kind == Kind::Share)
            price_.sumsPerSample.push_back(sent);
        price_.largestPerSample = std::max(price_.largestPerSample, sent);
    }

    /// The gradient of its input is that of its output: no tensor is read for it.
    [[nodiscard]] static bool isPassedOn(const Node& node) {
        return std::holds_alternative<MeshExchange>(node.operation) ||
               std::holds_alternative<PositionEmbedding>(node.operation);
    }

    const Graph& part_;
    std::vector<bool> wants_;
    MeshPrice price_;
};

}  // namespace

MeshPrice priceOf(const Graph& part) {
    return Bill(part).price();
}

/// With two both ways send the same, and below the limit a second message's latency costs more.
bool addsByPieces(std::int64_t members, std::int64_t numbers) {
    constexpr std::int64_t kFewBytes = 64 << 10;
    return members > 2 && numbers * 4 * (members - 1) > kFewBytes;
}

/// Its pieces to the others, and the sums of its own to each.
std::int64_t savedByPieces(std::int64_t members, std::int64_t numbers) {
    if (!addsByPieces(members, numbers)) return 0;
    const std::int64_t piece = (numbers + members - 1) / members;
    return (numbers - 2 * piece) * (members - 1);
}

}  // namespace lockstep::model
