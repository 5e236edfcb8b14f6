// SPDX-License-Identifier: Apache-2.0
#include <QtTest>

#include <algorithm>

#include "core/config/job/data_sources.h"
#include "core/config/job/job_paths.h"
#include "core/config/job/monitor.h"
#include "core/config/keys/key_table.h"
#include "tests/core/config/bad_jobs.h"

using namespace lockstep;
using namespace lockstep::config;
using namespace lockstep::config::test;

namespace {

constexpr const char* kHouses =
    "dataset = \"table\"\nfiles = [\"a.csv\", \"b.csv\"]\ntarget = \"median, value\"\n"
    "target_scale = 1e-5\nvalidation_split = 0.2\nmissing = \"mean\"\n"
    "[data.features]\n"
    "income = \"float_normalized\"\n"
    "\"near to\" = { type = \"string_categorical\", max_tokens = 8, output_mode = \"int\" }\n"
    "rooms = \"integer_categorical\"\n";

/// A job of [data] lines, whose keys stand from line 2.
JobDocument jobOf(const std::string& lines) {
    return parsed("[data]\n" + lines + "[model]\nlayers = [{ units = 10 }]\n");
}

std::string table(const std::string& lines) {
    return data("dataset = \"table\"\nfiles = [\"a.csv\"]\n" + lines);
}
std::string arrays(const std::string& lines) {
    return data("dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n" + lines);
}

const std::vector<Bad>& badJobs() {
    static const std::vector<Bad> kJobs = {
        {"table without files",
         data("dataset = \"table\"\ntarget = \"y\"\nfeatures.x = \"float\"\n"), "job.toml:2:11",
         kError, "data.files",
         "data.files is missing, but the data set \"table\" needs it: it lists the CSV files",
         "Add for example"},
        {"table without target", table("features.x = \"float\"\n"), "job.toml:2:11", kError,
         "data.target",
         "data.target is missing, but the data set \"table\" needs it: it names the column to "
         "predict",
         "Add for example"},
        {"targets for target", table("targets = \"y\"\nfeatures.x = \"float\"\n"), "job.toml:4:11",
         kError, "data.targets",
         "data.targets names an array, and the column that is predicted is data.target",
         "Write target"},
        {"table without features", table("target = \"y\"\n"), "job.toml:2:11", kError,
         "data.features",
         "data.features is missing, but the data set \"table\" needs it: it names the columns to "
         "learn from",
         "Add [data.features]"},
        {"the answer among the features",
         table("target = \"y\"\nfeatures = { x = \"float\", y = \"float\" }\n"), "job.toml:5:31",
         kError, "data.features.y",
         "data.features names y, which is the target: the network would be told the answer",
         "Remove that line."},
        {"classes of two targets",
         table(
             "target = [\"y\", \"z\"]\nfeatures = { x = \"float\", y = \"string_categorical\" }\n"),
         "job.toml:5:31", kError, "data.features.y",
         "data.features calls y categorical, which makes it classes, but there are 2 targets",
         "Name that target alone"},
        {"a target twice", table("target = [\"y\", \"y\"]\nfeatures.x = \"float\"\n"),
         "job.toml:4:10", kError, "data.target", "data.target names a column twice", "Name it"},
        {"only the target", table("target = \"y\"\nfeatures.y = \"string_categorical\"\n"),
         "job.toml:5:1", kError, "data.features", "data.features names no column but the target",
         "Add the columns"},
        {"parquet",
         data("dataset = \"table\"\nfiles = [\"a.parquet\"]\ntarget = \"y\"\nfeatures.x = "
              "\"float\"\n"),
         "job.toml:3:9", kError, "data.files",
         "data.files names a.parquet, and Parquet is not read", "Write it as CSV"},
        {"unknown type", table("target = \"y\"\nfeatures.x = \"float_normalised\"\n"),
         "job.toml:5:14", kError, "data.features.x",
         "data.features.x is \"float_normalised\", but must be \"float\", \"float_normalized\", "
         "\"integer_categorical\" or \"string_categorical\", did you mean float_normalized?",
         "Set it to"},
        {"unknown option",
         table("target = \"y\"\nfeatures.x = { type = \"string_categorical\", max_token = 3 }\n"),
         "job.toml:5:45", kError, "data.features.x",
         "data.features.x has no option \"max_token\", did you mean max_tokens?", "Its options"},
        {"no type", table("target = \"y\"\nfeatures.x = { max_tokens = 3 }\n"), "job.toml:5:14",
         kError, "data.features.x", "data.features.x has no type", "Add one"},
        {"options of a number",
         table("target = \"y\"\nfeatures.x = { type = \"float\", output_mode = \"int\" }\n"),
         "job.toml:5:14", kError, "data.features.x",
         "data.features.x is of numbers, which have neither max_tokens nor output_mode",
         "Write its type alone."},
        {"too few tokens",
         table("target = \"y\"\nfeatures.x = { type = \"string_categorical\", max_tokens = 1 }\n"),
         "job.toml:5:58", kError, "data.features.x.max_tokens",
         "data.features.x.max_tokens is 1, but must be a whole number from 2 to 16777216",
         "Set it to"},
        {"features as a list", table("target = \"y\"\nfeatures = [\"x\"]\n"), "job.toml:5:12",
         kError, "data.features", "data.features is an array, but must be a table of columns",
         "Write [data.features]"},
        {"target as a number", table("target = 3\nfeatures.x = \"float\"\n"), "job.toml:4:10",
         kError, "data.target",
         "data.target is 3, but must be a column's name, or an array of names",
         "Write for example"},
        {"nothing to test on",
         table("target = \"y\"\nfeatures.x = \"float\"\nvalidation_split = 0\n"), "job.toml:6:20",
         kError, "data.validation_split",
         "data.validation_split is 0, and no test data are given: there is nothing to test on",
         "Set it"},
        {"all for validation",
         table("target = \"y\"\nfeatures.x = \"float\"\nvalidation_split = 1\n"), "job.toml:6:20",
         kError, "data.validation_split",
         "data.validation_split is 1, but must be a number from 0 and below 1", "Set"},
        {"text without files", data("dataset = \"text\"\nsequence_length = 8\n"), "job.toml:2:11",
         kError, "data.files",
         "data.files is missing, but the data set \"text\" needs it: it lists the text files",
         "Add for example"},
        {"text without length", data("dataset = \"text\"\nfiles = \"a.txt\"\n"), "job.toml:2:11",
         kError, "data.sequence_length",
         "data.sequence_length is missing, but the data set \"text\" needs it: it is the tokens of "
         "a sample",
         "Add for example"},
        {"a mistyped tokenizer",
         data("dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 8\ntokenizer = \"byte\"\n"),
         "job.toml:5:13", kError, "data.tokenizer",
         "data.tokenizer is \"byte\", did you mean bytes?", "Use \"bytes\""},
        {"arrays without inputs", data("dataset = \"arrays\"\ntargets = \"y.npy\"\n"),
         "job.toml:2:11", kError, "data.inputs",
         "data.inputs is missing, but the data set \"arrays\" needs it: it names the samples",
         "Add for example"},
        {"half a validation set", arrays("validation_inputs = \"v.npy\"\n"), "job.toml:5:21",
         kError, "data.validation_inputs",
         "data.validation_inputs is given without data.validation_targets",
         "Add data.validation_targets"},
        {"a key of another source", arrays("target = \"y\"\n"), "job.toml:5:10", kWarning,
         "data.target", "data.target is given, but the data set is \"arrays\", which ignores it",
         "Remove it."},
        {"samples instead of a share", arrays("validation_samples = 5\n"), "job.toml:5:22",
         kWarning, "data.validation_samples",
         "data.validation_samples is given, but the data set \"arrays\" is split by "
         "data.validation_split",
         "Set data.validation_split"},
        {"files of digits", data("dataset = \"digits\"\nfiles = [\"a.csv\"]\n"), "job.toml:3:9",
         kWarning, "data.files",
         "data.files is given, but the data set is \"digits\", which ignores it", "Remove it."},
    };
    return kJobs;
}

/// Keys that each are fine, but not beside others.
const std::vector<Bad>& badTogether() {
    static const std::vector<Bad> kJobs = {
        {"a share beside a validation set",
         arrays("validation_inputs = \"v.npy\"\nvalidation_targets = \"w.npy\"\n"
                "validation_split = 0.2\n"),
         "job.toml:7:20", kWarning, "data.validation_split",
         "data.validation_split is 0.2, but data.validation_inputs is given: its samples are the "
         "validation set, and all others are trained on",
         "Remove one of the two."},
        {"a scale of answers of yes or no",
         arrays("target_scale = 0.5\n") + "[training]\nloss = \"binary_crossentropy\"\n",
         "job.toml:5:16", kError, "data.target_scale",
         "data.target_scale is given, but it is for numbers that are predicted, and training.loss "
         "is \"binary_crossentropy\"",
         "Remove it"},
    };
    return kJobs;
}

}  // namespace

class SourceKeysTest : public QObject {
    Q_OBJECT
private slots:
    /// A key that names a file of a host, and that nobody thought of when a run's own job file is
    /// written, would be found by that run alone.
    void everyPathOfADataSetIsMadeAbsolute() {
        const std::vector<std::string> own = {"job.run_dir", "launch.ssh_config",
                                              "launch.directory"};
        int paths = 0;
        for (const KeyHelp& help : allKeyHelp()) {
            if (help.kind != ValueKind::Path && help.kind != ValueKind::PathOrTable &&
                help.key != "data.files")
                continue;
            if (std::ranges::find(own, help.key) != own.end()) continue;
            JobDocument document = parsed("[data]\ndataset = \"digits\"\n");
            const bool isList = help.kind == ValueKind::TextList;
            QVERIFY(document.set(help.key, isList ? "[\"a/b\"]" : "\"a/b\"").has_value());
            JobSpec spec = document.spec();
            const std::string before = resolvedToml(spec);
            QVERIFY2(before.find("\"a/b\"") != std::string::npos, help.key.c_str());
            makePathsAbsolute(spec, "/jobs");
            const std::string after = resolvedToml(spec);
            QVERIFY2(after.find("\"/jobs/a/b\"") != std::string::npos, help.key.c_str());
            ++paths;
        }
        QVERIFY2(paths >= 12, qPrintable(QString::number(paths)));
    }
    void aMetricIsNamedOnce() {
        const auto document = jobOf(
            "dataset = \"mnist\"\ndirectory = \".\"\n[training]\n"
            "metrics = [\"top_5_accuracy\", \"top_5_accuracy\"]\n");
        const auto& findings = document.findings();
        QVERIFY(std::ranges::any_of(findings, [](const Finding& finding) {
            return finding.message.find("training.metrics[1] is \"top_5_accuracy\" once more") !=
                   std::string::npos;
        }));
    }
    void wordsInAPathsPlaceStay() {
        JobDocument document = parsed("[data]\ndataset = \"image_folder\"\ncache = \"packed\"\n");
        JobSpec spec = document.spec();
        makePathsAbsolute(spec, "/jobs");
        QCOMPARE(spec.data.cache, std::string("packed"));
        QCOMPARE(spec.data.text.tokenizer, std::string("bytes"));
        QVERIFY(spec.data.directory.empty());
    }
    void aTableIsReadAsItIsWritten() {
        const DataSpec data = jobOf(kHouses).checked().value().data;
        QCOMPARE(data.files, (std::vector<std::string>{"a.csv", "b.csv"}));
        QCOMPARE(data.table.targets, std::vector<std::string>{"median, value"});
        QCOMPARE(data.table.targetScale, 1e-5);
        QCOMPARE(data.validationSplit.value(), 0.2);
        QVERIFY(data.table.missing == OnMissing::Mean);
        QCOMPARE(data.table.features.size(), std::size_t{3});
        QCOMPARE(data.table.features[1].name, std::string("near to"));
        QVERIFY(data.table.features[1].kind == FeatureKind::StringCategorical);
        QVERIFY(data.table.features[1].output == CategoryOutput::Int);
        QCOMPARE(data.table.features[1].maxTokens, 8);
        QVERIFY(data.table.features[2].output == CategoryOutput::OneHot);
    }
    void whatIsResolvedReadsBackAsTheSame() {
        for (const std::string& lines :
             {std::string(kHouses),
              std::string("dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 64\n"
                          "tokenizer = \"characters\"\n"),
              std::string("dataset = \"arrays\"\ninputs = \"m.npz:x\"\ntargets = \"m.npz:y\"\n")}) {
            const std::string text = resolvedToml(jobOf(lines).checked().value());
            const JobDocument again = parsed(text);
            QVERIFY2(again.findings().empty(), text.c_str());
            QCOMPARE(resolvedToml(again.checked().value()), text);
        }
    }
    void aSharePutsSomethingAsideToValidateOn() {
        DataSpec data = jobOf(kHouses).checked().value().data;
        QVERIFY(hasValidation(data));
        data.validationSplit = 0;
        QVERIFY(!hasValidation(data));
        data.validationSplit.reset();
        QVERIFY(hasValidation(data));
        data.dataset = "digits";
        data.validationSamples = 0;
        QVERIFY(!hasValidation(data));
        data.validationSplit = 0.1;
        QVERIFY(hasValidation(data));
    }
    void theFilesOfAJobAreNamedOnce() {
        const DataSpec data =
            jobOf(
                "dataset = \"arrays\"\ninputs = \"m.npz:x\"\ntargets = "
                "\"m.npz:y\"\ntest_inputs = \"t.npy\"\ntest_targets = \"u:v.npy\"\n")
                .checked()
                .value()
                .data;
        QStringList files;
        for (const NamedFile& file : dataFiles(data))
            files << QString::fromStdString(file.key + "=" + file.path);
        QCOMPARE(files, (QStringList{"data.inputs=m.npz", "data.test_inputs=t.npy",
                                     "data.test_targets=u:v.npy"}));
    }
    void everyMistakeIsNamedOnceWithItsPlace_data() { addRows(badJobs()); }
    void everyMistakeIsNamedOnceWithItsPlace() {
        QFETCH(int, index);
        checkNamedOnce(badJobs()[static_cast<std::size_t>(index)]);
    }
    void whatDoesNotGoTogetherIsNamedOnceWithItsPlace_data() { addRows(badTogether()); }
    void whatDoesNotGoTogetherIsNamedOnceWithItsPlace() {
        QFETCH(int, index);
        checkNamedOnce(badTogether()[static_cast<std::size_t>(index)]);
    }
};

QTEST_APPLESS_MAIN(SourceKeysTest)
#include "tst_source_keys.moc"
