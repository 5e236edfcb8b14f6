// SPDX-License-Identifier: Apache-2.0
#include "core/launch/ssh/bundles.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <system_error>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/launch/process/child_process.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxManifest = 4 << 10;
constexpr std::size_t kHashDigits = 64;
constexpr std::string_view kSuffix = ".manifest";

bool isOf(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

/// Lines of `key value`. What goes to a host's shell is checked here: it is data of ours, and a
/// damaged file must not become a command.
Result<Bundle> readBundle(const fs::path& path) {
    const auto text = TRY(readFile(path, kMaxManifest));
    Bundle bundle;
    std::istringstream lines(text);
    for (std::string key, value; lines >> key >> value;) {
        if (key == "machine") bundle.machine = value;
        if (key == "sha256") bundle.hash = value;
        if (key == "glibc") bundle.glibc = value;
        if (key == "bytes")
            std::from_chars(value.data(), value.data() + value.size(), bundle.bytes);
    }
    bundle.file = path;
    bundle.file.replace_extension(".tar.gz");
    std::error_code error;
    const std::uint64_t size = fs::file_size(bundle.file, error);
    const bool isComplete = bundle.hash.size() == kHashDigits &&
                            isOf(bundle.hash, "0123456789abcdef") &&
                            isOf(bundle.glibc, "0123456789.") &&
                            isOf(bundle.machine, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (error || !isComplete || size != bundle.bytes)
        return fail(ErrorCode::Corrupt,
                    fmt::format("{} is not whole: it is not as {} says", bundle.file.string(),
                                path.filename().string()),
                    "Build or install Lockstep again.");
    return bundle;
}

}  // namespace

Result<std::vector<Bundle>> findBundles(const fs::path& folder) {
    const fs::path place = folder.empty() ? programBesideThis("../share/lockstep") : folder;
    std::vector<fs::path> manifests;
    std::error_code error;
    for (fs::directory_iterator next(place, error), end; !error && next != end;
         next.increment(error))
        if (next->path().extension() == kSuffix) manifests.push_back(next->path());
    std::sort(manifests.begin(), manifests.end());
    if (manifests.empty())
        return fail(ErrorCode::NotFound,
                    fmt::format("there is no packed Lockstep to copy to other hosts in {}",
                                place.lexically_normal().string()),
                    "Build it with ./dev build lockstep_bundle, or install the whole package.");
    std::vector<Bundle> bundles;
    for (const fs::path& manifest : manifests) {
        auto bundle = TRY(readBundle(manifest));
        bundles.push_back(std::move(bundle));
    }
    return bundles;
}

}  // namespace lockstep::launch
