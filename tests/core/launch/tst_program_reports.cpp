// SPDX-License-Identifier: Apache-2.0
// What becomes of the reports of programs that anybody may have written.
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <map>

#include "core/base/rng.h"
#include "core/launch/program/program_reports.h"
#include "core/telemetry/scalar_series.h"
#include "core/wire/local_receiver.h"

using namespace lockstep;
using namespace lockstep::launch;
using namespace std::chrono_literals;

namespace {

constexpr double kWall = 1.8e9;

std::string report(const std::string& body) {
    return R"({"version":1,)" + body + "}";
}

std::string stepsFrom(std::uint64_t first, const std::string& losses,
                      const std::string& more = "") {
    return report(R"("steps":{"first_step":)" + std::to_string(first) +
                  R"(,"first_end_wall_time":1800000000,"loss":[)" + losses + "]" + more + "}");
}

struct Program {
    ProgramReports reports;
    explicit Program(bool chief = true) : reports(chief ? 0 : 3, chief) {}
    Result<std::optional<wire::Record>> take(const std::string& line, Nanos now = 1s) {
        return reports.take(line, now, kWall);
    }
    std::vector<wire::Record> takeFigures() {
        std::vector<wire::Record> records;
        reports.figures().take(records);
        return records;
    }
};

}  // namespace

class ProgramReportsTest : public QObject {
    Q_OBJECT
private slots:
    void lossesAloneMakeACompleteBatchOfTheSendersReplica() {
        Program program(false);
        const auto record = program.take(stepsFrom(5, "2,1"));
        QVERIFY(record && *record);
        const wire::StepBatch& steps = (*record)->steps();
        QCOMPARE(steps.replica(), 3U);
        QCOMPARE(steps.step_us_size(), 2);
        QCOMPARE(steps.all_reduce_us_size(), 2);
        QVERIFY(std::isnan(steps.accuracy(1)));
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{6});
    }

    void linesThatMakeNoSenseAreRefused_data() {
        QTest::addColumn<QByteArray>("line");
        const auto row = [](const char* name, const std::string& line) {
            QTest::newRow(name) << QByteArray::fromStdString(line);
        };
        row("step 0", stepsFrom(0, "1"));
        row("no steps", stepsFrom(1, ""));
        row("a step that no run has", stepsFrom(std::uint64_t{1} << 60, "1"));
        row("columns of unequal lengths", stepsFrom(1, "1,2", R"(,"accuracy":[0.5])"));
        std::string many = "1";
        for (int i = 0; i < 5000; ++i)
            many += ",1";
        row("too many at once", stepsFrom(1, many));
        row("a loss that is a text", stepsFrom(1, R"("low")"));
        row("a step that is none", report(R"("steps":{"first_step":"one","loss":[1]})"));
        row("a negative step", report(R"("steps":{"first_step":-1,"loss":[1]})"));
        row("nothing", "");
        row("nothing known", report(R"("weather":{})"));
        row("no object", "[1]");
        row("a body that is no object", report(R"("steps":[1])"));
        row("epoch 0", report(R"("epoch":{"train_loss":1})"));
        row("a split that is not scored", report(R"("evaluation":{"split":"training"})"));
        row("no JSON", "loss=1");
        row("cut short", "{\"version\":1,\"steps\":{\"fi");
        row("no UTF-8", report("\"scalars\":{\"name\":\"\xff\",\"steps\":[1],\"values\":[1]}"));
        row("nested without end", std::string(200'000, '['));
        row("another version", R"({"version":99,"steps":{"first_step":1,"loss":[1]}})");
        row("no version", R"({"steps":{"first_step":1,"loss":[1]}})");
        row("a figure without values", report(R"("scalars":{"name":"f1"})"));
        row("a figure of unequal columns",
            report(R"("scalars":{"name":"f1","steps":[1,2],"values":[1]})"));
        row("a figure with steps that are none",
            report(R"("scalars":{"name":"f1","steps":[1.5],"values":[1]})"));
    }
    void linesThatMakeNoSenseAreRefused() {
        QFETCH(QByteArray, line);
        Program program;
        const auto taken = program.take(line.toStdString());
        QVERIFY(!taken);
        QVERIFY(!taken.error().message.empty());
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{0});
        QVERIFY(program.takeFigures().empty());
    }

    void numbersThatJsonCannotWriteAreWords() {
        Program program;
        const auto record = program.take(stepsFrom(1, R"(null,"nan","inf","-inf",2)"));
        QVERIFY(record && *record);
        const auto& loss = (*record)->steps().loss();
        QVERIFY(std::isnan(loss[0]) && std::isnan(loss[1]));
        QVERIFY(std::isinf(loss[2]) && loss[2] > 0 && std::isinf(loss[3]) && loss[3] < 0);
        QCOMPARE(loss[4], 2.0F);
    }

    void aNamedFigureIsRegisteredOnceForTheSendersReplica() {
        Program program(false);
        const std::string line =
            report(R"("scalars":{"name":"train/f1","unit":"%","steps":[5,6],)"
                   R"("wall_times":[1800000000,1800000001],"values":[0.5,null]})");
        const auto taken = program.take(line);
        QVERIFY(taken && !*taken);
        auto records = program.takeFigures();
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[0].scalar_series().name(), std::string("train/f1"));
        QCOMPARE(records[0].scalar_series().unit(), std::string("%"));
        QCOMPARE(records[0].scalar_series().replica(), 3);
        QCOMPARE(records[1].scalars().replica(), 3);
        const wire::ScalarColumn& column = records[1].scalars().columns(0);
        QCOMPARE(column.steps(1), std::uint64_t{6});
        QCOMPARE(column.first_wall_time(), kWall);
        QCOMPARE(column.after_seconds(1), 1.0F);
        QCOMPARE(column.values(0), 0.5);
        QVERIFY(std::isnan(column.values(1)));
        QVERIFY(program.take(line));
        QCOMPARE(program.takeFigures().size(), std::size_t{1});
        // Without steps, its figures say where the program is.
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{6});
        QCOMPARE(program.reports.plan().firstStep, std::uint64_t{4});
    }

    void aFigureWithoutTimesOrWithAWrongClockIsOfNow() {
        Program program;
        QVERIFY(program.take(report(R"("scalars":{"name":"f1","steps":[1],"values":[1]})")));
        QVERIFY(program.take(
            report(R"("scalars":{"name":"f1","steps":[2],"values":[1],"wall_times":[12]})")));
        const auto records = program.takeFigures();
        const wire::ScalarColumn& column = records[1].scalars().columns(0);
        QCOMPARE(column.first_wall_time(), kWall);
        QCOMPARE(column.after_seconds(1), 0.0F);
    }

    void timesThatNoStepTakesBecomeZeroAndClocksThatAreWrongAreCorrected() {
        Program program;
        const auto record =
            program.take(report(R"("steps":{"first_step":1,"first_end_wall_time":12,"loss":[1,1],)"
                                R"("step_us":["inf",2e6],"data_us":[-1,null]})"));
        QVERIFY(record && *record);
        const wire::StepBatch& steps = (*record)->steps();
        QCOMPARE(steps.step_us(0), 0.0F);
        QCOMPARE(steps.data_us(0) + steps.data_us(1), 0.0F);
        QCOMPARE(steps.first_end_wall_time(), kWall - 2);
    }

    void silenceCountsFromTheLastChange() {
        Program program;
        QCOMPARE(program.reports.progress(100s).phase(), wire::PHASE_PROGRAM);
        QCOMPARE(program.reports.progress(100s).phase_seconds(), 0.0F);
        QVERIFY(program.take(stepsFrom(1, "1"), 10s));
        // A heartbeat that says nothing new.
        QVERIFY(program.take(report(R"("progress":{"step":1,"phase":"program"})"), 15s));
        QCOMPARE(program.reports.progress(16s).phase_seconds(), 6.0F);
        QVERIFY(program.take(report(R"("progress":{"step":1,"phase":"evaluate"})"), 20s));
        QCOMPARE(program.reports.progress(21s).phase(), wire::PHASE_EVALUATE);
        QCOMPARE(program.reports.progress(21s).phase_seconds(), 1.0F);
        QVERIFY(program.take(report(R"("scalars":{"name":"f1","steps":[1],"values":[1]})"), 30s));
        QCOMPARE(program.reports.progress(31s).phase_seconds(), 1.0F);
    }

    void stepsNeverGoBackInProgress() {
        Program program;
        QVERIFY(program.take(stepsFrom(10, "1")));
        QVERIFY(program.take(report(R"("progress":{"step":3})")));
        // Where there are steps, a figure's own count (of epochs, of samples) is not one of them.
        QVERIFY(program.take(report(R"("scalars":{"name":"f1","steps":[9999],"values":[1]})")));
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{10});
    }

    void onlyProcess0SpeaksForTheRun() {
        const std::string epoch = report(R"("epoch":{"epoch":2,"train_loss":0.5})");
        Program other(false);
        const auto passedOver = other.take(epoch);
        QVERIFY(passedOver && !*passedOver);
        Program chief;
        QVERIFY(chief.take(stepsFrom(7, "1")));
        const auto record = chief.take(epoch);
        QVERIFY(record && *record);
        QCOMPARE((*record)->epoch().step(), std::uint64_t{7});  // where the program is
        QCOMPARE(chief.reports.results().epochs, 2U);
        QCOMPARE(chief.reports.results().trainLoss, 0.5);
    }

    void anEvaluationKeepsItsScoresAndNothingThatReadersIndexBy() {
        Program program;
        const auto record = program.take(report(
            R"("evaluation":{"split":"test","accuracy":0.75,"confusion":[1],"samples":[{}]})"));
        QVERIFY(record && *record);
        QCOMPARE((*record)->evaluation().accuracy(), 0.75);
        QCOMPARE((*record)->evaluation().confusion_size(), 0);
        QCOMPARE((*record)->evaluation().samples_size(), 0);
        QCOMPARE(program.reports.results().testAccuracy, 0.75);
    }

    void theFirstStepSaysWhereAProgramBeginsUnlessItsPlanDoes() {
        Program planless;
        QVERIFY(!planless.reports.hasBegun());
        QVERIFY(planless.take(stepsFrom(31, "1")));
        QCOMPARE(planless.reports.plan().firstStep, std::uint64_t{30});
        Program planned;
        QVERIFY(planned.take(report(R"("plan":{"total_steps":100,"first_step":20})")));
        QVERIFY(planned.take(stepsFrom(21, "1")));
        QCOMPARE(planned.reports.plan().firstStep, std::uint64_t{20});
        QCOMPARE(planned.reports.plan().totalSteps, std::uint64_t{100});
    }

    void aFigureFoundInAFileIsTheProgramsToo() {
        Program program;
        QCOMPARE(program.reports.addFigure("epoch_loss", 41, kWall, 0.5, ""),
                 telemetry::ScalarRecorder::Added::Yes);
        QVERIFY(program.reports.hasBegun());
        QCOMPARE(program.reports.plan().firstStep, std::uint64_t{40});
        QCOMPARE(program.takeFigures().size(), std::size_t{2});
    }

    void figuresForWhichThereIsNoRoomAreCounted() {
        Program program;
        constexpr std::size_t kRoom = telemetry::ScalarRecorder::kMostWaiting - 1;
        for (std::size_t i = 0; i < kRoom; ++i)
            QCOMPARE(program.reports.addFigure("a", i, kWall, 0, ""),
                     telemetry::ScalarRecorder::Added::Yes);
        QVERIFY(
            program.take(report(R"("scalars":{"name":"f1","steps":[1,2,3],"values":[1,1,1]})")));
        QCOMPARE(program.reports.takeLost(), std::uint64_t{2});
        QCOMPARE(program.reports.takeLost(), std::uint64_t{0});
    }

    /// The Python module as it is, against the socket and the reader as they are.
    void whatThePythonModuleSendsArrivesWhole() {
        const QString python = QStandardPaths::findExecutable("python3");
        if (python.isEmpty()) QSKIP("needs python3");
        QTemporaryDir folder;  // of mode 0700
        const auto inbox =
            wire::LocalReceiver::bind(folder.filePath("reports").toStdString(), 256 << 10);
        QVERIFY2(inbox, inbox ? "" : inbox.error().message.c_str());
        QProcess process;
        QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
        variables.insert("LOCKSTEP_REPORT_ENDPOINT", folder.filePath("reports"));
        variables.insert("PYTHONPATH", LOCKSTEP_SOURCE_DIR "/resources/python");
        process.setProcessEnvironment(variables);
        process.start(python,
                      {"-B", "-c",
                       "\n"
                       "import lockstep_report\n"
                       "report = lockstep_report.connect()\n"
                       "report.plan(total_steps=3000)\n"
                       "for step in range(3000):\n"
                       "    report.step(loss=1 / (step + 1), accuracy=0.0, **{\"f1\": step, "
                       "\"näme, \\\"quoted\\\"\": 2})\n"
                       "report.step(loss=\"none\", phases=7, odd=[1, 2], huge=float(\"inf\"))\n"
                       "report.epoch(1, loss=0.5, validation_loss=0.25, validation_f1=0.75)\n"
                       "report.evaluation(loss=0.125, split=\"test\")\n"
                       "assert report.dropped == 0, report.dropped\n"
                       "\n"});
        Program program;
        std::map<std::string, int> values;
        std::vector<float> losses;
        std::vector<wire::Record> records;
        const auto takeAll = [&] {
            while (const auto line = (*inbox)->receive()) {
                const auto record = program.take(*line);
                QVERIFY2(record, line->substr(0, 200).c_str());
                if (!*record) continue;
                const auto& batch = (*record)->steps().loss();
                losses.insert(losses.end(), batch.begin(), batch.end());
            }
        };
        while (!process.waitForFinished(20) && process.state() != QProcess::NotRunning)
            takeAll();
        takeAll();
        const QByteArray errors = process.readAllStandardError();
        QVERIFY2(process.exitCode() == 0, errors.constData());
        QCOMPARE(errors.count("warning: lockstep_report"), 1);
        QCOMPARE((*inbox)->droppedLines(), std::uint64_t{0});
        QCOMPARE(losses.size(), std::size_t{3001});
        QCOMPARE(losses[1999], 1.0F / 2000);
        QVERIFY(std::isnan(losses[3000]));
        telemetry::SeriesBook book;
        for (const wire::Record& record : program.takeFigures()) {
            if (record.has_scalar_series()) book.add(record.scalar_series());
            for (const wire::ScalarColumn& column : record.scalars().columns())
                values[book.find(wire::ROLE_WORKER, 0, column.id())->name] += column.values_size();
        }
        QCOMPARE(
            values,
            (std::map<std::string, int>{
                {"f1", 3000}, {"n\u00e4me, \"quoted\"", 3000}, {"huge", 1}, {"validation/f1", 1}}));
        const ProgramResults& results = program.reports.results();
        QCOMPARE(results.validationLoss, 0.25);
        QCOMPARE(results.testLoss, 0.125);
        QCOMPARE(program.reports.plan().totalSteps, std::uint64_t{3000});
        QCOMPARE(program.reports.progress(1s).step(), std::uint64_t{3001});
    }

    void noBytesWhateverDoHarm() {
        Program program;
        const std::string valid = stepsFrom(1, "1,2,3", R"(,"accuracy":[0.1,0.2,null])");
        CounterRng rng(7, 7);
        for (int i = 0; i < 20000; ++i) {
            std::string line = valid;
            for (int flips = 0; flips < 3; ++flips)
                line[rng.nextU32() % line.size()] = static_cast<char>(rng.nextU32());
            const auto record = program.take(line);
            if (!record || !*record || !(*record)->has_steps()) continue;
            const wire::StepBatch& steps = (*record)->steps();
            QVERIFY(steps.loss_size() > 0 && steps.step_us_size() == steps.loss_size());
        }
    }
};

QTEST_GUILESS_MAIN(ProgramReportsTest)
#include "tst_program_reports.moc"
