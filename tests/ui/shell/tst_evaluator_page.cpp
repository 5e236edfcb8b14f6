// SPDX-License-Identifier: GPL-3.0-or-later
// The Evaluator page while scores come, and come again.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QtTest>
#include <cstdlib>

#include "tests/ui/support/scripted_session.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/pages/evaluator/keep_button.h"
#include "ui/style/units.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/sample_grid.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;

namespace {

Evaluation scored(const Evaluation& before, double accuracy) {
    job::EvaluationView again = *before;
    again.accuracy = accuracy;
    return std::make_shared<const job::EvaluationView>(std::move(again));
}

/// A page with the scores of steps 250, 500, 750 and 1000, shown.
struct Page {
    EvaluationModel model;
    EvaluatorPage page{model};
    job::RunView view = ExampleRun::view(1000);
    QTableView* table = page.findChild<QTableView*>(QStringLiteral("evaluationTable"));

    Page() {
        page.resize(1200, 800);
        page.show();
        publish();
    }
    /// Of the steps that are scored.
    void writeCheckpoints() {
        view.checkpoints.clear();
        for (const Evaluation& each : view.evaluations) {
            job::CheckpointView checkpoint;
            checkpoint.step = each->step;
            view.checkpoints.push_back(checkpoint);
        }
        publish();
    }
    template <typename Widget>
    [[nodiscard]] Widget& find(const char* name) const {
        auto* widget = page.findChild<Widget*>(QLatin1String(name));
        if (widget == nullptr) qFatal("there is no %s", name);
        return *widget;
    }
    /// Whether the table says so of a row.
    [[nodiscard]] bool saysKept(int row) const {
        return model.index(row, int(EvaluationModel::Column::Checkpoint))
            .data()
            .toString()
            .contains(QStringLiteral("kept"));
    }
    void publish() {
        model.update(view.evaluations);
        page.showView(std::make_shared<const job::RunView>(view));
    }
    void scoreAgain(std::size_t which, double accuracy) {
        const Evaluation again = scored(view.evaluations[which], accuracy);
        view.evaluations.erase(view.evaluations.begin() + std::ptrdiff_t(which));
        view.evaluations.push_back(again);  // as a session does
        publish();
    }
    std::int64_t chosenStep() const {
        const Evaluation chosen = model.at(table->currentIndex().row());
        return chosen ? chosen->step : -1;
    }
};

/// What the pixels of this colour span.
QRect placeOf(const QImage& image, const QColor& colour) {
    QRect place;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == colour) place |= QRect(x, y, 1, 1);
    return place;
}

}  // namespace

class EvaluatorPageTest : public QObject {
    Q_OBJECT
private slots:
    void aCheckpointIsKeptAndThatIsTakenBack() {
        KeepButton keep;
        keep.show();
        auto* button = keep.findChild<QPushButton*>(QStringLiteral("keepCheckpoint"));
        auto* said = keep.findChild<QLabel*>(QStringLiteral("keepCheckpointSaid"));
        keep.showCheckpoint("/runs/a", 500, KeepButton::State::Stored);
        QVERIFY(!keep.isVisible());  // nobody can do it
        bool isFull = false;
        keep.setKeeper([&isFull](const std::filesystem::path& runDir, std::int64_t step,
                                 bool) -> Result<void> {
            if (isFull || runDir != "/runs/a" || step != 500)
                return fail(ErrorCode::Io, "cannot make keep-500: No space left on device");
            return {};
        });
        QVERIFY(keep.isVisible());
        button->click();
        QTRY_COMPARE_WITH_TIMEOUT(said->text(), QStringLiteral("The checkpoint of step 500 stays."),
                                  5000);
        QCOMPARE(button->text(), QStringLiteral("No longer keep"));
        button->click();
        QTRY_COMPARE_WITH_TIMEOUT(button->text(), QStringLiteral("Keep this one"), 5000);
        isFull = true;
        button->click();
        QTRY_COMPARE_WITH_TIMEOUT(
            said->text(), QStringLiteral("Cannot make keep-500: No space left on device."), 5000);
        keep.showCheckpoint("/runs/a", 500, KeepButton::State::Deleted);
        QVERIFY(!button->isEnabled());
        QCOMPARE(said->text(), QStringLiteral("The files of the checkpoint of step 500 are gone."));
    }
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void aCheckpointThatIsScoredAgainIsDrawnAndLeavesTheOthers() {
        Page page;
        QCOMPARE(page.page.scoreChart().pointCount(), 4);
        const float newest = page.page.scoreChart().newestValue(0);

        page.scoreAgain(0, 0.125);

        QCOMPARE(page.page.scoreChart().pointCount(), 4);
        QCOMPARE(page.page.scoreChart().newestValue(0), newest);
        page.scoreAgain(2, 0.25);  // that of step 1000
        QCOMPARE(page.page.scoreChart().pointCount(), 4);
        QCOMPARE(page.page.scoreChart().newestValue(0), 0.25F);
    }
    void whatWasChosenStaysWhenACheckpointIsScoredAgain() {
        Page page;
        QTest::mouseClick(page.table->viewport(), Qt::LeftButton, {},
                          page.table->visualRect(page.model.index(1, 0)).center());
        QCOMPARE(page.chosenStep(), 500);

        page.scoreAgain(0, 0.125);
        QCOMPARE(page.chosenStep(), 500);
        page.scoreAgain(0, 0.25);  // the chosen one
        QCOMPARE(page.chosenStep(), 500);
        QCOMPARE(page.table->currentIndex().row(), 3);
    }
    void aRowThatIsChosenByKeysStaysWhenAnotherScoreComes() {
        Page page;
        QCOMPARE(page.chosenStep(), 1000);
        QTest::keyClick(page.table, Qt::Key_Up);
        QCOMPARE(page.chosenStep(), 750);

        page.view.evaluations.push_back(ExampleRun::view(1250).evaluations.back());
        page.publish();

        QCOMPARE(page.page.scoreChart().pointCount(), 5);
        QCOMPARE(page.chosenStep(), 750);
    }
    void howManyCheckpointsAreScoredIsSaid() {
        Page page;
        page.view.checkpoints.clear();
        for (const std::int64_t step : {250, 500, 750, 1000, 1250}) {
            job::CheckpointView checkpoint;
            checkpoint.step = step;
            page.view.checkpoints.push_back(checkpoint);
        }
        page.publish();
        QCOMPARE(page.page.findChild<QLabel*>("scoredNote")->text(),
                 QString("4 of 5 checkpoints scored"));
    }
    void whatIsKeptIsSaidUntilTheRunSaysItself() {
        Page page;
        page.writeCheckpoints();
        page.page.setKeeper(
            [](const std::filesystem::path&, std::int64_t, bool) -> Result<void> { return {}; });
        auto& button = page.find<QPushButton>("keepCheckpoint");
        const auto keep = QStringLiteral("Keep this one");
        const auto unkeep = QStringLiteral("No longer keep");
        page.table->selectRow(1);
        button.click();
        page.table->selectRow(2);  // before it is done
        QTRY_VERIFY_WITH_TIMEOUT(page.saysKept(1), 5000);
        QCOMPARE(button.text(), keep);
        QVERIFY(!page.saysKept(2));
        page.table->selectRow(1);
        QCOMPARE(button.text(), unkeep);
        page.publish();  // by a look at the folder before it was done
        QVERIFY(page.saysKept(1));
        QCOMPARE(button.text(), unkeep);

        page.view.checkpoints[1].kept = true;
        page.publish();
        page.view.checkpoints[1].kept = false;  // taken back on a terminal
        page.publish();
        QVERIFY(!page.saysKept(1));
        QCOMPARE(button.text(), keep);

        button.click();
        QTRY_VERIFY_WITH_TIMEOUT(page.saysKept(1), 5000);
        page.view.checkpoints[1].deleted = true;
        page.publish();
        QVERIFY(!page.saysKept(1) && !button.isEnabled());
        page.view.checkpoints[1].deleted = false;
        page.page.reset();
        page.publish();
        QVERIFY(!page.saysKept(1));
    }
    void aClassThatWasChosenIsForgottenWithItsRun() {
        Page page;
        const auto& all = page.find<QToolButton>("unfilterSamples");
        Q_EMIT page.find<ConfusionMatrix>("confusionMatrix").cellActivated(3, 3);
        QVERIFY(!all.isHidden());
        page.publish();
        QVERIFY(!all.isHidden());
        page.page.reset();
        page.publish();
        QVERIFY(all.isHidden());
    }
    void whatItCanBeComparedWithFollowsTheRun() {
        Page page;
        page.writeCheckpoints();
        const auto& others = page.find<QComboBox>("compareSamples");
        QTest::keyClick(page.table, Qt::Key_Up);
        QCOMPARE(page.chosenStep(), 750);
        QCOMPARE(others.count(), 4);  // none, 250, 500 and 1000
        page.view.evaluations.push_back(ExampleRun::view(1250).evaluations.back());
        page.publish();
        QCOMPARE(others.count(), 5);
        page.view.checkpoints[0].deleted = true;
        page.publish();
        QCOMPARE(others.count(), 4);
        page.scoreAgain(1, 0.5);
        QCOMPARE(others.itemText(1),
                 QStringLiteral("with the one before, step 500: ") + units::percent(0.5, 2));
    }
    void aScoreThatComesAfterThatOfALaterStepLeavesTheOthersInTheChart() {
        Page page;
        const Evaluation late = page.view.evaluations[1];
        page.view.evaluations.erase(page.view.evaluations.begin() + 1);
        page.publish();
        QCOMPARE(page.page.scoreChart().pointCount(), 3);
        page.view.evaluations.push_back(late);
        page.publish();
        QCOMPARE(page.page.scoreChart().pointCount(), 4);
    }
    void ofACheckpointThatWasNotScoredItIsSaidWhy() {
        Page page;
        auto failed = std::make_shared<job::EvaluationView>();
        failed->step = 1250;
        failed->split = "validation";
        failed->error = "cannot read model.safetensors";
        page.view.evaluations.push_back(failed);
        page.publish();
        page.table->selectRow(4);
        QCOMPARE(page.chosenStep(), 1250);
        const auto& grid = page.find<SampleGrid>("sampleGrid");
        QVERIFY2(grid.emptyText().contains(QStringLiteral("was not scored: ")) &&
                     grid.emptyText().contains(QStringLiteral("annot read model.safetensors")),
                 qPrintable(grid.emptyText()));
        page.table->selectRow(3);
        QVERIFY(!grid.emptyText().contains(QStringLiteral("was not scored")));
    }
    void checkpointsThatCouldNotBeWrittenAreNotSaidToWaitForTheirScore() {
        Page page;
        page.view = ExampleRun::failedView(2400);
        page.view.evaluations.clear();
        page.view.jobToml += "[cluster]\nevaluator = true\n";
        page.view.checkpoints[0].error = "the disk is full";
        page.model.update({});
        page.page.reset();
        page.publish();
        QString said;
        for (const QLabel* label : page.page.findChildren<QLabel*>())
            said += label->text() + QLatin1Char('\n');
        QVERIFY2(said.contains(QStringLiteral("could be written")), qPrintable(said));
        QVERIFY(!said.contains(QStringLiteral("before its evaluator")));
    }

    void colouredSamplesKeepTheirColoursAndProportions() {
        Page page;
        const auto [height, width] = std::pair(12, 24);
        page.view.imageHeight = height;
        page.view.imageWidth = width;
        job::EvaluationView coloured = *page.view.evaluations.back();
        // A red upper half over a blue lower one, wide as two of it.
        for (auto& sample : coloured.samples) {
            std::vector<std::uint8_t> pixels;
            for (int y = 0; y < height; ++y)
                for (int x = 0; x < width; ++x)
                    for (const int value : {y < height / 2 ? 250 : 0, 0, y < height / 2 ? 0 : 250})
                        pixels.push_back(std::uint8_t(value));
            sample.pixels = std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels));
        }
        page.view.evaluations.back() = std::make_shared<const job::EvaluationView>(coloured);
        page.publish();
        auto* grid = page.page.findChild<SampleGrid*>();
        QVERIFY(grid != nullptr);
        grid->resize(84, grid->heightForWidth(84));  // one column
        const QImage shown = grid->grab().toImage().copy(0, 0, 84, 84);
        if (const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES"); !folder.isEmpty())
            page.page.grab().save(folder + QStringLiteral("/coloured-samples.png"));
        const QRect red = placeOf(shown, QColor(250, 0, 0));
        const QRect blue = placeOf(shown, QColor(0, 0, 250));
        QCOMPARE(red.height(), 14);
        QCOMPARE(blue.height(), 14);
        QVERIFY2(std::abs(red.width() - 56) <= 1, qPrintable(QString::number(red.width())));
        QCOMPARE(blue.width(), red.width());
        QCOMPARE(blue.top(), red.bottom() + 1);
    }
};

QTEST_MAIN(EvaluatorPageTest)
#include "tst_evaluator_page.moc"
