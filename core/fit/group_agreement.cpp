// SPDX-License-Identifier: Apache-2.0
#include "core/fit/group_agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/distribution/all_gather.h"
#include "core/distribution/initialize.h"

namespace lockstep::fit {

namespace {

/// What a process says begins with one of these; behind kError the number of its code, and a blank.
constexpr char kWell = '+';
constexpr char kError = '-';

std::string encode(const Result<std::string>& mine) {
    if (mine) return kWell + *mine;
    return fmt::format("{}{} {}", kError, static_cast<int>(mine.error().code),
                       mine.error().message);
}

tl::unexpected<Error> failAs(std::size_t process, const std::string& said) {
    int code = static_cast<int>(ErrorCode::Internal);
    const std::size_t blank = said.find(' ');
    std::from_chars(said.data() + 1, said.data() + std::min(blank, said.size()), code);
    return fail(static_cast<ErrorCode>(code),
                fmt::format("process {}: {}", process,
                            blank == std::string::npos ? said : said.substr(blank + 1)));
}

}  // namespace

Result<std::vector<std::string>> gatherTexts(const std::string& mine, double timeoutSeconds) {
    const int processes = distribution::processCount();
    if (processes == 1) return std::vector<std::string>{mine};
    const double length[] = {static_cast<double>(mine.size())};
    const auto lengths = TRY(distribution::allGatherNumbers(length, timeoutSeconds));
    double longest = 0;
    for (const auto& one : lengths)
        longest = std::max(longest, one.at(0));
    const std::size_t most = distribution::mostGatheredBytes(processes);
    std::vector<std::string> all(static_cast<std::size_t>(processes));
    for (std::size_t first = 0; first < static_cast<std::size_t>(longest); first += most) {
        const std::string piece = first < mine.size() ? mine.substr(first, most) : std::string();
        const auto pieces = TRY(distribution::allGather(piece, timeoutSeconds));
        for (std::size_t process = 0; process < all.size(); ++process)
            all[process] += pieces.at(process);
    }
    return all;
}

Result<std::vector<std::string>> gatherOutcomes(const Result<std::string>& mine,
                                                double timeoutSeconds) {
    auto all = TRY(gatherTexts(encode(mine), timeoutSeconds));
    for (std::size_t process = 0; process < all.size(); ++process) {
        if (all[process].starts_with(kError))
            return static_cast<int>(process) == distribution::processId()
                       ? fail(mine.error())
                       : failAs(process, all[process]);
        all[process].erase(0, 1);
    }
    return all;
}

bool isOutOfStep(const Error& error) {
    return error.code == ErrorCode::PeerLost || error.code == ErrorCode::Timeout;
}

Result<void> agreeOnOutcome(const Result<void>& mine, double timeoutSeconds) {
    std::ignore = TRY(gatherOutcomes(mine ? Result<std::string>(std::string()) : fail(mine.error()),
                                     timeoutSeconds));
    return {};
}

Result<void> agreeOnSame(const Result<std::string>& mine, std::string_view differs,
                         double timeoutSeconds) {
    const auto all = TRY(gatherOutcomes(
        mine ? Result<std::string>(contentHash(*mine)) : fail(mine.error()), timeoutSeconds));
    for (std::size_t process = 1; process < all.size(); ++process)
        if (all[process] != all.front())
            return fail(ErrorCode::BadInput,
                        fmt::format("process {} {} than process 0", process, differs),
                        "All processes of the group make this call alike, in the same order.");
    return {};
}

}  // namespace lockstep::fit
