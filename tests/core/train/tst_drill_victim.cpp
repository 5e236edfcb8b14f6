// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <semaphore>
#include <thread>

#include "core/checkpoint/layout.h"
#include "core/train/drill/drill_victim.h"
#include "core/train/drill/process_faults.h"

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
    void whatIsTornIsTheCheckpointThatAResumeWouldTake() {
        const QTemporaryDir folder;
        const std::filesystem::path checkpoints = folder.path().toStdString();
        for (const char* name : {"step-50", "step-100", "step-9", ".tmp-150-1-abcd"}) {
            std::filesystem::create_directories(checkpoints / name);
            std::ofstream(checkpoints / name / "model.safetensors") << "of some length";
        }
        std::ofstream(checkpoints / "LATEST") << checkpoint::encodePointer(50);

        const auto tear = findTear(checkpoints);

        QVERIFY2(tear.has_value(), tear ? "" : tear.error().message.c_str());
        QCOMPARE(QString::fromStdString(tear->file.parent_path().filename().string()),
                 QStringLiteral("step-50"));  // LATEST's, not a newer one that was given up
        QCOMPARE(tear->bytes, std::uintmax_t{14});
    }
    void aCommitThatIsUnderWayIsWaitedForAndNotForEver() {
        using namespace std::chrono_literals;
        const QTemporaryDir folder;
        const std::filesystem::path checkpoints = folder.path().toStdString();
        std::filesystem::create_directories(checkpoints / "step-50");
        QVERIFY(waitForCommits(checkpoints, 0ms).has_value());
        std::filesystem::create_directories(checkpoints / ".tmp-100-1-abcd");
        const auto waited = waitForCommits(checkpoints, 10ms);
        QVERIFY(!waited.has_value());
        QVERIFY2(waited.error().message.find(".tmp-100-1-abcd is still being written after") !=
                     std::string::npos,
                 waited.error().message.c_str());
        std::jthread committer([&checkpoints] {
            std::filesystem::rename(checkpoints / ".tmp-100-1-abcd", checkpoints / "step-100");
        });
        QVERIFY(waitForCommits(checkpoints, 10s).has_value());
    }
};

QTEST_APPLESS_MAIN(DrillVictimTest)
#include "tst_drill_victim.moc"
