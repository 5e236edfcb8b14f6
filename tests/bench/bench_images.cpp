// SPDX-License-Identifier: Apache-2.0
// Images on one core: JPEG files decoded as loading does it, beside libjpeg-turbo's own decoder
// that is kept between files; and batches of images that were decoded before, from the packed file.
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <tuple>

#include "core/config/document/job_file.h"
#include "core/data/images/decode_image.h"
#include "core/data/load_dataset.h"
#include "core/data/prefetch.h"
#include "tests/bench/figures.h"
#include "tests/support/image_files.h"

using namespace lockstep;
using namespace lockstep::bench;

namespace fs = std::filesystem;

namespace {

constexpr int kRounds = 15;

/// Smooth colours with some grain, as photographs have them; another one for each number.
tests::Pixels photograph(int size, int number) {
    tests::Pixels pixels;
    std::uint32_t grain = static_cast<std::uint32_t>(number) * 2654435761U + 1;
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            for (int channel = 0; channel < 3; ++channel) {
                grain = grain * 1664525U + 1013904223U;
                const double wave =
                    std::sin((x * (1 + number % 3) + y * (1 + channel)) * 6.0 / size + number);
                pixels.push_back(
                    static_cast<std::uint8_t>(128 + 90 * wave + static_cast<double>(grain >> 28)));
            }
    return pixels;
}

/// libjpeg-turbo's decoder as it is meant to be used: made once, in its slow exact transform.
class KeptDecoder {
public:
    KeptDecoder() {
        jpeg_.err = jpeg_std_error(&errors_);
        jpeg_create_decompress(&jpeg_);
    }
    ~KeptDecoder() { jpeg_destroy_decompress(&jpeg_); }
    KeptDecoder(const KeptDecoder&) = delete;
    KeptDecoder& operator=(const KeptDecoder&) = delete;

    void decode(const std::string& file, tests::Pixels& pixels) {
        jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
        jpeg_read_header(&jpeg_, TRUE);
        jpeg_.out_color_space = JCS_RGB;
        jpeg_.dct_method = JDCT_ISLOW;
        jpeg_start_decompress(&jpeg_);
        const std::size_t stride = std::size_t{jpeg_.output_width} * 3;
        pixels.resize(jpeg_.output_height * stride);
        while (jpeg_.output_scanline < jpeg_.output_height) {
            JSAMPROW row = pixels.data() + jpeg_.output_scanline * stride;
            jpeg_read_scanlines(&jpeg_, &row, 1);
        }
        jpeg_finish_decompress(&jpeg_);
    }

private:
    jpeg_decompress_struct jpeg_{};
    jpeg_error_mgr errors_{};
};

std::string rateOf(std::size_t images, double seconds) {
    return fmt::format("{:.0f}", static_cast<double>(images) / seconds);
}

/// Both sides in turn; prints ours over theirs, and returns our seconds for an image.
double compareDecoders(int size, int count) {
    std::vector<std::string> files;
    for (int i = 0; i < count; ++i)
        files.push_back(tests::jpegOf(size, size, photograph(size, i), JCS_RGB, {}, 75));
    std::vector<double> ours;
    std::vector<double> ratios;
    KeptDecoder kept;
    tests::Pixels pixels;
    data::ImageDecoder decoder;
    for (int round = 0; round < kRounds; ++round) {
        const double theirs = secondsOf([&] {
            for (const std::string& file : files)
                kept.decode(file, pixels);
        });
        ours.push_back(secondsOf([&] {
            for (const std::string& file : files)
                if (!decoder.decode(file)) std::abort();
        }));
        ratios.push_back(ours.back() / theirs);
    }
    const double seconds = median(ours);
    print({.what = fmt::format("JPEG images of {0} x {0} decoded, over libjpeg-turbo, kept", size),
           .value = median(ratios),
           .goal = 1 / 0.9,
           .peer = rateOf(files.size(), seconds) + " images a second"});
    return seconds / static_cast<double>(files.size());
}

/// Batches of images that lie in the packed file, over decoding them.
void measurePacked(int size, double decoding, const fs::path& folder) {
    constexpr int kImages = 4096;
    constexpr int kBatch = 128;
    constexpr int kBatches = 2000;
    for (int label = 0; label < 2; ++label) {
        const fs::path place = folder / "images" / std::to_string(label);
        fs::create_directories(place);
        for (int i = 0; i < kImages / 2; ++i)
            std::ofstream(place / fmt::format("{}.jpg", i), std::ios::binary)
                << tests::jpegOf(size, size, photograph(size, 2 * i + label), JCS_RGB, {}, 75);
    }
    const auto document = config::JobDocument::lenient(
        fmt::format("[data]\ndataset = \"image_folder\"\ndirectory = \"images\"\n"
                    "image_size = [{0}, {0}]\nvalidation_samples = 96\ncache = \"packed\"\n",
                    size),
        "job.toml");
    const auto dataset = data::loadDataset(document.spec().data, folder, folder / "cache");
    if (!dataset) {
        std::fprintf(stderr, "%s\n", dataset.error().message.c_str());
        return;
    }
    const auto plan = valueOrExit(data::BatchPlan::make(dataset->train->count, kBatch, 1, 1));
    auto batches = valueOrExit(data::Prefetcher::start(dataset->train, plan, 0, 0, kBatches));
    const double seconds = secondsOf([&] {
        for (int i = 0; i < kBatches; ++i)
            std::ignore = valueOrExit(batches->next(std::chrono::seconds(60)));
    });
    const double anImage = seconds / kBatches / kBatch;
    print({.what = fmt::format("batches of packed images of {0} x {0}, over decoding them", size),
           .value = anImage / decoding,
           .goal = 0.2,
           .peer = rateOf(1, anImage) + " images a second"});
}

}  // namespace

int main() {
    const fs::path folder =
        fs::temp_directory_path() / fmt::format("lockstep-bench-images-{}", ::getpid());
    measurePacked(32, compareDecoders(32, 2000), folder);
    compareDecoders(224, 100);
    std::error_code error;
    fs::remove_all(folder, error);
}
