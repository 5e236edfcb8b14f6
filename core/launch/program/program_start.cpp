// SPDX-License-Identifier: Apache-2.0
#include "core/launch/program/program_start.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "core/base/ids.h"
#include "core/base/text.h"

namespace lockstep::launch {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

bool isProgram(const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

std::string pathOf(const std::vector<std::string>& environment) {
    constexpr std::string_view kName = "PATH=";
    for (const std::string& setting : environment)
        if (setting.starts_with(kName)) return setting.substr(kName.size());
    return std::string(kDefaultPath);
}

/// The program along the folders of PATH, of which an empty one is the working folder.
fs::path along(std::string_view path, const std::string& program, const fs::path& folder) {
    while (true) {
        const std::size_t end = std::min(path.find(':'), path.size());
        fs::path file = folder / fs::path(path.substr(0, end)) / program;
        if (isProgram(file)) return file;
        if (end == path.size()) return {};
        path.remove_prefix(end + 1);
    }
}

/// python3.12, bash, torchrun: of interest is what they are given.
bool isInterpreter(std::string_view name) {
    if (name.starts_with("python")) return true;
    for (const std::string_view known : {"sh", "bash", "dash", "zsh", "perl", "ruby", "node",
                                         "julia", "Rscript", "torchrun", "accelerate", "uv"})
        if (name == known) return true;
    return false;
}

}  // namespace

std::string programLabel(const std::vector<std::string>& command) {
    std::string own = fs::path(command.front()).filename().string();
    if (!isInterpreter(own)) return own;
    for (std::size_t i = 1; i < command.size(); ++i) {
        const std::string& word = command[i];
        if (word == "-c") return own;
        if (word == "-m" && i + 1 < command.size()) return command[i + 1];
        const bool isScript = !word.starts_with('-') && fs::path(word).has_extension();
        if (isScript) return fs::path(word).filename().string();
    }
    return own;
}

fs::path programFolder(const fs::path& wanted) {
    std::error_code error;
    if (!wanted.empty() && fs::is_directory(wanted, error)) return wanted;
    const char* home = std::getenv("HOME");
    return home != nullptr && fs::is_directory(home, error) ? fs::path(home) : fs::path("/");
}

Result<fs::path> findProgram(const std::string& program,
                             const std::vector<std::string>& environment, const fs::path& folder) {
    const std::string shown = sanitizeLine(program, 200);
    if (program.find('/') != std::string::npos) {
        fs::path file = folder / program;
        if (isProgram(file)) return file;
        return fail(ErrorCode::BadInput,
                    fmt::format("launch.command: {} is no program that can be run on {}",
                                sanitizeLine(file.string(), 400), hostName()),
                    "Check the path, which is relative to the job file's folder, and that the file "
                    "is executable (chmod +x).");
    }
    const std::string path = pathOf(environment);
    if (fs::path file = along(path, program, folder); !file.empty()) return file;
    const bool hasPython3 = program == "python" && !along(path, "python3", folder).empty();
    return fail(ErrorCode::BadInput,
                fmt::format("launch.command: there is no program {} on {}", shown, hostName()),
                hasPython3 ? "There is a python3: name that one."
                           : "Install it there, or name it with its full path (PATH is " +
                                 sanitizeLine(path, 400) + ").");
}

}  // namespace lockstep::launch
