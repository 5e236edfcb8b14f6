// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>

#include "core/config/document/job_file.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

JobDocument documentOf(const std::string& training) {
    return JobDocument::lenient(
        "[data]\ndataset = \"digits\"\n[model]\nlayers = [{ type = \"dense\", units = 10 }]\n"
        "[training]\n" +
            training,
        "job.toml");
}

/// What lint says of a key; empty: nothing.
std::string said(const std::string& training, std::string_view key) {
    const JobDocument document = documentOf(training);
    for (const Finding& finding : document.findings())
        if (finding.key == key) return finding.message;
    return {};
}

bool isSaid(const std::string& training, std::string_view key, std::string_view words) {
    return said(training, key).find(words) != std::string::npos;
}

constexpr const char* kCosine =
    "learning_rate = 0.01\n[training.schedule]\ntype = \"cosine_decay\"\ndecay_epochs = 2.5\n";

}  // namespace

class OptimizerKeysTest : public QObject {
    Q_OBJECT
private slots:
    void aScheduleIsATableInTraining() {
        const JobSpec spec = documentOf(kCosine).checked().value();
        QVERIFY(spec.training.schedule.kind == ScheduleKind::Cosine);
        QCOMPARE(spec.training.schedule.decayEpochs, 2.5);
        QVERIFY(!spec.training.schedule.warmupTarget.has_value());
    }
    void whatIsResolvedReadsBackAsTheSame() {
        const JobSpec spec = documentOf(std::string("optimizer = \"lion\"\n") + kCosine +
                                        "initial_learning_rate = 0.0\nwarmup_target = 0.1\n"
                                        "warmup_steps = 7\n")
                                 .checked()
                                 .value();
        const std::string text = resolvedToml(spec);
        const JobSpec again = JobDocument::lenient(text, "job.toml").checked().value();
        QCOMPARE(resolvedToml(again), text);
        QCOMPARE(again.training.beta2, kLionBeta2);
        QCOMPARE(again.training.schedule.initialLearningRate.value(), 0.0);
        QCOMPARE(again.training.schedule.warmupSteps, std::int64_t{7});
    }
    void defaultsAreThoseOfTheOptimizer() {
        const auto trainingOf = [](const char* text) {
            return documentOf(text).checked().value().training;
        };
        QCOMPARE(trainingOf("optimizer = \"adamw\"\n").weightDecay, 0.004);
        QCOMPARE(trainingOf("optimizer = \"adamw\"\nweight_decay = 0\n").weightDecay, 0.0);
        QCOMPARE(trainingOf("optimizer = \"lion\"\n").beta2, 0.99);
        QCOMPARE(trainingOf("optimizer = \"lion\"\nbeta_2 = 0.999\n").beta2, 0.999);
        QCOMPARE(trainingOf("optimizer = \"adam\"\n").weightDecay, 0.0);
    }
    void aKeyOfTheScheduleIsSetInEveryLayout() {
        for (const char* layout :
             {"epochs = 1\n", "schedule.type = \"cosine_decay\"\nschedule.decay_steps = 5\n",
              "schedule = { type = \"cosine_decay\", decay_steps = 5 }\n", kCosine}) {
            JobDocument document = documentOf(layout);
            QVERIFY(document.set("training.schedule.alpha", "0.25"));
            QVERIFY(document.set("training.schedule.type", "cosine_decay"));
            QVERIFY(document.set("training.epochs", "3"));
            QCOMPARE(document.spec().training.schedule.alpha, 0.25);
            QCOMPARE(document.spec().training.epochs, 3);
            QVERIFY(document.unset("training.schedule.alpha"));
            QCOMPARE(document.spec().training.schedule.alpha, 0.0);
        }
    }
    void settingsOfAnotherOptimizerAreNamed() {
        QCOMPARE(said("momentum = 0.9\n", "training.momentum"),
                 std::string("training.momentum is given, but the optimizer is \"adam\", which "
                             "ignores it"));
        QVERIFY(said("optimizer = \"rmsprop\"\nmomentum = 0.9\n", "training.momentum").empty());
        QVERIFY(isSaid("rho = 0.5\n", "training.rho", "ignores it"));
        QVERIFY(isSaid("optimizer = \"lion\"\nepsilon = 0.1\n", "training.epsilon", "\"lion\""));
        QVERIFY(isSaid("optimizer = \"sgd\"\nnesterov = true\n", "training.nesterov",
                       "training.momentum is 0"));
    }
    void onlyOneClippingHolds() {
        QVERIFY(isSaid("clipnorm = 1.0\nglobal_clipnorm = 1.0\n", "training.global_clipnorm",
                       "only one can hold"));
        QVERIFY(said("clipnorm = 1.0\n", "training.clipnorm").empty());
        QVERIFY(isSaid("clipvalue = -1.0\n", "training.clipvalue", "is -1"));
        QVERIFY(isSaid("weight_decay = -0.1\n", "training.weight_decay", "is -0.1"));
    }
    void mistakesInASchedule() {
        const std::string cosine = kCosine;
        QVERIFY(isSaid(cosine + "decay_steps = 3\n", "training.schedule.decay_epochs",
                       "only one can hold"));
        QVERIFY(isSaid("schedule.type = \"cosine_decay\"\n", "training.schedule.decay_steps",
                       "is missing"));
        QVERIFY(isSaid(cosine + "warmup_steps = 3\n", "training.schedule.warmup_steps",
                       "warmup_target is missing"));
        QVERIFY(isSaid(cosine + "staircase = true\n", "training.schedule.staircase",
                       "the schedule is \"cosine_decay\", which ignores it"));
        QVERIFY(isSaid("schedule = \"cosine_decay\"\n", "training.schedule", "must be a table"));
        const std::string pieces = "[training.schedule]\ntype = \"piecewise_constant_decay\"\n";
        QVERIFY(isSaid(pieces + "boundaries = [5]\nvalues = [0.1]\n",
                       "training.schedule.boundaries", "one more than boundaries"));
        QVERIFY(isSaid(pieces + "boundaries = [9, 5]\nvalues = [1, 0.1, 0.01]\n",
                       "training.schedule.boundaries", "ascending order"));
        QVERIFY(isSaid(pieces + "boundaries = [\"a\"]\n", "training.schedule.boundaries",
                       "must be an array of numbers"));
        QVERIFY(documentOf(pieces + "boundaries = [5]\nvalues = [0.1, 0.01]\n").checked());
    }
};

QTEST_GUILESS_MAIN(OptimizerKeysTest)
#include "tst_optimizer_keys.moc"
