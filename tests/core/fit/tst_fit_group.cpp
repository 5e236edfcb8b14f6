// SPDX-License-Identifier: Apache-2.0
// Processes that fit a model together: this program starts itself as their members.
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdio>
#include <set>

#include "core/base/environment.h"
#include "core/distribution/devices.h"
#include "core/distribution/key_value_store.h"
#include "core/distribution/process_state.h"
#include "core/distribution/strategy.h"
#include "tests/core/distribution/member_group.h"
#include "tests/core/fit/two_moons.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

int failed(const Error& error) {
    std::printf("error: %s\n", error.message.c_str());
    return 9;
}

/// What all who train alike must print alike.
void print(const fit::History& history) {
    std::printf("state %s %s steps %lld", history.stateHash.c_str(), history.status.c_str(),
                static_cast<long long>(history.steps));
    for (const auto& [name, values] : history.values)
        for (const double value : values)
            std::printf(" %s %.17g", name.c_str(), value);
    if (history.stoppedEarlyAtEpoch > 0)
        std::printf(" ended after epoch %d: %s", history.stoppedEarlyAtEpoch,
                    history.stoppedBecause.c_str());
    std::printf("\n");
}

/// Until not a byte more goes in.
void fillTheStore() {
    const auto store = distribution::KeyValueStore::open().value();
    int keys = 0;
    for (std::size_t bytes = 256 << 10; bytes > 0; bytes /= 2)
        while (store.set("filled/" + std::to_string(keys), std::string(bytes, 'v')))
            ++keys;
}

/// Whose numbers are kept in the group's store.
std::set<std::string> keptCalls() {
    std::set<std::string> calls;
    const auto keys = distribution::ProcessState::instance().group()->store().list("fit").value();
    for (const std::string& key : keys)
        calls.insert(key.substr(0, key.find('/', 4)));
    return calls;
}

/// Every process calls fit() for what cannot be trained, and is told so.
int beRefused() {
    auto model = moonsModel();
    const auto moons = Moons(60).dataset().batch(20);
    const auto none = model.fit(moons, {.validation = moons, .epochs = 0});
    if (none) return 7;
    std::printf("error: %s\n", none.error().message.c_str());
    auto raw = fit::Model::sequential({{"dense", {{"units", 2}}}}).value();
    const auto uncompiled = raw.fit(moons, {.validation = moons});
    if (uncompiled) return 7;
    std::printf("error: %s\n", uncompiled.error().message.c_str());
    return 0;
}

/// `what` the program is asked for.
int train(const QString& what, const QString& run) {
    const bool isFirst = distribution::processId() == 0;
    const bool isSecond = distribution::processId() == 1;
    if (what == "refused first")
        if (const int status = beRefused(); status != 0) return status;
    const Moons moons(120, what == "other data" && isSecond ? 2 : 1);
    const Moons validation(60, 3);
    fit::FitOptions options{.validation = validation.dataset().batch(10), .epochs = 3};
    options.runFolder = run.toStdString();
    options.seed = 5;
    if (what == "callback" && isSecond)
        options.callbacks = {
            fit::onEpochEnd([](const fit::EpochFigures& epoch) { return epoch.epoch < 2; })};
    if (what == "batch callback" && isSecond)
        options.callbacks = {
            fit::onTrainBatchEnd([](const fit::BatchFigures& batch) { return batch.step != 7; })};
    if (what == "full store" && isFirst)
        options.callbacks = {fit::onEpochEnd([](const fit::EpochFigures& epoch) {
            return epoch.epoch < 2 || (fillTheStore(), true);
        })};
    auto data = moons.dataset().shuffle(120).batch(24);
    if (what == "file") data = data.withAutoShard(config::AutoShard::File);
    if (what == "off") data = data.withAutoShard(config::AutoShard::Off);
    if (what == "bad" && isSecond) data = moons.dataset();
    if (what == "no validation") options.validation.reset();
    if (what == "unseeded") {
        data = moons.dataset().shuffle(120).cache().batch(24);
        options.validation = validation.dataset().shuffle(60).batch(7, true);
    }
    auto model = moonsModel({"top_2_accuracy"});
    const auto history = model.fit(data, options);
    if (!history) return failed(history.error());
    print(*history);
    if (history->status == "stopped") return 0;
    const auto scores = model.evaluate(validation.dataset());
    if (!scores) return failed(scores.error());
    if (std::abs(scores->at("loss") - history->values.at("val_loss").back()) > 1e-6) return 8;
    options.runFolder.clear();
    options.epochs = 1;
    for (int again = 0; what == "ten times" && again < 9; ++again)
        if (const auto more = model.fit(data, options); !more) return failed(more.error());
    if (what == "ten times") {
        std::printf("kept:");
        for (const std::string& call : keptCalls())
            std::printf(" %s", call.c_str());
        std::printf("\n");
    }
    return 0;
}

/// `cluster`: TF_CONFIG, or what is asked for where the group's own variables tell the cluster.
int runMember(const QString& cluster, const QString& run, const QString& asked) {
    const QString what = cluster.startsWith("{") ? asked : cluster;
    if (what == "alone") {
        if (auto set = distribution::setCpuDeviceCount(2); !set) return failed(set.error());
        const auto strategy = distribution::MirroredStrategy::make();
        if (!strategy) return failed(strategy.error());
        const auto scope = (*strategy)->scope();
        return train(what, run);
    }
    distribution::InitializeOptions options;
    if (cluster.startsWith("{"))
        options.environment = Environment({{"TF_CONFIG", cluster.toStdString()}});
    const auto strategy = distribution::MultiWorkerMirroredStrategy::make(options);
    if (!strategy) return failed(strategy.error());
    const auto scope = (*strategy)->scope();
    const int status = train(what, run);
    const auto left = distribution::shutdown();
    return left ? status : failed(left.error());
}

}  // namespace

class FitGroupTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;
    int runs_ = 0;
    QMap<int, QString> said_;  ///< By the members, all of it.

    QString newRun() { return folder_.filePath(QString("run-%1").arg(++runs_)); }

    static QStringList linesIn(const QString& output) {
        QStringList lines;
        for (const QString& line : output.split('\n'))
            if (line.startsWith("state ") || line.startsWith("error: ")) lines << line;
        return lines;
    }

    /// The lines that members have printed on standard output, process 0's first.
    QStringList fitted(const QString& what, int processes, int status = 0) {
        Group group(processes, {what});
        const QString run = newRun();
        for (int id = 0; id < processes; ++id)
            group.start(id, {run});
        QStringList lines;
        for (int id = 0; id < processes; ++id) {
            const auto [ended, output] = group.end(static_cast<std::size_t>(id));
            lines << linesIn(output);
            if (ended != status) qWarning("%s", qPrintable(output));
            said_[id] = output;
            if (ended != status) lines << QString("exit status %1").arg(ended);
        }
        return lines;
    }

    /// Likewise those of an evaluator, a worker and a chief.
    QList<QStringList> fittedWithEvaluator(const QString& what, int status = 0) {
        const QString cluster =
            QString(R"({"cluster":{"chief":["127.0.0.1:%1"],"worker":["127.0.0.1:%2"],)"
                    R"("evaluator":["127.0.0.1:%3"]},"task":{"type":"TYPE","index":0}})")
                .arg(freePort())
                .arg(freePort())
                .arg(freePort());
        Group group(0, {});
        const QString run = newRun();
        for (const char* type : {"evaluator", "worker", "chief"})
            group.start(0, {QString(cluster).replace("TYPE", type), run, what});
        QList<QStringList> lines;
        for (int member = 0; member < 3; ++member) {
            const auto [ended, output] = group.end(static_cast<std::size_t>(member));
            said_[member] = output;
            lines.append(linesIn(output));
            if (ended != status) lines.last() << QString("exit status %1").arg(ended);
            if (ended != status) qWarning("%s", qPrintable(output));
        }
        return lines;
    }

private slots:
    void twoProcessesFitAsTwoDevicesOfOneDo() {
        const QStringList together = fitted("together", 2);
        QCOMPARE(together.size(), 2);
        QVERIFY2(together[0].startsWith("state ") && together[0].contains(" val_accuracy "),
                 qPrintable(together[0]));
        QCOMPARE(together[1], together[0]);
        const QStringList alone = fitted("alone", 1);
        QCOMPARE(alone, QStringList{together[0]});
    }

    void autoShardingOfTensorsSaysThatItComesToData() {
        const QString warning =
            "warning: AUTO sharding policy will apply DATA sharding policy as it failed to apply "
            "FILE sharding policy because of the following reason: Found an unshardable source "
            "dataset: TensorSliceDataset\n";
        QCOMPARE(fitted("together", 2).size(), 2);
        QCOMPARE(said_[0].count(warning), 1);
        QCOMPARE(said_[1].count(warning), 0);
        QCOMPARE(fitted("off", 2).size(), 2);
        QCOMPARE(said_[0].count("sharding policy"), 0);
    }

    void theCallbackOfAnyProcessEndsTheTrainingOfAll() {
        const QStringList lines = fitted("callback", 2);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].endsWith(" ended after epoch 2: a callback of process 1 asked for it"),
                 qPrintable(lines[0]));
        QVERIFY(lines[0].contains(" steps 10 "));
        QCOMPARE(lines[1], lines[0]);
    }

    void aNoBehindABatchOfAnyProcessStopsAllBehindTheSameStep() {
        const QStringList lines = fitted("batch callback", 2);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].contains(" stopped steps 8 "), qPrintable(lines[0]));
        QCOMPARE(lines[1], lines[0]);
    }

    void withoutShardingEveryProcessSeesEverySample() {
        const QStringList lines = fitted("off", 2);
        QCOMPARE(lines.size(), 2);
        // 120 samples for each, 12 of the 24 of a batch.
        QVERIFY2(lines[0].contains(" steps 30 "), qPrintable(lines[0]));
    }

    void theEvaluatorOfTheClusterScoresWhatTheOthersFit() {
        const QList<QStringList> lines = fittedWithEvaluator("together");
        QCOMPARE(lines.size(), 3);
        QCOMPARE(lines[0].size(), 1);
        QCOMPARE(lines[1], lines[0]);
        QCOMPARE(lines[2], lines[0]);
        QFile summary(folder_.filePath(QString("run-%1/summary.json").arg(runs_)));
        QVERIFY(summary.open(QIODevice::ReadOnly));
        const QJsonObject evaluation =
            QJsonDocument::fromJson(summary.readAll()).object()["evaluation"].toObject();
        QCOMPARE(evaluation["scored"].toInt(), 3);
    }

    void whatIsRefusedLeavesTheEvaluatorInStepWithTheOthers() {
        const QList<QStringList> lines = fittedWithEvaluator("refused first");
        const QStringList refusals{"error: fit(): 0 epochs were asked for",
                                   "error: fit(): the model is not compiled"};
        for (int worker = 1; worker < 3; ++worker)
            QCOMPARE(lines[worker].first(2), refusals);
        const QString told = "error: process 0 could not start the run: ";
        QCOMPARE(lines[0].first(2),
                 (QStringList{told + refusals[0].mid(7), told + refusals[1].mid(7)}));
        QVERIFY2(lines[0].value(2).startsWith("state "), qPrintable(said_[0]));
        QCOMPARE(lines[1].value(2), lines[0].value(2));
        QCOMPARE(lines[2].value(2), lines[0].value(2));
    }

    void anEvaluatorNeedsValidationDataAndIsToldSo() {
        const QString none =
            "fit(): the cluster has an evaluator, which scores checkpoints on validation data, and "
            "none are given";
        const QList<QStringList> lines = fittedWithEvaluator("no validation", 9);
        QCOMPARE(lines[0], QStringList("error: process 0 could not start the run: " + none));
        QCOMPARE(lines[1], QStringList("error: " + none));
        QCOMPARE(lines[2], QStringList("error: " + none));
    }

    void whatHasNoSeedIsShuffledAlikeInAllProcesses() {
        const QStringList lines = fitted("unseeded", 2);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].startsWith("state "), qPrintable(lines[0]));
        QCOMPARE(lines[1], lines[0]);
        QCOMPARE(fitted("unseeded", 2), lines);
    }

    void theEndIsToldToAllThoughTheStoreIsFull() {
        const QStringList lines = fitted("full store", 2);
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].startsWith("state "), qPrintable(lines[0]));
        QCOMPARE(lines[1], lines[0]);
    }

    void whatFormerCallsHaveToldIsForgotten() {
        const QStringList lines = fitted("ten times", 2);
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[1], lines[0]);
        for (int id = 0; id < 2; ++id)
            QVERIFY2(
                said_[id].contains("\nkept: fit/10 fit/3 fit/4 fit/5 fit/6 fit/7 fit/8 fit/9\n"),
                qPrintable(said_[id]));
    }

    void processesThatBringDifferentThingsAreToldAlike() {
        const QString other =
            "error: fit(): process 1 brings other data or another model than process 0";
        QCOMPARE(fitted("other data", 2, 9), (QStringList{other, other}));
        const QString unbatched =
            "The batch size of the input dataset is unknown. Please config the batch size for the "
            "input dataset, e.g via `dataset.batch(batch_size)`";
        QCOMPARE(fitted("bad", 2, 9),
                 (QStringList{"error: process 1: " + unbatched, "error: " + unbatched}));
        const QString file =
            "FILE sharding policy was asked for: Found an unshardable source dataset: "
            "TensorSliceDataset, which has no files to deal out";
        QCOMPARE(fitted("file", 2, 9), (QStringList{"error: " + file, "error: " + file}));
        QVERIFY(!QDir(folder_.filePath(QString("run-%1").arg(runs_))).exists());
    }
};

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == "--member")
        return runMember(arguments.value(2), arguments.value(3), arguments.value(4));
    FitGroupTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_fit_group.moc"
