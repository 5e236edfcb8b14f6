// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/cluster/tf_config.h"
#include "core/config/job/cluster_spec.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

const Origin kOrigin{OriginKind::Environment, "TF_CONFIG"};

std::string configText(const std::string& cluster, const std::string& type,
                       const std::string& index) {
    return "{\"cluster\":{" + cluster + "},\"task\":{\"type\":\"" + type + "\",\"index\":" + index +
           "}}";
}

constexpr const char* kWorkers = R"("worker":["a:5000","b:5000"])";
constexpr const char* kChief = R"("chief":["c:5000"],"worker":["a:5000","b:5000"])";

}  // namespace

class TfConfigTest : public QObject {
    Q_OBJECT
private slots:
    void everyTaskHasTensorFlowsRank_data() {
        QTest::addColumn<QString>("cluster");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("index");
        QTest::addColumn<int>("processId");
        QTest::addColumn<QString>("addresses");
        const QString chief = kChief;
        const QString workers = kWorkers;
        QTest::newRow("worker 0 is the chief") << workers << "worker"
                                               << "0" << 0 << "a:5000,b:5000";
        QTest::newRow("worker 1") << workers << "worker"
                                  << "1" << 1 << "a:5000,b:5000";
        QTest::newRow("the chief") << chief << "chief"
                                   << "0" << 0 << "c:5000,a:5000,b:5000";
        QTest::newRow("worker 0 behind a chief") << chief << "worker"
                                                 << "0" << 1 << "c:5000,a:5000,b:5000";
        QTest::newRow("worker 1 behind a chief") << chief << "worker"
                                                 << "1" << 2 << "c:5000,a:5000,b:5000";
        QTest::newRow("an index as text") << workers << "worker"
                                          << "\"1\"" << 1 << "a:5000,b:5000";
        QTest::newRow("a chief alone") << R"("chief":["c:5000"])"
                                       << "chief"
                                       << "0" << 0 << "c:5000";
        QTest::newRow("the chief is first wherever it stands")
            << R"("worker":["a:5000"],"evaluator":["e:1"],"chief":["c:5000"])"
            << "worker"
            << "0" << 1 << "c:5000,a:5000";
    }
    void everyTaskHasTensorFlowsRank() {
        QFETCH(QString, cluster);
        QFETCH(QString, type);
        QFETCH(QString, index);
        const auto facts = readTfConfig(
            configText(cluster.toStdString(), type.toStdString(), index.toStdString()), kOrigin);
        QVERIFY2(facts.has_value(), facts ? "" : facts.error().message.c_str());
        QTEST(facts->processId->value, "processId");
        QTEST(QString::fromStdString(toString(facts->jobAddresses->value)), "addresses");
        QVERIFY(facts->role->value == ProcessRole::Worker);
        QCOMPARE(facts->processId->origin, kOrigin);
    }

    void theEvaluatorMayBeAbsentFromTheCluster() {
        for (const std::string& cluster :
             {std::string(kWorkers), std::string(kWorkers) + R"(,"evaluator":["e:5000"])"}) {
            const auto facts = readTfConfig(configText(cluster, "evaluator", "0"), kOrigin);
            QVERIFY(facts->role->value == ProcessRole::Evaluator);
            QVERIFY(facts->evaluator->value);
            QCOMPARE(facts->numProcesses->value, 2);  // it does not count
            QCOMPARE(facts->evaluatorAddress.has_value(), cluster != kWorkers);
        }
        QVERIFY(!readTfConfig(configText(kWorkers, "worker", "0"), kOrigin)->evaluator);
    }

    void whatOthersAddIsAllowed() {
        const auto facts = readTfConfig(
            R"({"cluster":{"worker":["a:5000"]},"task":{"type":"worker","index":0,"trial":"1",)"
            R"("cloud":"x"},"environment":"cloud","rpc_layer":"grpc","session_master":"","job":{}})",
            kOrigin);
        QVERIFY2(facts.has_value(), facts ? "" : facts.error().message.c_str());
    }

    void anEmptyObjectSaysNothing() {
        const auto facts = readTfConfig("{}", kOrigin);
        QVERIFY(facts.has_value() && !facts->numProcesses && !facts->role);
        QVERIFY(!tfConfigRoles("{}").has_value());
    }

    void theRolesAreToldInWords() {
        const auto roles = tfConfigRoles(configText(kChief, "chief", "0"));
        QCOMPARE(roles->list(), std::string("a chief and 2 workers"));
        QCOMPARE(roles->task, std::string("the chief"));
    }
};

QTEST_GUILESS_MAIN(TfConfigTest)
#include "tst_tf_config.moc"
