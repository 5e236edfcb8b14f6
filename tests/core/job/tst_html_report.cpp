// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/job/report/html_report.h"
#include "core/job/report/html_text.h"
#include "core/job/report/svg_chart.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"
#include "tests/core/job/records.h"

using namespace lockstep;
using namespace lockstep::job;
using namespace lockstep::job::test;

namespace {

/// The report of a run whose journal holds these records.
class Run {
public:
    explicit Run(const std::vector<wire::Record>& records) {
        std::string frames;
        for (const wire::Record& record : records)
            telemetry::appendFrame(wire::encode(record).value(), frames);
        write("journal", frames);
    }
    void write(const char* name, const std::string& bytes) {
        QFile file(folder_.filePath(QString::fromLatin1(name)));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes.data(), qint64(bytes.size())), qint64(bytes.size()));
    }
    [[nodiscard]] std::filesystem::path folder() const { return folder_.path().toStdString(); }
    [[nodiscard]] RunRecord read() const { return readRunRecord(folder()).value(); }
    [[nodiscard]] std::string page() const { return htmlReport(read()); }

private:
    QTemporaryDir folder_;
};

/// What is wrong with it as XML; empty: nothing.
QString faultOf(const std::string& page) {
    QXmlStreamReader reader(QByteArray::fromStdString(page));
    while (!reader.atEnd())
        reader.readNext();
    return reader.hasError()
               ? reader.errorString() + " in line " + QString::number(reader.lineNumber())
               : QString();
}

bool holds(const std::string& page, std::string_view words) {
    return page.find(words) != std::string::npos;
}

/// Its process 1 is killed; it goes on behind step 80.
std::vector<wire::Record> wholeRun() {
    return {
        runInfo(0),
        replicaInfo(1, 0, 0),
        replicaInfo(1, 1, 1),
        runState(1.5, wire::RUN_STATE_TRAINING, "training"),
        steps(2, 0, 1, 100),
        steps(2, 1, 1, 100),
        failure(4, 1, "killed by signal 9"),
        runState(4.5, wire::RUN_STATE_RESTARTING, "restarting"),
        runInfo(5, 1, 80),
        replicaInfo(6, 0, 0),
        replicaInfo(6, 1, 1),
        steps(7, 0, 81, 40),
        steps(7, 1, 81, 40),
        runEnd(9, "completed", R"({"status":"completed","test_accuracy":0.9712,"test_loss":0.1})"),
    };
}
constexpr std::size_t kFailure = 6;
constexpr std::size_t kAgain = 11;  // the steps of the second start, of each replica

}  // namespace

class HtmlReportTest : public QObject {
    Q_OBJECT

private slots:
    void aRunIsOnePageThatAsksForNothingOutsideOfIt() {
        const std::string page = Run(wholeRun()).page();
        QCOMPARE(faultOf(page), QString());
        for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url("})
            // The name of SVG's own namespace is no address.
            QVERIFY2(!holds(page, outside) || std::string_view(outside) == "http:", outside);
        QCOMPARE(page.find("http:"), page.rfind("http:"));
        QVERIFY(holds(page, "http://www.w3.org/2000/svg"));
        QVERIFY(holds(page, "<small>test accuracy</small><b>97.12 %</b>"));
        QVERIFY(holds(page, ">completed</span>"));
        QVERIFY(holds(page, "killed by signal 9"));
        QVERIFY(holds(page, "It went on behind step 80"));
        QVERIFY(holds(page, "heartbeat_timeout_seconds = 6"));
    }
    void aPageIsWrittenInAnyLanguageAndDataStayWhatTheyAre() {
        const Run run(wholeRun());
        ReportWords say;
        say.code = "x-test";
        say.translate = [](const std::string& english) { return "<" + english + ">"; };
        const std::string page = htmlReport(run.read(), say);
        QCOMPARE(faultOf(page), QString());
        for (const char* words :
             {"<html lang=\"x-test\">", "<small>&lt;test accuracy&gt;</small><b>97.12 %</b>",
              "&lt;completed&gt;</span>", "<h2>&lt;What happened&gt;</h2>",
              "<td class=\"words\">&lt;It went on behind step 80 on 2 replicas&gt;</td>",
              "data-step=\"&lt;step %1&gt;\"", "<b>&lt;Loss&gt;</b>"})
            QVERIFY2(holds(page, words), words);
        QVERIFY(holds(page, "heartbeat_timeout_seconds = 6"));
        QVERIFY(!holds(page, "&lt;[cluster]"));
    }
    void whatTheUserSaysOfTheRunStandsAtItsTop() {
        Run run(wholeRun());
        run.write("about.json", R"({"name": "the <wide> one", "tags": ["keep"], "note": "1\n2"})");
        const std::string page = run.page();
        QCOMPARE(faultOf(page), QString());
        QVERIFY(holds(page, "<h1>the &lt;wide&gt; one</h1>"));
        QVERIFY(holds(page, "keep</p>"));
        QVERIFY(holds(page, "1\n2</p>"));
    }
    void whatOthersWroteIsNoMarkup() {
        auto records = wholeRun();
        for (wire::Record& record : records) {
            if (!record.has_run_info()) continue;
            record.mutable_run_info()->set_name("<script>alert('1')</script>");
            record.mutable_run_info()->set_job_toml("a = \"</pre><img>\"\x01\n");
        }
        records[kFailure] = failure(4, 1, "\"><b>&amp;");
        const std::string page = Run(records).page();
        QCOMPARE(faultOf(page), QString());
        QVERIFY(!holds(page, "<script>alert"));
        QVERIFY(!holds(page, "</pre><img>"));
        QVERIFY(holds(page, "&lt;script&gt;alert"));
        QVERIFY(holds(page, "&quot;&gt;&lt;b&gt;&amp;amp;"));
    }
    void stepsThatWereTrainedAnewCountAsTheyWereTheLastTime() {
        auto records = wholeRun();
        for (auto& loss : *records[kAgain].mutable_steps()->mutable_loss())
            loss = 8;
        for (auto& loss : *records[kAgain + 1].mutable_steps()->mutable_loss())
            loss = 6;
        const RunRecord record = Run(records).read();
        const auto points = record.loss.points(1000);
        QCOMPARE(points.size(), std::size_t{120});
        QCOMPARE(points[79].mean, double(1.0F / 80));
        for (std::size_t i = 80; i < points.size(); ++i) {
            QCOMPARE(points[i].mean, 7.0);
            QCOMPARE(points[i].least, 6.0);
            QCOMPARE(points[i].most, 8.0);
        }
    }
    void stepsThatALaterStartDidNotReachAgainAreGone() {
        auto records = wholeRun();
        records[kAgain] = steps(7, 0, 81, 10);
        records[kAgain + 1] = steps(7, 1, 81, 10);
        const auto points = Run(records).read().loss.points(1000);
        QCOMPARE(points.size(), std::size_t{90});
        QCOMPARE(points.back().lastStep, std::int64_t{90});
    }
    void noSpikeIsLostWhereManyStepsAreOnePoint() {
        StepCurve curve;
        for (std::int64_t step = 1; step <= 100'000; ++step)
            curve.add(step, step == 77'777 ? 9 : 1, 1);
        const auto points = curve.points(600);
        QVERIFY(points.size() <= 600);
        QCOMPARE(points.back().lastStep, std::int64_t{100'000});
        const auto spikes = std::ranges::count(points, 9.0, &StepCurve::Point::most);
        QCOMPARE(spikes, 1);
    }
    void whatIsNoNumberIsCountedAndSaid() {
        auto records = wholeRun();
        records[kAgain].mutable_steps()->set_loss(3, std::numeric_limits<float>::quiet_NaN());
        const Run run(records);
        QCOMPARE(run.read().loss.notFinite(), std::uint64_t{1});
        QVERIFY(holds(run.page(), "1 loss was no number and not drawn."));
    }
    void namedFiguresAreChartsOfTheirOwn() {
        auto records = wholeRun();
        wire::Record series = at(2);
        series.mutable_scalar_series()->set_name("train/learning_rate");
        series.mutable_scalar_series()->set_id(1);
        wire::Record batch = at(2.5);
        wire::ScalarColumn& column = *batch.mutable_scalars()->add_columns();
        column.set_id(1);
        column.set_first_wall_time(kStart + 2);
        for (int step = 1; step <= 3; ++step) {
            column.add_steps(static_cast<std::uint64_t>(step));
            column.add_values(step == 2 ? NAN : 0.5 / step);
            column.add_after_seconds(0.1F * float(step));
        }
        records.insert(records.begin() + kFailure, {series, batch});
        const std::string page = Run(records).page();
        QCOMPARE(faultOf(page), QString());
        QVERIFY(holds(page, "<b>train/learning_rate</b>"));
        QVERIFY(holds(page, "1 value of train/learning_rate: no number, not drawn."));
    }
    void aRunThatWasCutOffSaysSo() {
        auto records = wholeRun();
        records.pop_back();
        const std::string page = Run(records).page();
        QVERIFY(holds(page, ">failed</span>"));
        QVERIFY(holds(page, "the run was cut off"));
    }
    void aDamagedJournalIsShownAsFarAsItGoesAndSaysWhatIsMissing() {
        Run run(wholeRun());
        QFile journal(QString::fromStdString((run.folder() / "journal").string()));
        QVERIFY(journal.open(QIODevice::ReadWrite));
        QVERIFY(journal.seek(journal.size() / 3));
        QVERIFY(journal.write("damage") == 6);
        journal.close();
        const std::string page = run.page();
        QCOMPARE(faultOf(page), QString());
        QVERIFY(holds(page, "the journal is damaged at byte"));
    }
    void aTornEndIsSaid() {
        Run run(wholeRun());
        QFile journal(QString::fromStdString((run.folder() / "journal").string()));
        QVERIFY(journal.resize(journal.size() - 3));
        const std::string missing = run.read().view->missing;
        QVERIFY2(holds(missing, "byte"), missing.c_str());
    }
    void aFolderWithoutARunIsRefused() {
        const QTemporaryDir empty;
        const auto read = readRunRecord(empty.path().toStdString());
        QVERIFY(!read);
        QCOMPARE(read.error().code, ErrorCode::NotFound);
    }
    void aLongTableTellsHowManyRowsItLeavesOut() {
        auto records = wholeRun();
        for (int i = 0; i < 300; ++i)
            records.insert(records.begin() + kFailure, failure(4, 1, "cause " + std::to_string(i)));
        const std::string page = Run(records).page();
        QVERIFY(holds(page, " rows between</td>"));
        QCOMPARE(faultOf(page), QString());
    }
    void ticksAreRoundNumbersWithinTheirRange() {
        const std::vector<double> ticks = roundTicks(0, 1000, 5);
        QCOMPARE(ticks, (std::vector<double>{0, 200, 400, 600, 800, 1000}));
        QVERIFY(roundTicks(1, 1, 5).empty());
        for (const double tick : roundTicks(-0.37, 0.41, 5))
            QVERIFY(tick >= -0.37 && tick <= 0.41);
    }
    void numbersAreReadAsPeopleWriteThem() {
        QCOMPARE(numberText(0.103812).c_str(), "0.1038");
        QCOMPARE(numberText(1234567).c_str(), "1\u202f234\u202f567");
        QCOMPARE(numberText(NAN).c_str(), "-");
        QCOMPARE(groupedText(-1234).c_str(), "-1\u202f234");
        QCOMPARE(groupedText(-123).c_str(), "-123");
        QCOMPARE(durationText(250).c_str(), "4 min 10 s");
        QCOMPARE(durationText(7500).c_str(), "2 h 5 min");
        QCOMPARE(momentText(kStart).c_str(), "2023-11-14 22:13 UTC");
    }
};

QTEST_GUILESS_MAIN(HtmlReportTest)

#include "tst_html_report.moc"
