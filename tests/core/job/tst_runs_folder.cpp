// SPDX-License-Identifier: Apache-2.0
// Where runs lie, and that they are found from any working directory.
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/summary_limit.h"
#include "core/job/fold/session.h"
#include "core/job/line_list.h"
#include "core/job/runs_folder.h"
#include "core/telemetry/event_file.h"

using namespace lockstep;
using namespace lockstep::job;

namespace fs = std::filesystem;

class RunsFolderTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path base_;

    void makeRun(const fs::path& folder) {
        fs::create_directories(folder);
        QVERIFY(replaceFileDurably(folder / "job.toml", "[job]\nname = \"one\"\n"));
    }

private slots:
    /// As in every program of ours: a launched agent may end before it has read what it is told.
    void initTestCase() { std::signal(SIGPIPE, SIG_IGN); }
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        base_ = fs::canonical(temporary_->path().toStdString());
        fs::create_directories(base_ / "elsewhere");
        fs::create_directories(base_ / "jobs");
        fs::current_path(base_ / "elsewhere");
        qputenv("XDG_STATE_HOME", (base_ / "state").c_str());
        qputenv("XDG_DATA_HOME", (base_ / "data").c_str());
        qputenv("XDG_CONFIG_HOME", (base_ / "config").c_str());
    }
    void cleanup() { fs::current_path("/"); }

    void runsLieBesideTheJobFileWhereverOneIs() {
        const RunsFolder found = runsFolderFor(base_ / "jobs");
        QCOMPARE(found.folder, base_ / "jobs" / "runs");
        QCOMPARE(found.origin, RunsFolderOrigin::BesideJob);
        fs::current_path(base_);
        QCOMPARE(runsFolderFor("jobs").folder, base_ / "jobs" / "runs");
        QVERIFY(!fs::exists(base_ / "jobs" / "runs"));  // asking makes nothing
    }

    void whereNothingCanBeMadeBesideItTheyLieInTheUsersDataFolder() {
        QVERIFY(replaceFileDurably(base_ / "jobs" / "runs", "a file"));
        for (const fs::path& folder : {base_ / "jobs", base_ / "missing", fs::path()}) {
            const RunsFolder found = runsFolderFor(folder);
            QCOMPARE(found.folder, base_ / "data" / "lockstep" / "runs");
            QCOMPARE(found.origin, RunsFolderOrigin::UserData);
        }
    }

    void whatSlurmStartsDoesNotLieInAFolderThatOnlyThisHostMayHave() {
        using config::LaunchMethod;
        const fs::path data = base_ / "data" / "lockstep" / "runs";
        QCOMPARE(launchedRunsFolder(LaunchMethod::Local, {}), data);
        QCOMPARE(launchedRunsFolder(LaunchMethod::Slurm, {}), base_ / "elsewhere" / "runs");
        QCOMPARE(launchedRunsFolder(LaunchMethod::Slurm, base_ / "jobs"), base_ / "jobs" / "runs");
    }

    void aChosenFolderHoldsForAllJobsUntilItIsGivenUp() {
        QVERIFY(chooseRunsFolder("mine"));
        QVERIFY(fs::is_directory(base_ / "elsewhere" / "mine"));
        const RunsFolder found = runsFolderFor(base_ / "jobs");
        QCOMPARE(found.folder, base_ / "elsewhere" / "mine");
        QCOMPARE(found.origin, RunsFolderOrigin::Chosen);
        QCOMPARE(chosenRunsFolder(), found.folder);
        QVERIFY(chooseRunsFolder({}));
        QVERIFY(chosenRunsFolder().empty());
        QCOMPARE(runsFolderFor(base_ / "jobs").origin, RunsFolderOrigin::BesideJob);
    }

    void aFolderThatCannotHoldRunsIsNotChosen() {
        QVERIFY(replaceFileDurably(base_ / "file", "x"));
        const auto chosen = chooseRunsFolder(base_ / "file" / "runs");
        QVERIFY(!chosen);
        QCOMPARE(chosen.error().code, ErrorCode::BadInput);
        QVERIFY(chosen.error().message.find((base_ / "file" / "runs").string()) !=
                std::string::npos);
        QVERIFY(!chooseRunsFolder("two\nlines"));
        QVERIFY(chosenRunsFolder().empty());
    }

    void everyKnownPlaceIsLookedAtOnce() {
        makeRun(base_ / "elsewhere" / "runs" / "here");
        makeRun(base_ / "data" / "lockstep" / "runs" / "own");
        makeRun(base_ / "jobs" / "runs" / "beside");
        makeRun(base_ / "never" / "runs" / "unknown");
        rememberRunsFolder(base_ / "jobs" / "runs");
        rememberRunsFolder(base_ / "elsewhere" / "runs");  // also the working directory's
        rememberRunsFolder(base_ / "gone");
        QCOMPARE(knownRunsFolders().size(), std::size_t{3});
        std::vector<std::string> names;
        for (const RunEntry& run : listRuns({}))
            names.push_back(run.runDir.filename());
        std::ranges::sort(names);
        QCOMPARE(names, (std::vector<std::string>{"beside", "here", "own"}));
    }

    void manyFoldersOfRunsAreRememberedHoweverLongAgoTheyWereUsed() {
        constexpr std::size_t kFolders = 300;
        std::string lines;
        for (std::size_t i = 0; i < kFolders; ++i) {
            const fs::path folder = base_ / "projects" / std::to_string(i);
            fs::create_directories(folder);
            lines += folder.string() + "\n";
        }
        fs::create_directories(base_ / "state" / "lockstep");
        QVERIFY(replaceFileDurably(base_ / "state" / "lockstep" / "runs-folders", lines));
        makeRun(base_ / "jobs" / "runs" / "newest");
        rememberRunsFolder(base_ / "jobs" / "runs");
        const auto known = knownRunsFolders();
        QCOMPARE(known.size(), kFolders + 1);
        QVERIFY(std::ranges::find(known, base_ / "projects" / "0") != known.end());
    }

    void whereALineIsOneTooManyThoseThatAreGoneMakeWayFirst() {
        const LineList list(base_ / "lines", 3);
        const auto isGone = [](const std::string& line) { return line.starts_with("gone"); };
        for (const char* line : {"a", "gone", "b"})
            QVERIFY(list.add(line, isGone));
        QCOMPARE(list.lines(), (std::vector<std::string>{"a", "gone", "b"}));
        QVERIFY(list.add("c", isGone));
        QCOMPARE(list.lines(), (std::vector<std::string>{"a", "b", "c"}));
        QVERIFY(list.add("d", isGone));
        QCOMPARE(list.lines(), (std::vector<std::string>{"b", "c", "d"}));
    }

    void aListTellsSettingsDurationAndTheBestValidation() {
        const fs::path run = base_ / "jobs" / "runs" / "one";
        makeRun(run);
        QVERIFY(replaceFileDurably(run / "job.toml",
                                   "[job]\nname = \"one\"\n[data]\ndataset = \"digits\"\n"
                                   "[training]\nlearning_rate = 0.25\n"));
        QVERIFY(replaceFileDurably(run / "summary.json",
                                   R"({"status": "completed", "wall_seconds": 12.5})"));
        const auto validated = [&](int file, std::initializer_list<double> accuracies, int step) {
            telemetry::EventFile events(run / "events" / "validation", 1.7e9 + file);
            for (const double accuracy : accuracies) {
                events.addScalar({1.7e9, std::uint64_t(step), -1, -1, "validation/loss", 1.0});
                events.addScalar(
                    {1.7e9, std::uint64_t(step), -1, -1, "validation/accuracy", accuracy});
                step += 100;
            }
            QVERIFY(events.flush());
        };
        validated(0, {0.5, 0.75, 0.99}, 100);
        const auto listed = [&] { return listRuns(base_ / "jobs" / "runs").at(0); };
        QCOMPARE(listed().tookSeconds, 12.5);
        QCOMPARE(listed().validationScore->name, std::string("accuracy"));
        QCOMPARE(listed().validationScore->value, double(0.99F));
        QCOMPARE(listed().validationCurve, (std::vector<double>{0.5, 0.75, double(0.99F)}));
        const auto settings = listed().settings;
        QVERIFY(std::ranges::find(settings, RunSetting{"training.learning_rate", "0.25"}) !=
                settings.end());
        // A resume from step 200 trained the third epoch anew.
        validated(1, {0.625}, 300);
        QCOMPARE(listed().validationScore->value, 0.75);
        QCOMPARE(listed().validationCurve, (std::vector<double>{0.5, 0.75, 0.625}));
        fs::remove_all(run / "events");
        QVERIFY(!listed().validationScore && listed().validationCurve.empty());
    }

    void aLongSummaryIsReadAndOneThatCannotBeIsSaid() {
        const fs::path run = base_ / "jobs" / "runs" / "one";
        makeRun(run);
        const auto listed = [&] { return listRuns(base_ / "jobs" / "runs").at(0); };
        QCOMPARE(listed().status, std::string("interrupted"));
        std::string drills =
            "{\"counted\": true, \"outcome\": \"" + std::string(3 << 20, 'x') + "\"}";
        QVERIFY(replaceFileDurably(run / "summary.json",
                                   R"({"status": "completed", "drills": [)" + drills + "]}"));
        QCOMPARE(listed().status, std::string("completed"));
        QCOMPARE(listed().drills, 1);
        fs::resize_file(run / "summary.json", kMostSummaryBytes + 1);
        QCOMPARE(listed().status, std::string("unknown"));
        QVERIFY2(listed().missing.starts_with("its summary cannot be read: "),
                 listed().missing.c_str());
        QVERIFY(replaceFileDurably(run / "summary.json", "no JSON"));
        QCOMPARE(listed().status, std::string("unknown"));
    }

    void aListFindsTheBestValidationInEventFilesOfAnySize() {
        const fs::path run = base_ / "jobs" / "runs" / "long";
        makeRun(run);
        const auto validated = [&](std::uint64_t first, std::uint64_t last, double wall) {
            telemetry::EventFile events(run / "events" / "validation", wall);
            for (std::uint64_t step = first; step <= last; ++step) {
                const double accuracy = step == 30'000   ? 0.75
                                        : step == 19'000 ? 0.625
                                        : step < 10'000  ? 0.25
                                                         : 0.5;
                events.addScalar({wall, step, -1, -1, "validation/loss", 1.0});
                events.addScalar({wall, step, -1, -1, "validation/accuracy", accuracy});
            }
            QVERIFY(events.flush());
        };
        validated(1, 40'000, 1.7e9);
        std::uintmax_t bytes = 0;
        for (const auto& file : fs::directory_iterator(run / "events" / "validation"))
            bytes += file.file_size();
        QVERIFY(bytes > std::uintmax_t{4} << 20);
        const auto best = [&] { return listRuns(base_ / "jobs" / "runs").at(0).validationScore; };
        QVERIFY(best());
        QCOMPARE(best()->value, 0.75);
        const auto curve = listRuns(base_ / "jobs" / "runs").at(0).validationCurve;
        QCOMPARE(curve.size(), std::size_t{32});
        QCOMPARE(std::ranges::count(curve, 0.25), std::ptrdiff_t{8});  // a quarter of the steps
        validated(20'001, 20'002, 1.8e9);  // a resume from step 20,000 takes back the rest
        QCOMPARE(best()->value, 0.625);
    }

    void aListReadsNoMoreOfTheJournalsThanItMay() {
        std::vector<RunEntry> runs(3);
        const char* const names[] = {"new", "large", "old"};
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].runDir = base_ / names[i];
            makeRun(runs[i].runDir);
            QVERIFY(replaceFileDurably(runs[i].runDir / "journal",
                                       std::string(1 == i ? 100 : 20, 'x')));
        }
        runs[1].missing = "3 records";
        const auto some = checkRecords(runs, 50);
        QVERIFY(some[0].examined && some[2].examined && !some[1].examined);
        QVERIFY(!some[0].missing.empty());
        QCOMPARE(some[1].missing, std::string("3 records"));  // as its summary says
        const auto all = checkRecords(runs, 1000);
        QVERIFY(all[1].examined);
        QVERIFY(all[1].missing.starts_with("3 records; "));
        runs[0].running = true;  // it is being written
        QVERIFY(!checkRecords(runs, 1000)[0].examined);
    }

    /// What a resume that names no folder goes on with.
    void inAFolderOfManyProjectsOnlyTheJobsOwnRunIsResumed() {
        const fs::path shared = base_ / "shared";
        const auto toml = [](const fs::path& data) {
            return "[job]\nname = \"one\"\n[data]\ndataset = \"mnist\"\ndirectory = \"" +
                   data.string() + "\"\n[model]\nlayers = [{ type = \"dense\", units = 10 }]\n";
        };
        const auto add = [&](const fs::path& folder, const fs::path& data) {
            fs::create_directories(folder / "checkpoints");
            QVERIFY(replaceFileDurably(folder / "job.toml", toml(data)));
        };
        LaunchOptions options;
        options.resume = true;
        options.runsFolder = shared;
        options.workerProgram = "/bin/false";
        add(shared / "theirs", base_ / "theirs" / "data");
        const auto refused = job::launch(toml("data"), base_ / "jobs", options);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::Unavailable);
        // Nor does a job that makes or restores begin anew beside it, unsaid.
        LaunchOptions plain = options;
        plain.resume = false;
        QVERIFY(!job::launch(toml("data") + "[checkpoint]\nresume = \"auto\"\n", base_ / "jobs",
                             plain));
        for (const std::string& words : {(shared / "theirs").string(), std::string("directory = ")})
            QVERIFY2(refused.error().message.find(words) != std::string::npos,
                     refused.error().message.c_str());
        QVERIFY(refused.error().remedy.find("--run-dir") != std::string::npos);
        add(shared / "own", base_ / "jobs" / "data");
        const auto resumed = job::launch(toml("data"), base_ / "jobs", options);
        QVERIFY2(resumed, resumed ? "" : resumed.error().message.c_str());
        QCOMPARE((*resumed)->view()->runDir, shared / "own");
        // Beside the job file lie its own runs, though its data have moved.
        options.runsFolder = base_ / "jobs" / "runs";
        add(base_ / "jobs" / "runs" / "moved", base_ / "former" / "data");
        const auto beside = job::launch(toml("data"), base_ / "jobs", options);
        QVERIFY2(beside, beside ? "" : beside.error().message.c_str());
        QCOMPARE((*beside)->view()->runDir, base_ / "jobs" / "runs" / "moved");
    }

    void aWorkingDirectoryThatIsGoneSpoilsNothing() {
        makeRun(base_ / "jobs" / "runs" / "beside");
        rememberRunsFolder(base_ / "jobs" / "runs");
        fs::remove_all(base_ / "elsewhere");
        QCOMPARE(listRuns({}).size(), std::size_t{1});
        QCOMPARE(runsFolderFor(base_ / "jobs").folder, base_ / "jobs" / "runs");
        QCOMPARE(runsFolderFor("relative").origin, RunsFolderOrigin::UserData);
        const auto chosen = chooseRunsFolder("relative");
        QVERIFY(!chosen);
        QVERIFY(chosen.error().message.find("working directory") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(RunsFolderTest)
#include "tst_runs_folder.moc"
