// SPDX-License-Identifier: GPL-3.0-or-later
// Every sample that a checkpoint was scored on: of a real run, and page by page in the window.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QtTest>
#include <cmath>

#include "tests/integration/workplace.h"
#include "ui/pages/evaluator/evaluation_details.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/sample_grid.h"

using namespace lockstep;
using namespace lockstep::ui;

namespace {

constexpr int kSoon = 60'000;
constexpr std::int64_t kEarlier = 80;
constexpr std::size_t kAll = 10'000;  // validation samples of the small job

/// The details of a run's last checkpoint, which kept no sample.
struct Desk {
    EvaluationDetails details;
    job::EvaluationView evaluation;
    job::RunView run;

    explicit Desk(const QString& runDir) {
        run.runDir = runDir.toStdString();
        run.imageWidth = run.imageHeight = 28;
        for (int i = 0; i < 10; ++i)
            run.classNames.push_back(std::to_string(i));
        evaluation.step = 98;
        evaluation.split = "validation";
        evaluation.accuracy = 0.9;
        evaluation.perClassAccuracy.assign(10, 0.9F);
        evaluation.confusion.assign(100, 1);
        evaluation.classes = 10;
        details.resize(1000, 800);
        details.show();
    }
    void show() { details.showEvaluation(evaluation, run); }
    /// Shows it beside others that it may be compared with.
    void offer(std::initializer_list<std::int64_t> steps) {
        for (const std::int64_t step : steps) {
            auto other = std::make_shared<job::EvaluationView>(evaluation);
            other->step = step;
            run.evaluations.push_back(std::move(other));
        }
        show();
    }
    template <typename Widget>
    [[nodiscard]] Widget& find(const char* name) const {
        auto* widget = details.findChild<Widget*>(QLatin1String(name));
        if (widget == nullptr) qFatal("there is no %s", name);
        return *widget;
    }
    [[nodiscard]] QString words() const { return find<QLabel>("samplePagerWords").text(); }
};

QString plain(QString text) {
    return text.replace(QChar(0x202f), QLatin1Char(' '));
}

}  // namespace

class AllSamplesTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        REQUIRE_EXIT(place_.run({"run", "job.toml", "--run-dir", "run"}), 0);
    }

    void aCheckpointsSamplesAreThoseThatItWasScoredOn() {
        const auto scored = job::scoreSamples(split(), {});
        QVERIFY2(scored, scored ? "" : scored.error().message.c_str());
        const auto page = (*scored)->page(-1, -1, 0, 60);
        QCOMPARE(page.all, kAll);
        QCOMPARE(page.samples.size(), std::size_t{60});
        const double accuracy = place_.summary("run")["validation_accuracy"].toDouble();
        QCOMPARE(page.wrong, std::size_t(std::lround((1 - accuracy) * double(kAll))));
        for (std::size_t i = 1; i < page.samples.size(); ++i)
            QVERIFY(page.samples[i].truthProbability >= page.samples[i - 1].truthProbability);
        QCOMPARE(page.samples[0].pixels->size(), std::size_t{28 * 28});
        std::size_t all = 0;
        for (int truth = 0; truth < 10; ++truth)
            for (int prediction = 0; prediction < 10; ++prediction) {
                const auto cell = (*scored)->page(truth, prediction, 0, 3);
                for (const auto& sample : cell.samples)
                    QVERIFY(sample.truth == truth && sample.prediction == prediction);
                QCOMPARE(cell.wrong, truth == prediction ? 0 : cell.all);
                all += cell.all;
            }
        QCOMPARE(all, kAll);
        QCOMPARE((*scored)->page(-1, -1, kAll - 10, 60).samples.size(), std::size_t{10});
        QVERIFY((*scored)->page(-1, -1, kAll, 60).samples.empty());
    }

    void twoCheckpointsAnswersAreHeldAgainstEachOther() {
        const auto now = job::scoreSamples(split(), {}).value();
        const auto before = job::scoreSamples(earlier(), {}).value();
        using enum job::ScoredChange;
        const auto broken = now->changed(*before, Broken, -1, -1, 0, 60);
        const auto mended = now->changed(*before, Mended, -1, -1, 0, 60);
        QCOMPARE(broken.wrong, broken.all);
        QCOMPARE(mended.wrong, std::size_t(0));
        QVERIFY(mended.all > 0);
        QCOMPARE(now->wrong().size() + mended.all, before->wrong().size() + broken.all);
        // The other way round they change places.
        QCOMPARE(before->changed(*now, Mended, -1, -1, 0, 1).all, broken.all);
        QCOMPARE(now->changed(*now, Broken, -1, -1, 0, 1).all, std::size_t(0));
        std::size_t all = 0;
        for (int truth = 0; truth < 10; ++truth)
            all += now->changed(*before, Mended, truth, -1, 0, 1).all;
        QCOMPARE(all, mended.all);
    }

    void theSamplesThatChangedAreShown() {
        Desk desk(place_.path("run"));
        desk.details.setSampleReader(job::scoreSamples);
        desk.offer({kEarlier});
        const auto mended = job::scoreSamples(split(), {})
                                .value()
                                ->changed(*job::scoreSamples(earlier(), {}).value(),
                                          job::ScoredChange::Mended, -1, -1, 0, 60);
        desk.find<QComboBox>("compareSamples").setCurrentIndex(1);
        QTRY_VERIFY_WITH_TIMEOUT(desk.find<QComboBox>("comparedChange").isVisible(), kSoon);
        desk.find<QComboBox>("comparedChange").setCurrentIndex(1);
        QTRY_VERIFY_WITH_TIMEOUT(plain(desk.words()).endsWith(QString::number(mended.all)), kSoon);
        QCOMPARE(desk.find<SampleGrid>("sampleGrid").sampleCount(), int(mended.samples.size()));
        desk.find<QComboBox>("compareSamples").setCurrentIndex(0);
        QTRY_COMPARE_WITH_TIMEOUT(plain(desk.words()), QStringLiteral("1–60 of 10 000"), kSoon);
    }

    void aComparisonThatFailsIsSaidOverAllSamples() {
        Desk desk(place_.path("run"));
        desk.details.setSampleReader(job::scoreSamples);
        desk.offer({7});
        desk.find<QPushButton>("readAllSamples").click();
        QTRY_COMPARE_WITH_TIMEOUT(plain(desk.words()), QStringLiteral("1–60 of 10 000"), kSoon);

        const QSignalSpy turned(&desk.find<SamplePager>("samplePager"), &SamplePager::pageChanged);
        desk.find<QComboBox>("compareSamples").setCurrentIndex(1);
        QTRY_VERIFY_WITH_TIMEOUT(!turned.isEmpty(), kSoon);
        const auto& words = desk.find<QLabel>("samplePagerWords");
        QCOMPARE(words.text(), QStringLiteral("The files of the checkpoint of step 7 are gone"));
        QVERIFY(words.property("problem").toBool() && !words.toolTip().isEmpty());
        QCOMPARE(desk.find<QComboBox>("compareSamples").currentIndex(), 0);
        QCOMPARE(desk.find<SampleGrid>("sampleGrid").sampleCount(), 60);

        desk.find<QToolButton>("samplesBehind").click();
        QTRY_COMPARE_WITH_TIMEOUT(plain(words.text()), QStringLiteral("61–120 of 10 000"), kSoon);
        QVERIFY(!words.property("problem").toBool() && words.toolTip().isEmpty());
    }
    void aComparisonThatIsGivenUpLeavesAllSamples() {
        for (const bool fails : {false, true}) {
            Desk desk(place_.path("run"));
            desk.details.setSampleReader(
                [fails](const job::ScoredSplit& scored,
                        const job::LoadWatch& watch) -> Result<SamplePager::Samples> {
                    if (scored.step != 90) return job::scoreSamples(scored, watch);
                    if (!fails)
                        (void)tests::waitUntil([&watch] { return watch.stop.stop_requested(); });
                    return fail(fails ? ErrorCode::NotFound : ErrorCode::Cancelled, "not computed");
                });
            desk.offer({kEarlier, 90});
            auto& other = desk.find<QComboBox>("compareSamples");
            const auto& pager = desk.find<SamplePager>("samplePager");
            other.setCurrentIndex(1);
            QTRY_VERIFY_WITH_TIMEOUT(pager.page() != nullptr && pager.page()->all < kAll, kSoon);
            QVERIFY(!pager.comparedWords().isEmpty());

            other.setCurrentIndex(2);
            QVERIFY(pager.isReading());
            if (!fails) desk.find<QPushButton>("cancelAllSamples").click();
            QTRY_VERIFY_WITH_TIMEOUT(pager.page() != nullptr && pager.page()->all == kAll, kSoon);
            QVERIFY(pager.comparedWords().isEmpty() && !pager.isReading());
            QCOMPARE(other.currentIndex(), 0);
            QCOMPARE(plain(desk.words()),
                     fails ? QStringLiteral("Not computed") : QStringLiteral("1–60 of 10 000"));
        }
    }

    void aComparisonWithoutAllSamplesLeavesWhatItHasComputed() {
        for (const bool fails : {false, true}) {
            Desk desk(place_.path("run"));
            std::atomic<bool> isHeld = false;
            desk.details.setSampleReader(
                [fails, &isHeld](const job::ScoredSplit& scored,
                                 const job::LoadWatch& watch) -> Result<SamplePager::Samples> {
                    if (scored.step != 90) return job::scoreSamples(scored, watch);
                    isHeld = true;
                    if (!fails)
                        (void)tests::waitUntil([&watch] { return watch.stop.stop_requested(); });
                    return fail(fails ? ErrorCode::NotFound : ErrorCode::Cancelled, "not computed");
                });
            desk.offer({90});
            const auto& pager = desk.find<SamplePager>("samplePager");
            desk.find<QComboBox>("compareSamples").setCurrentIndex(1);
            QTRY_VERIFY_WITH_TIMEOUT(isHeld, kSoon);
            if (!fails) desk.find<QPushButton>("cancelAllSamples").click();
            QTRY_VERIFY_WITH_TIMEOUT(pager.page() != nullptr && pager.page()->all == kAll, kSoon);
            QCOMPARE(desk.find<SampleGrid>("sampleGrid").sampleCount(), 60);
            QVERIFY(!desk.find<QPushButton>("readAllSamples").isVisible());
            QCOMPARE(plain(desk.words()),
                     fails ? QStringLiteral("Not computed") : QStringLiteral("1–60 of 10 000"));
        }
    }

    void theCheckpointBeforeIsNamedAmongTheOthers() {
        Desk desk(place_.path("run"));
        desk.details.setSampleReader(job::scoreSamples);
        desk.offer({60, kEarlier, 100});
        const auto& others = desk.find<QComboBox>("compareSamples");
        QVERIFY(others.itemText(1).startsWith(QStringLiteral("with step 60")));
        QVERIFY(others.itemText(2).startsWith(QStringLiteral("with the one before, step 80")));
        QVERIFY(others.itemText(3).startsWith(QStringLiteral("with step 100")));
    }

    void aClassOpensItsSamples() {
        Desk desk(place_.path("run"));
        desk.details.setSampleReader(job::scoreSamples);
        desk.show();
        desk.find<QPushButton>("readAllSamples").click();
        QTRY_COMPARE_WITH_TIMEOUT(plain(desk.words()), QStringLiteral("1–60 of 10 000"), kSoon);
        const auto threes = job::scoreSamples(split(), {}).value()->page(3, -1, 0, 60);
        auto& bars = desk.find<ClassBars>("classBars");
        QTest::mouseClick(&bars, Qt::LeftButton, {}, bars.rowOf(3).center().toPoint());
        QTRY_COMPARE_WITH_TIMEOUT(
            plain(desk.words()).section(QStringLiteral(" of "), 1).remove(QLatin1Char(' ')),
            QString::number(threes.all), kSoon);
        QTest::mouseClick(&bars, Qt::LeftButton, {}, bars.rowOf(3).center().toPoint());
        QTRY_COMPARE_WITH_TIMEOUT(plain(desk.words()), QStringLiteral("1–60 of 10 000"), kSoon);
    }

    void aCheckpointThatIsGoneIsSaid() {
        auto gone = split();
        gone.step = 7;
        const auto scored = job::scoreSamples(gone, {});
        QVERIFY(!scored);
        QCOMPARE(scored.error().message,
                 std::string("the files of the checkpoint of step 7 are gone"));
        QVERIFY(!scored.error().remedy.empty());
    }

    void nobodyWaitsForWhatIsNotWanted() {
        std::stop_source wanted;
        std::size_t told = 0;
        const auto scored =
            job::scoreSamples(split(), {wanted.get_token(), [&](const job::LoadProgress& progress) {
                                            ++told;
                                            if (progress.done > 0) wanted.request_stop();
                                        }});
        QVERIFY(!scored && scored.error().code == ErrorCode::Cancelled);
        QVERIFY(told > 0 && told < 10);
    }

    void theyAreShownPageByPageAndByTheCellsOfTheMatrix() {
        Desk desk(place_.path("run"));
        desk.details.setSampleReader(job::scoreSamples);
        desk.show();
        auto& grid = desk.find<SampleGrid>("sampleGrid");
        QCOMPARE(grid.sampleCount(), 0);
        desk.find<QPushButton>("readAllSamples").click();
        QVERIFY(desk.find<QPushButton>("cancelAllSamples").isVisible());

        QTRY_COMPARE_WITH_TIMEOUT(grid.sampleCount(), 60, kSoon);
        QCOMPARE(plain(desk.words()), QStringLiteral("1–60 of 10 000"));
        QVERIFY(!desk.find<QPushButton>("readAllSamples").isVisible());
        auto& behind = desk.find<QToolButton>("samplesBehind");
        auto& before = desk.find<QToolButton>("samplesBefore");
        QVERIFY(behind.isEnabled() && !before.isEnabled());
        behind.click();
        QTRY_COMPARE_WITH_TIMEOUT(plain(desk.words()), QStringLiteral("61–120 of 10 000"), kSoon);
        before.click();
        QTRY_COMPARE_WITH_TIMEOUT(plain(desk.words()), QStringLiteral("1–60 of 10 000"), kSoon);

        const auto page = job::scoreSamples(split(), {}).value()->page(3, 3, 0, 60);
        Q_EMIT desk.find<ConfusionMatrix>("confusionMatrix").cellActivated(3, 3);
        QTRY_VERIFY_WITH_TIMEOUT(
            plain(desk.words()).endsWith(QStringLiteral("of %1").arg(page.all)) ||
                plain(desk.words()).endsWith(QStringLiteral("of 1 %1").arg(page.all - 1000)),
            kSoon);
        // Another checkpoint has other answers.
        desk.evaluation.step = 80;
        desk.show();
        QCOMPARE(grid.sampleCount(), 0);
        QVERIFY(desk.find<QPushButton>("readAllSamples").isVisible());
    }

    void computingIsCancelledAndEndsWithThePage() {
        for (const bool leaves : {false, true}) {
            Desk desk(place_.path("run"));
            std::atomic<bool> ended = false;
            desk.details.setSampleReader(
                [&ended](const job::ScoredSplit&,
                         const job::LoadWatch& watch) -> Result<SamplePager::Samples> {
                    watch.report({job::LoadProgress::Unit::Images, 256, 10'000});
                    (void)tests::waitUntil([&watch] { return watch.stop.stop_requested(); });
                    ended = true;
                    return fail(ErrorCode::Cancelled, "stopped");
                });
            desk.show();
            desk.find<QPushButton>("readAllSamples").click();
            QTRY_COMPARE_WITH_TIMEOUT(plain(desk.words()),
                                      QStringLiteral("Computing … 256 of 10 000"), kSoon);
            if (leaves)
                desk.details.hide();
            else
                desk.find<QPushButton>("cancelAllSamples").click();
            QTRY_VERIFY_WITH_TIMEOUT(ended, kSoon);
            QVERIFY(!desk.find<SamplePager>("samplePager").isReading());
            QVERIFY(!desk.find<QPushButton>("readAllSamples").isHidden());
        }
    }

private:
    [[nodiscard]] job::ScoredSplit earlier() const {
        return {place_.path("run").toStdString(), kEarlier, "validation"};
    }
    [[nodiscard]] job::ScoredSplit split() const {
        return {place_.path("run").toStdString(), 98, "validation"};
    }
    tests::Workplace place_;
};

QTEST_MAIN(AllSamplesTest)
#include "tst_all_samples.moc"
