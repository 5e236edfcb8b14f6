// SPDX-License-Identifier: GPL-3.0-or-later
// The Evaluator page for what is no dozen of classes: many of them, numbers, text.
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTableView>
#include <QtTest>
#include <cmath>

#include "tests/ui/support/scripted_session.h"
#include "tests/ui/support/settle.h"
#include "ui/charts/surface/live_chart.h"
#include "ui/pages/evaluator/evaluator_page.h"
#include "ui/style/program_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/value_plot.h"

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
        QVERIFY(pairs->item(0)->text().startsWith(
            QStringLiteral("33 × species 12 → species 40 (28")));
        Q_EMIT pairs->itemActivated(pairs->item(0));
        QVERIFY(matrix->zoom() > 1);
        QVERIFY2(matrix->readout().startsWith(QStringLiteral("species 12 taken for species 40")),
                 qPrintable(matrix->readout()));
        page.keepPicture("evaluator-100-classes");
    }
    void cellsThatWereLeftOutAreSaid() {
        job::EvaluationView view = manyClasses();
        view.cellsLeftOut = 1234;
        Page page({view});
        QString said;
        for (const QLabel* label : page.page.findChildren<QLabel*>())
            if (label->isVisible()) said += label->text() + QLatin1Char('\n');
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
