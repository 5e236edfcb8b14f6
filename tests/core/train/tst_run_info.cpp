// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <limits>

#include "core/train/run_info.h"

using namespace lockstep;
using namespace lockstep::train;

namespace {

model::Graph graphWith(bool synchronised) {
    model::Graph graph;
    model::Node& node = graph.nodes.emplace_back();
    node.operation = model::BatchNormalization{.isSynchronized = synchronised};
    return graph;
}

}  // namespace

/// Where what replicas report does not tell who is slow.
class RunInfoTest : public QObject {
    Q_OBJECT
private slots:
    void whatDoesNotTellWorkFromWaitingIsNotJudged() {
        constexpr double kInfinite = std::numeric_limits<double>::infinity();
        const auto unknown = [](double unevenness, bool wholeSteps, bool isMesh,
                                bool synchronised) {
            return slownessUnknown(unevenness, wholeSteps, isMesh, graphWith(synchronised));
        };
        QCOMPARE(unknown(1.5, true, false, false), std::string());
        QCOMPARE(unknown(1, false, true, true), std::string());  // the host measures its waiting
        QVERIFY(unknown(1, true, false, true).starts_with("synchronised normalisations wait"));
        QVERIFY(unknown(1, true, true, false).starts_with("the members of a mesh wait"));
        QVERIFY(
            unknown(kInfinite, false, false, false).starts_with("some replicas have no samples"));
    }
};

QTEST_APPLESS_MAIN(RunInfoTest)
#include "tst_run_info.moc"
