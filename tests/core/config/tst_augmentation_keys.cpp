// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include "core/config/document/job_file.h"
#include "core/config/job/augmentation_facts.h"
#include "core/config/keys/augmentation_options.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

JobDocument documentOf(const std::string& data) {
    return JobDocument::lenient("[data]\ndataset = \"digits\"\n" + data +
                                    "\n[model]\nlayers = [{ type = \"dense\", units = 10 }]\n",
                                "job.toml");
}

QString findingsOf(const std::string& data) {
    QString all;
    const JobDocument document = documentOf(data);
    for (const Finding& finding : document.findings())
        all += QString::fromStdString(finding.place + ": " + finding.message + "\n");
    return all;
}

AugmentationSpec only(const std::string& change) {
    const JobSpec spec = documentOf("augment = [" + change + "]").checked().value();
    return spec.data.augment.at(0);
}

struct Bad {
    const char* data;
    const char* said;
};

const Bad kBad[] = {
    {"augment = 3", "data.augment is 3, but must be an array of tables"},
    {"augment = [3]", "data.augment[0] is 3, but must be a table"},
    {"augment = [{}]", "data.augment[0] has no type"},
    {"augment = [{ type = \"random_flipp\" }]",
     "data.augment[0].type is \"random_flipp\", which is no augmentation, did you mean "
     "random_flip?"},
    {"augment = [{ type = \"random_flip\" }, { type = \"random_crop\", heigth = 3 }]",
     "data.augment[1].heigth is no option of random_crop, did you mean height?"},
    {"augment = [{ type = \"random_crop\", height = -1 }]",
     "data.augment[0].height is -1, but must be a whole number from 0 to 4096"},
    {"augment = [{ type = \"random_rotation\" }]",
     "data.augment[0] is a random_rotation without factor"},
    {"augment = [{ type = \"random_rotation\", factor = 2 }]",
     "data.augment[0].factor is 2, but must be a number from -1 to 1, or two as [lower, upper]"},
    {"augment = [{ type = \"random_rotation\", factor = [0.1, 0.2, 0.3] }]",
     "data.augment[0].factor is an array, but must be a number from -1 to 1"},
    {"augment = [{ type = \"random_zoom\", height_factor = [0.3, 0.1] }]",
     "data.augment[0].height_factor is [0.3, 0.1], whose lower number is the larger one"},
    {"augment = [{ type = \"random_zoom\", height_factor = -1.0 }]",
     "must be a number above -1 and at most 1"},
    {"augment = [{ type = \"random_flip\", mode = \"sideways\" }]",
     "data.augment[0].mode is \"sideways\", but must be \"horizontal\", \"vertical\" or "
     "\"horizontal_and_vertical\""},
    {"augment = [{ type = \"mix_up\", alpha = 0 }]",
     "data.augment[0].alpha is 0, but must be a number above 0 and at most 1"},
    {"augment = [{ type = \"cut_mix\" }]\n[training]\nignored_class = 3",
     "data.augment[0] is a cut_mix, which gives a sample shares of two classes, but "
     "training.ignored_class is 3"},
    {"augment = [{ type = \"mix_up\" }, { type = \"cut_mix\" }]",
     "data.augment[1] is a cut_mix behind the mix_up of data.augment[0]"},
    {"augment = [{ type = \"random_crop\", height = 40, width = 20, padding = 2 }]",
     "data.augment[0] takes 40 x 20 from images that are 32 x 32 with their padding"},
    {"augment = [{ type = \"random_crop\", height = 20, width = 20 }]",
     "data.augment gives images of 20 x 20, but the network takes 28 x 28"},
    {"augment = [{ type = \"random_crop\" }]", "so it changes nothing"},
    {"normalize = { mean = [0.5, 0.5, 0.5], std = 0.2 }",
     "data.normalize.mean has 3 numbers, but the images have 1 channel"},
    {"normalize = { mean = 123.7 }",
     "data.normalize.mean is 123.7, but must be a number from 0 to 1 for each channel"},
    {"normalize = { std = 0 }", "data.normalize.std is 0, but must be a number above 0"},
    {"normalize = { deviation = 1 }", "there is no key \"data.normalize.deviation\""},
    {"normalize = 3", "data.normalize is 3, but must be a table"},
};

}  // namespace

class AugmentationKeysTest : public QObject {
    Q_OBJECT
private slots:
    void defaultsAreThoseOfKeras() {
        QVERIFY(only("{ type = \"random_flip\" }").mode == FlipMode::HorizontalAndVertical);
        const AugmentationSpec zoom = only("{ type = \"random_zoom\", height_factor = 0.2 }");
        QVERIFY(keepsRatio(zoom) && zoom.fill == FillMode::Reflect);
        QCOMPARE(zoom.range, (std::array{-0.2, 0.2}));
        const AugmentationSpec erasing = only("{ type = \"random_erasing\" }");
        QVERIFY(fillsWithNoise(erasing));
        QCOMPARE(erasing.range, (std::array{0.0, 1.0}));
        QCOMPARE(erasing.across, (std::array{0.02, 0.33}));
        QCOMPARE(only("{ type = \"mix_up\" }").alpha, 0.2);
        QCOMPARE(only("{ type = \"cut_mix\", factor = 0.5 }").range, (std::array{0.0, 0.5}));
        QCOMPARE(only("{ type = \"random_contrast\", factor = [0.3, 0.1] }").range,
                 (std::array{0.3, 0.1}));
    }
    void theExampleOfTheGuideIsReadWithoutFindings() {
        const std::string text =
            "augment = [\n  { type = \"random_crop\", height = 28, width = 28, padding = 4 },\n"
            "  { type = \"random_flip\", mode = \"horizontal\" },\n]\n"
            "normalize = { mean = [0.5], std = [0.25] }\n";
        QCOMPARE(findingsOf(text), QString());
        const DataSpec data = documentOf(text).checked().value().data;
        QCOMPARE(data.augment.size(), std::size_t{2});
        QCOMPARE(data.augment[0].padding, 4);
        QCOMPARE(data.normalize.deviation, std::vector<double>{0.25});
    }
    void everyTypeIsWrittenOutAsItWasRead() {
        std::string list;
        for (const AugmentationType& type : augmentationTypes()) {
            if (type.name == "cut_mix") continue;
            list += "{ type = \"" + type.name + "\", probability = 0.5";
            for (const AugmentationOption& option : type.options)
                if (option.isRequired) list += ", " + option.key.help.key + " = [0.125, 0.25]";
            list += type.name == "random_crop" ? ", padding = 3 }, " : " }, ";
        }
        const std::string data = "augment = [" + list + "]\nnormalize.mean = 0.5\n";
        QCOMPARE(findingsOf(data), QString());
        const std::string text = resolvedToml(documentOf(data).checked().value());
        const auto again = JobDocument::lenient(text, "job.toml");
        QCOMPARE(resolvedToml(again.checked().value()), text);
        QVERIFY2(text.find("{ type = \"random_zoom\", height_factor = [0.125, 0.25], "
                           "probability = 0.5 }") != std::string::npos,
                 text.c_str());
        QCOMPARE(again.spec().data.augment.size(), augmentationTypes().size() - 1);
    }
    void anOptionCanBeSetByItsName() {
        JobDocument document = documentOf("augment = [{ type = \"mix_up\" }]");
        QVERIFY(document.set("data.augment[0].alpha", "0.5"));
        QCOMPARE(document.spec().data.augment[0].alpha, 0.5);
        QVERIFY(!document.set("data.augment[1].alpha", "0.5"));
    }
    void mistakesAreNamedByTheirPlace_data() {
        QTest::addColumn<int>("index");
        for (int i = 0; i < static_cast<int>(std::size(kBad)); ++i)
            QTest::newRow(kBad[i].data) << i;
    }
    void mistakesAreNamedByTheirPlace() {
        QFETCH(int, index);
        const QString said = findingsOf(kBad[index].data);
        QVERIFY2(said.contains(kBad[index].said), qPrintable(said));
        QCOMPARE(said.count('\n'), qsizetype{1});
    }
};

QTEST_GUILESS_MAIN(AugmentationKeysTest)
#include "tst_augmentation_keys.moc"
