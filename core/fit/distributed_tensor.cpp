// SPDX-License-Identifier: Apache-2.0
#include "core/fit/distributed_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/distribution/tensor_part.h"
#include "core/fit/group_agreement.h"
#include "core/fit/part_owners.h"

namespace lockstep::fit {

namespace {

using distribution::TensorLayout;
using distribution::TensorPart;
using Bytes = std::vector<std::uint8_t>;
using Shape = std::vector<std::uint64_t>;

std::uint64_t product(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

/// Calls `row(offset in the whole, offset in the part, numbers)` for every stretch that lies
/// together in both, in numbers.
template <typename Row>
void forEachRow(const Shape& whole, const TensorPart& part, const Row& row) {
    if (whole.empty()) return row(0, 0, 1);
    if (product(part.shape) == 0) return;
    const std::size_t last = whole.size() - 1;
    Shape at(last);  // within the part
    for (std::uint64_t own = 0;; own += part.shape[last]) {
        std::uint64_t offset = 0;
        for (std::size_t i = 0; i < last; ++i)
            offset = (offset + part.begin[i] + at[i]) * whole[i + 1];
        row(offset + part.begin[last], own, part.shape[last]);
        std::size_t axis = last;
        while (axis > 0 && ++at[axis - 1] == part.shape[axis - 1])
            at[--axis] = 0;
        if (axis == 0) return;
    }
}

Result<Tensor> cutOut(const Tensor& whole, const TensorPart& part) {
    const std::size_t size = data::bytesOf(whole.type());
    Bytes bytes(product(part.shape) * size);
    forEachRow(whole.shape(), part,
               [&](std::uint64_t from, std::uint64_t to, std::uint64_t numbers) {
                   std::memcpy(bytes.data() + to * size, whole.array().bytes.data() + from * size,
                               numbers * size);
               });
    return Tensor::ofBytes(whole.type(), part.shape, std::move(bytes));
}

/// Whether each process has a part that is all: alike in all processes, so that none waits alone.
Result<bool> isEverywhere(const TensorLayout& layout, const std::vector<PartOwner>& owners) {
    if (owners.size() > 1) return false;
    std::set<int> processes;
    const auto& mesh = layout.mesh().devices();
    const auto devices =
        TRY(distribution::describeDevices(mesh.front().substr(0, mesh.front().find(':'))));
    for (const distribution::DeviceInfo& device : devices)
        if (std::ranges::find(mesh, device.id) != mesh.end()) processes.insert(device.processId);
    return static_cast<int>(processes.size()) == distribution::processCount();
}

}  // namespace

Result<Tensor> DistributedTensor::whole(double timeoutSeconds) const {
    const auto found = partOwners(layout_, shape_);
    const auto lacks = [this](const PartOwner& owner) {
        return owner.process == distribution::processId() && !parts_.contains(owner.device);
    };
    Result<std::string> identity =
        fmt::format("{} {} {} {}", static_cast<int>(type_), fmt::join(shape_, "x"),
                    layout_.text() + layout_.mesh().text(), identity_);
    if (!found)
        identity = fail(found.error());
    else if (const auto lost = std::ranges::find_if(*found, lacks); lost != found->end())
        identity = ofAnotherGroup(lost->device);
    if (auto agreed = agreeOnSame(identity, "asks for another tensor", timeoutSeconds); !agreed)
        return failWithin("whole()", agreed.error());
    const std::vector<PartOwner>& owners = *found;
    if (TRY(isEverywhere(layout_, owners))) return parts_.begin()->second;
    const std::size_t size = data::bytesOf(type_);
    std::string mine;
    for (const PartOwner& owner : owners) {
        if (owner.process != distribution::processId()) continue;
        const auto& own = parts_.at(owner.device).array().bytes;
        mine.append(reinterpret_cast<const char*>(own.data()), own.size());
    }
    const auto all = TRY(gatherTexts(mine, timeoutSeconds));
    Bytes whole(product(shape_) * size);
    std::vector<std::size_t> taken(all.size());
    for (const PartOwner& owner : owners) {
        const auto process = static_cast<std::size_t>(owner.process);
        const std::string& from = all[process];
        const std::size_t begin = taken[process];
        taken[process] += product(owner.part.shape) * size;
        forEachRow(shape_, owner.part,
                   [&](std::uint64_t to, std::uint64_t own, std::uint64_t numbers) {
                       std::memcpy(whole.data() + to * size, from.data() + begin + own * size,
                                   numbers * size);
                   });
    }
    return Tensor::ofBytes(type_, shape_, std::move(whole));
}

Result<DistributedTensor> DistributedTensor::ofParts(NumberType type,
                                                     std::vector<std::uint64_t> shape,
                                                     TensorLayout layout,
                                                     std::map<std::string, Tensor> parts,
                                                     std::string identity) {
    const auto devices = TRY(ownDevices(layout.mesh()));
    for (const auto& [device, part] : parts)
        if (std::ranges::find(devices, device) == devices.end())
            return fail(ErrorCode::BadInput,
                        fmt::format("a part of {}, which is none of this process's devices of the "
                                    "layout's mesh",
                                    sanitizeLine(device, 80)));
    for (const std::string& device : devices) {
        const auto wanted = TRY(distribution::partOf(layout, shape, device));
        const auto part = parts.find(device);
        if (part == parts.end())
            return fail(ErrorCode::BadInput, fmt::format("the part of {} is missing", device));
        if (part->second.type() != type || part->second.shape() != wanted.shape)
            return fail(ErrorCode::BadInput,
                        fmt::format("the part of {} is {}; the layout makes it {} of {}", device,
                                    part->second.text(), data::shapeText(wanted.shape),
                                    data::toString(type)));
    }
    DistributedTensor distributed(type, std::move(shape), std::move(layout), std::move(identity));
    distributed.parts_ = std::move(parts);
    return distributed;
}

Result<DistributedTensor> distributeTensor(const Tensor& tensor, const TensorLayout& layout) {
    for (const std::string& device : layout.mesh().devices())  // of all: a mistake is everybody's
        std::ignore = TRY(distribution::partOf(layout, tensor.shape(), device));
    std::map<std::string, Tensor> parts;
    for (const std::string& device : TRY(ownDevices(layout.mesh())))
        parts.emplace(
            device, TRY(cutOut(tensor, TRY(distribution::partOf(layout, tensor.shape(), device)))));
    const auto& bytes = tensor.array().bytes;
    return DistributedTensor::ofParts(
        tensor.type(), tensor.shape(), layout, std::move(parts),
        contentHash(std::as_bytes(std::span(bytes.data(), bytes.size()))));
}

Result<DistributedTensor> relayout(const DistributedTensor& tensor, const TensorLayout& layout,
                                   double timeoutSeconds) {
    if (tensor.layout() == layout) return tensor;
    // Before anything is sent: all processes see the same mistake.
    const auto first =
        distribution::partOf(layout, tensor.shape(), layout.mesh().devices().front());
    if (!first) return fail(first.error());
    return distributeTensor(TRY(tensor.whole(timeoutSeconds)), layout);
}

}  // namespace lockstep::fit
