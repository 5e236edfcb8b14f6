// SPDX-License-Identifier: Apache-2.0
#include <QDir>
#include <QTemporaryDir>
#include <QtTest>
#include <bit>
#include <cstring>
#include <optional>
#include <variant>

#include "core/base/file.h"
#include "core/telemetry/crc32c.h"
#include "core/telemetry/event_file.h"
#include "core/telemetry/scalar_recorder.h"

using namespace lockstep;
using namespace lockstep::telemetry;

namespace {

/// A strict reader of event files, after TensorBoard's: every sum is checked, every field is
/// known, and nothing may be left over.
class EventReader {
public:
    struct Point {
        std::string tag;
        std::uint64_t step = 0;
        double wallTime = 0;
        float value = 0;
    };

    static std::optional<std::vector<Point>> read(const std::filesystem::path& path) {
        const auto text = readFile(path, 100 << 20);
        if (!text) return std::nullopt;
        std::string_view rest = *text;
        std::vector<Point> points;
        for (bool isFirst = true; !rest.empty(); isFirst = false) {
            const auto event = takeRecord(rest);
            if (!event) return std::nullopt;
            Fields fields;
            if (!parse(*event, fields)) return std::nullopt;
            if (isFirst) {
                if (fields.text[3] != "brain.Event:2") return std::nullopt;
                continue;
            }
            if (!fields.text[7].empty()) {  // a SessionLog
                Fields session;
                if (!parse(fields.text[7], session) || session.number[1] != 1) return std::nullopt;
                points.push_back(
                    {"(restart)", fields.number[2], std::bit_cast<double>(fields.number[1]), 0});
                continue;
            }
            Fields summary;
            Fields value;
            Fields metadata;
            Fields plugin;
            if (!parse(fields.text[5], summary) || !parse(summary.text[1], value) ||
                !parse(value.text[9], metadata) || !parse(metadata.text[1], plugin) ||
                plugin.text[1] != "scalars")
                return std::nullopt;
            points.push_back({std::string(value.text[1]), fields.number[2],
                              std::bit_cast<double>(fields.number[1]),
                              std::bit_cast<float>(static_cast<std::uint32_t>(value.number[2]))});
        }
        return points;
    }

private:
    struct Fields {
        std::array<std::string_view, 16> text;
        std::array<std::uint64_t, 16> number{};
    };

    template <typename Integer>
    static Integer take(std::string_view& rest) {
        Integer value = 0;
        std::memcpy(&value, rest.data(), sizeof value);
        rest.remove_prefix(sizeof value);
        return value;
    }
    static bool sumMatches(std::string_view bytes, std::uint32_t masked) {
        const std::uint32_t sum = crc32c(bytes);
        return ((sum >> 15) | (sum << 17)) + 0xa282ead8U == masked;
    }
    static std::optional<std::string_view> takeRecord(std::string_view& rest) {
        if (rest.size() < 16) return std::nullopt;
        const std::string_view lengthBytes = rest.substr(0, 8);
        const auto length = take<std::uint64_t>(rest);
        if (!sumMatches(lengthBytes, take<std::uint32_t>(rest))) return std::nullopt;
        if (rest.size() < length + 4) return std::nullopt;
        const std::string_view event = rest.substr(0, length);
        rest.remove_prefix(length);
        if (!sumMatches(event, take<std::uint32_t>(rest))) return std::nullopt;
        return event;
    }
    static std::uint64_t takeVarint(std::string_view& rest) {
        std::uint64_t value = 0;
        for (int shift = 0; !rest.empty() && shift < 64; shift += 7) {
            const auto byte = take<std::uint8_t>(rest);
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) break;
        }
        return value;
    }
    static bool parse(std::string_view rest, Fields& fields) {
        while (!rest.empty()) {
            const std::uint64_t key = takeVarint(rest);
            const std::uint64_t field = key >> 3;
            if (field == 0 || field >= fields.text.size()) return false;
            switch (key & 7) {
                case 0:
                    fields.number[field] = takeVarint(rest);
                    break;
                case 1:
                    if (rest.size() < 8) return false;
                    fields.number[field] = take<std::uint64_t>(rest);
                    break;
                case 2: {
                    const std::uint64_t length = takeVarint(rest);
                    if (rest.size() < length) return false;
                    fields.text[field] = rest.substr(0, length);
                    rest.remove_prefix(length);
                    break;
                }
                case 5:
                    if (rest.size() < 4) return false;
                    fields.number[field] = take<std::uint32_t>(rest);
                    break;
                default:
                    return false;
            }
        }
        return true;
    }
};

wire::Record stepsRecord(std::uint32_t replica, std::uint64_t firstStep, int count, float stepUs,
                         double wallTime) {
    wire::Record record;
    wire::StepBatch& batch = *record.mutable_steps();
    batch.set_replica(replica);
    batch.set_first_step(firstStep);
    batch.set_first_end_wall_time(wallTime);
    for (int i = 0; i < count; ++i) {
        batch.add_loss(1.0F / static_cast<float>(firstStep + static_cast<std::uint64_t>(i)));
        batch.add_accuracy(0.5F);
        batch.add_step_us(stepUs);
    }
    return record;
}

wire::Record evaluationRecord(const char* split) {
    wire::Record record;
    record.set_wall_time(1.7e9);
    record.mutable_evaluation()->set_step(40);
    record.mutable_evaluation()->set_split(split);
    record.mutable_evaluation()->set_loss(0.125);
    record.mutable_evaluation()->set_accuracy(0.75);
    return record;
}

}  // namespace

class EventFileTest : public QObject {
    Q_OBJECT

    static QStringList filesOf(const QTemporaryDir& folder, const QString& run) {
        return QDir(folder.filePath(run)).entryList({"events.out.tfevents.*"}, QDir::Files);
    }
    static std::vector<EventReader::Point> pointsOf(const QTemporaryDir& folder,
                                                    const QString& run) {
        std::vector<EventReader::Point> all;
        for (const QString& name : filesOf(folder, run)) {
            const auto points = EventReader::read(folder.filePath(run + "/" + name).toStdString());
            if (!points) return {};
            all.insert(all.end(), points->begin(), points->end());
        }
        return all;
    }

private slots:
    void everyScalarIsReadBack() {
        const QTemporaryDir folder;
        EventFile file(folder.path().toStdString() + "/run", 1.7e9);
        file.addScalar({1.7e9 + 0.5, 300, 0, 0, "train/loss", 0.25});
        file.addScalar({1.7e9 + 1.5, 1ULL << 40, 0, 0, "time/step_ms", 1e-3});
        QVERIFY(file.flush().has_value());
        const auto points = pointsOf(folder, "run");
        QCOMPARE(points.size(), std::size_t{2});
        QCOMPARE(points[0].tag, std::string("train/loss"));
        QCOMPARE(points[0].step, 300U);
        QCOMPARE(points[0].wallTime, 1.7e9 + 0.5);
        QCOMPARE(points[0].value, 0.25F);
        QCOMPARE(points[1].step, 1ULL << 40);
        QCOMPARE(points[1].value, 1e-3F);
    }

    void aReplicasStepsAreThinnedToTenASecond() {
        const QTemporaryDir folder;
        EventSink sink(folder.path().toStdString());
        // 10 seconds of 1 ms steps
        for (std::uint64_t first = 1; first <= 10'000; first += 100)
            QVERIFY(sink.apply(stepsRecord(3, first, 100, 1000,
                                           1.7e9 + 1e-3 * static_cast<double>(first)))
                        .has_value());
        QVERIFY(sink.flush().has_value());
        const auto points = pointsOf(folder, "replica-3");
        QVERIFY(points.size() >= 3 * 90 && points.size() <= 3 * 101);
        QCOMPARE(points[0].tag, std::string("train/loss"));
        QCOMPARE(points[1].tag, std::string("train/accuracy"));
        QCOMPARE(points[2].tag, std::string("time/step_ms"));
        QCOMPARE(points[2].value, 1.0F);
        QCOMPARE(points[2].step, points[0].step);
        QCOMPARE(points[0].value, 1.0F);
    }

    void slowStepsAreKeptInFull() {
        const QTemporaryDir folder;
        EventSink sink(folder.path().toStdString());
        QVERIFY(sink.apply(stepsRecord(0, 1, 20, 150'000, 1.7e9)).has_value());
        QVERIFY(sink.flush().has_value());
        QCOMPARE(pointsOf(folder, "replica-0").size(), std::size_t{60});
    }

    void epochsAndEvaluationsGoToTheirRuns() {
        const QTemporaryDir folder;
        EventSink sink(folder.path().toStdString());
        wire::Record epoch;
        epoch.set_wall_time(1.7e9);
        epoch.mutable_epoch()->set_step(40);
        epoch.mutable_epoch()->set_train_loss(0.5);
        QVERIFY(sink.apply(epoch).has_value());
        QVERIFY(sink.flush().has_value());
        QCOMPARE(pointsOf(folder, "train").size(), std::size_t{2});
        QVERIFY(filesOf(folder, "validation").isEmpty());
        epoch.mutable_epoch()->set_has_validation(true);
        epoch.mutable_epoch()->set_validation_accuracy(0.875);
        QVERIFY(sink.apply(epoch).has_value());
        QVERIFY(sink.apply(evaluationRecord("validation")).has_value());
        QVERIFY(sink.apply(evaluationRecord("test")).has_value());
        QVERIFY(sink.flush().has_value());
        QCOMPARE(pointsOf(folder, "validation")[1].value, 0.875F);
        const auto points = pointsOf(folder, "evaluator");
        QCOMPARE(points.size(), std::size_t{4});
        QCOMPARE(points[0].tag, std::string("evaluator/loss"));
        QCOMPARE(points[3].tag, std::string("evaluator/test_accuracy"));
        QCOMPARE(points[3].value, 0.75F);
    }

    void namedFiguresKeepTheirTagsAndNoTagIsAFolder() {
        const QTemporaryDir folder;
        EventSink sink(folder.path().toStdString());
        ScalarRecorder ofReplica(wire::ROLE_WORKER, 1);
        ScalarRecorder ofJob(wire::ROLE_WORKER, kWholeJob);
        for (std::uint64_t step = 1; step <= 3; ++step) {
            const double time = 1.7e9 + static_cast<double>(step);
            (void)ofReplica.add("f1", step, time, 0.5);
            (void)ofReplica.add("lr", step, time + 0.01, 0.25);  // thinned by itself alone
            (void)ofJob.add("../../f1", step, time, 1);
            (void)ofJob.add("validation/f1", step, time, 2);
        }
        std::vector<wire::Record> records;
        ofReplica.take(records);
        ofJob.take(records);
        for (const wire::Record& record : records)
            QVERIFY(sink.apply(record).has_value());
        QVERIFY(sink.flush().has_value());
        const auto points = pointsOf(folder, "replica-1");
        QCOMPARE(points.size(), std::size_t{6});
        QCOMPARE(points[0].tag, std::string("f1"));
        QCOMPARE(points[3].tag, std::string("lr"));
        QCOMPARE(points[5].step, 3U);
        QCOMPARE(pointsOf(folder, "job").at(0).tag, std::string("../../f1"));
        QCOMPARE(pointsOf(folder, "validation").at(2).value, 2.0F);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                 (QStringList{"job", "replica-1", "validation"}));
    }

    void namedFiguresThatComeFastAreThinned() {
        const QTemporaryDir folder;
        EventSink sink(folder.path().toStdString());
        ScalarRecorder recorder(wire::ROLE_WORKER, 0);
        for (std::uint64_t step = 1; step <= 1000; ++step)
            (void)recorder.add("f1", step, 1.7e9 + 1e-3 * static_cast<double>(step), 1);
        std::vector<wire::Record> records;
        recorder.take(records);
        for (const wire::Record& record : records)
            QVERIFY(sink.apply(record).has_value());
        QVERIFY(sink.flush().has_value());
        const auto count = pointsOf(folder, "replica-0").size();
        QVERIFY(count >= 9 && count <= 11);
    }

    void aResumedRunWritesANewFile() {
        const QTemporaryDir folder;
        for (int start = 0; start < 2; ++start) {
            EventSink sink(folder.path().toStdString());
            QVERIFY(sink.apply(stepsRecord(0, 1, 1, 1000, 1.7e9)).has_value());
            QVERIFY(sink.flush().has_value());
        }
        QCOMPARE(filesOf(folder, "replica-0").size(), 2);
    }

    void whatIsTrainedAgainIsForgottenByTensorBoard() {
        const QTemporaryDir folder;
        EventSink sink(folder.path().toStdString());
        wire::Record start;
        start.set_wall_time(1.7e9);
        start.mutable_run_info()->set_first_step(0);
        QVERIFY(sink.apply(start).has_value());
        QVERIFY(sink.apply(stepsRecord(0, 1, 3, 150'000, 1.7e9)).has_value());
        start.mutable_run_info()->set_first_step(2);
        QVERIFY(sink.apply(start).has_value());
        QVERIFY(sink.apply(stepsRecord(0, 3, 1, 150'000, 1.7e9)).has_value());
        QVERIFY(sink.apply(evaluationRecord("validation")).has_value());
        QVERIFY(sink.flush().has_value());
        const auto points = pointsOf(folder, "replica-0");
        QCOMPARE(points.size(), std::size_t{1 + 9 + 1 + 3});
        QCOMPARE(points[0].tag, std::string("(restart)"));
        QCOMPARE(points[0].step, 1U);
        QCOMPARE(points[10].tag, std::string("(restart)"));
        QCOMPARE(points[10].step, 3U);
        // A file that begins after the restart begins with it.
        QCOMPARE(pointsOf(folder, "evaluator")[0].step, 3U);
    }

    void aFolderThatCannotBeMadeIsAnErrorWithItsName() {
        EventSink sink("/proc/nothing/events");
        std::ignore = sink.apply(stepsRecord(0, 1, 1, 1000, 1.7e9));
        const auto flushed = sink.flush();
        QVERIFY(!flushed);
        QVERIFY(flushed.error().message.find("/proc/nothing/events") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(EventFileTest)
#include "tst_event_file.moc"
