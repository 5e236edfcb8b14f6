// SPDX-License-Identifier: Apache-2.0
// launch.on_failure: how often a job begins again, and of which jobs no steps are kept.
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

std::string job(const std::string& launch,
                const std::string& more = "[cluster]\ndevice = \"cpu\"\n") {
    return with(more + "[launch]\n" + launch);
}

constexpr const char* kInstead =
    "Set launch.on_failure to \"restart\": the run then goes on from its newest checkpoint.";

std::vector<Bad> jobs() {
    return {
        {"restarts of what stops", job("on_failure = \"stop\"\nmax_restarts = 2\n"),
         "job.toml:8:14", kError, "launch.on_failure",
         "launch.on_failure is \"stop\", but launch.max_restarts is 2: a job that stops does not "
         "begin again",
         "Remove one of the two."},
        {"the price of steps that are kept", job("on_failure = \"regroup\"\nmax_restarts = 1\n"),
         "job.toml:8:14", Severity::Note, "launch.on_failure",
         "launch.on_failure is \"regroup\": the job begins again up to 1 time, and each host keeps "
         "the newest two steps in memory (two more copies of weights and optimiser state, renewed "
         "at every step)",
         "launch.max_restarts is how often; \"restart\" keeps nothing in memory"},
        {"a number of restarts of its own", job("on_failure = \"regroup\"\n"), "job.toml:8:14",
         Severity::Note, "launch.on_failure",
         "launch.on_failure is \"regroup\": the job begins again up to 10 times, and each host "
         "keeps the newest two steps in memory (two more copies of weights and optimiser state, "
         "renewed at every step)",
         "launch.max_restarts is how often"},
        {"steps on GPUs", job("on_failure = \"regroup\"\n", "[cluster]\ndevice = \"gpu\"\n"),
         "job.toml:8:14", kError, "launch.on_failure",
         "launch.on_failure is \"regroup\", but cluster.device is \"gpu\", and what lies on GPUs "
         "is not kept yet",
         kInstead},
    };
}

}  // namespace

class OnFailureTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsWrongIsSaidOnce_data() { addRows(jobs()); }
    void whatIsWrongIsSaidOnce() {
        QFETCH(const int, index);
        checkNamedOnce(jobs()[static_cast<std::size_t>(index)]);
    }
    void aMeshAndAProgramOfOnesOwnAreRefused() {
        QVERIFY(refuses(job("on_failure = \"regroup\"\n",
                            "[cluster]\njob_addresses = \"127.0.0.1:5000,127.0.0.1:5001\"\n"
                            "[distribution]\nmesh.model = 2\n"),
                        "processes share the network (distribution.mesh.model is 2), and a part of "
                        "it lives on one process only"));
        QVERIFY(
            refuses("[job]\nname = \"own\"\n[launch]\ncommand = [\"true\"]\n"
                    "on_failure = \"regroup\"\n",
                    "launch.command trains, and only steps of Lockstep's own networks are "
                    "kept"));
    }
    void whatIsNotSaidStaysAsItWas() {
        QCOMPARE(restartsOf(""), 0);
        QCOMPARE(restartsOf("max_restarts = 3\n"), 3);
        QCOMPARE(restartsOf("on_failure = \"restart\"\nmax_restarts = 3\n"), 3);
        QCOMPARE(restartsOf("on_failure = \"stop\"\n"), 0);
        QCOMPARE(restartsOf("on_failure = \"regroup\"\n"), 10);
        QCOMPARE(restartsOf("on_failure = \"regroup\"\nmax_restarts = 3\n"), 3);
        QVERIFY(!parsed(job("max_restarts = 3\n")).spec().launch.keepsSteps());
    }
    void aStuckJobThatRegroupsNeedsNoNumberOfRestarts() {
        const auto document = parsed(job("on_failure = \"regroup\"\non_stuck = \"restart\"\n"));
        for (const Finding& finding : document.findings())
            QVERIFY2(finding.severity == Severity::Note, finding.message.c_str());
    }

private:
    static int restartsOf(const std::string& launch) {
        return parsed(job(launch)).spec().launch.restarts();
    }
    static bool refuses(const std::string& text, const std::string& why) {
        const auto document = parsed(text);
        for (const Finding& finding : document.findings())
            if (finding.severity == Severity::Error && finding.key == "launch.on_failure" &&
                finding.message == "launch.on_failure is \"regroup\", but " + why)
                return true;
        for (const Finding& finding : document.findings())
            qWarning("%s", finding.message.c_str());
        return false;
    }
};

QTEST_GUILESS_MAIN(OnFailureTest)
#include "tst_on_failure.moc"
