// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/cluster/node_list.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

QString joined(const std::vector<std::string>& names) {
    QStringList list;
    for (const std::string& name : names)
        list << QString::fromStdString(name);
    return list.join(QLatin1Char(' '));
}

}  // namespace

class NodeListTest : public QObject {
    Q_OBJECT
private slots:
    void aListNamesItsHostsInOrder_data() {
        QTest::addColumn<QString>("list");
        QTest::addColumn<QString>("hosts");
        QTest::newRow("one host") << "node001"
                                  << "node001";
        QTest::newRow("two hosts") << "node001,host2"
                                   << "node001 host2";
        QTest::newRow("padded range") << "node[0008-0010],host2"
                                      << "node0008 node0009 node0010 host2";
        QTest::newRow("numbers and ranges") << "node[001,007-009],host2"
                                            << "node001 node007 node008 node009 host2";
        QTest::newRow("one number in brackets") << "node[001]"
                                                << "node001";
        QTest::newRow("suffix") << "n[1-2]-ib"
                                << "n1-ib n2-ib";
        QTest::newRow("two brackets") << "rack[1-2]-node[3-4]"
                                      << "rack1-node3 rack1-node4 rack2-node3 rack2-node4";
        QTest::newRow("brackets side by side") << "n[1-2][a,b]"
                                               << "n1a n1b n2a n2b";
        QTest::newRow("padding grows at its end") << "n[9-11]"
                                                  << "n9 n10 n11";
        QTest::newRow("brackets in brackets") << "n[1,a[2-3]-ib,7]"
                                              << "n1 na2-ib na3-ib n7";
        QTest::newRow("domain") << "gpu[1-2].lab.example"
                                << "gpu1.lab.example gpu2.lab.example";
        QTest::newRow("dash in a bracketed name") << "x[a-b,1]"
                                                  << "xa-b x1";
        QTest::newRow("blanks") << " a , b "
                                << "a b";
    }
    void aListNamesItsHostsInOrder() {
        QFETCH(QString, list);
        const auto hosts = expandNodeList(list.toStdString());
        QVERIFY2(hosts.has_value(), hosts ? "" : hosts.error().message.c_str());
        QTEST(joined(*hosts), "hosts");
    }

    void aBadListIsShownWithTheReason_data() {
        QTest::addColumn<QString>("list");
        QTest::addColumn<QString>("reason");
        QTest::newRow("empty") << ""
                               << "a name is missing";
        QTest::newRow("empty item") << "a,,b"
                                    << "a name is missing";
        QTest::newRow("empty brackets") << "n[]"
                                        << "a name is missing";
        QTest::newRow("open") << "n[1-2"
                              << "a \"[\" is not closed";
        QTest::newRow("closed twice") << "n[1-2]]"
                                      << "a \"]\" closes nothing";
        QTest::newRow("backwards") << "n[4-2]"
                                   << "\"4-2\" goes backwards";
        QTest::newRow("half a range") << "n[4-]"
                                      << "\"4-\" is not a range of numbers";
        QTest::newRow("three ends") << "n[1-2-3]"
                                    << "\"1-2-3\" is not a range of numbers";
        QTest::newRow("huge") << "n[1-999999]"
                              << "names more than 65536 hosts";
        QTest::newRow("huge by product") << "n[1-999][1-999]"
                                         << "it names more than 65536 hosts";
        QTest::newRow("many digits") << "n[1-99999999999]"
                                     << "has too many digits";
        QTest::newRow("deep") << "n[[[[[[[[[1]]]]]]]]]"
                              << "nested more than 8 deep";
        QTest::newRow("shell") << "n1;reboot"
                               << "\";\" cannot be in a host name";
    }
    void aBadListIsShownWithTheReason() {
        QFETCH(QString, list);
        QFETCH(QString, reason);
        const auto hosts = expandNodeList(list.toStdString());
        QVERIFY(!hosts);
        QCOMPARE(hosts.error().code, ErrorCode::BadInput);
        const QString message = QString::fromStdString(hosts.error().message);
        QVERIFY2(message.contains(reason), qPrintable(message));
        QVERIFY2(message.startsWith("\"" + list), qPrintable(message));
        QVERIFY(!hosts.error().remedy.empty());
    }

    void repeatedCountsAreWrittenOut() {
        QCOMPARE(expandRepeatedCounts("2(x3),1").value(), (std::vector<int>{2, 2, 2, 1}));
        QCOMPARE(expandRepeatedCounts("4").value(), (std::vector<int>{4}));
        for (const char* bad : {"", "a", "2(x", "2(x)", "2(x0)", "0", "-1", "1(x99999)", "2(x2)3"})
            QVERIFY2(!expandRepeatedCounts(bad), bad);
    }

    void aLongNameManyTimesIsNotBuilt() {
        const std::string list = std::string(100000, 'a') + "[1-60000]";
        const auto hosts = expandNodeList(list);
        QVERIFY(!hosts);
        QVERIFY(hosts.error().message.ends_with("a name is longer than 253 characters"));
    }
};

QTEST_GUILESS_MAIN(NodeListTest)
#include "tst_node_list.moc"
