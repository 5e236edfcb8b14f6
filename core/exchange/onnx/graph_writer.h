// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/exchange/onnx/onnx.pb.h"
#include "core/model/graph.h"

namespace lockstep::exchange {

/// An attribute of an ONNX node: "axis" = -1.
struct OnnxAttribute {
    std::string name;
    std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>> value;
};

/// Writes the nodes and constants of an ONNX graph. Every value has a name that nothing else has.
class GraphWriter {
public:
    explicit GraphWriter(onnx::GraphProto& graph) : graph_(graph) {}

    /// Names begin with `scope` from now on: the layer's.
    void enter(std::string scope) { scope_ = std::move(scope); }

    /// Appends a node with one output, and gives the output's name.
    std::string node(std::string_view type, std::vector<std::string> inputs,
                     const std::vector<OnnxAttribute>& attributes = {});
    /// The same, its outputs `count` values.
    std::vector<std::string> nodeOf(std::string_view type, std::vector<std::string> inputs,
                                    const std::vector<OnnxAttribute>& attributes, int count);
    /// Appends a node whose output has that very name.
    void nodeNamed(const std::string& output, std::string_view type,
                   std::vector<std::string> inputs);

    /// Constants by that name, which must be free.
    void tensor(const std::string& name, std::span<const std::int64_t> shape,
                std::span<const float> values);
    std::string floats(std::string_view what, std::span<const std::int64_t> shape,
                       std::span<const float> values);
    std::string scalar(std::string_view what, float value);
    std::string integers(std::string_view what, const std::vector<std::int64_t>& values);

    /// What goes in or comes out: [batch, sizes].
    void input(const std::string& name, const model::Shape& sizes, bool isInteger,
               const std::string& help);
    void output(const std::string& name, const model::Shape& sizes, const std::string& help);

private:
    [[nodiscard]] std::string freeName(const std::string& wanted);

    onnx::GraphProto& graph_;
    std::string scope_ = "data";  ///< What the network does to its input comes first.
    std::set<std::string, std::less<>> names_;
};

}  // namespace lockstep::exchange
