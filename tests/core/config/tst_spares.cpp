// SPDX-License-Identifier: Apache-2.0
// launch.spares: which hosts can be spares, of which jobs, and what is said of them.
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

std::string job(const std::string& launch) {
    return with("[cluster]\njob_addresses = [\"gpu1:0\", \"gpu2:0\"]\n[launch]\n" + launch +
                "[checkpoint]\ncopies = 2\n");
}

const std::string kRestarts = "method = \"ssh\"\nmax_restarts = 2\non_disconnect = \"tied\"\n";

std::vector<Bad> jobs() {
    return {
        {"on this machine", with("[launch]\nmax_restarts = 2\nspares = [\"gpu3\"]\n"),
         "job.toml:7:10", kError, "launch.spares",
         "launch.spares names 1 host, but launch.method is \"local\": only a launch over ssh puts "
         "a host in the place of another one",
         "Set launch.method to \"ssh\", or remove launch.spares."},
        {"of a job that never begins again", job("method = \"ssh\"\nspares = [\"gpu3\"]\n"),
         "job.toml:9:10", kError, "launch.spares",
         "launch.spares names hosts that take the place of a lost one, but launch.max_restarts is "
         "0: the job does not begin again",
         "Set launch.max_restarts to how often it may begin again."},
        {"of a job that stops",
         job("method = \"ssh\"\non_failure = \"stop\"\nspares = [\"gpu3\"]\n"), "job.toml:10:10",
         kError, "launch.spares",
         "launch.spares names hosts that take the place of a lost one, but launch.on_failure is "
         "\"stop\": the job does not begin again",
         "Set launch.on_failure to \"restart\", or remove launch.spares."},
    };
}

std::vector<std::string> saidOf(const std::string& text, Severity severity) {
    std::vector<std::string> said;
    const auto document = parsed(text);
    for (const Finding& finding : document.findings())
        if (finding.key.starts_with("launch.spares") && finding.severity == severity)
            said.push_back(finding.key + ": " + finding.message);
    return said;
}

/// The one error that is said of launch.spares.
std::string errorOf(const std::string& spares, const std::string& more = "") {
    const auto said = saidOf(job(kRestarts + more + "spares = [" + spares + "]\n"), kError);
    return said.size() == 1 ? said.front() : std::to_string(said.size()) + " errors";
}

}  // namespace

class SparesTest : public QObject {
    Q_OBJECT

private slots:
    void whereTheyAreOfNoUseIsSaidOnce_data() { addRows(jobs()); }
    void whereTheyAreOfNoUseIsSaidOnce() {
        QFETCH(const int, index);
        checkNamedOnce(jobs()[static_cast<std::size_t>(index)]);
    }
    void aHostOfTheJobIsNoSpare() {
        QCOMPARE(errorOf("\"gpu3\", \"gpu2\""),
                 std::string("launch.spares[1]: launch.spares[1] is \"gpu2\", which "
                             "cluster.job_addresses[1] names as a host of the job"));
        QCOMPARE(errorOf("\"me@GPU1:22\"", "hosts = [\"gpu1\", \"gpu2\"]\n"),
                 std::string("launch.spares[0]: launch.spares[0] is \"me@GPU1:22\", which "
                             "launch.hosts[0] names as a host of the job"));
    }
    void theEvaluatorsHostIsNoSpare() {
        std::string text = job(kRestarts + "spares = [\"gpu9\"]\n");
        text.insert(text.find("[launch]"), "evaluator = \"gpu9:0\"\n");
        const auto said = saidOf(text, kError);
        QCOMPARE(said,
                 (std::vector<std::string>{"launch.spares[0]: launch.spares[0] is \"gpu9\", which "
                                           "cluster.evaluator names as a host of the job"}));
    }
    void aSpareIsNamedOnce() {
        QCOMPARE(errorOf("\"gpu3\", \"me@gpu3\""),
                 std::string("launch.spares[1]: launch.spares[1] is \"me@gpu3\", which "
                             "launch.spares[0] names already"));
    }
    void aSpareIsAnSshDestination() {
        QVERIFY(errorOf("\"-oProxyCommand=touch x\"").find("begins with '-'") != std::string::npos);
    }
    void whatTheyGiveIsSaid() {
        QCOMPARE(
            saidOf(job(kRestarts + "spares = [\"gpu3\"]\n"), Severity::Note),
            (std::vector<std::string>{
                "launch.spares: launch.spares: 1 host starts nothing; one takes the place of a "
                "host that is lost and not reached again within 60 s, while the program that "
                "has launched the job is there. In the place of process 0's host it must see "
                "the run's folder, as on a shared file system, or it goes on from the copy on the "
                "second host"}));
        const auto two = saidOf(job("method = \"ssh\"\nmax_restarts = 2\nspare_after_seconds = 5\n"
                                    "spares = [\"gpu3\", \"gpu4\"]\n"),
                                Severity::Note);
        QCOMPARE(two.size(), std::size_t{1});
        QVERIFY2(two.front().find("2 hosts start nothing") != std::string::npos &&
                     two.front().find("within 5 s, where the job is tied") != std::string::npos,
                 two.front().c_str());
    }
    void whatADetachedRunGetsOfThemIsSaidAndNoCopyPromisedWhereThereIsNone() {
        const std::string spares = "spares = [\"gpu3\"]\n";
        const auto detached =
            saidOf(job("method = \"ssh\"\nmax_restarts = 2\n" + spares), Severity::Note);
        QVERIFY2(detached.front().find("(a detached run uses none)") != std::string::npos,
                 detached.front().c_str());
        std::string text = job(kRestarts + spares);
        text.replace(text.find("copies = 2"), 10, "copies = 1");
        QVERIFY(saidOf(text, Severity::Note).front().ends_with("as on a shared file system"));
    }
    void theyAreWrittenAndReadAlike() {
        const JobSpec spec = parsed(job(kRestarts + "spares = [\"a\", \"me@b\"]\n")).spec();
        QCOMPARE(spec.launch.spares, (std::vector<std::string>{"a", "me@b"}));
        QCOMPARE(spec.launch.spareAfterSeconds, 60.0);
        const JobSpec again = parsed(resolvedToml(spec)).spec();
        QCOMPARE(again.launch.spares, spec.launch.spares);
    }
    void aJobThatIsBroughtHereHasNone() {
        auto document = parsed(job(kRestarts + "spares = [\"gpu3\"]\n"));
        QVERIFY(document.startHere(2, "--processes"));
        QVERIFY(document.spec().launch.spares.empty());
        QVERIFY(document.checked());
    }
};

QTEST_APPLESS_MAIN(SparesTest)
#include "tst_spares.moc"
