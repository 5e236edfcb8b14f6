// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/dnnl_convolution.h"

#include <fmt/format.h>

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/tensor/cpu/one_thread.h"

namespace lockstep::tensor {
namespace {

using Tag = dnnl::memory::format_tag;

dnnl::memory::dim dim(std::size_t value) {
    return static_cast<dnnl::memory::dim>(value);
}

dnnl::memory::dims dims(const Extent& extent, std::size_t less = 0) {
    return {dim(extent[0] - less), dim(extent[1] - less)};
}

/// The tensors as oneDNN describes them.
struct Descriptions {
    dnnl::memory::desc image;
    dnnl::memory::desc plainWeight;
    dnnl::memory::desc anyWeight;
    dnnl::memory::desc bias;
    dnnl::memory::desc result;
};

Descriptions describe(const ConvolutionShape& shape) {
    constexpr auto kFloat = dnnl::memory::data_type::f32;
    const auto& window = shape.window.size;
    const bool grouped = shape.groups > 1;
    dnnl::memory::dims weight{dim(shape.filtersOfGroup()), dim(shape.channelsOfGroup()),
                              dim(window[0]), dim(window[1])};
    if (grouped) weight.insert(weight.begin(), dim(shape.groups));
    const Extent places = shape.places();
    const dnnl::memory::dims image{dim(shape.batch), dim(shape.channels), dim(shape.height),
                                   dim(shape.width)};
    const dnnl::memory::dims result{dim(shape.batch), dim(shape.filters), dim(places[0]),
                                    dim(places[1])};
    return {.image{image, kFloat, Tag::nhwc},
            .plainWeight{weight, kFloat, grouped ? Tag::goihw : Tag::oihw},
            .anyWeight{weight, kFloat, Tag::any},
            .bias{{dim(shape.filters)}, kFloat, Tag::x},
            .result{result, kFloat, Tag::nhwc}};
}

// The constructors of version 2 take a descriptor of the operation, those of version 3 all of it.
// An implementation that is missing leaves an empty one.
#if DNNL_VERSION_MAJOR >= 3
template <typename Pass>
struct Choice {
    typename Pass::primitive_desc made;
};
template <typename Pass, typename... Arguments>
Choice<Pass> choose(const dnnl::engine& engine, const dnnl::primitive_attr& attr,
                    Arguments&&... arguments) {
    return {{engine, std::forward<Arguments>(arguments)..., attr, true}};
}
template <typename Pass, typename... Arguments>
Choice<Pass> chooseGradient(const dnnl::convolution_forward::primitive_desc& forward,
                            const dnnl::engine& engine, const dnnl::primitive_attr& attr,
                            Arguments&&... arguments) {
    return {{engine, std::forward<Arguments>(arguments)..., forward, attr, true}};
}
#else
template <typename Pass>
struct Choice {
    /// next_impl() reads it again: oneDNN keeps its address, no copy.
    std::unique_ptr<typename Pass::desc> operation;
    typename Pass::primitive_desc made;
};
template <typename Pass, typename... Arguments>
Choice<Pass> choose(const dnnl::engine& engine, const dnnl::primitive_attr& attr,
                    Arguments&&... arguments) {
    auto operation = std::make_unique<typename Pass::desc>(std::forward<Arguments>(arguments)...);
    typename Pass::primitive_desc made(*operation, attr, engine, true);
    return {std::move(operation), std::move(made)};
}
template <typename Pass, typename... Arguments>
Choice<Pass> chooseGradient(const dnnl::convolution_forward::primitive_desc& forward,
                            const dnnl::engine& engine, const dnnl::primitive_attr& attr,
                            Arguments&&... arguments) {
    auto operation = std::make_unique<typename Pass::desc>(std::forward<Arguments>(arguments)...);
    typename Pass::primitive_desc made(*operation, attr, engine, forward, true);
    return {std::move(operation), std::move(made)};
}
#endif

template <typename Description>
bool isCalled(const Description& made, std::string_view beginning) {
    return std::string_view(made.impl_info_str()).starts_with(beginning);
}

/// What `make` gives first, or one of the next. oneDNN prefers its loops over small products
/// ("brgconv:" in version 2, "brg_conv_fwd:" in 3), which need channels to sum over: of one to
/// three its older ones take half the time (measured with AVX-512, oneDNN 2.6.3), and version 3.7.2
/// gives wrong results for some narrow images. Empty where there are no older ones.
template <typename Make>
dnnl::convolution_forward::primitive_desc forwardOf(const ConvolutionShape& shape, Make make) {
    constexpr std::size_t kFewChannels = 4;
    auto choice = make();
    if (!choice.made || shape.channelsOfGroup() >= kFewChannels || !isCalled(choice.made, "brg"))
        return choice.made;
    while (choice.made.next_impl())
        if (isCalled(choice.made, "jit:")) return choice.made;
    return {};
}

/// Likewise. Of windows of one place that take strides oneDNN's "jit_1x1:avx2" gathers the images'
/// channels by eight into memory that holds as many as there are: of fewer it writes beyond it
/// (2.6.3 and 3.7.2; a hundred thousand drawn shapes before pages that may not be touched: no other
/// does).
template <typename Make>
dnnl::convolution_backward_weights::primitive_desc weightGradientOf(const ConvolutionShape& shape,
                                                                    Make make) {
    constexpr std::string_view kUnsound = "jit_1x1:avx2";
    constexpr std::size_t kGathered = 8;
    auto choice = make();
    if (!choice.made || shape.window.strides == Extent{1, 1} ||
        shape.channelsOfGroup() >= kGathered || !isCalled(choice.made, kUnsound))
        return choice.made;
    while (choice.made.next_impl())
        if (!isCalled(choice.made, kUnsound)) return choice.made;
    return {};
}

/// Whether a place of the window may lie on nothing but padding: version 3.7.2 then reads memory
/// that is not the image's.
bool mayLieOnPadding(const Window& window) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::size_t reach = (window.size[axis] - 1) * window.dilation[axis] + 1;
        if (window.before[axis] >= reach || window.after[axis] >= reach) return true;
    }
    return false;
}

void setData(dnnl::memory& memory, std::span<const float> data) {
    // oneDNN has one type for what it reads and what it writes.
    memory.set_data_handle(const_cast<float*>(data.data()));
}

}  // namespace

struct DnnlConvolution::Prepared {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    std::string implementation;
    dnnl::primitive pass;
    std::unordered_map<int, dnnl::memory> arguments;
    dnnl::memory image;
    dnnl::memory result;
    dnnl::memory bias;
    std::vector<float> noBias;
    dnnl::memory plainWeight;
    dnnl::memory weight;      ///< In the primitive's layout; plainWeight itself where it is plain.
    dnnl::primitive reorder;  ///< Between the two, in the direction that the pass needs.
    std::unordered_map<int, dnnl::memory> reorderArguments;

    /// Of the caller's memory, which is set at each call.
    [[nodiscard]] dnnl::memory view(const dnnl::memory::desc& desc) const {
        return {desc, engine, DNNL_MEMORY_NONE};
    }
    void makeWeights(const dnnl::memory::desc& plain, const dnnl::memory::desc& wanted,
                     bool isResult);
    template <typename Description>
    void makePass(const Description& description, dnnl::primitive primitive);
    /// False where oneDNN has nothing.
    [[nodiscard]] bool make(const ConvolutionShape& shape, ConvolutionPass kind);
    [[nodiscard]] bool makeGradient(const Descriptions& tensors, const ConvolutionShape& shape,
                                    ConvolutionPass kind,
                                    const dnnl::convolution_forward::primitive_desc& forward,
                                    const dnnl::primitive_attr& attr);
    void run(const dnnl::primitive& primitive,
             const std::unordered_map<int, dnnl::memory>& memories) const;
    void bringWeight(std::span<const float> data);
};

void DnnlConvolution::Prepared::makeWeights(const dnnl::memory::desc& plain,
                                            const dnnl::memory::desc& wanted, bool isResult) {
    plainWeight = view(plain);
    if (wanted == plain) {
        weight = plainWeight;
        return;
    }
    weight = dnnl::memory(wanted, engine);
    dnnl::memory& from = isResult ? weight : plainWeight;
    dnnl::memory& to = isResult ? plainWeight : weight;
    reorder = dnnl::reorder(
        dnnl::reorder::primitive_desc(engine, from.get_desc(), engine, to.get_desc()));
    reorderArguments = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
}

template <typename Description>
void DnnlConvolution::Prepared::makePass(const Description& description,
                                         dnnl::primitive primitive) {
    implementation = description.impl_info_str();
    pass = std::move(primitive);
    arguments[DNNL_ARG_SCRATCHPAD] = dnnl::memory(description.scratchpad_desc(), engine);
}

bool DnnlConvolution::Prepared::make(const ConvolutionShape& shape, ConvolutionPass kind) {
    const Descriptions tensors = describe(shape);
    const auto& window = shape.window;
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto forward = forwardOf(shape, [&] {
        return choose<dnnl::convolution_forward>(
            engine, attr, dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
            tensors.image, tensors.anyWeight, tensors.bias, tensors.result, dims(window.strides),
            dims(window.dilation, 1), dims(window.before), dims(window.after));
    });
    if (!forward) return false;
    image = view(tensors.image);
    result = view(tensors.result);
    if (kind != ConvolutionPass::Forward) return makeGradient(tensors, shape, kind, forward, attr);
    bias = view(tensors.bias);
    noBias.assign(shape.filters, 0.0F);
    makeWeights(tensors.plainWeight, forward.weights_desc(), false);
    makePass(forward, dnnl::convolution_forward(forward));
    arguments.insert({{DNNL_ARG_SRC, image},
                      {DNNL_ARG_WEIGHTS, weight},
                      {DNNL_ARG_BIAS, bias},
                      {DNNL_ARG_DST, result}});
    return true;
}

bool DnnlConvolution::Prepared::makeGradient(
    const Descriptions& tensors, const ConvolutionShape& shape, ConvolutionPass kind,
    const dnnl::convolution_forward::primitive_desc& forward, const dnnl::primitive_attr& attr) {
    const auto& window = shape.window;
    const auto strides = dims(window.strides);
    const auto dilation = dims(window.dilation, 1);
    const auto before = dims(window.before);
    const auto after = dims(window.after);
    constexpr auto kDirect = dnnl::algorithm::convolution_direct;
    if (kind == ConvolutionPass::WeightGradient) {
        const auto backward = weightGradientOf(shape, [&] {
            return chooseGradient<dnnl::convolution_backward_weights>(
                forward, engine, attr, kDirect, tensors.image, tensors.anyWeight, tensors.result,
                strides, dilation, before, after);
        });
        if (!backward) return false;
        makeWeights(tensors.plainWeight, backward.diff_weights_desc(), true);
        makePass(backward, dnnl::convolution_backward_weights(backward));
        arguments.insert(
            {{DNNL_ARG_SRC, image}, {DNNL_ARG_DIFF_WEIGHTS, weight}, {DNNL_ARG_DIFF_DST, result}});
        return true;
    }
    const auto choice = chooseGradient<dnnl::convolution_backward_data>(
        forward, engine, attr, kDirect, tensors.image, tensors.anyWeight, tensors.result, strides,
        dilation, before, after);
    const auto& backward = choice.made;
    if (!backward) return false;
    makeWeights(tensors.plainWeight, backward.weights_desc(), false);
    makePass(backward, dnnl::convolution_backward_data(backward));
    arguments.insert(
        {{DNNL_ARG_DIFF_SRC, image}, {DNNL_ARG_WEIGHTS, weight}, {DNNL_ARG_DIFF_DST, result}});
    return true;
}

void DnnlConvolution::Prepared::run(const dnnl::primitive& primitive,
                                    const std::unordered_map<int, dnnl::memory>& memories) const {
    keepLibraryToThisThread();
    // What could fail was found out when the primitive was made.
    try {
        primitive.execute(stream, memories);
    } catch (const dnnl::error&) {
        LS_CHECK(false, "oneDNN refused a convolution that it had accepted");
    }
}

void DnnlConvolution::Prepared::bringWeight(std::span<const float> data) {
    setData(plainWeight, data);
    if (reorder) run(reorder, reorderArguments);
}

DnnlConvolution::DnnlConvolution(std::unique_ptr<Prepared> prepared)
    : prepared_(std::move(prepared)) {}
DnnlConvolution::~DnnlConvolution() = default;

Result<std::unique_ptr<DnnlConvolution>> DnnlConvolution::make(const ConvolutionShape& shape,
                                                               ConvolutionPass pass) {
    if (mayLieOnPadding(shape.window)) return nullptr;
    // What is chosen and how much memory it takes depends on the number of threads.
    keepLibraryToThisThread();
    try {
        auto prepared = std::make_unique<Prepared>();
        if (!prepared->make(shape, pass)) return std::unique_ptr<DnnlConvolution>();
        return std::unique_ptr<DnnlConvolution>(new DnnlConvolution(std::move(prepared)));
    } catch (const dnnl::error& error) {
        return fail(
            ErrorCode::Unavailable,
            fmt::format("oneDNN cannot make a convolution of {} images of {} x {} x {} "
                        "with {} filters of {} x {}: {}.",
                        shape.batch, shape.height, shape.width, shape.channels, shape.filters,
                        shape.window.size[0], shape.window.size[1], error.what()),
            "Use a smaller batch or fewer filters.");
    }
}

bool DnnlConvolution::isReference() const {
    return prepared_->implementation.find("ref") != std::string::npos;
}

std::size_t DnnlConvolution::bytes() const {
    const std::size_t weight = prepared_->reorder ? prepared_->weight.get_desc().get_size() : 0;
    const auto& arguments = prepared_->arguments;
    return weight + prepared_->noBias.size() * sizeof(float) +
           arguments.at(DNNL_ARG_SCRATCHPAD).get_desc().get_size();
}

std::string DnnlConvolution::implementation() const {
    return prepared_->implementation;
}

void DnnlConvolution::forward(std::span<const float> x, std::span<const float> weight,
                              std::span<const float> bias, std::span<float> y) {
    prepared_->bringWeight(weight);
    setData(prepared_->image, x);
    setData(prepared_->bias, bias.empty() ? std::span<const float>(prepared_->noBias) : bias);
    setData(prepared_->result, y);
    prepared_->run(prepared_->pass, prepared_->arguments);
}

void DnnlConvolution::weightGradient(std::span<const float> x, std::span<const float> dy,
                                     std::span<float> dWeight) {
    setData(prepared_->plainWeight, dWeight);
    setData(prepared_->image, x);
    setData(prepared_->result, dy);
    prepared_->run(prepared_->pass, prepared_->arguments);
    if (prepared_->reorder) prepared_->run(prepared_->reorder, prepared_->reorderArguments);
}

void DnnlConvolution::inputGradient(std::span<const float> dy, std::span<const float> weight,
                                    std::span<float> dx) {
    prepared_->bringWeight(weight);
    setData(prepared_->image, dx);
    setData(prepared_->result, dy);
    prepared_->run(prepared_->pass, prepared_->arguments);
}

}  // namespace lockstep::tensor
