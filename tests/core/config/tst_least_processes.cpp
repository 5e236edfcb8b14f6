// SPDX-License-Identifier: Apache-2.0
// launch.least_processes: of which jobs it can be asked, and what is said of it.
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

const std::string kRestarts = "method = \"ssh\"\nmax_restarts = 2\non_disconnect = \"tied\"\n";
const std::string kCluster =
    "[cluster]\njob_addresses = [\"gpu1:0\", \"gpu2:0\", \"gpu3:0\", \"gpu4:0\"]\n";

std::string job(const std::string& launch, const std::string& more = "") {
    return with(kCluster + "[checkpoint]\ncopies = 2\n[launch]\n" + launch + more);
}

/// What is said of the key, with how grave it is.
std::vector<std::pair<Severity, std::string>> saidOf(const std::string& text) {
    std::vector<std::pair<Severity, std::string>> said;
    const auto document = parsed(text);
    for (const Finding& finding : document.findings())
        if (finding.key == "launch.least_processes")
            said.emplace_back(finding.severity, finding.message);
    return said;
}

void compareOnly(const std::string& text, Severity severity, const std::string& sentence) {
    const auto said = saidOf(text);
    QCOMPARE(said.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(said.front().second), QString::fromStdString(sentence));
    QVERIFY(said.front().first == severity);
}

}  // namespace

class LeastProcessesTest : public QObject {
    Q_OBJECT

private slots:
    void withoutTheKeyNothingIsSaid() {
        QVERIFY(saidOf(job(kRestarts)).empty());
        QVERIFY(saidOf(job(kRestarts + "least_processes = 0\n")).empty());
    }
    void whatItGivesIsSaid() {
        const std::string gives =
            "launch.least_processes: where a host is lost and not reached again, and no spare "
            "takes "
            "its place, the job goes on from its newest checkpoint without that host, as long as 3 "
            "of 4 processes are left";
        compareOnly(job(kRestarts + "least_processes = 3\n"), Severity::Note, gives);
        compareOnly(
            job("method = \"ssh\"\nmax_restarts = 2\nleast_processes = 3\n"), Severity::Note,
            gives + "; not where it is detached: nobody is there to begin again without it");
    }
    void moreThanThereAreIsRefused() {
        QVERIFY(parsed(job(kRestarts + "least_processes = 4\n")).checked());
        compareOnly(job(kRestarts + "least_processes = 5\n"), kError,
                    "launch.least_processes is 5, but there are 4 processes");
    }
    void aJobThatDoesNotBeginAgainIsRefused() {
        compareOnly(job("method = \"ssh\"\nleast_processes = 3\n"), kError,
                    "launch.least_processes is 3, but launch.max_restarts is 0: the job does not "
                    "begin again");
        compareOnly(job("method = \"ssh\"\non_failure = \"stop\"\nleast_processes = 3\n"), kError,
                    "launch.least_processes is 3, but launch.on_failure is \"stop\": the job does "
                    "not begin again");
    }
    void whatNeedsEveryProcessIsRefused() {
        compareOnly(job(kRestarts + "least_processes = 3\n",
                        "[distribution]\nmesh = { model = 2 }\nlayout = \"megatron\"\n"),
                    kError,
                    "launch.least_processes is 3, but processes share the network "
                    "(distribution.mesh.model is 2), and a part of it lives on one process only");
        compareOnly(
            job(kRestarts + "least_processes = 3\ncommand = [\"./train\"]\n"), kError,
            "launch.least_processes is 3, but launch.command trains, and how many processes "
            "share its work only that program knows");
        std::string off = job(kRestarts + "least_processes = 3\n");
        off.insert(off.find("[model]"), "auto_shard = \"off\"\n");
        compareOnly(
            off, kError,
            "launch.least_processes is 3, but data.auto_shard is \"off\": what each process "
            "reads depends on how many there are, and a run goes on with as many only");
        compareOnly(job("method = \"slurm\"\nmax_restarts = 2\nleast_processes = 3\n"), kError,
                    "launch.least_processes is 3, but launch.method is \"slurm\": who gives a job "
                    "its hosts is Slurm, and it ends what has lost one");
    }
    void onThisMachineItChangesNothing() {
        const std::string text = with("[launch]\nmax_restarts = 2\nleast_processes = 3\n");
        compareOnly(text, kWarning,
                    "launch.least_processes is 3, but launch.method is \"local\": there is one "
                    "host, and losing it loses every process");
        QVERIFY(parsed(text).checked());
    }
    void aJobThatIsBroughtHereHasNone() {
        auto document = parsed(job(kRestarts + "least_processes = 3\n"));
        QVERIFY(document.startHere(2, "--processes"));
        QCOMPARE(document.spec().launch.leastProcesses, 0);
        QVERIFY(document.checked());
    }
    void itIsWrittenAndReadAlike() {
        const JobSpec spec = parsed(job(kRestarts + "least_processes = 3\n")).spec();
        QCOMPARE(parsed(resolvedToml(spec)).spec().launch.leastProcesses, 3);
    }
};

QTEST_APPLESS_MAIN(LeastProcessesTest)
#include "tst_least_processes.moc"
