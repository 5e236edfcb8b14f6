// SPDX-License-Identifier: Apache-2.0
#include "core/fit/distributed_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/try.h"
#include "core/distribution/all_gather.h"
#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"
#include "core/distribution/tensor_part.h"

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

tl::unexpected<Error> ofAnotherGroup(const std::string& device) {
    return fail(ErrorCode::BadInput,
                "this tensor was distributed over devices that the processes have no longer (" +
                    device + ")",
                "Call whole() before shutdown(), in the group that distributed it.");
}

/// One device of those that hold a part alike: its process sends it.
struct Owner {
    int process = 0;
    std::string device;
    TensorPart part;
};

Result<std::vector<Owner>> ownersOf(const TensorLayout& layout, const Shape& shape) {
    const auto& mesh = layout.mesh().devices();
    const auto devices =
        TRY(distribution::describeDevices(mesh.front().substr(0, mesh.front().find(':'))));
    std::vector<Owner> owners;
    for (const std::string& device : mesh) {
        const TensorPart part = TRY(distribution::partOf(layout, shape, device));
        if (std::ranges::find(owners, part, &Owner::part) != owners.end()) continue;
        const auto found = std::ranges::find(devices, device, &distribution::DeviceInfo::id);
        if (found == devices.end()) return ofAnotherGroup(device);
        owners.push_back({found->processId, device, part});
    }
    return owners;
}

/// Whether each process has a part that is all: alike in all processes, so that none waits alone.
Result<bool> isEverywhere(const TensorLayout& layout, const std::vector<Owner>& owners) {
    if (owners.size() > 1) return false;
    std::set<int> processes;
    const auto& mesh = layout.mesh().devices();
    const auto devices =
        TRY(distribution::describeDevices(mesh.front().substr(0, mesh.front().find(':'))));
    for (const distribution::DeviceInfo& device : devices)
        if (std::ranges::find(mesh, device.id) != mesh.end()) processes.insert(device.processId);
    return static_cast<int>(processes.size()) == distribution::processCount();
}

/// What every process has to send, sent in as many rounds as the longest needs.
Result<std::vector<std::string>> gatherAll(const std::string& mine, std::size_t longest,
                                           double timeoutSeconds) {
    const std::size_t most = distribution::mostGatheredBytes(distribution::processCount());
    std::vector<std::string> all(static_cast<std::size_t>(distribution::processCount()));
    for (std::size_t first = 0; first < longest; first += most) {
        const std::string piece = first < mine.size() ? mine.substr(first, most) : std::string();
        const auto pieces = TRY(distribution::allGather(piece, timeoutSeconds));
        for (std::size_t process = 0; process < all.size(); ++process)
            all[process] += pieces.at(process);
    }
    return all;
}

/// All processes ask for the same tensor: else their rounds of sending would not be as many.
Result<void> agreeOnTensor(const Result<std::string>& mine, double timeoutSeconds) {
    if (distribution::processCount() == 1) return mine ? Result<void>{} : fail(mine.error());
    const auto all =
        TRY(distribution::allGather(mine ? "+" + *mine : std::string("-"), timeoutSeconds));
    if (!mine) return fail(mine.error());
    for (std::size_t process = 0; process < all.size(); ++process)
        if (all[process] != all[static_cast<std::size_t>(distribution::processId())])
            return fail(ErrorCode::BadInput,
                        fmt::format("whole(): process {} {}", process,
                                    all[process] == "-" ? "cannot put its tensor together"
                                                        : "asks for another tensor"),
                        "All processes call it for the same tensor, in the same order.");
    return {};
}

}  // namespace

Result<Tensor> DistributedTensor::whole(double timeoutSeconds) const {
    const auto found = ownersOf(layout_, shape_);
    const auto lacks = [this](const Owner& owner) {
        return owner.process == distribution::processId() && !parts_.contains(owner.device);
    };
    Result<std::string> identity =
        fmt::format("{} {} {}", static_cast<int>(type_), fmt::join(shape_, "x"),
                    layout_.text() + layout_.mesh().text());
    if (!found)
        identity = fail(found.error());
    else if (const auto lost = std::ranges::find_if(*found, lacks); lost != found->end())
        identity = ofAnotherGroup(lost->device);
    TRY(agreeOnTensor(identity, timeoutSeconds));
    const std::vector<Owner>& owners = *found;
    if (TRY(isEverywhere(layout_, owners))) return parts_.begin()->second;
    const std::size_t size = data::bytesOf(type_);
    std::string mine;
    std::vector<std::size_t> bytes(static_cast<std::size_t>(distribution::processCount()));
    for (const Owner& owner : owners) {
        bytes.at(static_cast<std::size_t>(owner.process)) += product(owner.part.shape) * size;
        if (owner.process != distribution::processId()) continue;
        const auto& own = parts_.at(owner.device).array().bytes;
        mine.append(reinterpret_cast<const char*>(own.data()), own.size());
    }
    const auto all = TRY(gatherAll(mine, std::ranges::max(bytes), timeoutSeconds));
    Bytes whole(product(shape_) * size);
    std::vector<std::size_t> taken(all.size());
    for (const Owner& owner : owners) {
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

Result<DistributedTensor> distributeTensor(const Tensor& tensor, const TensorLayout& layout) {
    const auto& mesh = layout.mesh().devices();
    const auto devices =
        TRY(distribution::describeDevices(mesh.front().substr(0, mesh.front().find(':'))));
    DistributedTensor distributed(tensor.type(), tensor.shape(), layout);
    for (const std::string& device : mesh) {
        const TensorPart part = TRY(distribution::partOf(layout, tensor.shape(), device));
        const auto found = std::ranges::find(devices, device, &distribution::DeviceInfo::id);
        if (found == devices.end() || found->processId != distribution::processId()) continue;
        distributed.parts_.emplace(device, TRY(cutOut(tensor, part)));
    }
    return distributed;
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
