// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <fstream>

#include "core/telemetry/crc32c.h"
#include "core/telemetry/journal.h"

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

std::atomic<int> g_syncError{0};

void writeRaw(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// All records of a journal, read `chunk` bytes at a time.
std::vector<std::string> recordsOf(const std::filesystem::path& path, std::size_t chunk = 1000) {
    std::vector<std::string> records;
    const auto reader = JournalReader::open(path);
    if (!reader) return records;
    for (std::uint64_t offset = 0;;) {
        const auto frames = reader->read(offset, chunk);
        if (!frames || frames->empty()) return records;
        FrameCursor cursor(*frames, offset);
        while (const auto record = cursor.next())
            records.emplace_back(*record);
        offset = cursor.offset();
    }
}

const std::vector<std::string> kThree{"first", "the second record", "3"};

std::string threeFrames() {
    std::string frames;
    for (const std::string& record : kThree)
        appendFrame(record, frames);
    return frames;
}

/// Files of this process may not grow above `bytes` while this lives.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit now{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &now);
    }
    ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

private:
    rlimit before_{};
};

}  // namespace

/// What the journal calls: fails as long as a test says so.
extern "C" int fdatasync(int fd) {
    errno = g_syncError;
    return g_syncError == 0 ? int(::syscall(SYS_fdatasync, fd)) : -1;
}

class JournalTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    std::filesystem::path path_;

private slots:
    void init() {
        path_ = folder_.filePath("journal").toStdString();
        for (const auto& file : std::filesystem::directory_iterator(path_.parent_path()))
            std::filesystem::remove(file);
    }

    void theChecksumIsCrc32c() {
        QCOMPARE(crc32c("123456789"), 0xe3069283U);  // the check value of the CRC catalogue
        QCOMPARE(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, B.4
        QCOMPARE(crc32c(""), 0U);
    }

    void whatIsAppendedIsReadInAnyChunks() {
        const auto writer = JournalWriter::open(path_).value();
        for (const std::string& record : kThree)
            QVERIFY(writer->append(record).has_value());
        QCOMPARE(writer->end(), std::uint64_t{threeFrames().size()});
        QVERIFY(writer->flush().has_value());
        for (const std::size_t chunk : {1U, 8U, 13U, 14U, 30U, 1000U})
            QCOMPARE(recordsOf(path_, chunk), kThree);
    }

    void whatIsAppendedComesIntoTheFileByItself() {
        const auto writer = JournalWriter::open(path_).value();
        for (const std::string& record : kThree) {
            QVERIFY(writer->append(record).has_value());
            QTRY_COMPARE_WITH_TIMEOUT(JournalReader::open(path_).value().size().value(),
                                      writer->end(), 10'000);
        }
        QCOMPARE(recordsOf(path_), kThree);
    }

    void whatIsRecentIsReadFromMemory() {
        JournalWriter::Options options;
        options.recentBytes = 30;
        const auto writer = JournalWriter::open(path_, options).value();
        for (const std::string& record : kThree) {
            QVERIFY(writer->append(record).has_value());
            QVERIFY(writer->flush().has_value());
        }
        const std::string whole = threeFrames();
        QVERIFY(!writer->recent(0, 1000));  // that much is not kept
        const std::string some = writer->recent(13, 1000).value();
        QVERIFY(!some.empty());
        QVERIFY(whole.substr(13).starts_with(some));
        QCOMPARE(writer->recent(39, 1).value(), whole.substr(39));
        QVERIFY(!writer->recent(whole.size(), 1000));
    }

    void itGoesOnBehindWhatIsThere() {
        for (const std::string& record : kThree) {
            const auto writer = JournalWriter::open(path_).value();
            QCOMPARE(writer->openingNote(), std::string());
            QVERIFY(writer->append(record).has_value());
            QVERIFY(writer->sync().has_value());
        }
        QCOMPARE(recordsOf(path_), kThree);
    }

    void aTailTornAtAnyByteIsCutAndSaid() {
        const std::string whole = threeFrames();
        const std::size_t second = 8 + kThree[0].size();
        const std::size_t third = second + 8 + kThree[1].size();
        for (std::size_t size = 0; size < whole.size(); ++size) {
            writeRaw(path_, whole.substr(0, size));
            const std::size_t kept = size < second ? 0 : size < third ? 1 : 2;
            const bool isBoundary = size == 0 || size == second || size == third;
            {
                const auto writer = JournalWriter::open(path_).value();
                QCOMPARE(writer->openingNote().empty(), isBoundary);
                QVERIFY(writer->append("after").has_value());
            }
            std::vector<std::string> expected(kThree.begin(),
                                              kThree.begin() + static_cast<std::ptrdiff_t>(kept));
            expected.emplace_back("after");
            QCOMPARE(recordsOf(path_), expected);
        }
    }

    void whatIsCutOffIsKeptBesideTheJournal() {
        const auto cut = [&](int number) {
            std::ifstream file(fmt::format("{}.cut-{}", path_.string(), number), std::ios::binary);
            return std::string(std::istreambuf_iterator<char>(file), {});
        };
        for (const int number : {1, 2}) {
            const std::string torn = "torn end " + std::to_string(number);
            std::ofstream(path_, std::ios::binary | std::ios::app) << torn;
            const auto writer = JournalWriter::open(path_).value();
            QCOMPARE(cut(number), torn);
            QVERIFY(writer->openingNote().find(fmt::format("journal.cut-{}", number)) !=
                    std::string::npos);
        }
    }

    void aTailOfZerosIsCut() {
        writeRaw(path_, threeFrames() + std::string(4096, '\0'));
        const auto writer = JournalWriter::open(path_).value();
        QVERIFY(writer->openingNote().find("4096 bytes") != std::string::npos);
        QCOMPARE(recordsOf(path_), kThree);
    }

    void anyFlippedBitCostsOnlyItsOwnRecord() {
        const std::string whole = threeFrames();
        for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
            std::string damaged = whole;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
            FrameCursor cursor(damaged);
            std::vector<std::string> records;
            while (const auto record = cursor.next())
                records.emplace_back(*record);
            std::vector<std::string> expected = kThree;
            std::uint64_t first = 0;
            for (auto hit = expected.begin();; first += 8 + hit->size(), ++hit) {
                if (bit / 8 >= first + 8 + hit->size()) continue;
                QCOMPARE(cursor.damage().bytes, 8 + hit->size());
                QCOMPARE(cursor.damage().first, first);
                expected.erase(hit);
                break;
            }
            QCOMPARE(records, expected);
            writeRaw(path_, damaged);
            for (const std::size_t chunk : {1U, 30U, 1000U})
                QCOMPARE(recordsOf(path_, chunk), expected);
        }
    }

    void aJournalThatIsOpenedAgainKeepsWhatLiesBehindTheDamage() {
        for (const std::size_t at : {0U, 3U, 4U, 20U}) {  // length, its high byte, sum, record
            std::string damaged = threeFrames();
            damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
            writeRaw(path_, damaged);
            {
                const auto writer = JournalWriter::open(path_).value();
                QCOMPARE(writer->openingNote(),
                         std::string(at < 13 ? "the journal is damaged at byte 0: 13 bytes cannot "
                                               "be read, what was there is missing"
                                             : "the journal is damaged at byte 13: 25 bytes cannot "
                                               "be read, what was there is missing"));
                QVERIFY(writer->append("after").has_value());
            }
            std::vector<std::string> expected = kThree;
            expected.erase(expected.begin() + (at < 13 ? 0 : 1));
            expected.emplace_back("after");
            QCOMPARE(recordsOf(path_), expected);
            QVERIFY(!std::filesystem::exists(path_.string() + ".cut-1"));
        }
    }

    void aHoleOfMegabytesIsPassedOver() {
        writeRaw(path_, threeFrames() + std::string(3 << 20, '\0') + threeFrames());
        std::vector<std::string> expected = kThree;
        expected.insert(expected.end(), kThree.begin(), kThree.end());
        QCOMPARE(recordsOf(path_, 256 << 10), expected);
        const JournalCheck check = checkJournal(path_).value();
        QCOMPARE(check.damage.bytes, std::uint64_t{3 << 20});
        QCOMPARE(check.damage.places, 1U);
        QCOMPARE(check.torn, 0U);
    }

    void aFrameThatIsBeingWrittenIsNoDamage() {
        const std::string whole = threeFrames();
        for (std::size_t size = 0; size < whole.size(); ++size) {
            writeRaw(path_, whole.substr(0, size));
            const JournalCheck check = checkJournal(path_).value();
            QCOMPARE(check.damage.bytes, 0U);
            QCOMPARE(check.end + check.torn, std::uint64_t{size});
        }
    }

    void aSecondWriterIsRefused() {
        const auto writer = JournalWriter::open(path_).value();
        const auto second = JournalWriter::open(path_);
        QVERIFY(!second);
        QCOMPARE(second.error().code, ErrorCode::Unavailable);
    }

    void aFullDiskLosesNothingThatMemoryHolds() {
        const auto writer = JournalWriter::open(path_).value();
        QVERIFY(writer->append("before").has_value());
        QVERIFY(writer->flush().has_value());
        {
            const FileSizeLimit limit(writer->end() + 30);
            QVERIFY(writer->append("fits still").has_value());  // 18 bytes with its header
            QVERIFY(writer->append("is cut short").has_value());
            const auto failed = writer->flush(Millis(200));
            QCOMPARE(failed.error().code, ErrorCode::Io);
            QVERIFY(writer->append("comes meanwhile").has_value());  // at once
            std::string seen;
            while (const auto more = writer->recent(14 + seen.size(), 1000))
                seen += *more;
            QCOMPARE(seen.size(), std::size_t{61});
            const JournalStatus status = writer->status();
            QVERIFY(status.error.starts_with("writing: "));
            QVERIFY(status.waitingBytes >= 43 && status.waitingBytes <= 61);
            QCOMPARE(status.lostRecords, 0U);
        }
        QVERIFY(writer->flush().has_value());
        QVERIFY(writer->status().error.empty());
        QCOMPARE(recordsOf(path_), (std::vector<std::string>{"before", "fits still", "is cut short",
                                                             "comes meanwhile"}));
    }

    void aSyncThatWorksDoesNotHideAWriteThatFails() {
        JournalWriter::Options options;
        options.syncInterval = Millis(1);
        options.retryInterval = Millis(5);
        const auto writer = JournalWriter::open(path_, options).value();
        const FileSizeLimit limit(40);
        for (int i = 0; i < 4; ++i)
            QVERIFY(writer->append("sixteen bytes: " + std::to_string(i)).has_value());
        QCOMPARE(writer->flush(Millis(100)).error().code, ErrorCode::Io);
        for (int i = 0; i < 100; ++i) {
            QVERIFY(writer->status().error.starts_with("writing: "));
            QCOMPARE(writer->flush(Millis(2)).error().code, ErrorCode::Io);
        }
    }

    void whatAFailedSyncHasDroppedIsWrittenAgain() {
        JournalWriter::Options options;
        options.syncInterval = Millis(5);
        options.retryInterval = Millis(5);
        const auto writer = JournalWriter::open(path_, options).value();
        g_syncError = EIO;
        QVERIFY(writer->append("one").has_value());
        QVERIFY(writer->append("two").has_value());
        QVERIFY(writer->flush().has_value());
        QTRY_VERIFY_WITH_TIMEOUT(writer->status().error.starts_with("syncing: "), 10'000);
        QCOMPARE(writer->sync(Millis(20)).error().code, ErrorCode::Io);
        std::filesystem::resize_file(path_, 0);  // as the kernel may drop what it could not write
        std::filesystem::resize_file(path_, 22);
        g_syncError = 0;
        QVERIFY(writer->append("three").has_value());
        QVERIFY(writer->sync().has_value());
        QVERIFY(writer->status().error.empty());
        QCOMPARE(recordsOf(path_), (std::vector<std::string>{"one", "two", "three"}));
    }

    void aJournalThatIsEmptiedByAnotherIsSaidToBe() {
        const auto writer = JournalWriter::open(path_).value();
        QVERIFY(writer->append("first").has_value());
        QVERIFY(writer->flush().has_value());
        std::filesystem::resize_file(path_, 0);
        QVERIFY(writer->append("second").has_value());
        QVERIFY(writer->sync().has_value());
        QVERIFY2(writer->status().misplaced.find("13 bytes are lost") != std::string::npos,
                 writer->status().misplaced.c_str());
        QCOMPARE(recordsOf(path_), std::vector<std::string>{"second"});
    }

    void aTornEndThatCannotBeKeptLeavesTheJournalAsItWas() {
        writeRaw(path_, threeFrames() + std::string(100, 'x'));
        const auto size = std::filesystem::file_size(path_);
        {
            const FileSizeLimit limit(50);
            const auto refused = JournalWriter::open(path_);
            QVERIFY(!refused);
            QCOMPARE(refused.error().code, ErrorCode::NoRoom);
        }
        QCOMPARE(std::filesystem::file_size(path_), size);
        QVERIFY(!std::filesystem::exists(path_.string() + ".cut-1"));
        QVERIFY(JournalWriter::open(path_).has_value());
    }

    /// Each piece of it used to be searched to its end: minutes where this takes a second.
    void aHoleOfGigabytesIsSearchedOnce() {
        writeRaw(path_, threeFrames());
        constexpr std::uint64_t kHole = std::uint64_t{1} << 30;
        const auto before = std::filesystem::file_size(path_);
        std::filesystem::resize_file(path_, before + kHole);
        std::ofstream(path_, std::ios::binary | std::ios::app) << threeFrames();
        const auto check = checkJournal(path_);
        QVERIFY(check.has_value());
        QCOMPARE(check->damage.bytes, kHole);
        QCOMPARE(check->damage.places, 1U);
        QCOMPARE(check->torn, 0U);
    }

    void whatMemoryDoesNotHoldIsLostAndCountedSamplesFirst() {
        JournalWriter::Options options;
        options.mostWaitingBytes = 80;
        options.closeTimeout = Millis(100);
        {
            const FileSizeLimit limit(0);
            const auto writer = JournalWriter::open(path_, options).value();
            const std::string twelve(12, 's');
            for (int i = 0; i < 4; ++i)
                QVERIFY(writer->append(twelve, RecordWorth::Sample).has_value());
            for (int i = 0; i < 3; ++i)
                QCOMPARE(writer->append(twelve, RecordWorth::Sample).error().code,
                         ErrorCode::Unavailable);
            QVERIFY(writer->append("ev").has_value());
            QVERIFY(!writer->append("event").has_value());
            QCOMPARE(writer->status().lostRecords, 4U);
        }
        QVERIFY(recordsOf(path_).empty());  // it has given up
    }

    void aJournalThatIsMovedOrRemovedIsNoticed() {
        const auto writer = JournalWriter::open(path_).value();
        const std::filesystem::path moved = path_.string() + ".moved";
        std::filesystem::rename(path_, moved);
        QTRY_VERIFY_WITH_TIMEOUT(
            writer->status().misplaced.find(moved.string()) != std::string::npos, 10'000);
        QVERIFY(writer->append("goes on").has_value());
        QVERIFY(writer->sync().has_value());
        QCOMPARE(recordsOf(moved), std::vector<std::string>{"goes on"});
        std::filesystem::remove(moved);
        QTRY_VERIFY_WITH_TIMEOUT(writer->status().misplaced.find("removed") != std::string::npos,
                                 10'000);
        QVERIFY(writer->append("nowhere").has_value());
        QVERIFY(writer->sync().has_value());
    }

    void anEmptyOrHugeRecordIsRefused() {
        const auto writer = JournalWriter::open(path_).value();
        QCOMPARE(writer->append("").error().code, ErrorCode::BadInput);
        QCOMPARE(writer->append(std::string(kMaxJournalRecordBytes + 1, 'x')).error().code,
                 ErrorCode::BadInput);
        QVERIFY(writer->append(std::string(kMaxJournalRecordBytes, 'x')).has_value());
        QVERIFY(writer->flush().has_value());
        QCOMPARE(recordsOf(path_, 16).size(), std::size_t{1});
    }

    void aMissingJournalIsNotFound() {
        QCOMPARE(JournalReader::open(path_).error().code, ErrorCode::NotFound);
        QCOMPARE(JournalReader::open("/dev/zero").error().code, ErrorCode::BadInput);
        QVERIFY(!JournalWriter::open("/nonexistent/journal"));
    }

    void anOffsetInsideAFrameIsReadFromTheNextOneOn() {
        writeRaw(path_, threeFrames());
        const auto reader = JournalReader::open(path_).value();
        QCOMPARE(reader.read(3, 1000).value().size(), std::size_t{10});
        const std::string frames = reader.read(13, 1000).value();
        FrameCursor cursor(frames);
        QCOMPARE(std::string(cursor.next().value()), kThree[1]);
    }
};

QTEST_GUILESS_MAIN(JournalTest)
#include "tst_journal.moc"
