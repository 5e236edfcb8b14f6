// SPDX-License-Identifier: Apache-2.0
#include "core/data/packed/packed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <thread>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/data/packed/packed_header.h"
#include "core/data/packed/packed_writer.h"
#include "core/data/packed/watched_writer.h"

namespace lockstep::data {

namespace fs = std::filesystem;

namespace {

/// One process packs the data from wherever they lie; the others of the host wait as long.
constexpr std::chrono::minutes kPackTimeout{30};
constexpr Millis kLockPause{50};
constexpr std::chrono::seconds kSilentWait{3};
constexpr std::chrono::hours kUnreadFor{24 * 30};
constexpr std::chrono::hours kFresh{24};

/// Whether it is the place that fails, not the source.
bool isAboutThePlace(const Error& error) {
    return error.code == ErrorCode::Io || error.code == ErrorCode::NoRoom ||
           error.code == ErrorCode::Timeout;
}

/// Whose the file is: one of the user's own is never taken for a damaged copy.
enum class Owner : std::uint8_t { User, Cache };

/// What the file holds, if it is whole and of `source`; else why it is not.
struct Look {
    std::optional<PackedData> data{};
    std::string objection{};  ///< Empty: there is no file.
};

/// BadInput, touching nothing, for a file of the user's that is of another kind.
Result<Look> look(const fs::path& path, const std::string& source, Owner owner) {
    const auto damaged = [&path] { return Look{{}, path.string() + " was damaged"}; };
    const auto file = mapFile(path);
    if (!file && file.error().code == ErrorCode::NotFound) return Look{};
    if (!file && owner == Owner::Cache) return damaged();
    if (!file) return fail(file.error().code, "data.cache: " + file.error().message);
    const std::string_view text(reinterpret_cast<const char*>(file->data()), file->size());
    if (!text.starts_with(kPackedMagic)) {
        if (owner == Owner::Cache) return damaged();
        return fail(
            ErrorCode::BadInput,
            fmt::format("data.cache: {} is there and is not a copy of a data set", path.string()),
            "Name a file that does not exist yet; nothing was changed.");
    }
    auto data = parsePacked(*file, source);
    if (data) return Look{std::move(*data), {}};
    return Look{{}, path.string() + " " + data.error().message};
}

/// The right to write the file, held until it is closed.
Result<UniqueFd> lockFor(const fs::path& file, const LoadWatch& watch) {
    const std::string path = file.string() + ".lock";
    UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!lock.valid()) return fail(ErrorCode::Io, errnoText());
    const Nanos start = SteadyClock::read();
    bool isSaid = false;
    while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) return fail(ErrorCode::Io, errnoText());
        TRY(watch.stillWanted());
        const Nanos waited = SteadyClock::read() - start;
        if (waited > kPackTimeout)
            return fail(ErrorCode::Timeout,
                        fmt::format("another process has been writing it for {} minutes",
                                    kPackTimeout.count()));
        if (waited > kSilentWait && !isSaid) {
            std::fprintf(stderr, "waiting for another process, which writes %s\n", file.c_str());
            isSaid = true;
        }
        std::this_thread::sleep_for(kLockPause);
    }
    return lock;
}

Result<void> writeFile(const fs::path& file, const std::string& source, const PackData& pack,
                       const LoadWatch& watch) {
    PackedFileWriter writer(file);
    TRY(writer.open());
    WatchedWriter watched(writer, watch);
    const std::string meaning = TRY(pack(watched));
    return writer.finish(source, meaning);
}

/// What the file holds, after it was written if need be. Errors of the source are its own; those of
/// the place are the reason alone, Io, NoRoom or Timeout.
Result<PackedData> fetch(const fs::path& file, Owner owner, const std::string& source,
                         const PackData& pack, std::vector<std::string>& notes,
                         const LoadWatch& watch) {
    Look held = TRY(look(file, source, owner));
    if (held.data) return std::move(*held.data);
    std::error_code error;
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
    const UniqueFd lock = TRY(lockFor(file, watch));
    held = TRY(look(file, source, owner));  // another process may have written it meanwhile
    if (held.data) return std::move(*held.data);
    if (!held.objection.empty()) notes.push_back(held.objection + ": it is written anew");
    TRY(writeFile(file, source, pack, watch));
    held = TRY(look(file, source, owner));
    if (held.data) return std::move(*held.data);
    return fail(ErrorCode::Io,
                "it does not hold what was written to it: the disk or its file "
                "system is damaged");
}

/// Best effort: a cache that grows for ever is nobody's wish.
void removeUnread(const fs::path& folder) {
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".lock") continue;  // somebody may hold it
        std::error_code gone;
        const auto read = entry->last_write_time(gone);
        if (!gone && now - read > kUnreadFor) fs::remove(entry->path(), gone);
    }
}

/// Tells that the file is still read, once a day.
void markRead(const fs::path& file) {
    std::error_code error;
    const auto now = fs::file_time_type::clock::now();
    const auto before = fs::last_write_time(file, error);
    if (!error && now - before > kFresh) fs::last_write_time(file, now, error);
}

}  // namespace

Result<PackedData> packedInFile(const fs::path& file, const std::string& source,
                                const PackData& pack, std::vector<std::string>& notes,
                                const LoadWatch& watch) {
    auto data = fetch(file, Owner::User, source, pack, notes, watch);
    if (data) return data;
    if (!isAboutThePlace(data.error())) return data;
    return fail(
        ErrorCode::BadInput,
        fmt::format("data.cache: {} cannot be written: {}", file.string(), data.error().message),
        "Name a file on a local disk with room for the unpacked data set, or leave "
        "data.cache out.");
}

Result<PackedData> packedInCache(const fs::path& folder, const std::string& name,
                                 const std::string& source, const PackData& pack,
                                 std::vector<std::string>& notes, const LoadWatch& watch) {
    if (folder.empty()) return packedInMemory(pack, watch);
    const fs::path file = folder / contentHash(name);
    auto data = fetch(file, Owner::Cache, source, pack, notes, watch);
    if (data) {
        markRead(file);
        removeUnread(folder);
        return data;
    }
    if (!isAboutThePlace(data.error())) return data;
    const std::string trouble =
        fmt::format("the cache {} cannot be written: {}", file.string(), data.error().message);
    auto held = packedInMemory(pack, watch);
    if (held) {
        notes.push_back(trouble + "; every process holds the data in its own memory");
        return held;
    }
    if (held.error().code != ErrorCode::Unavailable) return held;
    return fail(ErrorCode::Unavailable, fmt::format("{}, and {}", held.error().message, trouble),
                "Make room there, or set XDG_CACHE_HOME to a folder on a local disk with room for "
                "the data.");
}

Result<PackedData> packedInMemory(const PackData& pack, const LoadWatch& watch) {
    PackedMemoryWriter writer;
    WatchedWriter watched(writer, watch);
    std::string meaning = TRY(pack(watched));
    return writer.take(std::move(meaning));
}

}  // namespace lockstep::data
