// SPDX-License-Identifier: Apache-2.0
#include "core/job/trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/user_folders.h"
#include "core/config/job/cluster_spec.h"
#include "core/job/line_list.h"
#include "core/job/source/remote_record.h"
#include "core/job/source/ssh_links.h"
#include "core/text/toml_text.h"

namespace lockstep::job {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostEntries = 500;
constexpr std::size_t kLongestEntry = 16 << 10;

/// With the characters as escapes that turn the direction of text, have no width, or steer a
/// terminal: they could show a line other than it is. `text` is UTF-8.
std::string withoutDisguise(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [&](std::size_t at) {
            return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
        };
        const unsigned code =
            ((byte(i) & 0x0FU) << 12) | ((byte(i + 1) & 0x3FU) << 6) | (byte(i + 2) & 0x3FU);
        const bool isThree = (byte(i) & 0xF0U) == 0xE0U;
        const bool disguises = (code >= 0x200B && code <= 0x200F) ||
                               (code >= 0x2028 && code <= 0x202E) ||
                               (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
        if (isThree && disguises) {
            plain += fmt::format("\\u{:04X}", code);
            i += 2;
        } else if (byte(i) == 0xC2U && byte(i + 1) < 0xA0U) {
            plain += fmt::format("\\u{:04X}", byte(i + 1));
            i += 1;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// As a person would type it where that is the same for a reader, else in quotes with escapes.
std::string shown(const std::string& text) {
    const bool plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    return plain ? text : withoutDisguise(config::tomlString(text));
}

std::string shownAll(const std::vector<std::string>& texts) {
    std::string line;
    for (const std::string& text : texts)
        line += (line.empty() ? "" : " ") + shown(text);
    return line;
}

std::vector<std::string> distinct(std::vector<std::string> names) {
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
    return names;
}

/// One line of the file, which nothing in it can end, and in which every part keeps its ends.
std::string entryOf(const fs::path& jobFile, const std::vector<std::string>& effects) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(fs::absolute(jobFile, error), error);
    std::string entry = config::tomlString(place.string());
    for (const std::string& effect : effects)
        entry += " " + config::tomlString(effect);
    return entry;
}

std::vector<std::string> loginLines(const std::vector<std::string>& hosts,
                                    const std::string& sshConfig) {
    std::vector<std::string> lines{"logs in by ssh to " + shownAll(hosts)};
    if (!sshConfig.empty())
        lines.push_back("with the ssh configuration " + shown(sshConfig) +
                        ", which may run commands on this machine");
    return lines;
}

}  // namespace

std::vector<std::string> loginEffects(const config::JobSpec& job, const fs::path& jobFolder) {
    if (job.launch.method != config::LaunchMethod::Ssh) return {};
    std::vector<std::string> hosts = config::processHosts(job);
    hosts.insert(hosts.end(), job.launch.spares.begin(), job.launch.spares.end());
    return loginLines(distinct(std::move(hosts)), absoluteSshConfig(job, jobFolder));
}

std::vector<std::string> attachEffects(const RemoteRecord& record) {
    return record.ended ? std::vector<std::string>()
                        : loginLines({record.place.host}, record.sshConfig);
}

std::vector<std::string> attachEffects(const fs::path& runDir) {
    const auto record = readRemoteRecord(runDir);
    return record ? attachEffects(*record) : std::vector<std::string>();
}

std::vector<std::string> launchEffects(const config::JobSpec& job, const fs::path& jobFolder) {
    const config::LaunchSpec& launch = job.launch;
    std::vector<std::string> lines;
    if (launch.runsOwnProgram()) {
        lines.push_back("runs on every host: " + shownAll(launch.command));
        lines.push_back("in the folder " +
                        shown((jobFolder / launch.directory).lexically_normal().string()));
        if (!launch.environment.empty())
            lines.push_back("with the variables " + shownAll(launch.environment));
    }
    for (std::string& line : loginEffects(job, jobFolder))
        lines.push_back(std::move(line));
    if (launch.method == config::LaunchMethod::Slurm && launch.runsOwnProgram())
        lines.emplace_back("as a job of this user in Slurm");
    return lines;
}

TrustedJobs::TrustedJobs() : TrustedJobs(stateFolder()) {}

TrustedJobs::TrustedJobs(const fs::path& folder, const std::string& fileName)
    : file_(folder.empty() ? fs::path() : folder / fileName) {}

TrustedJobs trustedRuns() {
    return TrustedJobs(stateFolder(), "launched-runs");
}

bool mayExamine(const fs::path& jobFile, const config::JobSpec& job, const fs::path& jobFolder) {
    const TrustedJobs trusted;
    return trusted.contains(jobFile, loginEffects(job, jobFolder)) ||
           trusted.contains(jobFile, launchEffects(job, jobFolder));
}

bool TrustedJobs::contains(const fs::path& jobFile, const std::vector<std::string>& effects) const {
    if (effects.empty()) return true;
    if (file_.empty()) return false;
    const auto lines = LineList(file_, kMostEntries).lines();
    return std::ranges::count(lines, entryOf(jobFile, effects)) > 0;
}

Result<void> TrustedJobs::add(const fs::path& jobFile,
                              const std::vector<std::string>& effects) const {
    const std::string entry = entryOf(jobFile, effects);
    if (effects.empty() || file_.empty() || entry.size() > kLongestEntry) return {};
    return LineList(file_, kMostEntries).add(entry);
}

}  // namespace lockstep::job
