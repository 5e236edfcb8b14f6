// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/initial_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/safetensors.h"
#include "core/exchange/float_values.h"
#include "core/exchange/renaming.h"
#include "core/exchange/torch_entries.h"
#include "core/exchange/weights_matching.h"

namespace lockstep::exchange {

namespace {

using checkpoint::SafetensorView;

constexpr std::uint64_t kLargestFile = std::uint64_t{64} << 30;

std::string shapeText(const std::vector<std::int64_t>& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

class Matching {
public:
    Matching(const model::Graph& graph, const config::InitialWeightsSpec& spec)
        : graph_(graph),
          spec_(spec),
          values_(graph.tensors.size()),
          dealtWith_(graph.tensors.size()) {
        for (std::size_t i = 0; i < graph.tensors.size(); ++i)
            wanted_[graph.tensors[i].name] = i;
        for (TorchEntry& entry : torchEntries(graph))
            entries_.emplace(entry.name, entry);
    }

    void add(const SafetensorView& tensor) {
        if (const Rename* rename = renameOf(spec_.rename, tensor.name))
            usedRenames_.insert(rename->first);
        const std::string name = renamed(spec_.rename, tensor.name);
        const auto [before, isNew] = taken_.emplace(name, tensor.name);
        if (!isNew) {
            misfit_.others.push_back(
                fmt::format("{} and {} there are both {} here", before->second, tensor.name, name));
            return;
        }
        if (const auto wanted = wanted_.find(name); wanted != wanted_.end()) {
            take(tensor, name, wanted->second);
        } else if (isExcepted(name)) {
            result_.unused.push_back(tensor.name);
        } else if (const auto entry = entries_.find(name); entry != entries_.end()) {
            extra_.emplace_back(&entry->second, tensor);
        } else {
            misfit_.besides.push_back(tensor.name);
        }
    }

    Result<InitialWeights> finish() {
        for (const auto& [entry, tensor] : extra_)
            compare(*entry, tensor);
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
            const std::string& name = graph_.tensors[i].name;
            if (dealtWith_[i]) continue;
            if (isExcepted(name))
                result_.left.push_back(name);
            else
                misfit_.missing.push_back(name);
        }
        findUnusedSpec();
        if (!misfit_.isEmpty()) {
            misfit_.mended = mended();
            return fail(ErrorCode::BadInput, "does not fit the model: " + misfit_.sentence(),
                        misfit_.remedy());
        }
        for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
            if (!values_[i].empty())
                result_.tensors.push_back(
                    {graph_.tensors[i].name, graph_.tensors[i].shape, std::move(values_[i])});
        return std::move(result_);
    }

private:
    /// The job's own spec with one rename more, where more names fit by it and none fits less.
    [[nodiscard]] std::optional<config::InitialWeightsSpec> mended() const {
        std::vector<std::string> theirs;
        for (const auto& [here, there] : taken_)
            theirs.push_back(there);
        for (const Rename& one : likelyRenames(misfit_.besides, misfit_.missing)) {
            config::InitialWeightsSpec spec = spec_;
            spec.rename = withRename(spec.rename, one, theirs);
            if (isBetter(spec.rename, theirs)) return spec;
        }
        return std::nullopt;
    }

    /// Whether nothing is missing any more, or nothing is left over, and the other no more than
    /// now.
    [[nodiscard]] bool isBetter(const Renames& renames,
                                const std::vector<std::string>& theirs) const {
        std::set<std::string> found;
        std::size_t besides = 0;
        for (const std::string& there : theirs) {
            const std::string name = renamed(renames, there);
            const auto entry = entries_.find(name);
            if (entry != entries_.end() && entry->second.kind == TorchEntry::Kind::Shared)
                found.insert(graph_.tensors[static_cast<std::size_t>(entry->second.tensor)].name);
            else if (entry == entries_.end() && !isExcepted(name) && !wanted_.contains(name))
                ++besides;
            else if (!found.insert(name).second)
                return false;  // of two tensors of that name
        }
        const auto missing =
            static_cast<std::size_t>(std::ranges::count_if(wanted_, [&](const auto& wanted) {
                return !found.contains(wanted.first) && !isExcepted(wanted.first);
            }));
        return (missing == 0 || besides == 0) && missing <= misfit_.missing.size() &&
               besides <= misfit_.besides.size();
    }

    [[nodiscard]] bool isExcepted(const std::string& name) const {
        return std::ranges::any_of(
            spec_.except, [&name](const std::string& one) { return name.starts_with(one); });
    }

    /// A tensor of the file for one of the network's.
    void take(const SafetensorView& tensor, const std::string& name, std::size_t index) {
        const model::Shape& shape = graph_.tensors[index].shape;
        if (isExcepted(name)) return;  // finish() says that it is left
        dealtWith_[index] = true;
        if (tensor.shape != shape) {
            misfit_.others.push_back(fmt::format("{} is {} there, {} here", name,
                                                 shapeText(tensor.shape), shapeText(shape)));
            return;
        }
        if (!isFloating(tensor.dtype)) {
            misfit_.others.push_back(fmt::format("{} holds {}, but must hold F32, F16, BF16 or F64",
                                                 name, nameOf(tensor.dtype)));
            return;
        }
        values_[index] = floatValues(tensor);
        if (std::ranges::any_of(values_[index], [](float x) { return !std::isfinite(x); }))
            misfit_.others.push_back(fmt::format("{} holds numbers that are not finite", name));
    }

    /// What stands beside the network's own tensors must mean the same.
    void compare(const TorchEntry& entry, const SafetensorView& tensor) {
        if (entry.kind == TorchEntry::Kind::BatchCount) return;
        const bool isFit = tensor.shape == entry.shape && isFloating(tensor.dtype);
        if (entry.kind == TorchEntry::Kind::Constant) {
            const auto values = isFit ? floatValues(tensor) : std::vector<float>();
            if (!isFit ||
                !std::ranges::all_of(values, [&entry](float x) { return x == entry.number; }))
                misfit_.others.push_back(
                    fmt::format("{} is not {} throughout, but the model's layer leaves it out",
                                entry.name, entry.number));
            return;
        }
        const auto index = static_cast<std::size_t>(entry.tensor);
        if (isExcepted(graph_.tensors[index].name)) {
            result_.unused.emplace_back(tensor.name);
            return;
        }
        if (!dealtWith_[index]) {
            take(tensor, graph_.tensors[index].name, index);
            return;
        }
        if (!isFit || floatValues(tensor) != values_[index])
            misfit_.others.push_back(
                fmt::format("{} differs from {}, whose numbers the model uses there, too",
                            entry.name, graph_.tensors[index].name));
    }

    /// What is said of names that nobody has is a slip.
    void findUnusedSpec() {
        for (const auto& [theirs, ours] : spec_.rename)
            if (!usedRenames_.contains(theirs))
                misfit_.others.push_back(
                    fmt::format("rename's \"{}\" renames none of its names", theirs));
        for (const std::string& one : spec_.except) {
            const auto begins = [&one](const std::string& name) { return name.starts_with(one); };
            const bool isHere = std::ranges::any_of(graph_.tensors, begins, &model::Tensor::name);
            const bool isThere =
                std::ranges::any_of(taken_, [&](const auto& name) { return begins(name.first); });
            if (!isHere && !isThere)
                misfit_.others.push_back(
                    fmt::format("no tensor's name begins with \"{}\", as except says", one));
        }
    }

    const model::Graph& graph_;
    const config::InitialWeightsSpec& spec_;
    std::map<std::string, std::size_t, std::less<>> wanted_;
    std::map<std::string, TorchEntry, std::less<>> entries_;
    std::map<std::string, std::string, std::less<>> taken_;  ///< Names here, and those there.
    std::vector<std::pair<const TorchEntry*, SafetensorView>> extra_;
    std::set<std::string> usedRenames_;
    std::vector<std::vector<float>> values_;
    std::vector<bool> dealtWith_;
    InitialWeights result_;
    WeightsMisfit misfit_;
};

/// What such a file is instead, where its first bytes tell.
std::string_view otherFormat(std::string_view bytes) {
    if (bytes.starts_with("PK")) return "a zip file, as torch.save writes";
    if (bytes.starts_with("\x80")) return "a pickle, as old versions of torch.save write";
    if (bytes.starts_with("\x89HDF")) return "an HDF5 file, as Keras writes";
    return {};
}

Result<checkpoint::SafetensorsContent> parsed(std::string_view bytes) {
    auto content = checkpoint::parseSafetensors(bytes);
    if (content) return content;
    const std::string_view other = otherFormat(bytes);
    return fail(ErrorCode::Corrupt,
                other.empty() ? "is no safetensors file: " + content.error().message
                              : fmt::format("is {}, no safetensors file", other),
                "Save the weights with safetensors: in Python save_file(model.state_dict(), "
                "\"FILE.safetensors\") of safetensors.torch.");
}

Result<std::string> bytesOf(const std::filesystem::path& path) {
    auto bytes = readFile(path, kLargestFile);
    if (bytes) return bytes;
    return fail(ErrorCode::BadInput, "model.initial_weights: " + bytes.error().message,
                "Name a safetensors file; it is read on the host of process 0.");
}

/// Of what the file holds.
tl::unexpected<Error> failFor(const std::filesystem::path& path, const Error& error) {
    return fail(ErrorCode::BadInput,
                fmt::format("model.initial_weights: {} {}", sanitizeLine(path.string(), 200),
                            error.message),
                error.remedy);
}

}  // namespace

Result<InitialWeights> matchWeights(std::string_view bytes, const model::Graph& graph,
                                    const config::InitialWeightsSpec& spec) {
    const auto content = TRY(parsed(bytes));
    Matching matching(graph, spec);
    for (const SafetensorView& tensor : content.tensors)
        matching.add(tensor);
    auto matched = TRY(matching.finish());
    matched.hash = contentHash(bytes);
    return matched;
}

Result<InitialWeights> readInitialWeights(const config::InitialWeightsSpec& spec,
                                          const std::filesystem::path& jobFolder,
                                          const model::Graph& graph) {
    const auto path = jobFolder / spec.file;
    const auto bytes = TRY(bytesOf(path));
    auto matched = matchWeights(bytes, graph, spec);
    if (!matched) return failFor(path, matched.error());
    return matched;
}

Result<void> checkWeightsFile(const config::InitialWeightsSpec& spec,
                              const std::filesystem::path& jobFolder) {
    const auto path = jobFolder / spec.file;
    const auto bytes = TRY(bytesOf(path));
    const auto content = parsed(bytes);
    if (!content) return failFor(path, content.error());
    return {};
}

}  // namespace lockstep::exchange
