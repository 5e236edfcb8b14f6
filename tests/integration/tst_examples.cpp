// SPDX-License-Identifier: Apache-2.0
// The guide's programs in C++, built against the installed library as its users do.
#include <QTcpServer>
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

constexpr std::chrono::minutes kBuildTimeout{10};

int freePort() {
    QTcpServer server;
    return server.listen(QHostAddress::LocalHost) ? server.serverPort() : 0;
}

/// "state 0123…" of what a program printed.
QByteArray stateIn(const Ended& ended) {
    const qsizetype at = ended.output.indexOf("state ");
    return at < 0 ? QByteArray("none") : ended.output.mid(at + 6, 32);
}

}  // namespace

class ExamplesTest : public QObject {
    Q_OBJECT
    Workplace place_;

    [[nodiscard]] QString example(const QString& name) const {
        return place_.path("examples/" + name);
    }

    /// Two processes of one group, by Keras' variables.
    std::vector<Ended> startGroup(const QString& name, const QStringList& arguments = {}) {
        std::vector<std::unique_ptr<Program>> programs;
        place_.setEnvironment("KERAS_DISTRIBUTION_JOB_ADDRESSES",
                              QString("127.0.0.1:%1,127.0.0.1:0").arg(freePort()));
        for (const char* id : {"0", "1"}) {
            place_.setEnvironment("KERAS_DISTRIBUTION_PROCESS_ID", id);
            programs.push_back(place_.startProgram(example(name), arguments));
        }
        std::vector<Ended> ended;
        for (const auto& program : programs)
            ended.push_back(program->waitForEnd());
        return ended;
    }

private slots:
    void init() {
        for (const char* variable :
             {"TF_CONFIG", "KERAS_DISTRIBUTION_JOB_ADDRESSES", "KERAS_DISTRIBUTION_PROCESS_ID"})
            place_.removeEnvironment(variable);
    }

    void initTestCase() {
        if (!qEnvironmentVariableIsSet("LOCKSTEP_EXAMPLES"))
            QSKIP("it builds programs of its own: ./dev check library");
        REQUIRE_EXIT(place_
                         .startProgram("cmake", {"--install", LOCKSTEP_BINARY_DIR, "--component",
                                                 "devel", "--prefix", place_.path("installed")})
                         ->waitForEnd(kBuildTimeout),
                     0);
        REQUIRE_EXIT(
            place_
                .startProgram("cmake", {"-S", LOCKSTEP_SOURCE_DIR "/resources/examples/cpp", "-B",
                                        place_.path("examples"), "-G", "Ninja",
                                        "-DCMAKE_PREFIX_PATH=" + place_.path("installed"),
                                        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror"})
                ->waitForEnd(kBuildTimeout),
            0);
        REQUIRE_EXIT(place_.startProgram("cmake", {"--build", place_.path("examples")})
                         ->waitForEnd(kBuildTimeout),
                     0);
    }

    void severalReplicasOfOneHostTrainTogether() {
        const Ended ended = place_.startProgram(example("single_host"), {})->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.output.startsWith("Number of devices: 2\n"), ended.words().constData());
        const QString run =
            "runs/" +
            QDir(place_.path("runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).value(0);
        QCOMPARE(place_.summary(run)["world_size"].toInt(), 2);
        QVERIFY(place_.summary(run)["test_accuracy"].toDouble() > 0.9);
        QCOMPARE(place_.stateHash(run).toUtf8(), stateIn(ended));
    }

    void aKilledProgramGoesOnWhereItsCheckpointIsAndEndsTheSame() {
        const Ended whole =
            place_.startProgram(example("fault_tolerance"), {"whole"})->waitForEnd();
        REQUIRE_EXIT(whole, 0);
        const auto victim = place_.startProgram(example("fault_tolerance"), {"killed"});
        QVERIFY(place_.firstCheckpointComes("killed"));
        QVERIFY(victim->signal(SIGKILL));
        QVERIFY(victim->waitForEnd().signalled);
        const Ended resumed =
            place_.startProgram(example("fault_tolerance"), {"killed"})->waitForEnd();
        REQUIRE_EXIT(resumed, 0);
        QVERIFY2(resumed.output.startsWith("restoring from "), resumed.words().constData());
        QCOMPARE(stateIn(resumed), stateIn(whole));
    }

    void chiefWorkerAndEvaluatorFindEachOtherByTfConfig() {
        const QString cluster = QString(R"({"chief": ["127.0.0.1:%1"], "worker": ["127.0.0.1:%2"],)"
                                        R"( "evaluator": ["127.0.0.1:%3"]})")
                                    .arg(freePort())
                                    .arg(freePort())
                                    .arg(freePort());
        std::vector<std::unique_ptr<Program>> programs;
        const QStringList roles{"evaluator", "worker", "chief"};
        for (const QString& role : roles) {
            place_.setEnvironment("TF_CONFIG",
                                  QString(R"({"cluster": %1, "task": {"type": "%2", "index": 0}})")
                                      .arg(cluster, role));
            programs.push_back(place_.startProgram(example("multi_worker"), {}));
        }
        QSet<QByteArray> states;
        QString run;
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const Ended ended = programs[i]->waitForEnd();
            REQUIRE_EXIT(ended, 0);
            QVERIFY2(ended.output.startsWith(roles[static_cast<qsizetype>(i)].toUtf8() +
                                             " of 2 workers with 2 replicas\n"),
                     ended.words().constData());
            states.insert(stateIn(ended));
            run = QString::fromUtf8(ended.output.mid(ended.output.indexOf("run ") + 4)).trimmed();
        }
        QCOMPARE(states.size(), 1);
        const Ended exported = place_.run({"export", run, "--format", "csv"});
        QVERIFY2(exported.output.contains("evaluator/accuracy"), exported.words().constData());
        QVERIFY(place_.nothingRunsSoon());
    }

    void aNetworkIsFittedOnNumbersOfTheProgramsOwn() {
        const Ended ended = place_.startProgram(example("model_fit"), {})->waitForEnd();
        REQUIRE_EXIT(ended, 0);
        const QByteArray accuracy = ended.output.mid(ended.output.indexOf("test accuracy ") + 14);
        QVERIFY2(accuracy.left(accuracy.indexOf(',')).toDouble() > 0.95, ended.words().constData());
        const auto together = startGroup("model_fit");
        QSet<QByteArray> states;
        for (const Ended& one : together) {
            REQUIRE_EXIT(one, 0);
            states.insert(stateIn(one));
        }
        QCOMPARE(states.size(), 1);
    }

    void devicesShareANetworkInOneProcessAndInTwo() {
        const Ended alone = place_.startProgram(example("model_parallel"), {})->waitForEnd();
        REQUIRE_EXIT(alone, 0);
        QSet<QByteArray> states{stateIn(alone)};
        for (const Ended& one : startGroup("model_parallel", {"2"})) {
            REQUIRE_EXIT(one, 0);
            states.insert(stateIn(one));
        }
        QCOMPARE(states.size(), 1);
    }

    void aLoopOfOnesOwnEndsTheSameInEveryProcess() {
        const Ended alone = place_.startProgram(example("own_loop"), {})->waitForEnd();
        REQUIRE_EXIT(alone, 0);
        QVERIFY2(alone.output.endsWith("slope 3, offset -2 on 2 replicas\n"),
                 alone.words().constData());
        for (const Ended& one : startGroup("own_loop")) {
            REQUIRE_EXIT(one, 0);
            QVERIFY2(one.output.endsWith("slope 3, offset -2 on 4 replicas\n"),
                     one.words().constData());
        }
    }

    void processesOfAGroupTellEachOther() {
        for (const Ended& one : startGroup("group_calls")) {
            REQUIRE_EXIT(one, 0);
            QVERIFY2(one.output.endsWith("rate 0.003, momentum not chosen, first process 0, last "
                                         "process 1, sum 2, alive 2\n"),
                     one.words().constData());
        }
    }

    void whatProcessesHaveSavedTogetherOneAloneGoesOnWith() {
        const QString folder = place_.path("kept");
        for (const char* step : {"step 1, sum 96", "step 2, sum 192"})
            for (const Ended& one : startGroup("group_checkpoints", {folder})) {
                REQUIRE_EXIT(one, 0);
                QVERIFY2(one.output.endsWith(QByteArray(step) + ", on 2 processes\n"),
                         one.words().constData());
            }
        const Ended alone =
            place_.startProgram(example("group_checkpoints"), {folder, "1"})->waitForEnd();
        REQUIRE_EXIT(alone, 0);
        QVERIFY2(alone.output.endsWith("step 3, sum 288, on 1 processes\n"),
                 alone.words().constData());
    }
};

QTEST_GUILESS_MAIN(ExamplesTest)
#include "tst_examples.moc"
