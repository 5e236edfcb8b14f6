// SPDX-License-Identifier: Apache-2.0
// A job file from elsewhere runs nothing before somebody has seen what it would run.
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>

#include "core/base/file.h"
#include "core/job/trust.h"

using namespace lockstep;
using namespace lockstep::job;

namespace fs = std::filesystem;

namespace {

config::JobSpec jobThatRuns(std::vector<std::string> command) {
    config::JobSpec job;
    job.cluster.jobAddresses = {{"b", 1}, {"a", 1}, {"b", 2}};
    job.cluster.numProcesses = 3;
    job.launch.command = std::move(command);
    return job;
}

bool says(const std::vector<std::string>& lines, const std::string& line) {
    return std::ranges::count(lines, line) == 1;
}

}  // namespace

class TrustTest : public QObject {
    Q_OBJECT
private slots:
    void aJobOfOursOnThisMachineHasNoEffects() {
        QVERIFY(launchEffects(jobThatRuns({}), "/jobs").empty());
    }

    void everythingThatAFileCanMakeRunIsSaid() {
        config::JobSpec job = jobThatRuns({"python", "train.py", "a b", ""});
        job.launch.environment = {"LD_PRELOAD=/x.so"};
        job.launch.method = config::LaunchMethod::Ssh;
        job.launch.sshConfig = "evil config";
        job.launch.directory = "../src";
        const auto lines = launchEffects(job, "/jobs/one");
        QVERIFY(says(lines, "runs on every host: python train.py \"a b\" \"\""));
        QVERIFY(says(lines, "in the folder /jobs/src"));
        QVERIFY(says(lines, "with the variables LD_PRELOAD=/x.so"));
        QVERIFY(says(lines, "logs in by ssh to a b"));
        QVERIFY(says(lines,
                     "with the ssh configuration \"/jobs/one/evil config\", which may run "
                     "commands on this machine"));
    }

    void nothingInALineIsHidden() {
        const auto lines = launchEffects(
            jobThatRuns({"sh", "-c", "\x1b[2K\rrm\n\t\"x\" \xE2\x80\xAE\xC2\x9B\xE2\x80\x8B"}),
            "/");
        QVERIFY(says(lines,
                     "runs on every host: sh -c "
                     "\"\\u001B[2K\\u000Drm\\n\\t\\\"x\\\" \\u202E\\u009B\\u200B\""));
    }

    void commandsThatDifferNeverLookAlike() {
        const auto lineOf = [](std::vector<std::string> command) {
            return launchEffects(jobThatRuns(std::move(command)), "/").front();
        };
        QVERIFY(lineOf({"a", "b"}) != lineOf({"a b"}));
        QVERIFY(lineOf({"a", "\"b"}) != lineOf({"a", "\\\"b"}));
        QVERIFY(lineOf({"\xE2\x80\xAE"}) != lineOf({"\\u202E"}));
        QVERIFY(lineOf({"a", ""}) != lineOf({"a"}));
    }

    void whatWasLaunchedIsKnownForThisFileAndTheseEffectsOnly() {
        const QTemporaryDir folder;
        const TrustedJobs trusted(fs::path(folder.path().toStdString()) / "deep");
        const std::vector<std::string> effects = {"runs x", "in y"};
        QVERIFY(!trusted.contains("/jobs/a.toml", effects));
        QVERIFY(trusted.contains("/jobs/a.toml", {}));
        QVERIFY(trusted.add("/jobs/a.toml", effects));
        QVERIFY(trusted.contains("/jobs/a.toml", effects));
        QVERIFY(trusted.contains("/jobs/../jobs/a.toml", effects));
        QVERIFY(!trusted.contains("/jobs/b.toml", effects));
        QVERIFY(!trusted.contains("/jobs/a.toml", {"runs x"}));
        QVERIFY(!trusted.contains("/jobs/a.toml", {"runs x\nin y"}));
        QVERIFY(!trusted.contains("/jobs/a.toml", {"runs x\" \"in y"}));
        struct stat status {};
        QCOMPARE(::stat((folder.path().toStdString() + "/deep/launched-jobs").c_str(), &status), 0);
        QCOMPARE(int(status.st_mode & 0777), 0600);
    }

    void theListHasALimitAndTheNewestStay() {
        const QTemporaryDir folder;
        const TrustedJobs trusted(folder.path().toStdString());
        for (int i = 0; i < 520; ++i)
            QVERIFY(trusted.add("/jobs/" + std::to_string(i), {"runs"}));
        QVERIFY(!trusted.contains("/jobs/0", {"runs"}));
        QVERIFY(trusted.contains("/jobs/519", {"runs"}));
        QVERIFY(trusted.add("/jobs/long", {std::string(20000, 'x')}));
        QVERIFY(!trusted.contains("/jobs/long", {std::string(20000, 'x')}));
    }

    void aListThatCannotBeReadTrustsNothing() {
        const QTemporaryDir folder;
        QVERIFY(fs::create_directory(folder.path().toStdString() + "/launched-jobs"));
        const TrustedJobs trusted(folder.path().toStdString());
        QVERIFY(!trusted.contains("/a", {"runs"}));
        QVERIFY(!trusted.add("/a", {"runs"}));
        QVERIFY(!TrustedJobs(fs::path()).contains("/a", {"runs"}));
    }
};

QTEST_GUILESS_MAIN(TrustTest)
#include "tst_trust.moc"
