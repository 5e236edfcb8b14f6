// SPDX-License-Identifier: GPL-3.0-or-later
// The Evaluator page for what is no dozen of classes: many of them, numbers, text.
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTableView>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tests/ui/support/scripted_session.h"
#include "tests/ui/support/settle.h"
#include "tests/ui/support/widened_words.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/charts/surface/value_plot.h"
#include "ui/models/metric_words.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/style/program_style.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/metric_tile.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::ExampleRun;

namespace {

constexpr int kClasses = 100;

/// A page that shows one evaluation.
struct Page {
    EvaluationModel model;
    EvaluatorPage page{model};
    job::RunView view = ExampleRun::view(1000);

    explicit Page(std::vector<job::EvaluationView> evaluations) {
        view.evaluations.clear();
        view.classNames.clear();
        for (int i = 0; i < kClasses; ++i)
            view.classNames.push_back("species " + std::to_string(i));
        for (job::EvaluationView& each : evaluations)
            view.evaluations.push_back(
                std::make_shared<const job::EvaluationView>(std::move(each)));
        page.resize(1180, 760);
        page.show();
        model.update(view.evaluations);
        page.showView(std::make_shared<const job::RunView>(view));
    }
    template <typename T>
    [[nodiscard]] T* find(const char* name) {
        return page.findChild<T*>(QLatin1String(name));
    }
    /// What is to be read.
    [[nodiscard]] QString labels() const {
        QString said;
        for (const QLabel* label : page.findChildren<QLabel*>())
            if (label->isVisible()) said += label->text() + QLatin1Char('\n');
        return said;
    }
    void keepPicture(const char* name) {
        const QString folder = qEnvironmentVariable("LOCKSTEP_PICTURES");
        if (folder.isEmpty()) return;
        for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
            applyTheme(*qApp, mode);
            testsupport::settle(page);
            page.grab().save(folder + QLatin1Char('/') + QLatin1String(name) +
                             (mode == ThemeMode::Light ? QStringLiteral("-light.png")
                                                       : QStringLiteral("-dark.png")));
        }
    }
};

/// Told cell by cell, as many classes are.
job::EvaluationView manyClasses() {
    job::EvaluationView view;
    view.step = 500;
    view.split = "validation";
    view.accuracy = 0.9;
    view.loss = 0.31;
    view.figures = {{"top_5_accuracy", 0.98}};
    view.classes = kClasses;
    for (int i = 0; i < kClasses; ++i) {
        view.cells.push_back({i, i, std::uint32_t(90 - i % 30)});
        view.cells.push_back({i, (i * 7 + 3) % kClasses, std::uint32_t(2 + i % 9)});
    }
    view.cells.push_back({12, 40, 33});
    return view;
}

job::EvaluationView numbers(std::int64_t step, double loss) {
    job::EvaluationView view;
    view.step = step;
    view.split = "validation";
    view.accuracy = std::nan("");
    view.loss = loss;
    view.figures = {{"root_mean_squared_error", std::sqrt(loss)}};
    view.targetNames = {"median_house_value", "rooms"};
    for (int i = 0; i < 200; ++i) {
        const auto truth = float(50'000 + (i * 2371) % 450'000);
        const float off = float((i * 7919) % 101 - 50) * 900.0F;
        view.values.push_back({i, {truth, 3}, {truth + off, 4}});
    }
    view.residuals = {{120, 26'000, {-45'000, -41'000, -22'000, 50, 23'000, 40'500, 45'000}},
                      {1, 0, {1, 1, 1, 1, 1, 1, 1}}};
    view.targetsLeftOut = 1;
    return view;
}

job::EvaluationView text() {
    job::EvaluationView view;
    view.step = 2000;
    view.split = "validation";
    view.accuracy = 0.55;
    view.loss = 1.61;
    view.figures = {{"perplexity", 5.0}};
    view.texts = {{"ROMEO:\n",
                   "What light is this that breaks the morrow's eye,\nAnd bids the "
                   "watch to sleep? I'll none of it.\n\nJULIET:\nThou know'st the "
                   "mask of night is on my face.",
                   0.8}};
    return view;
}

}  // namespace

class EvaluatorTasksTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void ofManyClassesTheWorstAreListedAndShownInTheMatrix() {
        Page page({manyClasses()});
        auto* matrix = page.find<ConfusionMatrix>("confusionMatrix");
        auto* pairs = page.find<QListWidget>("confusedPairs");
        QVERIFY(matrix->isVisible() && pairs->isVisible());
        QVERIFY(
            pairs->item(0)->text().startsWith(QStringLiteral("33 × species 12 → species 40 (28")));
        Q_EMIT pairs->itemActivated(pairs->item(0));
        QVERIFY(matrix->zoom() > 1);
        QVERIFY2(matrix->readout().startsWith(QStringLiteral("species 12 taken for species 40")),
                 qPrintable(matrix->readout()));
        page.keepPicture("evaluator-100-classes");
    }
    void samplesAreCountedAmongAllThatWereScored() {
        job::EvaluationView view = manyClasses();
        view.cellsLeftOut = 1234;
        view.samples = {{7, 12, 40, 0.9F, 0.01F, {}}, {9, 3, 3, 0.8F, 0.8F, {}}};
        const qint64 scored =
            std::accumulate(view.cells.begin(), view.cells.end(), qint64(1234),
                            [](qint64 sum, const auto& cell) { return sum + qint64(cell.count); });
        view.accuracy = 1 - 100.0 / double(scored);
        std::ranges::stable_sort(view.cells, std::greater(), &job::EvaluationView::Cell::count);
        // Of so many classes there is no matrix.
        for (const int classes : {kClasses, 2400}) {
            view.classes = classes;
            Page page({view});
            const QString said = page.labels();
            const QString expected =
                QStringLiteral("2 of %1, most of them the hardest: 1 wrong here, 100 in all")
                    .arg(units::count(scored));
            QVERIFY2(said.contains(expected), qPrintable(said));
            auto* pairs = page.find<QListWidget>("confusedPairs");
            Q_EMIT pairs->itemActivated(pairs->item(0));
            QVERIFY2(page.labels().contains(QStringLiteral(
                         "species 12 taken for species 40: 1 of 33 are among the 2")),
                     qPrintable(page.labels()));
        }
    }
    void aClassWithoutSamplesHasNoAccuracy() {
        job::EvaluationView view;
        view.split = "validation";
        view.accuracy = 0.5;
        view.classes = 3;
        view.perClassAccuracy = {0.5F, 0.0F, 0.0F};  // as earlier versions told it
        view.confusion = {1, 1, 0, 2, 0, 0, 0, 0, 0};
        Page page({view});
        QCOMPARE(page.find<QWidget>("classBars")->accessibleDescription(),
                 QStringLiteral("species 0 %1, species 1 %2, species 2 none")
                     .arg(units::percent(0.5), units::percent(0)));
    }
    void theBestCheckpointIsTheOneThatTheJobWouldKeep() {
        job::EvaluationView early = manyClasses();
        early.loss = 0.2;
        early.accuracy = 0.8;
        job::EvaluationView late = manyClasses();
        late.step = 750;
        late.loss = 0.4;
        late.figures = {{"top_5_accuracy", 0.99}};
        Page page({early, late});
        const auto best = [&page] { return page.model.at(page.model.bestRow())->step; };
        QCOMPARE(best(), 750);
        QCOMPARE(page.find<MetricTile>("evaluatorBest")->accessibleName(),
                 QStringLiteral("Best validation accuracy"));
        QCOMPARE(page.find<MetricTile>("evaluatorScore")->accessibleName(),
                 QStringLiteral("Latest, validation"));
        for (const auto& [monitor, step] : {std::pair{"validation_loss", 500},
                                            {"validation_top_5_accuracy", 750},
                                            {"validation_accuracy", 750},
                                            {"train_loss", 750}}) {
            page.view.jobToml =
                std::string("[checkpoint]\nkeep_best = true\nmonitor = \"") + monitor + "\"\n";
            page.page.reset();
            page.page.showView(std::make_shared<const job::RunView>(page.view));
            QCOMPARE(best(), step);
        }
        page.view.jobToml =
            "[checkpoint]\nkeep_best = true\nmonitor = \"validation_top_5_accuracy\"\n";
        page.page.reset();
        page.page.showView(std::make_shared<const job::RunView>(page.view));
        QCOMPARE(page.find<MetricTile>("evaluatorBest")->accessibleName(),
                 QStringLiteral("Best validation top-5 accuracy"));
        page.view.jobToml = "[checkpoint]\nkeep_best = true\n";
        page.page.reset();
        page.page.showView(std::make_shared<const job::RunView>(page.view));
        QCOMPARE(best(), 500);
        QCOMPARE(page.find<MetricTile>("evaluatorBest")->accessibleName(),
                 QStringLiteral("Best validation loss"));
    }
    void metricsAreNamedInWordsWithNumbersAsPeopleWriteThem() {
        QCOMPARE(metricName("mean_absolute_error"), QStringLiteral("Mean absolute error"));
        QCOMPARE(metricName("top_5_accuracy"), QStringLiteral("Top-5 accuracy"));
        QCOMPARE(metricName("my_own"), QStringLiteral("my_own"));
        QCOMPARE(metricShortName("loss"), QStringLiteral("loss"));
        QCOMPARE(seriesName("validation/loss"), QStringLiteral("Loss, validation"));
        QCOMPARE(metricValue("mean_absolute_error", 36943.4), units::count(36943));
        QCOMPARE(metricValue("top_5_accuracy", 0.98), units::percent(0.98, 2));
        QCOMPARE(seriesName("validation/recall"), QStringLiteral("Recall, validation"));
        QCOMPARE(seriesName("train/accuracy"), QStringLiteral("Accuracy, training"));
        QCOMPARE(seriesName("train/learning_rate"), QStringLiteral("Learning rate, training"));
        QCOMPARE(seriesName("train/my_own"), QStringLiteral("My own, training"));
        QCOMPARE(seriesName("grad_norm"), QStringLiteral("Gradient norm"));
        QCOMPARE(seriesName("train/encoder/entropy"), QStringLiteral("train/encoder/entropy"));
        QCOMPARE(seriesName("Loss/D_fake"), QStringLiteral("Loss/D_fake"));
        Page page({manyClasses(), numbers(500, 1e6)});
        QString said;
        for (const QLabel* label : page.page.findChildren<QLabel*>())
            said += label->text() + QLatin1Char('\n');
        QVERIFY2(said.contains(QStringLiteral("Root mean squared error ") + units::count(1000)),
                 qPrintable(said));
    }
    void theLossIsNamedInTheLanguageThatIsSpoken() {
        testsupport::WidenedWords words;
        QCoreApplication::installTranslator(&words);
        const QString name = metricName("loss");
        const QString shortName = metricShortName("loss");
        QCoreApplication::removeTranslator(&words);
        QVERIFY2(name.startsWith(QStringLiteral("«loss")), qPrintable(name));
        QCOMPARE(shortName, name);
    }
    void cellsThatWereLeftOutAreSaid() {
        job::EvaluationView view = manyClasses();
        view.cellsLeftOut = 1234;
        Page page({view});
        const QString said = page.labels();
        QVERIFY2(said.contains(QStringLiteral("left out")), qPrintable(said));
        // What share of a class was right is not known then.
        QVERIFY(!page.find<QWidget>("classBars")->isVisible());
    }
    void numbersAreShownAgainstTrueOnesAndJudgedByTheirLoss() {
        Page page({numbers(250, 4.0), numbers(500, 1.0), numbers(750, 2.0)});
        QVERIFY(!page.find<ConfusionMatrix>("confusionMatrix")->isVisible());
        auto* plot = page.find<ValuePlot>("valuePlot");
        QVERIFY(plot->isVisible());
        int counted = 0;
        for (const int bar : plot->bars())
            counted += bar;
        QCOMPARE(counted, 200);
        QVERIFY(plot->accessibleDescription().contains(QStringLiteral("median_house_value")));
        auto* words = page.find<QLabel>("residualWords");
        QVERIFY2(words->text().contains(QStringLiteral("deviation")), qPrintable(words->text()));
        page.keepPicture("evaluator-values");

        auto* target = page.find<QComboBox>("valueTarget");
        QCOMPARE(target->count(), 2);
        target->setCurrentIndex(1);
        QVERIFY(plot->accessibleDescription().contains(QStringLiteral("rooms")));
        QCOMPARE(page.find<MetricTile>("evaluatorBest")->value(), QStringLiteral("1.000"));
        QCOMPARE(page.page.scoreChart().pointCount(), 3);
        QCOMPARE(page.page.scoreChart().newestValue(0), 2.0F);
        QCOMPARE(page.model.bestRow(), 1);
        // Numbers are neither right nor wrong: their metric stands where accuracies do.
        const int column = int(EvaluationModel::Column::Score);
        QCOMPARE(page.model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(),
                 QStringLiteral("RMSE"));
        QCOMPARE(page.model.index(1, column).data().toString(), QStringLiteral("1.000"));
    }
    void textOfTheCheckpointIsShownWithItsBeginning() {
        Page page({text()});
        auto* written = page.find<QPlainTextEdit>("generatedText");
        QVERIFY(written->isVisible() && written->isReadOnly());
        QVERIFY(written->toPlainText().startsWith(QStringLiteral("ROMEO:\nWhat light")));
        QVERIFY(!page.find<ConfusionMatrix>("confusionMatrix")->isVisible());
        QVERIFY(page.find<QLabel>("generatedNote")->text().contains(QStringLiteral("0.8")));
        page.keepPicture("evaluator-text");
    }
    void fromOneKindOfRunToAnotherNothingStaysBehind() {
        Page page({text()});
        page.view = ExampleRun::view(1000);
        page.page.reset();
        page.model.update(page.view.evaluations);
        page.page.showView(std::make_shared<const job::RunView>(page.view));
        QVERIFY(page.find<ConfusionMatrix>("confusionMatrix")->isVisible());
        QVERIFY(page.find<QWidget>("classBars")->isVisible());
        QVERIFY(!page.find<QPlainTextEdit>("generatedText")->isVisible());
        QVERIFY(!page.find<QListWidget>("confusedPairs")->isVisible());
    }
};

QTEST_MAIN(EvaluatorTasksTest)
#include "tst_evaluator_tasks.moc"
