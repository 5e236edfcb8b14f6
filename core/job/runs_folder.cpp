// SPDX-License-Identifier: Apache-2.0
#include "core/job/runs_folder.h"

#include <unistd.h>

#include <set>

#include "core/base/absolute_path.h"
#include "core/base/file.h"
#include "core/base/try.h"
#include "core/base/user_folders.h"
#include "core/job/line_list.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLongestPath = 16 << 10;
constexpr std::size_t kMostRemembered = 10'000;

fs::path choiceFile() {
    const fs::path folder = configFolder();
    return folder.empty() ? fs::path() : folder / "runs-folder";
}

LineList rememberedFolders() {
    const fs::path folder = stateFolder();
    return {folder.empty() ? fs::path() : folder / "runs-folders", kMostRemembered};
}

/// In the data folder, else (a user without a home) in the working directory.
fs::path ownRunsFolder() {
    const fs::path folder = dataFolder();
    return folder.empty() ? absolutePath("runs").value_or("runs") : folder / "runs";
}

bool canHoldRuns(const fs::path& folder) {
    std::error_code error;
    const fs::path nearest = fs::exists(folder, error) ? folder : folder.parent_path();
    return fs::is_directory(nearest, error) && ::access(nearest.c_str(), W_OK | X_OK) == 0;
}

tl::unexpected<Error> cannotKeep(const fs::path& folder, const std::string& why) {
    return fail(ErrorCode::BadInput,
                "runs cannot be kept in " + folder.string() + (why.empty() ? "" : ": " + why),
                "Choose a folder that is there, or can be made, and that you may write to.");
}

}  // namespace

RunsFolder runsFolderFor(const fs::path& jobFolder) {
    if (fs::path chosen = chosenRunsFolder(); !chosen.empty())
        return {std::move(chosen), RunsFolderOrigin::Chosen};
    const auto beside = absolutePath(jobFolder / "runs");
    if (!jobFolder.empty() && beside && canHoldRuns(*beside))
        return {*beside, RunsFolderOrigin::BesideJob};
    return {ownRunsFolder(), RunsFolderOrigin::UserData};
}

fs::path launchedRunsFolder(config::LaunchMethod method, const fs::path& jobFolder) {
    RunsFolder found = runsFolderFor(jobFolder);
    if (method != config::LaunchMethod::Slurm || found.origin != RunsFolderOrigin::UserData)
        return std::move(found.folder);
    return absolutePath("runs").value_or(found.folder);
}

std::string describe(RunsFolderOrigin origin) {
    switch (origin) {
        case RunsFolderOrigin::Chosen:
            return "the folder that you chose";
        case RunsFolderOrigin::BesideJob:
            return "beside the job file";
        case RunsFolderOrigin::UserData:
            break;
    }
    return "your data folder";
}

fs::path chosenRunsFolder() {
    const fs::path file = choiceFile();
    if (file.empty()) return {};
    const auto text = readFile(file, kLongestPath);
    if (!text) return {};
    const fs::path folder = text->substr(0, text->find('\n'));
    return folder.is_absolute() ? folder : fs::path();
}

Result<void> chooseRunsFolder(const fs::path& folder) {
    const fs::path file = choiceFile();
    std::error_code error;
    if (folder.empty()) {
        fs::remove(file, error);
        if (error) return cannotKeep(file, error.message());
        return {};
    }
    const auto place = TRY(absolutePath(folder));
    if (place.string().find('\n') != std::string::npos)
        return cannotKeep(folder, "its name has a line break in it");
    fs::create_directories(place, error);
    if (error || !canHoldRuns(place)) return cannotKeep(place, error ? error.message() : "");
    fs::create_directories(file.parent_path(), error);
    return replaceFileDurably(file, place.string() + "\n");
}

std::vector<fs::path> knownRunsFolders() {
    std::error_code error;
    std::vector<fs::path> candidates{chosenRunsFolder(), absolutePath("runs").value_or(""),
                                     ownRunsFolder()};
    for (std::string& line : rememberedFolders().lines())
        candidates.emplace_back(std::move(line));
    std::vector<fs::path> found;
    std::set<fs::path> seen;
    for (const fs::path& candidate : candidates) {
        if (candidate.empty() || !fs::is_directory(candidate, error)) continue;
        const fs::path folder = fs::weakly_canonical(candidate, error);
        if (!error && seen.insert(folder).second) found.push_back(folder);
    }
    return found;
}

void rememberRunsFolder(const fs::path& folder) {
    const auto isGone = [](const std::string& line) {
        std::error_code error;
        return !fs::is_directory(line, error);
    };
    std::ignore = rememberedFolders().add(folder.string(), isGone);
}

}  // namespace lockstep::job
