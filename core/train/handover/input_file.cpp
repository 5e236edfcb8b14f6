// SPDX-License-Identifier: Apache-2.0
#include "core/train/handover/input_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/idx_file.h"
#include "core/data/images/decode_image.h"
#include "core/data/images/resize_image.h"

namespace lockstep::train {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kImageRank = 3;

bool isIdx(std::string_view bytes) {
    return bytes.starts_with("\0\0\x08"sv) || bytes.starts_with("\x1F\x8B");  // plain, or gzip
}

data::Split splitOf(std::uint32_t count, const model::Shape& shape, data::SharedBytes pixels) {
    const std::vector<std::uint16_t> unknown(count);
    return data::imageSplit(count, shape, std::move(pixels), data::labelBytes(unknown));
}

Result<data::Split> imagesOfIdx(const std::string& name, std::string_view bytes,
                                const model::Shape& shape) {
    auto images = data::parseIdxImages(bytes);
    if (!images) return failWithin(name, images.error());
    const model::Shape found{images->height, images->width, 1};
    if (found != shape)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} holds images of {}, but the network takes {}", name,
                                model::toString(found), model::toString(shape)),
                    "Give images of that size, or JPEG and PNG files, which are brought to it.");
    return splitOf(images->count, shape, std::move(images->pixels));
}

Result<data::Split> oneImage(const std::string& name, std::string_view bytes,
                             const model::Shape& shape) {
    const auto image = data::decodeImage(bytes);
    if (!image)
        return fail(image.error().code, name + " " + image.error().message, image.error().remedy);
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(model::elementCount(shape)));
    data::resizeImage(*image, static_cast<int>(shape[0]), static_cast<int>(shape[1]),
                      static_cast<int>(shape[2]), pixels);
    return splitOf(1, shape, std::move(pixels));
}

}  // namespace

Result<data::Split> readInputFile(const std::filesystem::path& path,
                                  const data::SampleFacts& samples) {
    const model::Shape& shape = samples.facts.input;
    const std::string name = sanitizeLine(path.string(), 200);
    if (samples.inputKind != data::InputKind::Pixels || shape.size() != kImageRank)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is not read: the network takes no images", name),
                    "Networks of images alone are given files.");
    const auto bytes = TRY(readFile(path, data::kLargestIdxFile));
    return isIdx(bytes) ? imagesOfIdx(name, bytes, shape) : oneImage(name, bytes, shape);
}

}  // namespace lockstep::train
