// SPDX-License-Identifier: Apache-2.0
// lockstepctl verify: reads all of a run's folder, says what is damaged or missing, and mends it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "core/base/exit_status.h"
#include "core/base/plural.h"
#include "core/job/source/remote_record.h"
#include "core/run/check/run_check.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

using text::Json;

struct VerifyArguments {
    std::string run;
    bool repair = false;
    bool asJson = false;
};

/// What the run's records lack, though no file is damaged for it any more, a sentence each.
std::vector<std::string> losses(const run::RunCheck& check) {
    std::vector<std::string> sentences;
    const run::JournalAccount& journal = check.journal;
    if (journal.missingSteps > 0) {
        std::string gaps;
        for (const std::string& gap : journal.gaps)
            gaps += (gaps.empty() ? "" : "; ") + gap;
        sentences.push_back(fmt::format("the journal lacks {} of {}: {}{}", journal.missingSteps,
                                        counted(journal.missingSteps + journal.steps, "step"), gaps,
                                        journal.gaps.size() < 8 ? "" : "; …"));
    }
    if (journal.mendedBytes > 0)
        sentences.push_back(fmt::format("a repair has put {} of the journal aside",
                                        counted(journal.mendedBytes, "byte")));
    if (check.lostRecords > 0)
        sentences.push_back(fmt::format("{} lost while the run wrote, as its summary says",
                                        countedWas(check.lostRecords, "record")));
    return sentences;
}

/// What the journal tells of copies on another host; empty: there are none.
std::string copiesSentence(const coordination::CopyTally& copies) {
    if (copies.host.empty()) return {};
    std::string text =
        copies.copied == 0
            ? fmt::format("no checkpoint was copied to {}", copies.host)
            : fmt::format("{} copied, the last one, of step {}, to {}",
                          countedWas(copies.copied, "checkpoint"), copies.newest, copies.host);
    if (copies.overtaken > 0)
        text +=
            fmt::format("; {} overtaken by newer ones", countedWas(copies.overtaken, "checkpoint"));
    if (copies.failures > 0)
        text += fmt::format("; {} failed", counted(copies.failures, "attempt"));
    if (copies.awaited > 0)
        text += fmt::format("; that of step {} has no copy{}", copies.awaited,
                            copies.problem.empty() ? "" : ": " + copies.problem);
    return text;
}

Json copiesAsJson(const coordination::CopyTally& copies) {
    if (copies.host.empty()) return {};
    return Json::object({{"host", copies.host},
                         {"copied", copies.copied},
                         {"overtaken", copies.overtaken},
                         {"failed_attempts", copies.failures},
                         {"newest_step", copies.newest},
                         {"missing_step", copies.awaited > 0 ? Json(copies.awaited) : Json()}});
}

std::string damagedSentence(const run::RunCheck& check) {
    const std::uint64_t damaged = check.damagedParts();
    if (damaged == 0) return "nothing is damaged";
    return fmt::format("{} of the parts {} damaged", damaged, damaged == 1 ? "is" : "are");
}

void printAsJson(const run::RunCheck& check, const std::vector<std::string>& done) {
    Json::List parts;
    for (const run::CheckedPart& part : check.parts) {
        Json json = Json::object(
            {{"name", part.name}, {"bytes", part.bytes}, {"whole", part.problem.empty()}});
        if (!part.problem.empty()) json["problem"] = part.problem;
        if (!part.suspicion.empty()) json["suspect"] = part.suspicion;
        parts.push_back(std::move(json));
    }
    const Json json = Json::object({{"running", check.isRunning},
                                    {"damaged_parts", check.damagedParts()},
                                    {"parts", std::move(parts)},
                                    {"records", check.journal.records},
                                    {"damaged_bytes", check.journal.check.damage.bytes},
                                    {"torn_bytes", check.journal.check.torn},
                                    {"mended_bytes", check.journal.mendedBytes},
                                    {"steps", check.journal.steps},
                                    {"missing_steps", check.journal.missingSteps},
                                    {"lost_records", check.lostRecords},
                                    {"copies", copiesAsJson(check.journal.copies)},
                                    {"repaired", Json(done)}});
    std::printf("%s\n", json.text(2).c_str());
}

std::string stateOf(const run::CheckedPart& part) {
    std::string state = part.problem.empty() ? "whole" : part.problem;
    if (!part.suspicion.empty())
        state += fmt::format("; suspect: {}, and passed over by a resume", part.suspicion);
    return state;
}

void printTable(const run::RunCheck& check, const std::vector<std::string>& done) {
    for (const std::string& sentence : done)
        std::printf("repaired: %s\n", sentence.c_str());
    std::size_t width = 0;
    for (const run::CheckedPart& part : check.parts)
        width = std::max(width, part.name.size());
    for (const run::CheckedPart& part : check.parts)
        std::printf("%-*s  %14llu  %s\n", static_cast<int>(width), part.name.c_str(),
                    static_cast<unsigned long long>(part.bytes), stateOf(part).c_str());
    for (const std::string& sentence : losses(check))
        std::printf("missing: %s\n", sentence.c_str());
    if (const std::string copies = copiesSentence(check.journal.copies); !copies.empty())
        std::printf("copies: %s\n", copies.c_str());
    std::printf("%s and %s read: %s%s\n", counted(check.parts.size(), "part").c_str(),
                counted(check.journal.records, "record").c_str(), damagedSentence(check).c_str(),
                check.isRunning ? "; the run is under way" : "");
}

/// A copy of its records is made whole by following the run; nobody else writes into a folder that
/// its host writes into.
std::optional<Error> refusedHere(const std::filesystem::path& folder,
                                 const job::RemoteRecord& remote, bool repairs) {
    if (remote.isCopy() && (repairs || !remote.ended))
        return Error{
            ErrorCode::BadInput,
            folder.string() + ": the run is served on another host, and what lies here is a copy",
            "Follow it with `lockstepctl attach`, which completes the copy, or verify the run's "
            "folder on that host."};
    if (repairs && !remote.ended)
        return Error{ErrorCode::BadInput, folder.string() + ": the run is served on another host",
                     "Once it has ended, and `lockstepctl attach` has seen that, it can be "
                     "repaired."};
    return std::nullopt;
}

int verify(const VerifyArguments& arguments) {
    const auto folder = findRun(arguments.run);
    if (!folder) return report(folder.error());
    std::vector<std::string> done;
    const auto remote = job::readRemoteRecord(*folder);
    if (remote)
        if (const auto refused = refusedHere(*folder, *remote, arguments.repair))
            return report(*refused);
    if (arguments.repair) {
        if (auto repaired = run::repairRun(*folder, done); !repaired) {
            for (const std::string& sentence : done)
                std::fprintf(stderr, "repaired: %s\n", sentence.c_str());
            return report(repaired.error());
        }
    }
    const auto check = run::checkRun(*folder);
    if (!check) return report(check.error());
    if (remote && remote->isCopy())
        say(stderr, "note",
            "this is what was followed here; the run's checkpoints lie on its own host, and "
            "were not read");
    arguments.asJson ? printAsJson(*check, done) : printTable(*check, done);
    if (check->damagedParts() == 0) return kExitDone;
    return report({ErrorCode::Corrupt, folder->string() + ": " + damagedSentence(*check),
                   arguments.repair
                       ? "What is left so could not be mended: see above."
                       : "`lockstepctl verify RUN --repair` puts aside what cannot be read, and "
                         "keeps the rest."});
}

}  // namespace

Command addVerifyCommand(CommandLine& program) {
    auto arguments = std::make_shared<VerifyArguments>();
    ArgumentList command = program.addCommand(
        "verify",
        "read all that a run has kept, and say what is damaged or missing; status 1 "
        "where something is damaged");
    command.add("run", arguments->run, "the run's folder, or its id").required();
    command.addFlag("--repair", arguments->repair,
                    "first put aside, within the folder, what cannot be read: damaged checkpoints "
                    "where another is good, damaged bytes of the journal, damaged ends of event "
                    "files");
    command.addFlag("--json", arguments->asJson, "as JSON");
    return [arguments] { return verify(*arguments); };
}

}  // namespace lockstep::app
