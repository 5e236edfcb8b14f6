// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/dialects/dialects.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

/// Three processes on two hosts, two of them on gpu02, and an evaluator.
JobSpec threeProcesses() {
    JobSpec spec;
    spec.cluster.jobAddresses = {{"gpu01", 1234}, {"gpu02", 1234}, {"gpu02", 1235}};
    spec.cluster.numProcesses = 3;
    spec.cluster.evaluatorAddress = Address{"fe80::1", 2345};
    return spec;
}

}  // namespace

class DialectsTest : public QObject {
    Q_OBJECT
private slots:
    void everyDialectPrintsItsText_data() {
        QTest::addColumn<QString>("word");
        QTest::addColumn<int>("process");  // -1: the evaluator
        QTest::addColumn<QString>("text");
        QTest::newRow("keras")
            << "keras" << 1
            << "KERAS_DISTRIBUTION_JOB_ADDRESSES='gpu01:1234,gpu02:1234,gpu02:1235'\n"
               "KERAS_DISTRIBUTION_NUM_PROCESSES='3'\n"
               "KERAS_DISTRIBUTION_PROCESS_ID='1'\n";
        QTest::newRow("jax")
            << "jax" << 2 << "coordinator_address='gpu01:1234',\nnum_processes=3,\nprocess_id=2\n";
        QTest::newRow("tf_config")
            << "tf_config" << 0
            << "TF_CONFIG='{\"cluster\":{\"worker\":[\"gpu01:1234\",\"gpu02:1234\",\"gpu02:1235\"],"
               "\"evaluator\":[\"[fe80::1]:2345\"]},\"task\":{\"type\":\"worker\",\"index\":0}}'\n";
        QTest::newRow("tf_config of the evaluator")
            << "tf_config" << -1
            << "TF_CONFIG='{\"cluster\":{\"worker\":[\"gpu01:1234\",\"gpu02:1234\",\"gpu02:1235\"],"
               "\"evaluator\":[\"[fe80::1]:2345\"]},\"task\":{\"type\":\"evaluator\",\"index\":0}}'"
               "\n";
        QTest::newRow("torchrun")
            << "torchrun" << 2
            << "MASTER_ADDR='gpu01'\nMASTER_PORT='1234'\nWORLD_SIZE='3'\nRANK='2'\n"
               "LOCAL_RANK='1'\nLOCAL_WORLD_SIZE='2'\nGROUP_RANK='1'\n"
               "GROUP_WORLD_SIZE='2'\n";
        QTest::newRow("hostfile") << "hostfile" << 0 << "gpu01 slots=1\ngpu02 slots=2\n";
    }
    void everyDialectPrintsItsText() {
        QFETCH(QString, word);
        QFETCH(int, process);
        const auto dialect = parseDialect(word.toStdString());
        QVERIFY(dialect.has_value());
        QCOMPARE(QString::fromLatin1(toString(*dialect).data()), word);
        DialectTask task;
        if (process < 0)
            task.evaluator = true;
        else
            task.processId = process;
        const auto printed = printDialect(threeProcesses(), *dialect, task);
        QVERIFY2(printed.has_value(), printed ? "" : printed.error().message.c_str());
        QTEST(QString::fromStdString(printed->text), "text");
        QVERIFY(printed->notes.empty());
    }

    void whatADialectCannotSayIsRefused() {
        const JobSpec spec = threeProcesses();
        for (const Dialect dialect : {Dialect::Keras, Dialect::Jax, Dialect::Torchrun})
            QVERIFY(!printDialect(spec, dialect, {std::nullopt, true}));
        for (const int id : {-1, 3}) {
            const auto printed = printDialect(spec, Dialect::Keras, {id, false});
            QVERIFY(!printed);
            QCOMPARE(printed.error().code, ErrorCode::BadInput);
            QCOMPARE(printed.error().remedy, std::string("Use 0 to 2."));
        }
        JobSpec alone = spec;
        alone.cluster.evaluator = false;
        QVERIFY(!printDialect(alone, Dialect::TfConfig, {std::nullopt, true}));
        QVERIFY(!printDialect(JobSpec{}, Dialect::Keras, {}));
    }

    void unnamedProcessesAreRefusedWhereAllAreListed() {
        JobSpec spec = threeProcesses();
        spec.cluster.jobAddresses.resize(1);
        spec.launch.method = LaunchMethod::Ssh;
        for (const Dialect dialect : {Dialect::TfConfig, Dialect::Hostfile})
            QVERIFY(!printDialect(spec, dialect, {}));
        const auto torchrun = printDialect(spec, Dialect::Torchrun, {2, false});
        QVERIFY(torchrun.has_value());
        QCOMPARE(torchrun->text, std::string("MASTER_ADDR='gpu01'\nMASTER_PORT='1234'\n"
                                             "WORLD_SIZE='3'\nRANK='2'\n"));
        QVERIFY(torchrun->notes.size() == 1 && torchrun->notes[0].starts_with("LOCAL_RANK"));
        const auto keras = printDialect(spec, Dialect::Keras, {0, false});
        QVERIFY(keras.has_value());
        QVERIFY(keras->text.starts_with("KERAS_DISTRIBUTION_JOB_ADDRESSES='gpu01:1234'\n"));
        spec.launch.hosts = {"a", "b", "a"};
        const auto hosts = printDialect(spec, Dialect::Hostfile, {});
        QVERIFY(hosts.has_value());
        QCOMPARE(hosts->text, std::string("a slots=2\nb slots=1\n"));
        QCOMPARE(hosts->notes.size(), std::size_t{1});  // ids no longer follow the hosts
    }

    void openPortsAndTheDefaultProcessAreNoted() {
        JobSpec spec = threeProcesses();
        spec.cluster.jobAddresses[1].port = 0;
        const auto printed = printDialect(spec, Dialect::Keras, {});
        QVERIFY(printed.has_value());
        QCOMPARE(printed->notes.size(), std::size_t{2});
        QVERIFY(printed->notes[0].starts_with("this is for process 0"));
        QVERIFY(printed->notes[1].starts_with("port 0"));
    }

    void aMistypedDialectIsCorrected() {
        const auto dialect = parseDialect("tfconfig");
        QVERIFY(!dialect);
        QCOMPARE(dialect.error().message,
                 std::string("there is no dialect \"tfconfig\", did you mean tf_config?"));
        QCOMPARE(dialect.error().remedy,
                 std::string("The dialects are keras, jax, tf_config, torchrun and hostfile."));
    }

    void aQuoteCannotLeaveItsQuotes() {
        JobSpec spec = threeProcesses();
        spec.cluster.jobAddresses[0].host = "a'; touch x; '";
        const auto printed = printDialect(spec, Dialect::Torchrun, {0, false});
        QVERIFY(printed.has_value());
        QVERIFY(printed->text.starts_with("MASTER_ADDR='a'\\''; touch x; '\\'''\n"));
    }
};

QTEST_GUILESS_MAIN(DialectsTest)
#include "tst_dialects.moc"
