// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/job/journal_session.h"
#include "core/job/logs/log_book.h"
#include "core/job/logs/log_reader.h"
#include "core/launch/process/output_log.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/job/records.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

using Texts = std::vector<std::string>;

wire::Record said(double seconds, int process, const std::string& text, int level = 1) {
    wire::Record record = at(seconds);
    record.mutable_log()->set_process_id(static_cast<std::uint32_t>(process));
    record.mutable_log()->set_level(static_cast<std::uint32_t>(level));
    record.mutable_log()->set_text(text);
    return record;
}

/// A run's folder, with a journal that the test writes.
struct Folder {
    Folder() { QDir(folder.path()).mkdir("logs"); }
    [[nodiscard]] std::filesystem::path path() const { return folder.path().toStdString(); }
    void journal(const std::vector<wire::Record>& records) const {
        auto writer = telemetry::JournalWriter::open(path() / "journal").value();
        for (const wire::Record& record : records)
            if (!writer->append(wire::encode(record).value())) qFatal("the journal took no record");
        if (!writer->flush()) qFatal("the journal was not written");
    }
    /// As an ended run is read.
    [[nodiscard]] std::shared_ptr<const LogBook> book() const {
        const auto session = openJournalSession(path()).value();
        const auto book = session->logBook();
        if (!QTest::qWaitFor([&] { return session->view()->caughtUp; }, 20'000)) return nullptr;
        return book;
    }
    QTemporaryDir folder;
};

Texts textsOf(const std::shared_ptr<const LogBook>& book) {
    Texts texts;
    LogReader reader(book);
    reader.read(0, book->size(), {}, [&](std::size_t, const LineFacts&, std::string_view text) {
        texts.emplace_back(text);
        return true;
    });
    return texts;
}

}  // namespace

class LogBookTest : public QObject {
    Q_OBJECT
private slots:
    void linesAreReadFromTheJournalWithWhatTheIndexSaysOfThem() {
        Folder folder;
        std::vector<wire::Record> records{runInfo(0)};
        for (int i = 0; i < 20'000; ++i) {
            records.push_back(said(i, i % 3, "line " + std::to_string(i), i % 4));
            if (i % 7 == 0) records.push_back(runInfo(i));  // other records lie between
        }
        folder.journal(records);
        const auto book = folder.book();
        // The session's own word that the run was cut off may be among them.
        QVERIFY(book->size() >= 20'000);
        const Texts texts = textsOf(book);
        for (std::size_t i = 0; i < 20'000; ++i) {
            QCOMPARE(texts[i], "line " + std::to_string(i));
            const LineFacts facts = book->facts(i);
            QCOMPARE(facts.processId, int(i % 3));
            QCOMPARE(facts.level, int(i % 4));
            QCOMPARE(facts.wallTime, kStart + double(i));
        }
        QVERIFY(!book->textInMemory(0));
        QVERIFY(book->textInMemory(book->size() - 1));
        QCOMPARE(book->firstAt(kStart + 15.5), std::size_t{16});
        QCOMPARE(LogReader(book).text(12'345), std::string("line 12345"));
        const auto last = book->lastLines(Role::Worker, 1);
        QCOMPARE(last.size(), std::size_t{40});
        QCOMPARE(last.back(), std::string("line 19999"));
    }
    void aFloodIsReadFromTheProcesssFile() {
        Folder folder;
        std::vector<wire::Record> records{runInfo(0)};
        auto log = launch::OutputLog::open(folder.path() / "logs" / "process-0.log", {},
                                           [&](const launch::OutputLog::Line& line) {
                                               records.push_back(said(1, 0, line.text, line.level));
                                           })
                       .value();
        const Nanos start = std::chrono::seconds(100);
        Texts expected;
        for (int i = 0; i < 50'000; ++i) {
            const bool isGrave = i == 30'000;
            expected.push_back(isGrave ? "error: in the flood" : "flood " + std::to_string(i));
            log.feed(expected.back() + "\n", start);
        }
        log.finish(start);
        QVERIFY(records.size() < 3000);  // the journal was spared most of it
        folder.journal(records);

        const auto book = folder.book();
        Texts texts = textsOf(book);
        QVERIFY(std::ranges::find(texts, "flood 49999") != texts.end());
        for (const std::string& text : texts)
            QVERIFY2(text.find("left out") == std::string::npos, text.c_str());
        // Each line once; the grave one came before the flood that it was in.
        std::erase_if(texts, [](const std::string& text) {
            return !text.starts_with("flood") && text != "error: in the flood";
        });
        QCOMPARE(texts.size(), expected.size());
        std::ranges::sort(texts);
        std::ranges::sort(expected);
        QCOMPARE(texts, expected);
    }
    void whereTheProcesssFileIsNotHereTheGapIsSaid() {
        Folder folder;
        const std::string gap =
            "(7 lines left out here, too many at once: all of them are in "
            "logs/process-0.log, bytes 10 to 90)";
        folder.journal({runInfo(0), said(0, 0, "a"), said(1, 0, gap), said(2, 0, "b")});
        const Texts texts = textsOf(folder.book());
        QCOMPARE(texts[0], std::string("a"));
        QCOMPARE(texts[1], gap);
        QCOMPARE(texts[2], std::string("b"));
    }
    void aFileOfAnotherStartIsNotTakenForTheFlood() {
        Folder folder;
        std::filesystem::create_directories(folder.path() / "logs");
        std::ofstream(folder.path() / "logs" / "process-0.log")
            << "one line of thirty-one letters\n"
            << std::string(200, 'x') << '\n';
        const auto gapTo = [](int end) {
            return "(2 lines left out here, too many at once: all of them are in "
                   "logs/process-0.log, bytes 0 to " +
                   std::to_string(end) + ")";
        };
        folder.journal({runInfo(0), said(0, 0, gapTo(60)), said(1, 0, gapTo(31))});
        const Texts texts = textsOf(folder.book());
        QCOMPARE(texts[0], gapTo(60));  // in the midst of a line
        QCOMPARE(texts[1], std::string("one line of thirty-one letters"));
    }
    void aTracebackIsKnownAmongLinesOfOthers() {
        LogBook book("/nowhere");
        const auto say = [&](int process, const char* text) {
            book.add({{1, process, Role::Worker, 1, text}});
        };
        say(0, "Traceback (most recent call last):");
        say(1, "step 1");
        say(0, "  File \"a.py\", line 1");
        say(1, "step 2");
        say(0, "ValueError: bad");
        say(0, "bye");
        QCOMPARE(book.continuation(0), (std::vector<std::size_t>{2, 4}));
        QCOMPARE(book.continuation(1), std::vector<std::size_t>{});
        QCOMPARE(book.facts(0).block, 2U);
        QCOMPARE(book.facts(0).level, 3);
        QVERIFY(book.facts(4).continues);
        QCOMPARE(book.facts(4).block, 4U);
        QVERIFY(!book.facts(5).continues);
    }
    void anUnfinishedLineIsNoLineUntilItsProcessGoesOn() {
        LogBook book("/nowhere");
        book.add({{1, 0, Role::Worker, 1, "10 %", true}, {2, 1, Role::Worker, 1, "1 %", true}});
        book.add({{3, 0, Role::Worker, 1, "20 %", true}});
        QCOMPARE(book.size(), std::size_t{0});
        QCOMPARE(book.unfinished().size(), std::size_t{2});
        QCOMPARE(book.unfinished()[1].text, std::string("20 %"));
        book.add({{4, 0, Role::Worker, 1, "done"}});
        QCOMPARE(book.size(), std::size_t{1});
        QCOMPARE(book.unfinished().size(), std::size_t{1});
    }
    void aLineThatTheJournalNoLongerHasIsSaidToBeGone() {
        Folder folder;
        std::vector<wire::Record> records{runInfo(0)};
        for (int i = 0; i < 10'000; ++i)
            records.push_back(said(i, 0, "line " + std::to_string(i)));
        folder.journal(records);
        const auto book = folder.book();
        QFile file(folder.folder.filePath("journal"));
        QVERIFY(file.resize(file.size() / 100));  // as when a copy is cut back
        LogReader reader(book);
        QCOMPARE(reader.text(0), std::string("line 0"));
        QCOMPARE(reader.text(5000), std::string("(this line is no longer in the run's journal)"));
    }
    void whatIsInNoFileIsKeptWithinALimit() {
        LogBook book("/nowhere");
        const std::string text(100'000, 'x');
        for (int i = 0; i < 400; ++i)
            book.add({{1, 0, Role::Worker, 1, text}});
        LogReader reader(std::shared_ptr<const LogBook>(&book, [](const LogBook*) {}));
        QCOMPARE(reader.text(0), text);
        QVERIFY(reader.text(250).starts_with("(this line lies in no file"));
        QCOMPARE(reader.text(399), text);  // among the newest
    }
};

QTEST_GUILESS_MAIN(LogBookTest)
#include "tst_log_book.moc"
