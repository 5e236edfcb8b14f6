// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "core/run/run_folder.h"

using namespace lockstep;
using namespace lockstep::run;

namespace fs = std::filesystem;

namespace {

std::string textOf(const Result<RunFolder>& opened) {
    if (opened) return "opened";
    return opened.error().message + " | " + opened.error().remedy;
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

void write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    QVERIFY(replaceFileDurably(path, text));
}

unsigned modeOf(const fs::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

}  // namespace

class RunFolderTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> temporary_;
    fs::path base_;

private slots:
    void init() {
        temporary_ = std::make_unique<QTemporaryDir>();
        base_ = temporary_->path().toStdString();
    }
    void manyLaunchesInOneSecondGetAFolderEach() {
        std::mutex mutex;
        std::set<std::string> names;
        {
            std::vector<std::jthread> launches;
            for (int i = 0; i < 8; ++i)
                launches.emplace_back([&] {
                    const auto folder = reserveFolder(base_ / "runs", "job-20260101-000000");
                    const std::lock_guard lock(mutex);
                    names.insert(folder ? folder->filename().string() : folder.error().message);
                });
        }
        QCOMPARE(names.size(), std::size_t{8});
        QVERIFY(names.contains("job-20260101-000000") && names.contains("job-20260101-000000-8"));
    }
    void aReservedFolderGoesWithTheJobThatWasRefused() {
        const auto folder = reserveFolder(base_ / "a" / "runs", "job").value();
        auto run = RunFolder::open(folder, false, base_ / "a");
        QVERIFY2(run, textOf(run).c_str());
        run->takeBack();
        QVERIFY(!fs::exists(base_ / "a") && fs::exists(base_));
    }
    void aNewFolderIsMadeWithItsParts() {
        const auto run = RunFolder::open(base_ / "runs" / "one", false);
        QVERIFY2(run, textOf(run).c_str());
        QVERIFY(fs::is_directory(run->paths().logs()));
        QVERIFY(fs::is_directory(run->paths().events()));
        QVERIFY(run->paths().folder.is_absolute());
    }
    void aSecondProgramIsRefused() {
        const auto first = RunFolder::open(base_ / "run", false);
        QVERIFY(first);
        write(first->paths().journal(), "x");  // it has begun: this must not hide the reason
        for (const bool resume : {false, true}) {
            const auto second = RunFolder::open(base_ / "run", resume);
            QVERIFY(!second);
            QCOMPARE(second.error().code, ErrorCode::Unavailable);
            QVERIFY2(contains(textOf(second), "another program is running in " +
                                                  (base_ / "run").string() + " | Follow it"),
                     textOf(second).c_str());
        }
    }
    void aRunThatHasWrittenItsEndIsWaitedForUntilItLetsGo() {
        auto former = RunFolder::open(base_ / "run", false);
        QVERIFY(former);
        fs::create_directories(former->paths().checkpoints());
        write(former->paths().summary(), "{}");
        const std::jthread end([run = std::move(*former)] {
            // a pause: the next one has begun to wait
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        });
        const auto next = RunFolder::open(base_ / "run", true);
        QVERIFY2(next, textOf(next).c_str());
    }
    void theLockEndsWithItsOwner() {
        const RunPaths paths{base_ / "run"};
        QVERIFY(!isLocked(paths));
        {
            const auto run = RunFolder::open(paths.folder, false);
            QVERIFY(isLocked(paths));
        }
        QVERIFY(!isLocked(paths));
        QVERIFY(RunFolder::open(paths.folder, false));
    }
    void lookingAtALockNeverTakesIt() {
        const RunPaths paths{base_ / "run"};
        { QVERIFY(RunFolder::open(paths.folder, false)); }
        std::atomic<bool> done{false};
        std::jthread watcher([&] {
            while (!done)
                std::ignore = isLocked(paths);
        });
        int refused = 0;
        for (int i = 0; i < 200; ++i)
            refused += RunFolder::open(paths.folder, false) ? 0 : 1;
        done = true;
        QCOMPARE(refused, 0);
    }

    void anEarlierRunIsNotOverwritten() {
        write(base_ / "run" / "journal", "records");
        const auto run = RunFolder::open(base_ / "run", false);
        QVERIFY(!run);
        QCOMPARE(run.error().code, ErrorCode::BadInput);
        QVERIFY2(contains(textOf(run), "already holds a run | Continue it with --resume"),
                 textOf(run).c_str());
    }
    void nothingToResumeIsSaid() {
        for (const char* name : {"missing", "empty"}) {
            if (std::string_view(name) == "empty") fs::create_directories(base_ / name);
            const auto run = RunFolder::open(base_ / name, true);
            QVERIFY(!run);
            QCOMPARE(run.error().code, ErrorCode::BadInput);
            QVERIFY2(contains(textOf(run), "it holds no checkpoints"), textOf(run).c_str());
        }
        QVERIFY(!fs::exists(base_ / "missing"));
    }
    void aRunWithCheckpointsCanBeResumed() {
        write(base_ / "run" / "checkpoints" / "LATEST", "x");
        const auto run = RunFolder::open(base_ / "run", true);
        QVERIFY2(run, textOf(run).c_str());
    }

    void badInputLeavesNothingWritten() {
        auto run = RunFolder::open(base_ / "a" / "b" / "run", false);
        QVERIFY(run);
        write(run->paths().job(), "[job]");
        run->takeBack();
        QVERIFY(!fs::exists(base_ / "a"));
        QVERIFY(fs::exists(base_));
        run->takeBack();  // a second time: nothing left to do
    }
    void aRefusedResumeLeavesTheFormerRunAsItWas() {
        const fs::path folder = base_ / "run";
        const RunPaths paths{folder};
        write(paths.job(), "learning_rate = 0.1");
        write(paths.summary(), R"({"status": "completed"})");
        write(paths.journal(), "frames");
        write(paths.epochs(), "epoch,step\n1,10\n");
        write(paths.logs() / "process-0.log", "trained\n");
        write(paths.events() / "train" / "events.1", "scalars");
        write(paths.lock(), "former-id\n");
        fs::create_directories(paths.checkpoints());
        auto run = RunFolder::open(folder, true);
        QVERIFY2(run, run ? "" : run.error().message.c_str());
        QCOMPARE(run->former().job(), std::string("learning_rate = 0.1"));
        QVERIFY(run->writeRunId("another-id") && writeProcesses(run->paths(), {}));
        write(paths.job(), "learning_rate = 9");
        write(paths.journal(), "frames and more of them");
        write(paths.epochs(), "");
        write(paths.logs() / "process-0.log", "trained\nerror: refused\n");
        write(paths.logs() / "evaluator.log", "");
        write(paths.events() / "train" / "events.2", "");
        run->takeBack();
        QCOMPARE(readRunId(paths), std::string("former-id"));
        QVERIFY(!fs::exists(paths.processes()) && !fs::exists(paths.logs() / "evaluator.log") &&
                !fs::exists(paths.events() / "train" / "events.2"));
        const auto textOf = [](const fs::path& path) { return readFile(path, 100).value(); };
        QCOMPARE(textOf(paths.job()), std::string("learning_rate = 0.1"));
        QCOMPARE(textOf(paths.summary()), std::string(R"({"status": "completed"})"));
        QCOMPARE(textOf(paths.journal()), std::string("frames"));
        QCOMPARE(textOf(paths.epochs()), std::string("epoch,step\n1,10\n"));
        QCOMPARE(textOf(paths.logs() / "process-0.log"), std::string("trained\n"));
        QVERIFY(fs::exists(paths.checkpoints()));
    }
    void aCopyThatARunGoesOnFromIsNoneAnyMoreUnlessThatIsRefused() {
        const RunPaths paths{base_ / "run"};
        write(paths.journal(), "journal");
        write(paths.copyMark(), "former-id\n");
        write(paths.checkpoints() / "step-10" / "manifest.json", "{}");
        {
            auto refused = RunFolder::open(paths.folder, true);
            QVERIFY2(refused, textOf(refused).c_str());
            QVERIFY(!fs::exists(paths.copyMark()));
            refused->takeBack();
            QVERIFY(fs::exists(paths.copyMark()));
        }
        QVERIFY(RunFolder::open(paths.folder, true));
        QVERIFY(!fs::exists(paths.copyMark()));
    }
    void aFormerFileThatIsTooLongToRememberIsNotDeleted() {
        const RunPaths paths{base_ / "run"};
        fs::create_directories(paths.checkpoints());
        write(paths.job(), std::string(2 << 20, '#'));
        auto run = RunFolder::open(paths.folder, true);
        QVERIFY(run);
        run->takeBack();
        QCOMPARE(fs::file_size(paths.job()), std::uintmax_t{2 << 20});
    }
    void foldersOfOthersAreNotDiscarded() {
        fs::create_directories(base_ / "a" / "run");
        write(base_ / "a" / "run" / "notes.txt", "mine");
        auto run = RunFolder::open(base_ / "a" / "run", false);
        QVERIFY(run);
        run->takeBack();
        QVERIFY(fs::exists(base_ / "a" / "run" / "notes.txt"));
    }
    void aParentThatOthersMovedIntoStays() {
        auto run = RunFolder::open(base_ / "a" / "b" / "run", false);
        QVERIFY(run);
        write(base_ / "a" / "other", "theirs");
        run->takeBack();
        QVERIFY(!fs::exists(base_ / "a" / "b"));
        QVERIFY(fs::exists(base_ / "a" / "other"));
    }

    void aFolderThatCannotBeMadeIsBadInput_data() {
        QTest::addColumn<QString>("path");
        QTest::newRow("no such system folder") << "/proc/lockstep/run";
        if (fs::exists("/sys/kernel"))  // not in every chroot
            QTest::newRow("read-only system folder") << "/sys/kernel/run";
        QTest::newRow("a file in the way") << "FILE/run";
        QTest::newRow("a file itself") << "FILE";
        QTest::newRow("a name too long") << "new/deep/" + QString(300, 'x') + "/run";
    }
    void aFolderThatCannotBeMadeIsBadInput() {
        QFETCH(QString, path);
        write(base_ / "FILE", "x");
        const fs::path folder =
            path.startsWith('/') ? fs::path(path.toStdString()) : base_ / path.toStdString();
        const auto run = RunFolder::open(folder, false);
        QVERIFY(!run);
        QCOMPARE(run.error().code, ErrorCode::BadInput);
        const std::string text = textOf(run);
        QVERIFY2(contains(text, "the run folder " + folder.string() + " cannot be written: ") &&
                     contains(text, "--run-dir"),
                 text.c_str());
        QVERIFY2(!fs::exists(base_ / "new"), "half of the way was left behind");
    }
    void aReadOnlyFolderIsBadInput() {
        if (::geteuid() == 0) QSKIP("the superuser may write everywhere");
        fs::create_directories(base_ / "shut");
        fs::permissions(base_ / "shut", fs::perms::owner_read | fs::perms::owner_exec);
        const auto run = RunFolder::open(base_ / "shut", false);
        fs::permissions(base_ / "shut", fs::perms::owner_all);
        QVERIFY(!run);
        QCOMPARE(run.error().code, ErrorCode::BadInput);
    }

    void processesComeBackAsWritten() {
        const auto run = RunFolder::open(base_ / "run", false);
        const std::vector<ProcessEntry> written{{"agent", 0, "host-a", 10, 100},
                                                {"worker", 1, "host-b", 4'000'000, 1ULL << 60}};
        QVERIFY(writeProcesses(run->paths(), written));
        const auto read = readProcesses(run->paths());
        QVERIFY(read);
        QCOMPARE(read->size(), std::size_t{2});
        QCOMPARE((*read)[1].role, std::string("worker"));
        QCOMPARE((*read)[1].processId, 1);
        QCOMPARE((*read)[1].host, std::string("host-b"));
        QCOMPARE((*read)[1].pid, pid_t{4'000'000});
        QCOMPARE((*read)[1].startTime, std::uint64_t{1} << 60);
        QVERIFY(writeProcesses(run->paths(), {}));
        QVERIFY(readProcesses(run->paths()).value().empty());
    }
    void theContactComesBackAsWrittenAndGoes() {
        const auto run = RunFolder::open(base_ / "run", false);
        QCOMPARE(readContact(run->paths()).error().code, ErrorCode::NotFound);
        QVERIFY(writeContact(run->paths(), {"id", "ipc:///x/monitor", "/x/monitor.key"}));
        const auto contact = readContact(run->paths());
        QVERIFY(contact);
        QCOMPARE(contact->runId, std::string("id"));
        QCOMPARE(contact->endpoint, std::string("ipc:///x/monitor"));
        QCOMPARE(contact->keyFile.string(), std::string("/x/monitor.key"));
        removeContact(run->paths());
        QVERIFY(!fs::exists(run->paths().contact()));
    }
    void damagedFilesAreCorruptNotACrash() {
        const RunPaths paths{base_ / "run"};
        for (const char* text : {"", "{", "[1]", "3", "{\"run_id\": 5}", "\"x\""}) {
            write(paths.contact(), text);
            QVERIFY2(!readContact(paths), text);
            QCOMPARE(readContact(paths).error().code, ErrorCode::Corrupt);
        }
        for (const char* text : {"", "{", "[1]", "[{\"pid\": \"x\"}]", "3"}) {
            write(paths.processes(), text);
            QVERIFY2(!readProcesses(paths), text);
            QCOMPARE(readProcesses(paths).error().code, ErrorCode::Corrupt);
        }
    }

    void theRuntimeFolderIsPrivate() {
        qputenv("XDG_RUNTIME_DIR", temporary_->path().toUtf8());
        const auto folder = makeRuntimeFolder("run-1");
        QVERIFY(folder);
        QCOMPARE(folder->string(), (base_ / "lockstep" / "run-1").string());
        QCOMPARE(modeOf(*folder), 0700U);
        QCOMPARE(modeOf(base_ / "lockstep"), 0700U);
        QVERIFY(makeRuntimeFolder("run-1"));  // a restart of the same run
    }
    void foldersOfKilledProcessesAreSweptAndThoseOfLivingOnesStay() {
        qputenv("XDG_RUNTIME_DIR", temporary_->path().toUtf8());
        const auto made = [](const char* name) {
            const auto folder = makeRuntimeFolder(name);
            write(*folder / "monitor.key", "secret");
            return *folder;
        };
        const auto own = made("living");
        int ready[2];
        QCOMPARE(::pipe(ready), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            made("killed");
            std::ignore = ::write(ready[1], "x", 1);
            for (;;)
                ::pause();
        }
        char byte = 0;
        QCOMPARE(::read(ready[0], &byte, 1), 1);
        const fs::path killed = base_ / "lockstep" / "killed";
        made("another");
        QVERIFY(fs::exists(killed / "monitor.key"));  // its owner lives
        fs::create_directory(base_ / "lockstep" / "unknown");
        write(base_ / "lockstep" / "unknown" / "socket", "");
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        made("third");
        QVERIFY(!fs::exists(killed));
        QVERIFY(fs::exists(own / "monitor.key"));
        QVERIFY(fs::exists(base_ / "lockstep" / "another" / "monitor.key"));
        QVERIFY(fs::exists(base_ / "lockstep" / "unknown" / "socket"));  // nobody says it is dead
        const auto shared = makeSharedRuntimeFolder("starts");
        write(*shared / "a.key", "secret");
        made("fourth");
        QVERIFY(fs::exists(*shared / "a.key"));
    }
    void aRuntimeFolderOpenToOthersIsRefused() {
        qputenv("XDG_RUNTIME_DIR", temporary_->path().toUtf8());
        fs::create_directories(base_ / "lockstep");
        fs::permissions(base_ / "lockstep", fs::perms(0750));
        const auto folder = makeRuntimeFolder("run-1");
        QVERIFY(!folder);
        QCOMPARE(folder.error().code, ErrorCode::Unavailable);
        QVERIFY(contains(folder.error().message, (base_ / "lockstep").string()));
    }
    void aLinkInsteadOfTheRuntimeFolderIsRefused() {
        qputenv("XDG_RUNTIME_DIR", temporary_->path().toUtf8());
        fs::create_directories(base_ / "elsewhere");
        fs::permissions(base_ / "elsewhere", fs::perms(0700));
        fs::create_symlink(base_ / "elsewhere", base_ / "lockstep");
        QVERIFY(!makeRuntimeFolder("run-1"));
        QVERIFY(fs::is_empty(base_ / "elsewhere"));
    }
    void whatOutlivesTheSessionIsNotInItsFolder() {
        qputenv("XDG_RUNTIME_DIR", temporary_->path().toUtf8());
        keepRuntimeFolders();
        const auto folder = makeRuntimeFolder("tst-kept-folder-" + std::to_string(::getpid()));
        qunsetenv("LOCKSTEP_KEEP_RUNTIME");
        QVERIFY(folder);
        QVERIFY(contains(folder->string(), "/tmp/lockstep-" + std::to_string(::geteuid()) + "/"));
        QCOMPARE(modeOf(*folder), 0700U);
        QCOMPARE(qgetenv("XDG_RUNTIME_DIR"), temporary_->path().toUtf8());
        fs::remove_all(*folder);
        QVERIFY(contains(makeRuntimeFolder("run-1")->string(), base_.string()));
    }
    void withoutARuntimeDirectoryTheTemporaryOneServes() {
        qunsetenv("XDG_RUNTIME_DIR");
        const auto folder = makeRuntimeFolder("tst-run-folder-" + std::to_string(::getpid()));
        QVERIFY(folder);
        QVERIFY(contains(folder->string(), "/tmp/lockstep-" + std::to_string(::geteuid()) + "/"));
        QCOMPARE(modeOf(*folder), 0700U);
        fs::remove_all(*folder);
    }
};

QTEST_GUILESS_MAIN(RunFolderTest)
#include "tst_run_folder.moc"
