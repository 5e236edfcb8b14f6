// SPDX-License-Identifier: Apache-2.0
// What a user says of a run, and what listings remember of runs.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/file.h"
#include "core/job/fold/run_about.h"
#include "core/job/runs_memory.h"
#include "core/run/run_folder.h"

using namespace lockstep;
using namespace lockstep::job;

namespace fs = std::filesystem;

namespace {

/// In memory alone.
class Memory final : public RunsMemory {
public:
    std::shared_ptr<const RunEntry> find(const fs::path& runDir,
                                         const std::string& stamp) override {
        const auto found = kept.find(runDir);
        return found != kept.end() && found->second.first == stamp ? found->second.second : nullptr;
    }
    void keep(std::shared_ptr<const RunEntry> run, const std::string& stamp) override {
        kept[run->runDir] = {stamp, run};
    }
    void finish(const fs::path&, const std::set<fs::path>& runs) override { seen = runs; }

    std::map<fs::path, std::pair<std::string, std::shared_ptr<const RunEntry>>> kept;
    std::set<fs::path> seen;
};

}  // namespace

class RunAboutTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path base_;

    fs::path makeRun(const std::string& name) {
        fs::create_directories(base_ / name);
        write(base_ / name / "job.toml", "[job]\nname = \"one\"\n[data]\ndataset = \"digits\"\n");
        write(base_ / name / "summary.json",
              R"({"status": "completed", "wall_seconds": 12.5, "test_accuracy": 0.975})");
        return base_ / name;
    }
    static void write(const fs::path& file, const std::string& text) {
        QVERIFY(replaceFileDurably(file, text));
    }

private slots:
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        base_ = fs::canonical(temporary_->path().toStdString());
    }

    void whatIsSaidOfARunLiesInItsFolder() {
        const fs::path run = makeRun("one");
        QVERIFY(readAbout(run)->isEmpty());
        QVERIFY(writeAbout(run, {}));
        QVERIFY(!fs::exists(aboutFile(run)));  // nothing to say
        QVERIFY(writeAbout(run, {"  the\nwide   one ", {"keep", "Keep", "base,line"}, "a\nb\n\n"}));
        const RunAbout about = *readAbout(run);
        QCOMPARE(about.name, std::string("the wide one"));
        QCOMPARE(about.tags, (std::vector<std::string>{"keep", "base", "line"}));
        QCOMPARE(about.note, std::string("a\nb"));
        const auto listed = listRuns(base_);
        QCOMPARE(listed.at(0).about, about);
        QCOMPARE(listed.at(0).name, std::string("one"));  // its job's
    }
    void whatALaterVersionHasAddedToTheFileStays() {
        const fs::path run = makeRun("one");
        write(aboutFile(run), R"({"name": "a", "stars": 5})");
        QVERIFY(writeAbout(run, {"b", {}, {}}));
        QVERIFY(readFile(aboutFile(run), 1000)->find("\"stars\": 5") != std::string::npos);
        QCOMPARE(readAbout(run)->name, std::string("b"));
    }
    void aFileThatCannotBeReadIsSaidAndNotWrittenOver() {
        const fs::path run = makeRun("one");
        for (const char* text : {"{", "[]", R"({"name": 5})", R"({"tags": "keep"})"}) {
            write(aboutFile(run), text);
            const auto about = readAbout(run);
            QVERIFY2(!about && about.error().message.find(aboutFile(run)) != std::string::npos,
                     text);
            QVERIFY(!about.error().remedy.empty());
            QVERIFY(!listRuns(base_).at(0).aboutProblem.empty());
        }
        write(aboutFile(run), "{");
        QVERIFY(!writeAbout(run, {"b", {}, {}}));
        QCOMPARE(*readFile(aboutFile(run), 1000), std::string("{"));
    }
    void whatIsTooLongOrNoTextIsRefused() {
        const fs::path run = makeRun("one");
        const std::vector<std::string> many(21, "");
        RunAbout tagged;
        for (int i = 0; i < 21; ++i)
            tagged.tags.push_back("t" + std::to_string(i));
        for (const RunAbout& about :
             {RunAbout{std::string(201, 'x'), {}, {}}, RunAbout{{}, {std::string(61, 'x')}, {}},
              RunAbout{{}, {}, std::string((16 << 10) + 1, 'x')}, RunAbout{"\xff", {}, {}},
              tagged}) {
            const auto written = writeAbout(run, about);
            QVERIFY(!written && written.error().code == ErrorCode::BadInput);
            QVERIFY(!written.error().remedy.empty());
        }
        QVERIFY(!fs::exists(aboutFile(run)));
    }
    void aFolderThatTakesNothingIsNamed() {
        const fs::path run = base_ / "gone";
        const auto written = writeAbout(run, {"a", {}, {}});
        QVERIFY(!written);
        QVERIFY(written.error().message.find(run.string()) != std::string::npos);
        QVERIFY(!written.error().remedy.empty());
    }
    void aResumedRunKeepsWhatIsSaidOfIt() {
        const fs::path run = makeRun("one");
        fs::create_directories(run / "checkpoints" / "step-1");
        QVERIFY(writeAbout(run, {"mine", {"keep"}, "note"}));
        {
            auto folder = run::RunFolder::open(run, true);
            QVERIFY2(folder.has_value(), folder ? "" : folder.error().message.c_str());
            QCOMPARE(readAbout(run)->name, std::string("mine"));
            folder->takeBack();
        }
        QCOMPARE(*readAbout(run), (RunAbout{"mine", {"keep"}, "note"}));
    }

    void anEntryIsReadAgainAsItWas() {
        RunEntry run;
        run.runDir = "/runs/\xc3\xa4 \"one\"";
        run.runId = "id";
        run.name = "n";
        run.status = "completed";
        run.startedWallTime = 1.7e9 + 0.1;
        run.testAccuracy = 0.1 + 0.2;
        run.testScore = Score{"loss", 1e-300, false};
        run.missing = "3 records";
        run.tookSeconds = 12;
        run.validationScore = Score{"accuracy", 1.0 / 3, true};
        run.validationCurve = {0.25, 1.0 / 3, 0};
        run.settings = {{"a.b", "[\n1]"}, {"c", ""}};
        run.drills = 2;
        run.about = {"x", {"y", "z"}, "1\n2"};
        run.aboutProblem = "p";
        QCOMPARE(*entryOf(entryText(run)), run);
        QCOMPARE(*entryOf(entryText(RunEntry{})), RunEntry{});
        const std::string text = entryText(run);
        for (const char* lost :
             {"\"took\":", "\"about_note\":", "\"test_score\":", "\"validation_curve\":"}) {
            std::string other = text;
            QVERIFY(other.find(lost) != std::string::npos);
            other.replace(other.find(lost), 2, "\"Q");
            QVERIFY2(!entryOf(other), lost);
        }
        QVERIFY(!entryOf("") && !entryOf("[]") && !entryOf(text.substr(0, text.size() / 2)));
    }
    void aListingReadsOnlyWhatHasChanged() {
        for (const char* name : {"one", "two", "three"})
            makeRun(name);
        fs::create_directories(base_ / "none");
        Memory memory;
        ListingCost cost;
        const auto first = listRuns(base_, memory, &cost);
        QCOMPARE(std::pair(cost.runs, cost.read), std::pair(3, 3));
        QCOMPARE(memory.seen.size(), std::size_t{3});
        QCOMPARE(listRuns(base_, memory, &cost), first);
        QCOMPARE(std::pair(cost.runs, cost.read), std::pair(3, 0));
        QCOMPARE(listRuns(base_), first);
        // Of every file that an entry is made of.
        const auto changed = [&](const fs::path& file, const std::string& text) {
            fs::create_directories(file.parent_path());
            write(file, text);
            const auto runs = listRuns(base_, memory, &cost);
            QCOMPARE(cost.read, 1);
            QCOMPARE(runs, listRuns(base_));
        };
        changed(base_ / "two" / "job.toml",
                "[job]\nname = \"six\"\n[data]\ndataset = \"digits\"\n");
        changed(base_ / "two" / "summary.json", R"({"status": "failed"})");
        changed(base_ / "two" / "about.json", R"({"name": "b"})");
        changed(base_ / "two" / "about.json", R"({"name": "c"})");
        changed(base_ / "two" / "run.lock", "an-id\n");
        changed(base_ / "two" / "events" / "validation" / "events.1", "");
        changed(base_ / "two" / "events" / "validation" / "events.2", "x");
        fs::remove_all(base_ / "one");
        QCOMPARE(listRuns(base_, memory, &cost).size(), std::size_t{2});
        QCOMPARE(cost.read, 0);
        QCOMPARE(memory.seen.size(), std::size_t{2});
    }
    void whoRunsIsAskedAnewEachTime() {
        const fs::path run = makeRun("one");
        Memory memory;
        const auto ended = listRuns(base_, memory).at(0);
        QCOMPARE(ended.status, std::string("completed"));
        {
            const auto lock = run::lockRunFolder(run::RunPaths{run}, "an-id");
            QVERIFY(lock);
            for (int i = 0; i < 2; ++i) {
                const auto entry = listRuns(base_, memory).at(0);
                QVERIFY(entry.running && entry.status == "running" && !entry.testScore);
                QCOMPARE(entry, listRuns(base_).at(0));
            }
        }
        ListingCost cost;
        const auto again = listRuns(base_, memory, &cost).at(0);
        QVERIFY(!again.running && again.testScore);
        QCOMPARE(cost.read, 0);
    }
    void allStartsOfARunTogetherAreWhatItTook() {
        const fs::path run = makeRun("one");
        QCOMPARE(listRuns(base_).at(0).tookSeconds, 12.5);  // an older version's
        write(run / "summary.json", R"({"wall_seconds": 2, "total_wall_seconds": 14.5})");
        QCOMPARE(listRuns(base_).at(0).tookSeconds, 14.5);
        write(run / "summary.json", R"({"wall_seconds": 2, "total_wall_seconds": null})");
        QCOMPARE(listRuns(base_).at(0).tookSeconds, 2.0);
    }
};

QTEST_GUILESS_MAIN(RunAboutTest)
#include "tst_run_about.moc"
