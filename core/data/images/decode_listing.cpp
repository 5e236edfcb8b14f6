// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/decode_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <new>
#include <span>
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
constexpr std::size_t kBytesAtATime = std::size_t{64} << 20;  ///< Of decoded images.
constexpr std::size_t kNamed = 5;         ///< Broken images that a message names.
constexpr std::size_t kNamedInLog = 100;  ///< That the log names.
constexpr Nanos kBetweenReports = std::chrono::seconds(5);

/// Decodes the files that a common counter hands out, some of them at a time. Each image has a
/// place of its own in the result, so that it matters to nobody which thread decodes which.
class Decoding {
public:
    Decoding(const ImageListing& listing, const ImageForm& form, const LoadWatch& watch)
        : listing_(listing),
          form_(form),
          watch_(watch),
          bytes_(sizeOf(form)),
          atATime_(
              std::min(std::max<std::size_t>(kBytesAtATime / bytes_, 1), listing.files.size())),
          pixels_(bytes_ * atATime_),
          reasons_(listing.files.size()) {}

    /// Writes the images that can be read, in order.
    Result<void> run(PackedWriter& writer) {
        for (first_ = 0; first_ < listing_.files.size(); first_ = end_) {
            end_ = std::min(first_ + atATime_, listing_.files.size());
            next_ = first_;
            decodePart();
            TRY(watch_.stillWanted());
            for (std::size_t i = first_; i < end_; ++i) {
                if (!reasons_[i].empty()) continue;
                TRY(writer.append(placeOf(i)));
                labels_.push_back(listing_.files[i].label);
            }
        }
        TRY(writer.endSection());
        TRY(writer.appendNumbers(std::span<const std::uint16_t>(labels_)));
        return writer.endSection();
    }

    /// Why file `i` cannot be read; empty: it can.
    [[nodiscard]] const std::string& reason(std::size_t i) const { return reasons_[i]; }

    /// What was written, without its bytes.
    [[nodiscard]] Split split() const {
        return imageSplit(static_cast<std::uint32_t>(labels_.size()),
                          {form_.height, form_.width, form_.channels}, {}, {});
    }

private:
    static std::size_t sizeOf(const ImageForm& form) {
        return static_cast<std::size_t>(form.height) * static_cast<std::size_t>(form.width) *
               static_cast<std::size_t>(form.channels);
    }

    [[nodiscard]] std::span<std::uint8_t> placeOf(std::size_t i) {
        return std::span(pixels_).subspan((i - first_) * bytes_, bytes_);
    }

    void decodePart() {
        const auto threads =
            std::min<std::size_t>(static_cast<std::size_t>(availableProcessors()), end_ - first_);
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < threads; ++i)
                others.push_back(startThread("decode", [this](const std::stop_token&) { work(); }));
        } catch (const std::system_error&) {
            std::fprintf(stderr,
                         "decoding images on %zu of %zu threads: the system gives no more\n",
                         others.size() + 1, threads);
        }
        work([this] {
            if (SteadyClock::read() - reported_ < kBetweenReports) return;
            reported_ = SteadyClock::read();
            std::fprintf(stderr, "decoding images: %zu of %zu\n", decoded_.load(),
                         listing_.files.size());
        });
    }

    template <typename After>
    void work(After after) {
        ImageDecoder decoder;
        for (std::size_t i = next_++; i < end_ && !watch_.stop.stop_requested(); i = next_++) {
            reasons_[i] = decode(i, decoder);
            watch_.report({LoadProgress::Unit::Images, ++decoded_, listing_.files.size()});
            after();
        }
    }
    void work() {
        work([] {});
    }

    std::string decode(std::size_t i, ImageDecoder& decoder) {
        try {
            const ImageFile& where = listing_.files[i];
            const bool isArchived = listing_.archive.size() > 0;
            const auto file = isArchived ? Result<std::string>()
                                         : readFile(listing_.folder / where.path, kLargestFile);
            if (!file) return "cannot be read: " + file.error().message;
            const auto image = decoder.decode(
                isArchived ? textOf(listing_.archive).substr(where.at, where.bytes) : *file);
            if (!image) return image.error().message;
            resizeImage(**image, form_.height, form_.width, form_.channels, placeOf(i));
            return {};
        } catch (const std::bad_alloc&) {
            return "is too large for this machine's memory";
        }
    }

    const ImageListing& listing_;
    const ImageForm form_;
    const LoadWatch& watch_;
    const std::size_t bytes_;  ///< Of an image.
    const std::size_t atATime_;
    std::vector<std::uint8_t> pixels_;  ///< Of files first_ to end_.
    std::vector<std::string> reasons_;
    std::vector<std::uint16_t> labels_;  ///< Of what is written.
    std::size_t first_ = 0;
    std::size_t end_ = 0;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<std::size_t> decoded_ = 0;
    Nanos reported_ = SteadyClock::read();
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

Result<Split> decodeListing(const ImageListing& listing, const ImageForm& form,
                            PackedWriter& writer, const LoadWatch& watch) {
    if (listing.files.size() > std::numeric_limits<std::uint32_t>::max())
        return fail(ErrorCode::BadInput, listing.key + ": there are more than 2^32 images");
    Decoding decoding(listing, form, watch);
    TRY(decoding.run(writer));
    const auto broken = brokenOf(listing, decoding);
    if (broken.size() == listing.files.size())
        return refused(listing, broken, "Look whether these are JPEG and PNG images.");
    if (!broken.empty() && !form.skipsBroken)
        return refused(listing, broken,
                       "Replace or remove them, or set data.on_error to \"skip\" to leave them "
                       "out.");
    for (std::size_t i = 0; i < std::min(broken.size(), kNamedInLog); ++i)
        std::fprintf(stderr, "note: left out: %s\n", broken[i].c_str());
    return decoding.split();
}

}  // namespace lockstep::data
