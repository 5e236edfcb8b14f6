// SPDX-License-Identifier: Apache-2.0
// Which checkpoint stands for a run.
#include <QTemporaryDir>
#include <QtTest>

#include "core/base/file.h"
#include "core/base/summary_limit.h"
#include "core/train/checkpoints/result_step.h"
#include "tests/support/checkpoint_samples.h"

using namespace lockstep;
using namespace lockstep::train;
using Store = checkpoint::CheckpointStore;

namespace {

/// A run's folder with checkpoints of given steps and a summary.
struct Run {
    QTemporaryDir temporary;
    std::filesystem::path folder{temporary.path().toStdString()};
    std::vector<std::string> warnings{};

    explicit Run(const std::vector<std::int64_t>& steps, const std::string& summary = {}) {
        auto store = Store::open(folder / "checkpoints", Store::Access::Write).value();
        for (const std::int64_t step : steps) {
            const checkpoint::test::Sample sample(step);
            if (!store.commit(sample.snapshot)) qFatal("not committed");
        }
        if (!summary.empty() && !replaceFileDurably(folder / "summary.json", summary))
            qFatal("no summary");
    }
    void damage(std::int64_t step) const {
        const auto file =
            folder / "checkpoints" / ("step-" + std::to_string(step)) / "model.safetensors";
        if (!QFile::resize(QString::fromStdString(file), 10)) qFatal("not damaged");
    }
    Result<std::int64_t> result() {
        const auto store = Store::open(folder / "checkpoints", Store::Access::Read).value();
        return resultStep(folder, store,
                          [this](const std::string& sentence) { warnings.push_back(sentence); });
    }
};

constexpr const char* kRestored =
    R"({"status": "completed", "steps": 30, "restored_best": true, "restored_step": 20})";

}  // namespace

class ResultStepTest : public QObject {
    Q_OBJECT
private slots:
    void aRunThatRestoredItsBestStandsForThat() {
        Run run({20, 30}, kRestored);
        QCOMPARE(run.result().value(), std::int64_t{20});
        QVERIFY(run.warnings.empty());
    }
    void otherwiseTheNewestCheckpointIsTheResult() {
        QCOMPARE(Run({20, 30}).result().value(), std::int64_t{30});
        for (const char* summary :
             {R"({"status": "completed", "steps": 30, "restored_step": null})",
              R"({"status": "stopped", "steps": 30, "restored_step": 20})",
              R"({"status": "completed", "steps": 30, "restored_step": 10})", "no JSON"})
            QCOMPARE(Run({20, 30}, summary).result().value(), std::int64_t{30});
    }
    void aLongSummaryIsReadAndOneThatCannotBeIsSaid() {
        std::string summary = kRestored;
        summary.back() = ',';
        summary += "\"note\": \"" + std::string(3 << 20, 'x') + "\"}";
        Run run({20, 30}, summary);
        QCOMPARE(run.result().value(), std::int64_t{20});
        QVERIFY(run.warnings.empty());
        std::filesystem::resize_file(run.folder / "summary.json", kMostSummaryBytes + 1);
        QCOMPARE(run.result().value(), std::int64_t{30});
        QCOMPARE(run.warnings.size(), std::size_t{1});
        QVERIFY2(run.warnings[0].find("cannot be read") != std::string::npos,
                 run.warnings[0].c_str());
    }
    void aRunThatHasGoneOnSinceStandsForItsNewest() {
        QCOMPARE(Run({20, 30, 40}, kRestored).result().value(), std::int64_t{40});
    }
    void aDamagedResultIsReplacedWithAWord() {
        Run run({20, 30}, kRestored);
        run.damage(20);
        QCOMPARE(run.result().value(), std::int64_t{30});
        QCOMPARE(run.warnings.size(), std::size_t{1});
        QVERIFY2(run.warnings[0].starts_with("the run ended with the weights of step 20, whose "
                                             "checkpoint is damaged: ") &&
                     run.warnings[0].ends_with("taking that of step 30 instead"),
                 run.warnings[0].c_str());
    }
    void aRunWithoutAGoodCheckpointHasNone() {
        QCOMPARE(Run({}).result().error().code, ErrorCode::NotFound);
        Run run({20});
        run.damage(20);
        QCOMPARE(run.result().error().code, ErrorCode::Corrupt);
    }
};

QTEST_GUILESS_MAIN(ResultStepTest)
#include "tst_result_step.moc"
