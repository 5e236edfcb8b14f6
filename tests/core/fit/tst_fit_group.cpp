// SPDX-License-Identifier: Apache-2.0
// Processes that fit a model together: this program starts itself as their members.
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdio>

#include "core/base/environment.h"
#include "core/distribution/devices.h"
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
    std::printf("state %s steps %lld", history.stateHash.c_str(),
                static_cast<long long>(history.steps));
    for (const auto& [name, values] : history.values)
        for (const double value : values)
            std::printf(" %s %.17g", name.c_str(), value);
    if (history.stoppedEarlyAtEpoch > 0)
        std::printf(" ended after epoch %d: %s", history.stoppedEarlyAtEpoch,
                    history.stoppedBecause.c_str());
    std::printf("\n");
}

int train(const QString& what, const QString& run) {
    const bool differs = what == "other data" && distribution::processId() == 1;
    const Moons moons(120, differs ? 2 : 1);
    const Moons validation(60, 3);
    fit::FitOptions options{.validation = validation.dataset().batch(10), .epochs = 3};
    options.runFolder = run.toStdString();
    options.seed = 5;
    if (what == "callback" && distribution::processId() == 1)
        options.callbacks = {
            fit::onEpochEnd([](const fit::EpochFigures& epoch) { return epoch.epoch < 2; })};
    auto data = moons.dataset().shuffle(120).batch(24);
    if (what == "file") data = data.withAutoShard(config::AutoShard::File);
    if (what == "off") data = data.withAutoShard(config::AutoShard::Off);
    if (what == "bad" && distribution::processId() == 1) data = moons.dataset();
    auto model = moonsModel({"top_2_accuracy"});
    const auto history = model.fit(data, options);
    if (!history) return failed(history.error());
    print(*history);
    const auto scores = model.evaluate(validation.dataset());
    if (!scores) return failed(scores.error());
    if (std::abs(scores->at("loss") - history->values.at("val_loss").back()) > 1e-6) return 8;
    return 0;
}

int runMember(const QString& what, const QString& run) {
    if (what == "alone") {
        if (auto set = distribution::setCpuDeviceCount(2); !set) return failed(set.error());
        const auto strategy = distribution::MirroredStrategy::make();
        if (!strategy) return failed(strategy.error());
        const auto scope = (*strategy)->scope();
        return train(what, run);
    }
    distribution::InitializeOptions options;
    if (what.startsWith("{"))
        options.environment = Environment({{"TF_CONFIG", what.toStdString()}});
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

    /// The lines that members have printed on standard output, process 0's first.
    QStringList fitted(const QString& what, int processes, int status = 0) {
        Group group(processes, {what});
        const QString run = newRun();
        for (int id = 0; id < processes; ++id)
            group.start(id, {run});
        QStringList lines;
        for (int id = 0; id < processes; ++id) {
            const auto [ended, output] = group.end(static_cast<std::size_t>(id));
            for (const QString& line : output.split('\n'))
                if (line.startsWith("state ") || line.startsWith("error: ")) lines << line;
            if (ended != status) qWarning("%s", qPrintable(output));
            said_[id] = output;
            if (ended != status) lines << QString("exit status %1").arg(ended);
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

    void withoutShardingEveryProcessSeesEverySample() {
        const QStringList lines = fitted("off", 2);
        QCOMPARE(lines.size(), 2);
        // 120 samples for each, 12 of the 24 of a batch.
        QVERIFY2(lines[0].contains(" steps 30 "), qPrintable(lines[0]));
    }

    void theEvaluatorOfTheClusterScoresWhatTheOthersFit() {
        const QString cluster =
            QString(R"({"cluster":{"chief":["127.0.0.1:%1"],"worker":["127.0.0.1:%2"],)"
                    R"("evaluator":["127.0.0.1:%3"]},"task":{"type":"TYPE","index":0}})")
                .arg(freePort())
                .arg(freePort())
                .arg(freePort());
        Group group(0, {});
        const QString run = newRun();
        for (const char* type : {"evaluator", "worker", "chief"})
            group.start(0, {QString(cluster).replace("TYPE", type), run});
        QSet<QString> states;
        for (std::size_t member = 0; member < 3; ++member) {
            const auto [status, output] = group.end(member);
            QVERIFY2(status == 0, qPrintable(output));
            states.insert(output.mid(output.indexOf("state ")).section('\n', 0, 0));
        }
        QCOMPARE(states.size(), 1);
        QFile summary(run + "/summary.json");
        QVERIFY(summary.open(QIODevice::ReadOnly));
        const QJsonObject evaluation =
            QJsonDocument::fromJson(summary.readAll()).object()["evaluation"].toObject();
        QCOMPARE(evaluation["scored"].toInt(), 3);
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
    if (arguments.value(1) == "--member") return runMember(arguments.value(2), arguments.last());
    FitGroupTest test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_fit_group.moc"
