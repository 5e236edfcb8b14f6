// SPDX-License-Identifier: Apache-2.0
#include "core/train/handover/input_file.h"

#include <fmt/format.h>

#include <numeric>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/finish_dataset.h"
#include "core/data/idx_file.h"
#include "core/data/images/decode_image.h"
#include "core/data/images/resize_image.h"
#include "core/data/source_file.h"
#include "core/data/table/table_header.h"
#include "core/data/table/table_preparation.h"

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

Result<FileSamples> imagesOfIdx(const std::string& name, std::string_view bytes,
                                const model::Shape& shape) {
    auto images = data::parseIdxImages(bytes);
    if (!images) return failWithin(name, images.error());
    const model::Shape found{images->height, images->width, 1};
    if (found != shape)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} holds images of {}, but the network takes {}", name,
                                model::toString(found), model::toString(shape)),
                    "Give images of that size, or JPEG and PNG files, which are brought to it.");
    FileSamples samples{.split = splitOf(images->count, shape, std::move(images->pixels)),
                        .placeName = "index"};
    samples.places.resize(images->count);
    std::iota(samples.places.begin(), samples.places.end(), std::uint64_t{0});
    return samples;
}

Result<FileSamples> oneImage(const std::string& name, std::string_view bytes,
                             const model::Shape& shape) {
    const auto image = data::decodeImage(bytes);
    if (!image)
        return fail(image.error().code, name + " " + image.error().message, image.error().remedy);
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(model::elementCount(shape)));
    data::resizeImage(*image, static_cast<int>(shape[0]), static_cast<int>(shape[1]),
                      static_cast<int>(shape[2]), pixels);
    return FileSamples{.split = splitOf(1, shape, std::move(pixels)), .places = {0}};
}

constexpr std::size_t kMostRemarks = 10;

/// The rows of a table, one by one.
class RowsReader {
public:
    RowsReader(std::string name, const data::TablePreparation& preparation)
        : name_(std::move(name)), preparation_(preparation) {}

    Result<void> read(std::string_view text) {
        std::vector<std::string> wanted;
        for (const data::PreparedFeature& feature : preparation_.features())
            wanted.push_back(feature.name);
        data::CsvReader reader(text);
        const auto header = data::TableHeader::read(reader, wanted);
        if (!header) return failWithin(name_, header.error());
        for (data::CsvRow row;;) {
            const auto more = reader.next(row);
            if (!more) return failWithin(name_, more.error());
            if (!*more) return {};
            add(*header, row);
        }
    }

    FileSamples take() {
        FileSamples result = std::move(result_);
        data::Split& split = result.split;
        split.count = static_cast<std::uint32_t>(result.places.size());
        split.inputKind = data::InputKind::Floats;
        split.shape = {static_cast<std::int64_t>(preparation_.numbers())};
        split.extras =
            static_cast<std::uint32_t>(preparation_.sampleFloats() - preparation_.numbers());
        split.inputs = data::ownedBytes(std::move(numbers_));
        split.targets = data::labelBytes(std::vector<std::uint16_t>(split.count));
        return result;
    }

private:
    void add(const data::TableHeader& header, const data::CsvRow& row) {
        const std::string place = fmt::format("{}:{}", name_, row.line);
        if (!row.problem.empty() || row.cells.size() != header.columns()) {
            result_.failures.push_back(
                {row.line,
                 row.problem.empty() ? fmt::format("{} has {} cells, but the table has {} columns",
                                                   place, row.cells.size(), header.columns())
                                     : place + " " + row.problem,
                 {}});
            return;
        }
        std::vector<std::string_view> cells;
        for (std::size_t i = 0; i < preparation_.features().size(); ++i)
            cells.push_back(row.cells[header.placeOf(i)]);
        const auto prepared = preparation_.rowOf(cells);
        if (!prepared) {
            const Error& error = prepared.error();
            result_.failures.push_back({row.line, place + ": " + error.message, error.remedy});
            return;
        }
        for (const std::string& remark : prepared->remarks)
            if (result_.remarks.size() < kMostRemarks)
                result_.remarks.push_back(fmt::format("{}: {}", place, remark));
            else
                ++result_.moreRemarks;
        result_.places.push_back(row.line);
        numbers_.insert(numbers_.end(), prepared->sample.begin(), prepared->sample.end());
    }

    std::string name_;
    const data::TablePreparation& preparation_;
    FileSamples result_{.split = {}, .placeName = "line"};
    std::vector<float> numbers_;
};

Result<data::TablePreparation> preparationOf(const std::string& name,
                                             const data::SampleFacts& samples) {
    const auto json = text::parseJson(samples.preparation, samples.preparation.size());
    auto preparation = json ? data::TablePreparation::fromJson(*json)
                            : Result<data::TablePreparation>(fail(json.error()));
    if (preparation) return preparation;
    return fail(
        ErrorCode::BadInput,
        fmt::format("{} is not read: the network takes numbers that come from no table", name),
        "Networks of images and tables are given files; another program runs this one "
        "from `lockstepctl export --format onnx`.");
}

}  // namespace

Result<FileSamples> readInputFile(const std::filesystem::path& path,
                                  const data::SampleFacts& samples) {
    const model::Shape& shape = samples.facts.input;
    const std::string name = sanitizeLine(path.string(), 200);
    if (samples.inputKind == data::InputKind::Floats) {
        // Before a file is read in vain.
        if (const auto table = preparationOf(name, samples); !table) return fail(table.error());
        std::error_code error;
        if (!std::filesystem::exists(path, error))
            return fail(ErrorCode::BadInput, fmt::format("there is no file {}", name),
                        "Paths are relative to the folder that the command is given in.");
        const auto bytes = TRY(data::openText("predict", path));
        return readInputRows(name, data::textOf(bytes), samples);
    }
    if (samples.inputKind != data::InputKind::Pixels || shape.size() != kImageRank)
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is not read: the network takes no images", name));
    const auto bytes = TRY(readFile(path, data::kLargestIdxFile));
    return isIdx(bytes) ? imagesOfIdx(name, bytes, shape) : oneImage(name, bytes, shape);
}

Result<FileSamples> readInputRows(const std::string& name, std::string_view csv,
                                  const data::SampleFacts& samples) {
    const auto preparation = TRY(preparationOf(name, samples));
    if (auto isTable = data::refuseOtherTables(csv); !isTable)
        return failWithin(name, isTable.error());
    RowsReader reader(name, preparation);
    TRY(reader.read(csv));
    return reader.take();
}

}  // namespace lockstep::train
