// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/coordination/exchange/missed_records.h"

using namespace lockstep;
using namespace lockstep::coordination;
using namespace std::chrono_literals;

namespace {

wire::Record lineOf(std::uint32_t process, const std::string& text = "step 7") {
    wire::Record record;
    record.mutable_log()->set_process_id(process);
    record.mutable_log()->set_text(text);
    return record;
}

/// A journal that takes `room` lines, and no more.
struct Journal {
    MissedRecords& missed;
    int room = 9;
    int tries = 0;

    /// What it has been told at `now`.
    std::vector<std::string> at(Nanos now, bool isLast = false) {
        std::vector<std::string> said;
        const auto take = [this, &said](const wire::Record& word) {
            ++tries;
            if (room == 0) return false;
            --room;
            said.push_back(word.log().text());
            return true;
        };
        missed.tell(now, take, isLast);
        return said;
    }
};

}  // namespace

class MissedRecordsTest : public QObject {
    Q_OBJECT
private slots:
    void whatWasMissedIsSaidAtMostOnceASecond() {
        MissedRecords missed;
        Journal journal{missed};
        missed.note(lineOf(1));
        QCOMPARE(journal.at(10s).size(), std::size_t(1));
        QVERIFY(missed.empty());
        missed.note(lineOf(1));
        QVERIFY(journal.at(10s + 900ms).empty());
        missed.note(lineOf(1));
        QVERIFY(journal.at(11s)[0].starts_with("2 log lines of process 1 were"));
        missed.note(lineOf(1));
        // One that stood for many.
        missed.note(lineOf(1, "(500 lines left out here, too many at once: all of them are"));
        QVERIFY(journal.at(11s + 1ms, true)[0].starts_with("501 log lines of process 1 were"));
    }

    void whatWasMissedIsSaidOnceThoughTheJournalHasNoRoomForAllOfIt() {
        MissedRecords missed;
        Journal journal{missed, 1};
        missed.note(lineOf(1));
        missed.note(lineOf(2));
        QCOMPARE(journal.at(10s).size(), std::size_t(1));
        QCOMPARE(journal.tries, 2);
        journal.room = 0;
        QVERIFY(journal.at(10s + 500ms).empty());
        QCOMPARE(journal.tries, 2);  // what has just failed is not tried at once
        QVERIFY(journal.at(11s).empty());
        QVERIFY(journal.at(11s + 500ms).empty());
        QCOMPARE(journal.tries, 3);
        journal.room = 9;
        const auto said = journal.at(12s);
        QCOMPARE(said.size(), std::size_t(1));
        QVERIFY(said[0].starts_with("1 log line of process 2 was"));
        QVERIFY(missed.empty());
    }

    void whatIsTooLargeIsSaidWithItsSize() {
        MissedRecords missed;
        Journal journal{missed};
        const wire::Record large = lineOf(1, std::string(300'000, 'x'));
        missed.note(lineOf(1));
        missed.note(large);
        QCOMPARE(journal.at(10s),
                 (std::vector<std::string>{
                     "1 log line of process 1 was not journalled: too many came at once; see its "
                     "file in logs/",
                     "1 log line of process 1 was not journalled: too large (" +
                         std::to_string(large.ByteSizeLong()) +
                         " bytes, a record has 262144 at most); see its file in logs/"}));
    }
};

QTEST_GUILESS_MAIN(MissedRecordsTest)
#include "tst_missed_records.moc"
