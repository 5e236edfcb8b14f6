// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/decode_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/images/decode_image.h"
#include "core/data/images/resize_image.h"
#include "core/data/source_file.h"

namespace lockstep::data {

namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;
constexpr std::size_t kNamed = 5;         ///< Broken images that a message names.
constexpr std::size_t kNamedInLog = 100;  ///< That the log names.
constexpr Nanos kBetweenReports = std::chrono::seconds(5);

/// Decodes the files that a common counter hands out. Each image has a place of its own in the
/// result, so that it matters to nobody which thread decodes which.
class Decoding {
public:
    Decoding(const ImageListing& listing, const ImageForm& form)
        : listing_(listing),
          form_(form),
          bytes_(sizeOf(form)),
          pixels_(bytes_ * listing.files.size()),
          reasons_(listing.files.size()) {}

    void run() {
        const auto threads = std::min<std::size_t>(static_cast<std::size_t>(availableProcessors()),
                                                   listing_.files.size());
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < threads; ++i)
                others.push_back(startThread("decode", [this](const std::stop_token&) { work(); }));
        } catch (const std::system_error&) {
            std::fprintf(stderr,
                         "decoding images on %zu of %zu threads: the system gives no more\n",
                         others.size() + 1, threads);
        }
        Nanos reported = SteadyClock::read();
        work([&] {
            if (SteadyClock::read() - reported < kBetweenReports) return;
            reported = SteadyClock::read();
            std::fprintf(stderr, "decoding images: %zu of %zu\n",
                         std::min(next_.load(), listing_.files.size()), listing_.files.size());
        });
    }

    /// Why file `i` cannot be read; empty: it can.
    [[nodiscard]] const std::string& reason(std::size_t i) const { return reasons_[i]; }

    /// The images that could be read, in order.
    [[nodiscard]] Split take() {
        std::vector<std::uint16_t> labels;
        for (std::size_t i = 0; i < reasons_.size(); ++i) {
            if (!reasons_[i].empty()) continue;
            if (labels.size() != i)
                std::memcpy(pixels_.data() + labels.size() * bytes_, pixels_.data() + i * bytes_,
                            bytes_);
            labels.push_back(listing_.files[i].label);
        }
        pixels_.resize(labels.size() * bytes_);
        return imageSplit(static_cast<std::uint32_t>(labels.size()),
                          {form_.height, form_.width, form_.channels}, std::move(pixels_),
                          labelBytes(labels));
    }

private:
    static std::size_t sizeOf(const ImageForm& form) {
        return static_cast<std::size_t>(form.height) * static_cast<std::size_t>(form.width) *
               static_cast<std::size_t>(form.channels);
    }

    template <typename After>
    void work(After after) {
        for (std::size_t i = next_++; i < listing_.files.size(); i = next_++) {
            reasons_[i] = decode(i);
            after();
        }
    }
    void work() {
        work([] {});
    }

    std::string decode(std::size_t i) {
        try {
            const ImageFile& where = listing_.files[i];
            const bool isArchived = listing_.archive.size() > 0;
            const auto file = isArchived ? Result<std::string>()
                                         : readFile(listing_.folder / where.path, kLargestFile);
            if (!file) return "cannot be read: " + file.error().message;
            const auto image = decodeImage(
                isArchived ? textOf(listing_.archive).substr(where.at, where.bytes) : *file);
            if (!image) return image.error().message;
            resizeImage(*image, form_.height, form_.width, form_.channels,
                        std::span(pixels_).subspan(i * bytes_, bytes_));
            return {};
        } catch (const std::bad_alloc&) {
            return "is too large for this machine's memory";
        }
    }

    const ImageListing& listing_;
    const ImageForm form_;
    const std::size_t bytes_;  ///< Of an image.
    std::vector<std::uint8_t> pixels_;
    std::vector<std::string> reasons_;
    std::atomic<std::size_t> next_ = 0;
};

/// In order of their paths: the listing's own order tells nobody anything.
std::vector<std::string> brokenOf(const ImageListing& listing, const Decoding& decoding) {
    std::vector<std::string> broken;
    for (std::size_t i = 0; i < listing.files.size(); ++i)
        if (!decoding.reason(i).empty())
            broken.push_back(sanitizeLine(listing.files[i].path, 200) + " " +
                             sanitizeLine(decoding.reason(i), 200));
    std::ranges::sort(broken);
    return broken;
}

tl::unexpected<Error> refused(const ImageListing& listing, std::vector<std::string> broken,
                              const char* remedy) {
    const std::size_t all = broken.size();
    broken.resize(std::min(all, kNamed));
    std::string named;
    for (const std::string& one : broken)
        named += (named.empty() ? "" : "; ") + one;
    if (all > kNamed) named += fmt::format("; and {} more", all - kNamed);
    return fail(ErrorCode::BadInput,
                fmt::format("{}: of {} in {}, {} cannot be read: {}", listing.key,
                            counted(listing.files.size(), "image"),
                            listing.folder.lexically_normal().string(), all, named),
                remedy);
}

}  // namespace

Result<Split> decodeListing(const ImageListing& listing, const ImageForm& form) {
    if (listing.files.size() > std::numeric_limits<std::uint32_t>::max())
        return fail(ErrorCode::BadInput, listing.key + ": there are more than 2^32 images");
    Decoding decoding(listing, form);
    decoding.run();
    const auto broken = brokenOf(listing, decoding);
    if (broken.size() == listing.files.size())
        return refused(listing, broken, "Look whether these are JPEG and PNG images.");
    if (!broken.empty() && !form.skipsBroken)
        return refused(listing, broken,
                       "Replace or remove them, or set data.on_error to \"skip\" to leave them "
                       "out.");
    for (std::size_t i = 0; i < std::min(broken.size(), kNamedInLog); ++i)
        std::fprintf(stderr, "note: left out: %s\n", broken[i].c_str());
    return decoding.take();
}

}  // namespace lockstep::data
