// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/job/cluster_spec.h"

using namespace lockstep;
using namespace lockstep::config;

class ClusterSpecTest : public QObject {
    Q_OBJECT
private slots:
    void anAddressIsReadAndPrintedAlike_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("host");
        QTest::addColumn<int>("port");
        QTest::newRow("IPv4") << "10.0.0.1:1234"
                              << "10.0.0.1" << 1234;
        QTest::newRow("name") << "gpu-01.cluster:65535"
                              << "gpu-01.cluster" << 65535;
        QTest::newRow("underscore") << "node_1:0"
                                    << "node_1" << 0;
        QTest::newRow("IPv6") << "[fe80::1]:29500"
                              << "fe80::1" << 29500;
        QTest::newRow("IPv6 with zone") << "[fe80::1%eth0]:29500"
                                        << "fe80::1%eth0" << 29500;
    }
    void anAddressIsReadAndPrintedAlike() {
        QFETCH(QString, text);
        const auto address = parseAddress(text.toStdString());
        QVERIFY2(address.has_value(), address ? "" : address.error().message.c_str());
        QTEST(QString::fromStdString(address->host), "host");
        QTEST(address->port, "port");
        QCOMPARE(QString::fromStdString(toString(*address)), text);
    }

    void aBadAddressIsRefusedWithItsReason_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("reason");
        QTest::newRow("empty") << " "
                               << "it is empty";
        QTest::newRow("no port") << "host"
                                 << "the port is missing";
        QTest::newRow("empty port") << "host:"
                                    << "the port is missing";
        QTest::newRow("no host") << ":80"
                                 << "the host is missing";
        QTest::newRow("large port") << "host:65536"
                                    << "not a number from 0 to 65535";
        QTest::newRow("negative port") << "host:-1"
                                       << "not a number from 0 to 65535";
        QTest::newRow("word as port") << "host:http"
                                      << "not a number from 0 to 65535";
        QTest::newRow("endless port") << "host:99999999999999999999"
                                      << "not a number from 0 to 65535";
        QTest::newRow("bare IPv6") << "fe80::1:80"
                                   << "needs brackets";
        QTest::newRow("bad IPv6") << "[fe80:::1]:80"
                                  << "not an IPv6 address";
        QTest::newRow("open bracket") << "[fe80::1:80"
                                      << "needs brackets";
        QTest::newRow("IPv6 without port") << "[fe80::1]"
                                           << "the port is missing";
        QTest::newRow("blank inside") << "my host:80"
                                      << "cannot be in a host name";
        QTest::newRow("quote") << "a';rm:80"
                               << "cannot be in a host name";
        QTest::newRow("bad IPv4") << "10.0.0.256:80"
                                  << "four numbers from 0 to 255";
        QTest::newRow("option") << "-oProxyCommand:80"
                                << "starts with a letter or digit";
        QTest::newRow("long") << QString(300, 'a') + ":80"
                              << "longer than 253";
    }
    void aBadAddressIsRefusedWithItsReason() {
        QFETCH(QString, text);
        QFETCH(QString, reason);
        const auto address = parseAddress(text.toStdString());
        QVERIFY(!address.has_value());
        QCOMPARE(address.error().code, ErrorCode::BadInput);
        QVERIFY2(address.error().message.find(reason.toStdString()) != std::string::npos,
                 address.error().message.c_str());
        QVERIFY(!address.error().remedy.empty());
    }

    void aListIsReadWithItsBlanks() {
        const auto list = parseAddresses("a:1, [::1]:2 ,c:3");
        QVERIFY(list.has_value());
        QCOMPARE(toString(*list), std::string("a:1,[::1]:2,c:3"));
        QVERIFY(!parseAddresses("a:1,").has_value());
        QVERIFY(!parseAddresses("").has_value());
    }

    void loopbackIsKnown() {
        for (const char* host : {"localhost", "127.0.0.1", "127.3.2.1", "::1"})
            QVERIFY(isLoopback(host));
        for (const char* host : {"10.0.0.1", "node1", "128.0.0.1", ""})
            QVERIFY(!isLoopback(host));
    }

    void aJobMovesToThisMachine() {
        JobSpec spec;
        spec.cluster.jobAddresses = {{"gpu01", 1234}, {"gpu02", 1234}};
        spec.cluster.numProcesses = 2;
        spec.cluster.evaluatorAddress = Address{"gpu03", 1};
        spec.launch.method = LaunchMethod::Ssh;
        spec.launch.hosts = {"a", "b"};
        const JobSpec local = withLocalProcesses(spec, 4);
        QCOMPARE(toString(local.cluster.jobAddresses),
                 std::string("127.0.0.1:0,127.0.0.1:0,127.0.0.1:0,127.0.0.1:0"));
        QCOMPARE(local.cluster.numProcesses, 4);
        QVERIFY(local.cluster.evaluator && !local.cluster.evaluatorAddress);
        QCOMPARE(local.launch.method, LaunchMethod::Local);
        QVERIFY(local.launch.hosts.empty());
    }

    void theHostsOfTheProcessesAreKnownWhereNamed() {
        JobSpec spec;
        spec.cluster.jobAddresses = {{"a", 1}, {"b", 2}};
        spec.cluster.numProcesses = 2;
        QCOMPARE(processHosts(spec), (std::vector<std::string>{"a", "b"}));
        spec.cluster.jobAddresses.pop_back();
        QCOMPARE(processHosts(spec), (std::vector<std::string>{"a", "a"}));
        spec.launch.method = LaunchMethod::Slurm;
        QCOMPARE(processHosts(spec), std::vector<std::string>{"a"});
        spec.launch.hosts = {"x", "y"};
        QCOMPARE(processHosts(spec), (std::vector<std::string>{"x", "y"}));
    }
};

QTEST_GUILESS_MAIN(ClusterSpecTest)
#include "tst_cluster_spec.moc"
