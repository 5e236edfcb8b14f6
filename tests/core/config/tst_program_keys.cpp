// SPDX-License-Identifier: Apache-2.0
// Jobs whose launch.command trains.
#include <QtTest>
#include <algorithm>

#include "core/config/document/job_file.h"
#include "core/config/keys/key_help.h"

using namespace lockstep::config;

namespace {

JobDocument parsed(const std::string& text) {
    return std::move(*JobDocument::parse(text, "job.toml"));
}

std::vector<std::string> messagesOf(const JobDocument& job, Severity severity) {
    std::vector<std::string> messages;
    for (const Finding& finding : job.findings())
        if (finding.severity == severity) messages.push_back(finding.message);
    return messages;
}

const std::string kMinimal = "[launch]\ncommand = [\"python\", \"train.py\"]\n";

}  // namespace

class ProgramKeysTest : public QObject {
    Q_OBJECT
private slots:
    void aCommandIsAWholeJob() {
        const JobDocument job = parsed(kMinimal);
        QVERIFY(job.findings().empty());
        QVERIFY(job.spec().launch.runsOwnProgram());
        QVERIFY(!job.spec().cluster.evaluator);
    }

    void theResolvedFileSaysTheSameAndIsSilent() {
        JobSpec spec = parsed(kMinimal).spec();
        spec.launch.command = {"sh", "-c", "echo \"a b\"\n\texit 1", ""};
        spec.launch.environment = {"A=1,2", "B="};
        spec.launch.directory = "src";
        const JobDocument again = parsed(resolvedToml(spec));
        QVERIFY(again.findings().empty());
        QCOMPARE(again.spec().launch.command, spec.launch.command);
        QCOMPARE(again.spec().launch.environment, spec.launch.environment);
        QCOMPARE(again.spec().launch.directory, spec.launch.directory);
        QVERIFY(!again.spec().cluster.evaluator);
    }

    void withoutACommandModelAndDataAreStillRequired() {
        const JobDocument job = parsed("[launch]\ncommand = []\n");
        QVERIFY(!job.checked());
        QVERIFY(job.spec().cluster.evaluator);
    }

    void whatTheProgramDoesNotSeeIsAWarning() {
        const JobDocument job = parsed(kMinimal +
                                       "[training]\nepochs = 7\nlearning_rate = 0.001\n"
                                       "[cluster]\ntransport = \"gloo\"\n");
        QVERIFY(job.checked());
        const auto warnings = messagesOf(job, Severity::Warning);
        QCOMPARE(warnings.size(), std::size_t{2});  // 0.001 is the default: not asked for
        QVERIFY(std::ranges::all_of(warnings, [](const std::string& message) {
            return message.find("launch.command trains") != std::string::npos;
        }));
    }

    void anEvaluatorIsRefused() {
        const JobDocument job = parsed(kMinimal + "[cluster]\nevaluator = true\n");
        const auto refused = job.checked();
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("cluster.evaluator") != std::string::npos);
    }

    void badCommandsAndVariablesAreNamed_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("words");
        QTest::newRow("a shell line") << "command = \"python train.py\""
                                      << "must be an array";
        QTest::newRow("no text") << "command = [\"python\", 3]"
                                 << "launch.command[1]";
        QTest::newRow("no program") << "command = [\"\", \"x\"]"
                                    << "launch.command[0] is empty";
        QTest::newRow("NUL") << "command = [\"a\", \"b\\u0000c\"]"
                             << "NUL";
        QTest::newRow("no value") << "command = [\"a\"]\nenvironment = [\"PATH\"]"
                                  << "NAME=value";
        QTest::newRow("no name") << "command = [\"a\"]\nenvironment = [\"=x\"]"
                                 << "a name has";
        QTest::newRow("a bad name") << "command = [\"a\"]\nenvironment = [\"A B=x\"]"
                                    << "launch.environment[0]";
        QTest::newRow("a number first") << "command = [\"a\"]\nenvironment = [\"1A=x\"]"
                                        << "1A";
        QTest::newRow("ours") << "command = [\"a\"]\nenvironment = [\"LOCKSTEP_RUN_ID=x\"]"
                              << "Lockstep sets itself";
        QTest::newRow("one text") << "command = [\"a\"]\nenvironment = \"A=1,B=2\""
                                  << "must be an array";
    }
    void badCommandsAndVariablesAreNamed() {
        QFETCH(QString, line);
        QFETCH(QString, words);
        const auto refused = parsed("[launch]\n" + line.toStdString() + "\n").checked();
        QVERIFY(!refused);
        QVERIFY2(QString::fromStdString(refused.error().message).contains(words),
                 refused.error().message.c_str());
        QVERIFY(!refused.error().remedy.empty());
    }

    void aCommandWithBlanksInOneTextIsAWarning() {
        const JobDocument job = parsed("[launch]\ncommand = [\"python train.py\"]\n");
        QCOMPARE(messagesOf(job, Severity::Warning).size(), std::size_t{1});
    }

    void variablesWithoutAProgramAreAWarning() {
        const JobDocument job = parsed("[launch]\nenvironment = [\"A=1\"]\n");
        const auto warnings = messagesOf(job, Severity::Warning);
        QVERIFY(std::ranges::any_of(warnings, [](const std::string& message) {
            return message.find("no launch.command") != std::string::npos;
        }));
    }

    void settingsOfTheCommandLineReachIt() {
        JobDocument job = parsed(kMinimal);
        QVERIFY(job.applySetting(R"(launch.command=["echo", "hi"])"));
        QCOMPARE(job.spec().launch.command, (std::vector<std::string>{"echo", "hi"}));
        QCOMPARE(job.origin("launch.command"), std::string("--set"));
        QVERIFY(keyHelp("launch.command") != nullptr);
    }
};

QTEST_GUILESS_MAIN(ProgramKeysTest)
#include "tst_program_keys.moc"
