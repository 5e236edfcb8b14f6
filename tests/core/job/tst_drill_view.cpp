// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/job/fold/run_fold.h"
#include "core/job/fold/wire_views.h"

using namespace lockstep;
using namespace lockstep::job;

namespace {

wire::Record recordOf(const std::string& id, wire::DrillPhase phase, double wallTime) {
    wire::Record record;
    record.set_wall_time(wallTime);
    wire::Drill& drill = *record.mutable_drill();
    drill.set_id(id);
    drill.set_kind(wire::DRILL_KIND_TORN_CHECKPOINT);
    drill.set_process_id(0);
    drill.set_phase(phase);
    drill.set_sentence("what became of it");
    drill.set_ordered_wall_time(10);
    if (phase >= wire::DRILL_PHASE_LANDED) drill.set_landed_wall_time(11);
    return record;
}

}  // namespace

class DrillViewTest : public QObject {
    Q_OBJECT
private slots:
    void everyKindHasAWordAnEffectAndAWayToTheWire() {
        const auto words = drillWords();
        QCOMPARE(words.size(), std::size_t(wire::DRILL_KIND_DISK_FULL));
        for (const std::string& word : words) {
            const auto kind = drillKindOf(word);
            QVERIFY(kind);
            QCOMPARE(wordOf(*kind), word);
            const DrillOrder order{.id = "a", .kind = *kind, .processId = 0, .seconds = 2};
            QVERIFY2(effectOf(order).find("process 0") != std::string::npos,
                     effectOf(order).c_str());
            QCOMPARE(effectOf(order).find("for 2 s") != std::string::npos, hasLength(*kind));
            wire::Drill drill;
            drill.set_kind(requestOf(order).kind());
            QVERIFY(drillOf(drill)->order.kind == *kind);
        }
        QVERIFY(!drillKindOf("unplug"));
    }

    void theNewestOfAnIdHoldsAndEachIsALineOfTheLog() {
        RunFold fold("/run");
        fold.apply(recordOf("a", wire::DRILL_PHASE_ORDERED, 10));
        fold.apply(recordOf("b", wire::DRILL_PHASE_REFUSED, 10.5));
        fold.apply(recordOf("a", wire::DRILL_PHASE_LANDED, 11));
        wire::Record unknown = recordOf("c", wire::DRILL_PHASE_ORDERED, 12);
        unknown.mutable_drill()->set_kind(static_cast<wire::DrillKind>(99));
        fold.apply(unknown);
        fold.tick(12);
        const auto view = fold.view();
        QCOMPARE(view->drills.size(), std::size_t(2));
        QCOMPARE(view->drills[0].order.id, std::string("a"));
        QVERIFY(view->drills[0].phase == DrillView::Phase::Landed);
        QCOMPARE(view->drills[0].landedWallTime, 11.0);
        QVERIFY(view->drills[1].phase == DrillView::Phase::Refused);
        const Arrivals arrivals = fold.takeArrivals();
        QCOMPARE(arrivals.logs.size(), std::size_t(3));
        QCOMPARE(arrivals.logs[0].text, std::string("drill: what became of it"));
    }
};

QTEST_APPLESS_MAIN(DrillViewTest)
#include "tst_drill_view.moc"
