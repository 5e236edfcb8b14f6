// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/onnx/graph_writer.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace lockstep::exchange {

namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

using onnx::AttributeProto;
using onnx::TensorProto;

void fill(AttributeProto& to, const OnnxAttribute& from) {
    to.set_name(from.name);
    if (const auto* integer = std::get_if<std::int64_t>(&from.value)) {
        to.set_i(*integer);
        to.set_type(AttributeProto::INT);
    } else if (const auto* number = std::get_if<float>(&from.value)) {
        to.set_f(*number);
        to.set_type(AttributeProto::FLOAT);
    } else if (const auto* text = std::get_if<std::string>(&from.value)) {
        to.set_s(*text);
        to.set_type(AttributeProto::STRING);
    } else {
        for (const std::int64_t one : std::get<std::vector<std::int64_t>>(from.value))
            to.add_ints(one);
        to.set_type(AttributeProto::INTS);
    }
}

template <typename Number>
void fill(TensorProto& to, const std::string& name, std::span<const std::int64_t> shape,
          std::span<const Number> values, TensorProto::DataType type) {
    to.set_name(name);
    to.set_data_type(type);
    for (const std::int64_t size : shape)
        to.add_dims(size);
    const auto bytes = std::as_bytes(values);
    to.mutable_raw_data()->assign(bytes.size(), '\0');
    std::ranges::transform(bytes, to.mutable_raw_data()->begin(),
                           [](std::byte byte) { return static_cast<char>(byte); });
}

void fill(onnx::ValueInfoProto& to, const std::string& name, const model::Shape& sizes,
          TensorProto::DataType type, const std::string& help) {
    to.set_name(name);
    to.set_doc_string(help);
    auto& tensor = *to.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape()->add_dim()->set_dim_param("batch");
    for (const std::int64_t size : sizes)
        tensor.mutable_shape()->add_dim()->set_dim_value(size);
}

}  // namespace

std::string GraphWriter::freeName(const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !names_.insert(name).second; ++i)
        name = wanted + "_" + std::to_string(i);
    return name;
}

std::vector<std::string> GraphWriter::nodeOf(std::string_view type, std::vector<std::string> inputs,
                                             const std::vector<OnnxAttribute>& attributes,
                                             int count) {
    std::vector<std::string> outputs;
    for (int i = 0; i < count; ++i)
        outputs.push_back(freeName(scope_ + "/" + std::string(type)));
    onnx::NodeProto& node = *graph_.add_node();
    node.set_name(outputs.front());
    node.set_op_type(std::string(type));
    for (std::string& input : inputs)
        node.add_input(std::move(input));
    for (const std::string& output : outputs)
        node.add_output(output);
    for (const OnnxAttribute& attribute : attributes)
        fill(*node.add_attribute(), attribute);
    return outputs;
}

std::string GraphWriter::node(std::string_view type, std::vector<std::string> inputs,
                              const std::vector<OnnxAttribute>& attributes) {
    return nodeOf(type, std::move(inputs), attributes, 1).front();
}

void GraphWriter::nodeNamed(const std::string& output, std::string_view type,
                            std::vector<std::string> inputs) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_name(output);
    node.set_op_type(std::string(type));
    for (std::string& input : inputs)
        node.add_input(std::move(input));
    node.add_output(output);
    names_.insert(output);
}

void GraphWriter::tensor(const std::string& name, std::span<const std::int64_t> shape,
                         std::span<const float> values) {
    names_.insert(name);
    fill(*graph_.add_initializer(), name, shape, values, TensorProto::FLOAT);
}

std::string GraphWriter::floats(std::string_view what, std::span<const std::int64_t> shape,
                                std::span<const float> values) {
    const std::string name = freeName(scope_ + "/" + std::string(what));
    fill(*graph_.add_initializer(), name, shape, values, TensorProto::FLOAT);
    return name;
}

std::string GraphWriter::scalar(std::string_view what, float value) {
    return floats(what, {}, std::span(&value, 1));
}

std::string GraphWriter::integers(std::string_view what, const std::vector<std::int64_t>& values) {
    const std::string name = freeName(scope_ + "/" + std::string(what));
    const auto count = static_cast<std::int64_t>(values.size());
    fill(*graph_.add_initializer(), name, std::span(&count, 1),
         std::span<const std::int64_t>(values), TensorProto::INT64);
    return name;
}

void GraphWriter::input(const std::string& name, const model::Shape& sizes, bool isInteger,
                        const std::string& help) {
    names_.insert(name);
    fill(*graph_.add_input(), name, sizes, isInteger ? TensorProto::INT64 : TensorProto::FLOAT,
         help);
}

void GraphWriter::output(const std::string& name, const model::Shape& sizes,
                         const std::string& help) {
    fill(*graph_.add_output(), name, sizes, TensorProto::FLOAT, help);
}

}  // namespace lockstep::exchange
