// SPDX-License-Identifier: Apache-2.0
// What of tables and arrays validates, and targets that are beyond float32 once they are scaled.
#include "tests/core/data/source_place.h"
#include "tests/support/array_files.h"

using namespace lockstep;
using namespace lockstep::data;
using namespace lockstep::data::test;

namespace {

constexpr const char* kArrays = "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n";

/// Samples of one number each, of these classes.
Result<Dataset> arraysOf(const Place& place, const std::vector<std::int32_t>& classes,
                         const std::string& lines = "") {
    const std::string count = std::to_string(classes.size());
    place.write("x.npy", tests::npyOf("<f4", "(" + count + ", 1)",
                                      tests::bytesOfAll(std::vector<float>(classes.size()))));
    place.write("y.npy", tests::npyOf("<i4", "(" + count + ",)", tests::bytesOfAll(classes)));
    return place.load(kArrays + lines);
}

}  // namespace

class SourceSplitsTest : public QObject {
    Q_OBJECT
private slots:
    void aTableSaysHowManySamplesEachFileHas() {
        const Place place;
        const auto write = [&place](const char* name, int rows) {
            std::string text = "x,y\n";
            for (int i = 0; i < rows; ++i)
                text += std::to_string(i) + "," + std::to_string(2 * i) + "\n";
            place.write(name, text);
        };
        write("a.csv", 60);
        write("b.csv", 30);
        write("c.csv", 10);
        const auto dataset = place.load(
            "dataset = \"table\"\nfiles = [\"a.csv\", \"b.csv\", \"c.csv\"]\ntarget = \"y\"\n"
            "validation_split = 0.2\nfeatures.x = \"float\"\n");
        LOADED(dataset);
        const auto& files = dataset->trainFiles;
        QCOMPARE(files.size(), std::size_t{3});
        QCOMPARE(files[0] + files[1] + files[2], dataset->train->count);
        QCOMPARE(dataset->train->count, 80U);
        QVERIFY(files[0] > 40 && files[0] < 56 && files[2] > 2 && files[2] <= 10);
        // A file's samples begin with its first row that is trained on, in their order.
        std::uint32_t first = 0;
        for (const std::uint32_t count : files) {
            for (std::uint32_t i = first + 1; i < first + count; ++i) {
                float before = 0;
                float value = 0;
                std::memcpy(&before, dataset->train->input(i - 1).data(), sizeof before);
                std::memcpy(&value, dataset->train->input(i).data(), sizeof value);
                QVERIFY(value > before);
            }
            first += count;
        }
    }

    void arraysThatAreSortedByClassAreDoubted() {
        const Place place;
        std::vector<std::int32_t> sorted;
        for (int i = 0; i < 1000; ++i)
            sorted.push_back(i / 100);
        const auto dataset = arraysOf(place, sorted);
        LOADED(dataset);
        QCOMPARE(dataset->validation->count, 100U);  // the last ones, as with Keras
        QCOMPARE(dataset->warnings.size(), std::size_t{1});
        QCOMPARE(dataset->warnings[0].message,
                 std::string("data.validation_split: the last 100 samples of 1000 validate, and "
                             "all of class 9 are among them, so that none is trained on; are they "
                             "sorted by class?"));
        QVERIFY(dataset->warnings[0].remedy.starts_with("Shuffle inputs and targets alike"));
        // Two halves: there is more of the second one to train on, too.
        std::vector<std::int32_t> halves(1000, 0);
        std::fill(halves.begin() + 500, halves.end(), 1);
        const auto half = arraysOf(place, halves);
        LOADED(half);
        QCOMPARE(half->warnings.size(), std::size_t{1});
        QVERIFY(QString::fromStdString(half->warnings[0].message)
                    .contains("none of class 0 is among them, of which 500 are trained on"));
    }

    void imagesInIdxFilesThatAreSortedByClassAreDoubted() {
        const Place place;
        const auto write = [&place](const char* set, std::uint8_t count, int perClass) {
            const std::string images{0, 0, 8, 3, 0, 0, 0, char(count), 0, 0, 0, 1, 0, 0, 0, 1};
            std::string labels{0, 0, 8, 1, 0, 0, 0, char(count)};
            for (int i = 0; i < count; ++i)
                labels.push_back(char(perClass > 0 ? i / perClass : i % 10));
            place.write(std::string("d/") + set + "-images-idx3-ubyte",
                        images + std::string(count, 'x'));
            place.write(std::string("d/") + set + "-labels-idx1-ubyte", labels);
        };
        const std::string job = "dataset = \"idx\"\ndirectory = \"d\"\nvalidation_samples = 10\n";
        write("train", 100, 10);
        write("t10k", 10, 0);
        const auto sorted = place.load(job);
        LOADED(sorted);
        QCOMPARE(sorted->warnings.size(), std::size_t{1});
        QCOMPARE(sorted->warnings[0].message,
                 std::string("data.validation_samples: the last 10 samples of 100 validate, and "
                             "all of class 9 are among them, so that none is trained on; are they "
                             "sorted by class?"));
        const auto spec = config::JobDocument::lenient("[data]\n" + job, "job.toml").spec().data;
        const auto doubt = doubtOfLabels(spec, place.job);  // without the images
        QVERIFY(doubt && *doubt);
        QCOMPARE((*doubt)->message, sorted->warnings[0].message);
        write("train", 100, 0);
        QVERIFY(place.load(job)->warnings.empty());
        QVERIFY(doubtOfLabels(spec, place.job) && !*doubtOfLabels(spec, place.job));
    }

    void mixedArraysAndThoseWithValidationOfTheirOwnAreNotDoubted() {
        const Place place;
        std::vector<std::int32_t> mixed;
        for (int i = 0; i < 1000; ++i)
            mixed.push_back(i * 7 % 10);
        QVERIFY(arraysOf(place, mixed)->warnings.empty());
        std::vector<std::int32_t> sorted;
        for (int i = 0; i < 1000; ++i)
            sorted.push_back(i / 100);
        QVERIFY(arraysOf(place, sorted,
                         "validation_inputs = \"x.npy\"\nvalidation_targets = \"y.npy\"\n")
                    ->warnings.empty());
        QVERIFY(arraysOf(place, sorted,
                         "validation_split = 0\ntest_inputs = \"x.npy\"\n"
                         "test_targets = \"y.npy\"\n")
                    ->warnings.empty());
    }

    void rowsOfAClassThatOnlyValidationWouldHaveAreTrainedOn() {
        const Place place;
        const std::string job =
            "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\nvalidation_split = 0.3\n"
            "features = { x = \"float\", y = \"string_categorical\" }\n";
        int moved = 0;
        for (int rare = 0; rare < 20; ++rare) {
            std::string text = "x,y\n";
            for (int i = 0; i < 20; ++i)
                text += std::to_string(i) + (i == rare ? ",rare\n" : i % 2 == 0 ? ",a\n" : ",b\n");
            place.write("t.csv", text);
            const auto dataset = place.load(job);
            LOADED(dataset);
            QCOMPARE(dataset->classNames, (std::vector<std::string>{"a", "b", "rare"}));
            QCOMPARE(dataset->train->count + dataset->validation->count, 20U);
            const auto x = numbersOf<float>(dataset->train->inputs);
            QVERIFY(std::ranges::find(x, static_cast<float>(rare)) != x.end());
            QVERIFY(std::ranges::is_sorted(x));
            if (dataset->train->count == 14) continue;
            ++moved;
            QCOMPARE(dataset->train->count, 15U);
            QVERIFY(says(*dataset,
                         "1 row of a class that no training row has is trained on, not "
                         "validated with: t.csv:" +
                             std::to_string(rare + 2) + " y is \"rare\""));
        }
        QCOMPARE(moved, 6);
    }

    void aScaledTargetBeyondFloat32IsNamedByRowAndColumn() {
        const Place place;
        place.write("t.csv", "x,price\n1,2\n2,1e30\n3,5\n4,7\n");
        const auto table = place.load(
            "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"price\"\ntarget_scale = 1e10\n"
            "validation_split = 0.25\nfeatures.x = \"float\"\n");
        QVERIFY(!table);
        QCOMPARE(table.error().message,
                 std::string("data.target_scale is 10000000000, and price of t.csv:3 is 1e+30: "
                             "their product is beyond float32, whose largest number is 3.4e+38"));
        QVERIFY(!table.error().remedy.empty());
        place.write("x.npy",
                    tests::npyOf("<f4", "(4, 1)", tests::bytesOfAll(std::vector<float>(4, 1))));
        place.write(
            "y.npy",
            tests::npyOf("<f8", "(4, 2)",
                         tests::bytesOfAll(std::vector<double>{1, 2, 3, 4, 5, -1e30, 7, 8})));
        const auto arrays = place.load(std::string(kArrays) + "target_scale = 1e10\n");
        QVERIFY(!arrays);
        QCOMPARE(arrays.error().message,
                 std::string("data.target_scale is 10000000000, and number 1 of sample 2 of "
                             "data.targets is -1e+30: their product is beyond float32, whose "
                             "largest number is 3.4e+38"));
    }

    void aNormalizedNumberBeyondFloat32IsNamedByRowAndColumn() {
        const Place place;
        std::string text = "x,y\n";
        for (int i = 0; i < 40; ++i)
            text += std::to_string(i % 2) + "e-6,1\n";
        text += "1e38,1\n";
        const auto load = [&](double share) {
            place.write("t.csv", text);
            return place.load(
                "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\n"
                "features.x = \"float_normalized\"\nvalidation_split = " +
                std::to_string(share) + "\n");
        };
        // Whichever share has the last row validate: training rows then tell a small deviation.
        bool isNamed = false;
        for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
            const auto dataset = load(share);
            if (dataset) continue;
            isNamed = true;
            QVERIFY(QString::fromStdString(dataset.error().message)
                        .startsWith("data.files: t.csv:42 x is 1e+38"));
        }
        QVERIFY(isNamed);
    }
};

QTEST_GUILESS_MAIN(SourceSplitsTest)
#include "tst_source_splits.moc"
