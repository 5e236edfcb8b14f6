// SPDX-License-Identifier: Apache-2.0
#include "core/data/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <array>
#include <cerrno>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/file_parts.h"
#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/data/source_file.h"

namespace lockstep::data {

namespace fs = std::filesystem;

namespace {

// The file: a header of text, padded to kHeaderBytes, then images and labels of the training set,
// then those of the test set, then those of the validation set. The header's line of channels,
// validation samples and bytes of a label is there when it is not "1 0 1"; its last word when it
// is not 1.
constexpr std::size_t kHeaderBytes = 512;
/// One process copies a data set from wherever it lies; the others of the host wait as long.
constexpr std::chrono::minutes kCopyTimeout{30};
constexpr Millis kLockPause{50};

std::vector<const Split*> partsOf(const RawSets& sets) {
    std::vector<const Split*> parts = {&sets.train, &sets.test};
    if (sets.validation.count > 0) parts.push_back(&sets.validation);
    return parts;
}

/// Of a label in the file: one, unless some label needs two.
std::size_t labelBytesOf(const RawSets& sets) {
    for (const Split* split : partsOf(sets))
        if (packedLabels(*split).size() > split->count) return 2;
    return 1;
}

std::string headerOf(const RawSets& sets, const std::string& source) {
    std::string header =
        fmt::format("{}{}\n{}\n", kCacheMagic, contentHash(source), fingerprintOf(partsOf(sets)));
    for (const Split* split : {&sets.train, &sets.test})
        header += fmt::format("{} {} {}\n", split->count, split->height(), split->width());
    const std::size_t wide = labelBytesOf(sets);
    if (sets.train.channels() != 1 || sets.validation.count > 0 || wide > 1)
        header += fmt::format("{} {}{}\n", sets.train.channels(), sets.validation.count,
                              wide > 1 ? " 2" : "");
    header.resize(kHeaderBytes, '\n');
    return header;
}

/// Takes a split's bytes from `rest`; false when there are too few.
bool takeSplit(Split& split, std::size_t labelBytes, SharedBytes& rest) {
    std::uint64_t pixels = 0;
    const std::int64_t most = std::int64_t{1} << 20;
    if (split.width() <= 0 || split.height() <= 0 || split.width() > most ||
        split.height() > most || (split.channels() != 1 && split.channels() != 3) ||
        (labelBytes != 1 && labelBytes != 2))
        return false;
    if (__builtin_mul_overflow(std::uint64_t{split.bytesPerSample()}, std::uint64_t{split.count},
                               &pixels))
        return false;
    const std::uint64_t labels = std::uint64_t{split.count} * labelBytes;
    if (rest.size() < pixels || rest.size() - pixels < labels) return false;
    split.inputs = rest.part(0, pixels);
    split.targets = rest.part(pixels, labels);
    if (labelBytes == 1)
        split.targets = data::labelBytes(std::span<const std::uint8_t>(split.targets));
    rest = rest.part(pixels + labels, rest.size() - pixels - labels);
    return true;
}

/// nullopt when the file is not whole, or holds another source.
std::optional<RawSets> parse(const SharedBytes& file, const std::string& source) {
    if (file.size() < kHeaderBytes) return std::nullopt;
    std::istringstream header{std::string(textOf(file).substr(0, kHeaderBytes))};
    std::string magic;
    std::string identity;
    std::string fingerprint;
    std::getline(header, magic);
    header >> identity >> fingerprint;
    RawSets sets;
    for (Split* split : {&sets.train, &sets.test}) {
        split->shape = {0, 0, 1};
        header >> split->count >> split->shape[0] >> split->shape[1];
    }
    if (!header || identity != contentHash(source) || sets.train.count == 0) return std::nullopt;
    std::int64_t channels = 1;
    std::size_t labelBytes = 1;
    if (header >> channels >> sets.validation.count) {
        if (!(header >> labelBytes)) labelBytes = 1;
    } else {
        channels = 1;
        sets.validation.count = 0;
    }
    sets.validation.shape = sets.train.shape;
    SharedBytes rest = file.part(kHeaderBytes, file.size() - kHeaderBytes);
    for (Split* split : {&sets.train, &sets.test, &sets.validation}) {
        split->shape[2] = channels;
        if (!takeSplit(*split, labelBytes, rest)) return std::nullopt;
    }
    if (rest.size() != 0 || fingerprintOf(partsOf(sets)) != fingerprint) return std::nullopt;
    return sets;
}

tl::unexpected<Error> cannotWrite(const fs::path& cache, const std::string& reason) {
    return fail(ErrorCode::BadInput,
                fmt::format("data.cache: {} cannot be written: {}", cache.string(), reason),
                "Name a file on a local disk with room for the unpacked data set, or leave "
                "data.cache out.");
}

/// What the file holds, if it is a copy of `source`. BadInput, touching nothing, when it is a file
/// of another kind.
Result<std::optional<RawSets>> look(const fs::path& cache, const std::string& source) {
    const auto file = mapFile(cache);
    if (!file && file.error().code == ErrorCode::NotFound) return std::nullopt;
    if (!file) return fail(ErrorCode::BadInput, "data.cache: " + file.error().message);
    if (!textOf(*file).starts_with(kCacheMagic))
        return fail(
            ErrorCode::BadInput,
            fmt::format("data.cache: {} is there and is not a copy of a data set", cache.string()),
            "Name a file that does not exist yet; nothing was changed.");
    return parse(*file, source);
}

/// The right to write the file, held until it is closed.
Result<UniqueFd> lockFor(const fs::path& cache) {
    std::error_code error;
    if (cache.has_parent_path()) fs::create_directories(cache.parent_path(), error);
    const std::string path = cache.string() + ".lock";
    UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!lock.valid()) return cannotWrite(cache, errnoText());
    const Nanos deadline = SteadyClock::read() + kCopyTimeout;
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return cannotWrite(cache, errnoText());
        if (SteadyClock::read() > deadline)
            return fail(
                ErrorCode::Timeout,
                fmt::format("data.cache: another process has been writing {} for {} minutes",
                            cache.string(), kCopyTimeout.count()));
        std::this_thread::sleep_for(kLockPause);
    }
    return lock;
}

Result<void> write(const fs::path& cache, const RawSets& sets, const std::string& source) {
    const std::string header = headerOf(sets, source);
    const bool isWide = labelBytesOf(sets) > 1;
    std::vector<SharedBytes> labels;  // the samples are written from where they are
    std::vector<std::string_view> content = {header};
    for (const Split* split : partsOf(sets))
        labels.push_back(isWide ? split->targets : SharedBytes(packedLabels(*split)));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        content.push_back(textOf(partsOf(sets)[i]->inputs));
        content.push_back(textOf(labels[i]));
    }
    auto written = replaceFileByParts(cache, content);
    return written ? written : cannotWrite(cache, written.error().message);
}

}  // namespace

Result<RawSets> cachedInFile(const fs::path& cache, const std::string& source,
                             const std::function<Result<RawSets>()>& read) {
    auto held = look(cache, source);
    if (!held) return fail(held.error());
    if (*held) return std::move(**held);
    const auto lock = TRY(lockFor(cache));
    held = look(cache, source);  // another process may have written it meanwhile
    if (!held) return fail(held.error());
    if (*held) return std::move(**held);
    const auto sets = TRY(read());
    TRY(write(cache, sets, source));
    held = look(cache, source);
    if (!held) return fail(held.error());
    if (*held) return std::move(**held);
    return fail(ErrorCode::Io,
                fmt::format("data.cache: {} does not hold what was written to it", cache.string()),
                "The disk or its file system is damaged: name a file on another one.");
}

}  // namespace lockstep::data
