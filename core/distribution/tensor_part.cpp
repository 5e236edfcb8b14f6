// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/tensor_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace lockstep::distribution {

bool TensorPart::contains(const TensorPart& other) const {
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (other.begin[i] < begin[i] || other.begin[i] + other.shape[i] > begin[i] + shape[i])
            return false;
    return true;
}

Result<TensorPart> partOf(const TensorLayout& layout, const std::vector<std::uint64_t>& shape,
                          const std::string& device) {
    const DeviceMesh& mesh = layout.mesh();
    const auto place = mesh.placeOf(device);
    if (!place)
        return fail(ErrorCode::BadInput,
                    fmt::format("'{}' is no device of the layout's mesh, which has {}",
                                sanitizeLine(device, 40), joinWords(mesh.devices())),
                    "Ask for one of these.");
    if (layout.axes().size() > shape.size())
        return fail(ErrorCode::BadInput,
                    fmt::format("the layout {} has more axes than a tensor of shape ({}) has "
                                "dimensions",
                                layout.text(), fmt::join(shape, ", ")),
                    "Give an axis, or none, for each dimension.");
    TensorPart part{.begin = std::vector<std::uint64_t>(shape.size()), .shape = shape};
    for (std::size_t i = 0; i < layout.axes().size(); ++i) {
        const auto& axis = layout.axes()[i];
        if (!axis) continue;
        const auto pieces = static_cast<std::uint64_t>(mesh.sizeOf(*axis));
        if (shape[i] % pieces != 0)
            return fail(ErrorCode::BadInput,
                        fmt::format("dimension {} of a tensor of shape ({}) lies along '{}', among "
                                    "whose {} places its {} cannot be divided",
                                    i, fmt::join(shape, ", "), *axis, pieces, shape[i]),
                        fmt::format("Its size there must be a multiple of {}.", pieces));
        const auto along = std::ranges::find(mesh.axisNames(), *axis) - mesh.axisNames().begin();
        part.shape[i] = shape[i] / pieces;
        part.begin[i] =
            part.shape[i] * static_cast<std::uint64_t>((*place)[static_cast<std::size_t>(along)]);
    }
    return part;
}

}  // namespace lockstep::distribution
