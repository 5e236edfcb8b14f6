// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <future>

#include "core/base/file.h"
#include "core/data/digits.h"
#include "core/data/idx_file.h"
#include "core/data/load_dataset.h"
#include "core/data/packed/packed_sets.h"
#include "core/data/raw_sets.h"

using namespace lockstep;
using namespace lockstep::data;

class LoadDatasetTest : public QObject {
    Q_OBJECT

    /// 100 training and 20 test images of 28 x 28 under the names of MNIST.
    static void writeSmallSet(const std::filesystem::path& folder) {
        const Split train = generateDigits(0, 100);
        const Split test = generateDigits(100, 20);
        const bool written =
            writeIdxImages(folder / "train-images-idx3-ubyte", 100, 28, 28, train.inputs) &&
            writeIdxLabels(folder / "train-labels-idx1-ubyte", packedLabels(train)) &&
            writeIdxImages(folder / "t10k-images-idx3-ubyte", 20, 28, 28, test.inputs) &&
            writeIdxLabels(folder / "t10k-labels-idx1-ubyte", packedLabels(test));
        if (!written) qFatal("cannot write the test's data");
    }
    static config::DataSpec spec(const std::string& dataset, const std::string& directory,
                                 int validation = 10) {
        config::DataSpec data;
        data.dataset = dataset;
        data.directory = directory;
        data.validationSamples = validation;
        return data;
    }
    static bool refusedSaying(const Result<Dataset>& result, std::string_view words) {
        if (result || result.error().code != ErrorCode::BadInput) return false;
        const std::string all = result.error().message + "\n" + result.error().remedy;
        if (all.find(words) != std::string::npos) return true;
        qWarning("error: %s", all.c_str());
        return false;
    }

private slots:
    void theLastTrainingSamplesAreTheValidationSet() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        const auto dataset = loadDataset(spec("mnist", ".", 30), job, {});
        QVERIFY(dataset.has_value());
        const Split whole = generateDigits(0, 100);
        QCOMPARE(dataset->train->count, 70U);
        QCOMPARE(dataset->validation->count, 30U);
        QCOMPARE(dataset->test->count, 20U);
        QCOMPARE(dataset->facts.classes, std::int64_t{10});
        QCOMPARE(dataset->classNames.at(9), std::string("9"));
        QCOMPARE(dataset->validation->label(0), whole.label(70));
        QVERIFY(std::equal(dataset->validation->inputs.begin(), dataset->validation->inputs.end(),
                           whole.inputs.begin() + 70 * 784));
        QCOMPARE(dataset->train->inputs.size(), std::size_t{70 * 784});
    }
    void theFingerprintFollowsTheContent() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        const auto first = loadDataset(spec("mnist", "."), job, {});
        const auto again = loadDataset(spec("idx", job.string()), "/elsewhere", {});
        const auto otherSplit = loadDataset(spec("mnist", ".", 11), job, {});
        QVERIFY(first && again && otherSplit);
        QCOMPARE(first->fingerprint.size(), std::size_t{32});
        QVERIFY(first->fingerprint != otherSplit->fingerprint);
        Split train = generateDigits(0, 100);
        std::vector<std::uint8_t> changedImages(train.inputs.begin(), train.inputs.end());
        changedImages[12345] ^= 1;
        QVERIFY(writeIdxImages(job / "train-images-idx3-ubyte", 100, 28, 28, changedImages)
                    .has_value());
        const auto changed = loadDataset(spec("mnist", "."), job, {});
        QVERIFY(changed && changed->fingerprint != first->fingerprint);
    }
    void everyWayToHoldTheDataGivesTheSame_data() {
        QTest::addColumn<QString>("cache");
        for (const char* cache : {"memory", "none", "cache/set.data"})
            QTest::newRow(cache) << cache;
    }
    void everyWayToHoldTheDataGivesTheSame() {
        QFETCH(QString, cache);
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        auto held = spec("mnist", ".");
        held.cache = cache.toStdString();
        for (int start = 0; start < 2; ++start) {
            const auto dataset = loadDataset(held, job, {});
            QVERIFY2(dataset, dataset ? "" : dataset.error().message.c_str());
            const auto expected = loadDataset(spec("mnist", "."), job, {});
            QCOMPARE(dataset->fingerprint, expected->fingerprint);
            QVERIFY(dataset->train->inputs == expected->train->inputs);
            QVERIFY(dataset->validation->targets == expected->validation->targets);
            QCOMPARE(dataset->test->count, 20U);
        }
    }
    void aGzipFileCannotBeReadSampleBySample() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        QVERIFY(replaceFileDurably(job / "train-images-idx3-ubyte", "\x1f\x8b\x08 and so on"));
        auto mapped = spec("mnist", ".");
        mapped.cache = "none";
        QVERIFY(refusedSaying(loadDataset(mapped, job, {}), "Unpack it with gunzip"));
    }
    void aCopyIsReadInsteadOfTheSourceAndMadeAnewWhenEitherChanges() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        const std::filesystem::path copy = job / "set.data";
        writeSmallSet(job);
        auto cached = spec("mnist", ".");
        cached.cache = copy.string();
        const auto first = loadDataset(cached, job, {}).value().fingerprint;
        const auto written = std::filesystem::last_write_time(copy);
        QCOMPARE(loadDataset(cached, job, {}).value().fingerprint, first);
        QVERIFY(std::filesystem::last_write_time(copy) == written);
        // A flipped bit, a missing end.
        for (const bool cut : {false, true}) {
            std::string bytes = readFile(copy, 1 << 30).value();
            if (cut)
                bytes.resize(bytes.size() - 100);
            else
                bytes[5000] = static_cast<char>(bytes[5000] ^ 1);
            QVERIFY(replaceFileDurably(copy, bytes));
            QCOMPARE(loadDataset(cached, job, {}).value().fingerprint, first);
            QVERIFY(readFile(copy, 1 << 30).value() != bytes);
        }
        // Another source.
        const Split other = generateDigits(500, 100);
        QVERIFY(writeIdxImages(job / "train-images-idx3-ubyte", 100, 28, 28, other.inputs));
        QVERIFY(loadDataset(cached, job, {}).value().fingerprint != first);
    }
    void aFileThatIsNoCopyIsNeverOverwritten() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        auto cached = spec("mnist", ".");
        cached.cache = "t10k-labels-idx1-ubyte";
        const auto before = readFile(job / cached.cache, 1 << 20).value();
        QVERIFY(refusedSaying(loadDataset(cached, job, {}), "is not a copy of a data set"));
        QCOMPARE(readFile(job / cached.cache, 1 << 20).value(), before);
    }
    void aCopyThatCannotBeWrittenSaysSo() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        auto cached = spec("mnist", ".");
        cached.cache = "/proc/nothing/set.data";
        QVERIFY(refusedSaying(loadDataset(cached, job, {}), "/proc/nothing/set.data cannot be"));
    }
    void manyThatStartTogetherMakeOneCopy() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        auto cached = spec("mnist", ".");
        cached.cache = "set.data";
        std::vector<std::future<std::string>> all;
        for (int i = 0; i < 8; ++i)
            all.push_back(std::async(std::launch::async, [&] {
                const auto dataset = loadDataset(cached, job, {});
                return dataset ? dataset->fingerprint : dataset.error().message;
            }));
        const std::string expected = loadDataset(spec("mnist", "."), job, {})->fingerprint;
        for (auto& one : all)
            QCOMPARE(one.get(), expected);
        const auto left = QDir(folder.path()).entryList({"set.data*"}, QDir::Files);
        QCOMPARE(left, (QStringList{"set.data", "set.data.lock"}));
    }
    void aCacheFileKeepsMoreThan256Classes() {
        const QTemporaryDir folder;
        const std::filesystem::path cache = (folder.path() + "/set.data").toStdString();
        const auto sets = [] {
            const std::uint16_t labels[] = {7, 300, 65'535};
            return RawSets{imageSplit(3, {1, 1, 1}, std::vector<std::uint8_t>{1, 2, 3},
                                      labelBytes(std::span<const std::uint16_t>(labels))),
                           imageSplit(0, {1, 1, 1}, {}, {})};
        };
        for (int i = 0; i < 2; ++i) {  // written, then read
            const auto pack = [&](PackedWriter& writer) -> Result<std::string> {
                if (i > 0) return fail(ErrorCode::BadInput, "read again");
                return packSets(sets(), writer);
            };
            std::vector<std::string> notes;
            const auto packed = packedInFile(cache, "source", pack, notes);
            QVERIFY(packed.has_value());
            const auto held = packedSets(*packed);
            QVERIFY(held.has_value());
            QCOMPARE(held->train.label(0), std::uint16_t{7});
            QCOMPARE(held->train.label(1), std::uint16_t{300});
            QCOMPARE(held->train.label(2), std::uint16_t{65'535});
        }
    }
    void aMissingDirectoryOrFileSaysWhatShouldBeThere() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        QVERIFY(
            refusedSaying(loadDataset(spec("mnist", ""), job, {}), "data.directory is not set"));
        QVERIFY(refusedSaying(loadDataset(spec("mnist", "no/such"), job, {}),
                              (job / "no/such").string()));
        writeSmallSet(job);
        std::filesystem::remove(job / "t10k-labels-idx1-ubyte");
        const auto result = loadDataset(spec("mnist", "."), job, {});
        QVERIFY(refusedSaying(result, "t10k-labels-idx1-ubyte is missing in " + job.string()));
        QVERIFY(refusedSaying(result, "train-images-idx3-ubyte"));
        QVERIFY(refusedSaying(result, ".gz"));
    }
    void tooManyValidationSamplesAreRefused() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        QVERIFY(
            refusedSaying(loadDataset(spec("mnist", ".", 100), job, {}), "Choose from 0 to 99"));
        QVERIFY(refusedSaying(loadDataset(spec("mnist", ".", -1), job, {}),
                              "validation_samples is -1"));
        const auto none = loadDataset(spec("mnist", ".", 0), job, {});
        QVERIFY(none && none->validation->count == 0 && none->train->count == 100);
    }
    void labelsAndImagesMustMatch() {
        const QTemporaryDir folder;
        const std::filesystem::path job = folder.path().toStdString();
        writeSmallSet(job);
        QVERIFY(writeIdxLabels(job / "train-labels-idx1-ubyte", std::vector<std::uint8_t>(99))
                    .has_value());
        QVERIFY(refusedSaying(loadDataset(spec("mnist", "."), job, {}),
                              "99 labels for the 100 images"));
        QVERIFY(writeIdxLabels(job / "train-labels-idx1-ubyte", std::vector<std::uint8_t>(100, 12))
                    .has_value());
        QVERIFY(refusedSaying(loadDataset(spec("mnist", "."), job, {}), "label 12 of sample 0"));
        const auto idx = loadDataset(spec("idx", "."), job, {});
        QVERIFY(idx && idx->facts.classes == 13);
    }
    void anUnknownDatasetIsGuessed() {
        QVERIFY(refusedSaying(loadDataset(spec("digit", ""), "/", {}), "did you mean \"digits\""));
    }
    void builtInDigitsAreCachedAndAnyDamageIsNoticed() {
        const QTemporaryDir cache;
        const std::filesystem::path folder = cache.path().toStdString();
        // Several at once, as the processes of a job do.
        std::vector<std::future<Result<Dataset>>> loads;
        for (int i = 0; i < 3; ++i)
            loads.push_back(std::async(std::launch::async, [&folder] {
                return loadDataset(spec("digits", "", 10'000), "/", folder);
            }));
        std::vector<std::string> fingerprints;
        for (auto& load : loads) {
            const auto dataset = load.get();
            QVERIFY(dataset.has_value());
            QCOMPARE(dataset->train->count, 50'000U);
            QCOMPARE(dataset->test->count, 10'000U);
            fingerprints.push_back(dataset->fingerprint);
        }
        QCOMPARE(fingerprints[1], fingerprints[0]);
        QCOMPARE(fingerprints[2], fingerprints[0]);
        const auto images = folder / "digits-1" / "train-images-idx3-ubyte";
        QCOMPARE(readIdxImages(images)->count, kDigitsTrainCount);
        auto bytes = readFile(images, 1 << 30);
        QVERIFY(bytes.has_value());
        bytes->at(40'000'000) ^= 4;
        QVERIFY(replaceFileDurably(images, *bytes).has_value());
        QCOMPARE(loadDataset(spec("digits", "", 10'000), "/", folder)->fingerprint,
                 fingerprints[0]);
        bytes->at(40'000'000) ^= 4;
        QCOMPARE(readFile(images, 1 << 30).value_or(""), *bytes);  // repaired
        int files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder / "digits-1"))
            files += entry.is_regular_file();
        QCOMPARE(files, 5);  // no temporary file is left
    }
    void aCacheThatCannotBeWrittenIsNoError() {
        const auto dataset = loadDataset(spec("digits", ""), "/", "/proc/no-such-place");
        QVERIFY(dataset.has_value());
        QCOMPARE(dataset->test->count, kDigitsTestCount);
    }
    void mnistIsReadWhereItIs() {
        const std::filesystem::path mnist =
            std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "../shared/data/mnist";
        if (!std::filesystem::exists(mnist)) QSKIP("the MNIST files are not beside the checkout");
        const auto dataset = loadDataset(spec("mnist", mnist.string(), 10'000), "/", {});
        QVERIFY(dataset.has_value());
        QCOMPARE(dataset->train->count, 50'000U);
        QCOMPARE(dataset->test->count, 10'000U);
        QCOMPARE(dataset->test->label(0), std::uint16_t{7});
    }
};

QTEST_GUILESS_MAIN(LoadDatasetTest)
#include "tst_load_dataset.moc"
