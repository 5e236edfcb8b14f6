// SPDX-License-Identifier: Apache-2.0
#include "core/run/check/event_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/base/file.h"
#include "core/telemetry/event_reader.h"

namespace lockstep::run {

namespace fs = std::filesystem;

std::vector<fs::path> eventFiles(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code unknown;
        if (entry->is_regular_file(unknown) &&
            entry->path().filename().string().starts_with("events.out.tfevents."))
            files.push_back(entry->path());
    }
    std::ranges::sort(files);
    return files;
}

Result<EventCheck> checkEventFile(const fs::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid())
        return fail(ErrorCode::Io, fmt::format("opening {}: {}", file.string(), errnoText()));
    telemetry::EventReader reader;
    EventCheck check;
    std::string piece(std::size_t{1} << 20, '\0');
    for (;;) {
        const ssize_t count = ::read(fd.get(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return fail(ErrorCode::Io, fmt::format("reading {}: {}", file.string(), errnoText()));
        if (count == 0) break;
        check.bytes += static_cast<std::uint64_t>(count);
        if (!check.isDamaged)
            check.isDamaged = !reader.feed({piece.data(), static_cast<std::size_t>(count)},
                                           [](const telemetry::EventScalar&) {});
    }
    check.intact = reader.intactBytes();
    return check;
}

}  // namespace lockstep::run
