// SPDX-License-Identifier: Apache-2.0
#include "core/base/thread_facts.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace lockstep {

namespace {

/// Empty where it cannot be read.
std::string textOf(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    if (stream) text << stream.rdbuf();
    std::string all = std::move(text).str();
    while (!all.empty() && all.back() == '\n')
        all.pop_back();
    return all;
}

/// What stands behind "NAME:\t" in the text of a status file.
std::string fieldOf(const std::string& status, const std::string& name) {
    const std::string key = "\n" + name + ":\t";
    const std::size_t begin = status.find(key);
    if (begin == std::string::npos) return {};
    const std::size_t value = begin + key.size();
    return status.substr(value, status.find('\n', value) - value);
}

std::optional<ThreadFacts> factsOf(const std::filesystem::path& folder) {
    const std::string number = folder.filename().string();
    const std::string status = textOf(folder / "status");
    ThreadFacts facts;
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), facts.id);
    if (parsed.ec != std::errc() || status.empty()) return std::nullopt;
    facts.name = textOf(folder / "comm");
    if (const std::string state = fieldOf(status, "State"); !state.empty())
        facts.state = state.front();
    if (const std::string place = textOf(folder / "wchan"); place != "0") facts.waitsIn = place;
    facts.blockedSignals = std::strtoull(fieldOf(status, "SigBlk").c_str(), nullptr, 16);
    facts.caughtSignals = std::strtoull(fieldOf(status, "SigCgt").c_str(), nullptr, 16);
    return facts;
}

}  // namespace

std::vector<ThreadFacts> threadsOf(pid_t process) {
    std::vector<ThreadFacts> threads;
    std::error_code error;
    const auto folder = std::filesystem::path("/proc") / std::to_string(process) / "task";
    for (std::filesystem::directory_iterator one(folder, error), end; !error && one != end;
         one.increment(error))
        if (auto facts = factsOf(one->path())) threads.push_back(*std::move(facts));
    std::ranges::sort(threads, {}, &ThreadFacts::id);
    return threads;
}

std::string stateWords(const ThreadFacts& thread) {
    std::string words;
    switch (thread.state) {
        case 'R':
            words = "runs";
            break;
        case 'S':
            words = "waits";
            break;
        case 'D':
            words = "waits for a device or a disk, and hears no signal";
            break;
        case 'T':
            words = "is stopped";
            break;
        case 't':
            words = "is held by a debugger";
            break;
        default:
            words = std::string("is in state ") + thread.state;
    }
    return thread.waitsIn.empty() ? words : words + ", in " + thread.waitsIn;
}

}  // namespace lockstep
