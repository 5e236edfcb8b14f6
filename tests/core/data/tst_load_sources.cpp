// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>

#include "core/data/table/table_preparation.h"
#include "core/data/text/tokenizer.h"
#include "tests/core/data/source_place.h"
#include "tests/support/array_files.h"

using namespace lockstep;
using namespace lockstep::data;
using namespace lockstep::data::test;

namespace {

/// Words that stand apart, as SentencePiece reads them: none stands before the first.
class Words final : public Tokenizer {
public:
    std::int64_t vocabulary() const override { return 26; }
    Result<UnknownText> encodeTo(std::string_view, const TakeTokens&) const override { return {}; }
    std::string decode(std::span<const std::uint16_t> tokens) const override {
        std::string text;
        for (const std::uint16_t token : tokens)
            text += std::string(text.empty() ? "" : " ") + static_cast<char>('a' + token);
        return text;
    }
    lockstep::text::Json json() const override { return {}; }
};

}  // namespace

class LoadSourcesTest : public QObject {
    Q_OBJECT

    static constexpr const char* kTable =
        "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\nvalidation_split = 0.25\n";

    /// 40 rows: x = 0..39, a colour, a whole number, and y = 2 x.
    static std::string rows() {
        std::string text = "x,colour,n,y\n";
        const char* colours[] = {"red", "green", "red", "blue"};
        for (int i = 0; i < 40; ++i)
            text += std::to_string(i) + "," + colours[i % 4] + "," + std::to_string(i % 3) + "," +
                    std::to_string(2 * i) + "\n";
        return text;
    }

private slots:
    void aContinuationIsReadBehindItsPrompt() {
        const std::uint16_t prompt[] = {0, 1};
        const std::uint16_t more[] = {2, 3};
        QCOMPARE(continuationText(Words(), prompt, more), std::string(" c d"));
        QCOMPARE(continuationText(Words(), {}, more), std::string("c d"));
    }

    void numbersAreNormalizedByTheTrainingRowsAlone() {
        const Place place;
        place.write("t.csv", rows());
        const auto raw = place.load(std::string(kTable) + "features.x = \"float\"\n");
        const auto dataset = place.load(std::string(kTable) +
                                        "target_scale = 0.5\nfeatures.x = \"float_normalized\"\n");
        LOADED(raw);
        LOADED(dataset);
        QCOMPARE(dataset->train->count, 30U);
        QCOMPARE(dataset->validation->count, 10U);
        QCOMPARE(dataset->test, dataset->validation);
        QVERIFY(says(*dataset, "the validation samples are the test samples, too"));
        QCOMPARE(dataset->train->shape, model::Shape{1});
        QCOMPARE(dataset->facts.values, std::int64_t{1});
        QCOMPARE(dataset->targetNames, std::vector<std::string>{"y"});
        QCOMPARE(dataset->targetScale, 0.5);
        const auto x = numbersOf<float>(raw->train->inputs);
        const double mean = std::accumulate(x.begin(), x.end(), 0.0) / 30;
        double squares = 0;
        for (const float one : x)
            squares += (one - mean) * (one - mean);
        for (const auto split : {&Dataset::train, &Dataset::validation}) {
            const auto before = numbersOf<float>(((*raw).*split)->inputs);
            const auto after = numbersOf<float>(((*dataset).*split)->inputs);
            const auto targets = numbersOf<float>(((*dataset).*split)->targets);
            for (std::size_t i = 0; i < before.size(); ++i) {
                QVERIFY(std::abs(after[i] - (before[i] - mean) / std::sqrt(squares / 30)) < 1e-6);
                QCOMPARE(targets[i], before[i]);  // 2 x times 0.5
            }
        }
    }

    void categoriesAreOneHotOrColumns() {
        const Place place;
        place.write("t.csv", rows());
        const auto dataset =
            place.load(std::string(kTable) +
                       "features = { colour = \"string_categorical\", x = \"float\", n = { type = "
                       "\"integer_categorical\", output_mode = \"int\" } }\n");
        LOADED(dataset);
        QCOMPARE(dataset->train->shape, model::Shape{5});  // unknown and three colours, then x
        QCOMPARE(dataset->train->extras, 1U);
        QCOMPARE(dataset->facts.columns.size(), std::size_t{1});
        QCOMPARE(dataset->facts.columns[0].name, std::string("n"));
        QCOMPARE(dataset->facts.columns[0].vocabulary, std::int64_t{4});
        const auto numbers = numbersOf<float>(dataset->train->inputs);
        QCOMPARE(numbers.size(), std::size_t{30 * 6});
        for (std::size_t row = 0; row < 30; ++row) {
            const float* sample = &numbers[row * 6];
            const int x = static_cast<int>(sample[4]);
            QCOMPARE(sample[0], 0.0F);
            QCOMPARE(sample[1], x % 2 == 0 ? 1.0F : 0.0F);  // red is the most frequent one
            QCOMPARE(sample[2] + sample[3], x % 2 == 0 ? 0.0F : 1.0F);
            QVERIFY(sample[5] >= 1 && sample[5] <= 3);
        }
    }

    void aColumnThatIsTheSameEverywhereIsZero() {
        const Place place;
        std::string text = "x,colour,n,y\n";
        for (int i = 0; i < 900; ++i)
            text += "0.1,red,1," + std::to_string(i) + "\n";
        place.write("t.csv", text);
        const auto dataset =
            place.load(std::string(kTable) + "features.x = \"float_normalized\"\n");
        LOADED(dataset);
        for (const float x : numbersOf<float>(dataset->train->inputs))
            QCOMPARE(x, 0.0F);
        const auto preparation =
            TablePreparation::fromJson(text::parseJson(dataset->preparation).value()).value();
        QVERIFY(preparation.json().text().find("e-1") == std::string::npos);  // of rounding errors
    }

    void whatACheckpointKeepsPreparesARowAlike() {
        const Place place;
        place.write("t.csv", rows());
        const auto dataset = place.load(
            std::string(kTable) +
            "missing = \"mean\"\nfeatures = { x = \"float_normalized\", colour = "
            "\"string_categorical\", n = { type = \"integer_categorical\", output_mode = "
            "\"int\" } }\n");
        LOADED(dataset);
        const auto preparation =
            TablePreparation::fromJson(text::parseJson(dataset->preparation).value()).value();
        QCOMPARE(preparation.json().text(), dataset->preparation);
        const auto numbers = numbersOf<float>(dataset->train->inputs);
        const auto targets = numbersOf<float>(dataset->train->targets);
        const char* colours[] = {"red", "green", "red", "blue"};
        for (std::size_t row = 0; row < 30; ++row) {
            const int i = static_cast<int>(targets[row]) / 2;
            const std::string x = std::to_string(i);
            const std::string n = std::to_string(i % 3);
            const std::vector<std::string_view> cells = {x, colours[i % 4], n};
            const auto prepared = preparation.rowOf(cells).value();
            QVERIFY(std::equal(prepared.sample.begin(), prepared.sample.end(),
                               numbers.begin() + static_cast<std::ptrdiff_t>(row * 6)));
        }
        const std::vector<std::string_view> odd = {"", "pink", "1"};
        const auto prepared = preparation.rowOf(odd).value();
        QCOMPARE(prepared.sample[0], 0.0F);
        QCOMPARE(prepared.sample[1], 1.0F);
        QCOMPARE(prepared.remarks.size(), std::size_t{2});
        const std::vector<std::string_view> wrong = {"many", "red", "1"};
        QCOMPARE(preparation.rowOf(wrong).error().message,
                 std::string("x is \"many\", which is no number"));
    }

    void aCategoricalTargetIsOfClasses() {
        const Place place;
        place.write("t.csv", rows());
        const auto dataset = place.load(
            "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"colour\"\n"
            "features = { x = \"float\", colour = \"string_categorical\" }\n");
        LOADED(dataset);
        QCOMPARE(dataset->classNames, (std::vector<std::string>{"blue", "green", "red"}));
        QCOMPARE(dataset->facts.classes, std::int64_t{3});
        QVERIFY(dataset->train->targetKind == TargetKind::Class);
        const auto x = numbersOf<float>(dataset->train->inputs);
        for (std::uint32_t i = 0; i < dataset->train->count; ++i) {
            const int expected[] = {2, 1, 2, 0};
            QCOMPARE(int{dataset->train->label(i)}, expected[static_cast<int>(x[i]) % 4]);
        }
    }

    void whatIsMissingIsNamedReplacedOrLeftOut() {
        const Place place;
        std::string text = rows();
        text += "NA,red,1,100\n,green,2,102\n";
        place.write("t.csv", text);
        const std::string job = std::string(kTable) + "features.x = \"float\"\n";
        const auto refused = place.load(job);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message, std::string("data.files: of 42 rows, 2 lack a value: "
                                                      "t.csv:42 has no x; t.csv:43 has no x"));
        const auto skipped = place.load(job + "missing = \"skip\"\n");
        LOADED(skipped);
        QCOMPARE(skipped->train->count + skipped->validation->count, 40U);
        QVERIFY(says(*skipped, "2 of 42 rows lack a value and are left out: t.csv:42 has no x"));
        const auto replaced = place.load(job + "missing = \"mean\"\n");
        LOADED(replaced);
        QCOMPARE(replaced->train->count + replaced->validation->count, 42U);
        QVERIFY(says(*replaced, "2 cells of 42 rows lack a value: the mean of the training rows"));
        for (const float x : numbersOf<float>(replaced->train->inputs))
            QVERIFY(std::isfinite(x));
    }

    void brokenRowsAreNamedOrLeftOutAndCounted() {
        const Place place;
        place.write("t.csv", rows() + "1,red,1\n\n1,red,1,3,4\nten,red,1,3\n");
        const std::string job = std::string(kTable) + "features.x = \"float\"\n";
        const auto refused = place.load(job);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("data.files: of 43 rows, 3 cannot be read: t.csv:42 has 3 cells, but "
                             "the header has 4; t.csv:44 has 5 cells, but the header has 4; "
                             "t.csv:45 x is \"ten\", which is no number"));
        const auto skipped = place.load(job + "on_error = \"skip\"\n");
        LOADED(skipped);
        QCOMPARE(skipped->train->count + skipped->validation->count, 40U);
        QVERIFY(says(*skipped, "3 of 43 rows cannot be read and are left out"));
        QVERIFY(says(*skipped, "1 empty line was passed over"));
    }

    void severalFilesAreOneTable() {
        const Place place;
        place.write("t.csv", rows());
        place.write("more.csv", "y,z,x\n200,0,100\n202,0,101\n");
        const auto dataset = place.load(
            "dataset = \"table\"\nfiles = [\"t.csv\", \"more.csv\"]\n"
            "target = \"y\"\nfeatures.x = \"float\"\n");
        LOADED(dataset);
        QCOMPARE(dataset->train->count + dataset->validation->count, 42U);
        for (const auto split : {&Dataset::train, &Dataset::validation}) {
            const auto x = numbersOf<float>(((*dataset).*split)->inputs);
            const auto y = numbersOf<float>(((*dataset).*split)->targets);
            for (std::size_t i = 0; i < x.size(); ++i)
                QCOMPARE(y[i], 2 * x[i]);
        }
    }

    void aTextIsWindowsWithTheTokenBehindEach() {
        const Place place;
        std::string text;
        for (int i = 0; i < 1000; ++i)
            text += static_cast<char>('a' + i % 26);
        place.write("a.txt", text);
        const auto dataset = place.load(
            "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 8\n"
            "tokenizer = \"characters\"\nvalidation_split = 0.1\n");
        LOADED(dataset);
        QCOMPARE(dataset->facts.vocabulary, std::int64_t{26});
        QCOMPARE(dataset->facts.classes, std::int64_t{0});
        QCOMPARE(dataset->train->count, 112U);      // 900 tokens: 112 windows and four left
        QCOMPARE(dataset->validation->count, 12U);  // 100 tokens
        for (const std::uint32_t i : {0U, 1U, 111U})
            for (std::size_t at = 0; at < 8; ++at) {
                const auto input = dataset->train->input(i);
                const auto target = dataset->train->target(i);
                QCOMPARE(int{input[2 * at]}, static_cast<int>(i * 8 + at) % 26);
                QCOMPARE(int{target[2 * at]}, static_cast<int>(i * 8 + at + 1) % 26);
            }
        QVERIFY(says(*dataset, "training text: the last 3 of 900 tokens fill no window of 8"));
    }

    void charactersThatOnlyValidationHasAreCountedAndNamed() {
        const Place place;
        place.write("a.txt", std::string(90, 'a') + "éaaaaXaaXa");
        const auto dataset = place.load(
            "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 4\n"
            "tokenizer = \"characters\"\n");
        LOADED(dataset);
        QVERIFY(says(*dataset,
                     "validation text: 3 places of unknown characters, which the training text "
                     "does not have, left out: é (U+00E9) and X (U+0058)"));
        QCOMPARE(dataset->facts.vocabulary, std::int64_t{1});
    }

    void textsAreJoinedWithoutTheirMarks() {
        const Place place;
        place.write("a.txt", "\xef\xbb\xbf" + std::string(50, 'a'));
        place.write("b.txt", std::string(50, 'b'));
        const auto dataset =
            place.load("dataset = \"text\"\nfiles = [\"a.txt\", \"b.txt\"]\nsequence_length = 9\n");
        LOADED(dataset);
        QCOMPARE(dataset->facts.vocabulary, std::int64_t{256});
        const auto tokens = numbersOf<std::uint16_t>(dataset->train->inputs);
        QCOMPARE(tokens.size(), std::size_t{82});
        QCOMPARE(tokens[0], std::uint16_t{'a'});
        QCOMPARE(tokens[50], std::uint16_t{'b'});
    }

    void arraysAreNumbersAsTheyAre() {
        const Place place;
        std::vector<float> x(60);
        std::iota(x.begin(), x.end(), 0.0F);
        place.write("x.npy", tests::npyOf("<f4", "(20, 3)", tests::bytesOfAll(x)));
        std::vector<std::int64_t> labels;
        for (int i = 0; i < 20; ++i)
            labels.push_back(i % 4);
        place.write(
            "y.npz",
            tests::npzOf({{"y", tests::npyOf("<i8", "(20,)", tests::bytesOfAll(labels))}}, true));
        const auto dataset = place.load(
            "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = "
            "\"y.npz:y\"\nvalidation_split = 0.25\n");
        LOADED(dataset);
        QCOMPARE(dataset->train->count, 15U);
        QCOMPARE(dataset->train->shape, model::Shape{3});
        QCOMPARE(dataset->facts.classes, std::int64_t{4});
        QCOMPARE(dataset->facts.vocabulary, std::int64_t{0});
        QCOMPARE(numbersOf<float>(dataset->validation->inputs)[0], 45.0F);
        QCOMPARE(int{dataset->validation->label(0)}, 3);
    }

    void bytesOfImagesArePixels() {
        const Place place;
        const std::string pixels(6 * 4 * 5, '\7');
        place.write(
            "m.npz",
            tests::npzOf({{"x", tests::npyOf("|u1", "(6, 4, 5)", pixels)},
                          {"y", tests::npyOf("<f8", "(6, 2)",
                                             tests::bytesOfAll(std::vector<double>(12, 3)))}}));
        const auto dataset = place.load(
            "dataset = \"arrays\"\ninputs = \"m.npz:x\"\ntargets = \"m.npz:y\"\n"
            "validation_inputs = \"m.npz:x\"\nvalidation_targets = \"m.npz:y\"\ntarget_scale = "
            "2\n");
        LOADED(dataset);
        QVERIFY(dataset->train->inputKind == InputKind::Pixels);
        QCOMPARE(dataset->train->shape, (model::Shape{4, 5, 1}));
        QCOMPARE(dataset->train->count, 6U);
        QCOMPARE(dataset->validation->count, 6U);
        QCOMPARE(dataset->targetNames, (std::vector<std::string>{"target 0", "target 1"}));
        QCOMPARE(numbersOf<float>(dataset->train->targets)[11], 6.0F);
    }

    void wholeNumbersFromZeroHaveAVocabulary() {
        const Place place;
        const auto load = [&place](const std::vector<std::int32_t>& words) {
            place.write("x.npy", tests::npyOf("<i4", "(4, 2)", tests::bytesOfAll(words)));
            place.write("y.npy", tests::npyOf("|b1", "(4,)", std::string("\0\1\0\1", 4)));
            return place.load(
                "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n"
                "validation_split = 0.25\n");
        };
        const auto words = load({1, 2, 3, 4, 5, 6, 7, 99});
        LOADED(words);
        QCOMPARE(words->facts.vocabulary, std::int64_t{100});
        QCOMPARE(words->facts.classes, std::int64_t{2});
        const auto others = load({1, 2, 3, 4, 5, 6, 7, -1});
        LOADED(others);
        QCOMPARE(others->facts.vocabulary, std::int64_t{0});
    }

    void samplesThatAreNoNumbersAreNamedOrLeftOut() {
        const Place place;
        std::vector<double> x(20, 1.0);
        x[7] = std::nan("");
        x[12] = INFINITY;
        place.write("x.npy", tests::npyOf("<f8", "(10, 2)", tests::bytesOfAll(x)));
        place.write("y.npy",
                    tests::npyOf("<f4", "(10,)", tests::bytesOfAll(std::vector<float>(10, 1))));
        const std::string job = "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n";
        const auto refused = place.load(job);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("2 samples cannot be used: data.inputs: sample 3: number 1 is not a "
                             "number; data.inputs: sample 6: number 0 is not finite"));
        const auto skipped = place.load(job + "on_error = \"skip\"\n");
        LOADED(skipped);
        QCOMPARE(skipped->train->count + skipped->validation->count, 8U);
        QVERIFY(says(*skipped, "2 samples cannot be used"));
    }

    void theFingerprintFollowsWhatIsReadAndWhatItMeans() {
        const Place place;
        place.write("t.csv", rows());
        const std::string job = std::string(kTable) + "features.x = \"float\"\n";
        const std::string first = place.load(job).value().fingerprint;
        QCOMPARE(place.load(job).value().fingerprint, first);
        QVERIFY(place.load(job + "target_scale = 2\n").value().fingerprint != first);
        QVERIFY(place.load(std::string(kTable) + "features.n = \"float\"\n").value().fingerprint !=
                first);
        place.write("t.csv", rows() + "1,red,1,3\n");
        QVERIFY(place.load(job).value().fingerprint != first);
    }
};

QTEST_GUILESS_MAIN(LoadSourcesTest)
#include "tst_load_sources.moc"
