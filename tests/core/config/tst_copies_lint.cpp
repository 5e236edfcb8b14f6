// SPDX-License-Identifier: Apache-2.0
// checkpoint.copies: what the loss of a host costs, and where copies change nothing.
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

std::string overSsh(const std::string& addresses, const std::string& more = {}) {
    return with("[cluster]\njob_addresses = \"" + addresses + "\"\n" + more +
                "[launch]\nmethod = \"ssh\"\n");
}

const std::string kTwo = "[checkpoint]\ncopies = 2\n";

std::vector<Bad> jobs() {
    return {
        {"one host has all", overSsh("gpu1:5000,gpu2:5000"), "job.toml", Severity::Note,
         "checkpoint.copies",
         "the run's checkpoints lie on gpu1 alone, unless the hosts share the run's folder: "
         "whoever loses that host loses all that was trained",
         "checkpoint.copies = 2 keeps the newest checkpoints and the journal on gpu2, too."},
        {"the evaluator's host is another one, too",
         overSsh("gpu1:5000,gpu1:5001", "evaluator = \"eval:5000\"\n"), "job.toml", Severity::Note,
         "checkpoint.copies",
         "the run's checkpoints lie on gpu1 alone, unless the hosts share the run's folder: "
         "whoever loses that host loses all that was trained",
         "checkpoint.copies = 2 keeps the newest checkpoints and the journal on eval, too."},
        {"a local job", with(kTwo), "job.toml:6:10", kWarning, "checkpoint.copies",
         "checkpoint.copies is 2, but a local job has one host, and all lies on its disk",
         "Remove checkpoint.copies."},
        {"all on one host over ssh", overSsh("gpu1:5000,gpu1:5001") + kTwo, "job.toml:10:10",
         kWarning, "checkpoint.copies",
         "checkpoint.copies is 2, but all processes of the job are on one host",
         "Remove checkpoint.copies."},
        {"more than there are ways for", with("[checkpoint]\ncopies = 3\n"), "job.toml:6:10",
         kError, "checkpoint.copies",
         "checkpoint.copies is 3, but must be a whole number from 1 to 2",
         "Set checkpoint.copies to"},
    };
}

}  // namespace

class CopiesLintTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsToBeSaidIsSaidOnce_data() { addRows(jobs()); }
    void whatIsToBeSaidIsSaidOnce() {
        QFETCH(const int, index);
        checkNamedOnce(jobs()[static_cast<std::size_t>(index)]);
    }
    void copiesOnAnotherHostNeedNoWords() {
        QVERIFY(parsed(overSsh("gpu1:5000,gpu2:5000") + kTwo).findings().empty());
        QVERIFY(parsed(overSsh("gpu1:5000,gpu1:5001")).findings().empty());
    }
    void aProgramOfOnesOwnKeepsItsOwnCheckpoints() {
        const auto document = parsed(
            "[job]\nname = \"own\"\n[cluster]\njob_addresses = \"a:1025,b:1025\"\n[launch]\n"
            "command = [\"true\"]\nmethod = \"ssh\"\n" +
            kTwo);
        const bool isSaid = std::ranges::any_of(document.findings(), [](const Finding& finding) {
            return finding.message ==
                   "checkpoint.copies is 2, but the checkpoints of a program of your own "
                   "(launch.command) are its own affair";
        });
        QVERIFY(isSaid);
    }
};

QTEST_GUILESS_MAIN(CopiesLintTest)
#include "tst_copies_lint.moc"
