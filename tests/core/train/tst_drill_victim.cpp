// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <fstream>
#include <semaphore>

#include "core/train/drill/drill_victim.h"

using namespace lockstep;
using namespace lockstep::train;

namespace {

/// Of this process's address space; stacks of threads count as they are reserved.
std::size_t reservedPages() {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages;
}

}  // namespace

/// The process that inflicts faults on itself.
class DrillVictimTest : public QObject {
    Q_OBJECT
private slots:
    void whatIsDoneKeepsNothing() {
        std::counting_semaphore<> refused(0);
        DrillVictim victim(
            {},
            [&refused](const wire::Record& record) {
                if (record.drill().phase() == wire::DRILL_PHASE_REFUSED) refused.release();
                return true;
            },
            [] { return std::uint64_t{7}; });
        const auto drill = [&](int number) {
            wire::DrillRequest order;
            order.set_id(std::to_string(number));
            order.set_kind(wire::DRILL_KIND_NAN);  // there is no step that it could spoil
            victim.take(order);
            refused.acquire();
        };
        for (int number = 0; number < 20; ++number)
            drill(number);
        const std::size_t before = reservedPages();
        for (int number = 20; number < 220; ++number)
            drill(number);
        constexpr std::size_t kFewStacks = 10 * 2048;  // of 8 MiB each
        QVERIFY2(reservedPages() < before + kFewStacks,
                 qPrintable(QString::number(reservedPages() - before)));
    }
};

QTEST_APPLESS_MAIN(DrillVictimTest)
#include "tst_drill_victim.moc"
