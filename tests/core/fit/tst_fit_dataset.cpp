// SPDX-License-Identifier: Apache-2.0
// Datasets of a program give what tf.data's of the same calls give.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <atomic>
#include <fstream>

#include "tests/core/fit/two_moons.h"

using namespace lockstep;
using namespace lockstep::tests;
using fit::Dataset;
using fit::Element;
using fit::Tensor;

namespace {

/// Samples 0, 1, …, each its own number, with targets ten times as large.
Dataset numbers(int count) {
    std::vector<float> x;
    std::vector<std::int64_t> y;
    for (int i = 0; i < count; ++i) {
        x.push_back(static_cast<float>(i));
        y.push_back(10 * i);
    }
    return Dataset::fromTensors(Tensor::ofValues(x), Tensor::ofValues(y));
}

/// The samples' numbers of an iteration, with "|" between elements of several.
std::string went(const Dataset& dataset, std::optional<std::int64_t> iteration = {}) {
    auto elements = dataset.iterate(iteration);
    if (!elements) return elements.error().message;
    std::string text;
    while (true) {
        const auto element = elements->next();
        if (!element) return text + "! " + element.error().message;
        if (!*element) return text;
        const Tensor& x = (*element)->x;
        if (!text.empty()) text += x.shape().empty() ? " " : " | ";
        for (std::uint64_t i = 0; i < x.elements(); ++i)
            text += (i > 0 ? " " : "") + std::to_string(std::lround(x.at(i)));
    }
}

Result<Element> twice(const Element& element) {
    return Element{
        Tensor::make(std::vector<float>{static_cast<float>(2 * element.x.at(0))}, {}).value(),
        element.y};
}

}  // namespace

class FitDatasetTest : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

private slots:
    void rowsOfTensorsAreItsSamples() {
        auto elements = numbers(2).iterate().value();
        const Element first = elements.next().value().value();
        QVERIFY(first.x.shape().empty());
        QCOMPARE(first.x.at(0), 0.0);
        const Element second = elements.next().value().value();
        QCOMPARE(second.y.at(0), 10.0);
        QVERIFY(!elements.next().value().has_value());
        QVERIFY(!elements.next().value().has_value());
        const Tensor images = Tensor::make(std::vector<std::uint8_t>(12), {3, 2, 2}).value();
        const Element image = Dataset::fromTensors(images).iterate().value().next().value().value();
        QCOMPARE(image.x.shape(), (std::vector<std::uint64_t>{2, 2}));
        QVERIFY(image.y.isEmpty());
    }

    void mapBatchAndShardComeInTheOrderOfTheirCalls() {
        QCOMPARE(went(numbers(5).map(twice)), std::string("0 2 4 6 8"));
        QCOMPARE(went(numbers(5).batch(2)), std::string("0 1 | 2 3 | 4"));
        QCOMPARE(went(numbers(5).batch(2, true)), std::string("0 1 | 2 3"));
        QCOMPARE(went(numbers(7).shard(3, 1)), std::string("1 4"));
        QCOMPARE(went(numbers(7).shard(3, 1).batch(2)), std::string("1 4"));
        QCOMPARE(went(numbers(7).batch(2).shard(2, 1)), std::string("2 3 | 6"));
        QCOMPARE(went(numbers(4).batch(2).batch(2)), std::string("0 1 2 3"));
    }

    void shuffleDrawsFromItsBuffer() {
        const std::string inOrder = went(numbers(50));
        QCOMPARE(went(numbers(50).shuffle(1)), inOrder);
        const auto order = [](const Dataset& dataset, std::int64_t iteration) {
            std::vector<int> values;
            auto elements = dataset.iterate(iteration).value();
            while (auto element = elements.next().value())
                values.push_back(static_cast<int>(element->x.at(0)));
            return values;
        };
        const Dataset four = numbers(50).shuffle(4, {.seed = 7});
        const auto drawn = order(four, 0);
        for (int place = 0; place < 50; ++place)
            QVERIFY2(drawn[static_cast<std::size_t>(place)] < place + 4, "from beyond the buffer");
        auto sorted = drawn;
        std::ranges::sort(sorted);
        QCOMPARE(sorted, order(numbers(50), 0));
        QVERIFY(drawn != sorted);
        QCOMPARE(order(numbers(50).shuffle(4, {.seed = 7}), 0), drawn);
        QVERIFY(order(four, 1) != drawn);
        QVERIFY(order(numbers(50).shuffle(4, {.seed = 8}), 0) != drawn);
        const fit::ShuffleOptions once{.seed = 7, .reshuffleEachIteration = false};
        QCOMPARE(order(numbers(50).shuffle(4, once), 1), drawn);
        // Far ones come first at times only where the buffer holds them.
        const auto all = order(numbers(50).shuffle(50, {.seed = 7}), 0);
        QVERIFY(*std::max_element(all.begin(), all.begin() + 5) > 8);
    }

    void iterationsAreCountedByTheDatasetItself() {
        const Dataset shuffled = numbers(20).shuffle(20, {.seed = 3});
        const std::string first = went(shuffled);
        const std::string second = went(shuffled);
        QVERIFY(first != second);
        QCOMPARE(went(shuffled, 0), first);
        QCOMPARE(went(shuffled, 1), second);
    }

    void cacheKeepsWhatTheFirstWholeIterationGave() {
        int calls = 0;
        const Dataset cached = numbers(6)
                                   .map([&calls](const Element& element) {
                                       ++calls;
                                       return twice(element);
                                   })
                                   .shuffle(6, {.seed = 1})
                                   .cache();
        {
            auto begun = cached.iterate().value();
            QVERIFY(begun.next().value().has_value());
        }
        QVERIFY2(calls > 0, "the iteration that was left early has kept nothing");
        const std::string kept = went(cached);
        const int before = calls;
        QCOMPARE(went(cached), kept);
        QCOMPARE(went(cached.batch(6)), kept);
        QCOMPARE(calls, before);
    }

    void aCacheFileServesThoseWhoComeLater() {
        const std::filesystem::path file = folder_.filePath("kept").toStdString();
        const auto cached = [&](int count) { return numbers(count).batch(2).cache(file); };
        {
            auto begun = cached(5).iterate().value();
            QVERIFY(begun.next().value().has_value());
        }
        QVERIFY(!std::filesystem::exists(file));
        QCOMPARE(went(cached(5)), std::string("0 1 | 2 3 | 4"));
        QVERIFY(std::filesystem::exists(file));
        QCOMPARE(went(cached(99)),
                 std::string("0 1 | 2 3 | 4"));  // what is before is not looked at
        const Element last = [&] {
            auto elements = cached(1).iterate().value();
            Element element;
            while (auto next = elements.next().value())
                element = *next;
            return element;
        }();
        QVERIFY(last.y.type() == fit::NumberType::Int64);
        QCOMPARE(last.y.at(0), 40.0);

        std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
        QCOMPARE(went(cached(5)), "! cache(): " + file.string() + " is damaged");
        std::ofstream(file) << "something else";
        QCOMPARE(went(cached(5)), "! cache(): " + file.string() + " is no file of elements");
    }

    void prefetchReadsAheadAndNoFurther() {
        std::atomic<int> made = 0;
        const Dataset ahead = numbers(100)
                                  .map([&made](const Element& element) {
                                      ++made;
                                      return Result<Element>(element);
                                  })
                                  .prefetch(3);
        auto elements = ahead.iterate().value();
        QCOMPARE(elements.next().value()->x.at(0), 0.0);
        // One was taken, three wait, one more is in the hands of who makes them.
        QTRY_COMPARE_WITH_TIMEOUT(made.load(), 5, 30'000);
        QTest::qWait(20);  // a pause: nothing more is to happen
        QCOMPARE(made.load(), 5);
        QCOMPARE(went(ahead), went(numbers(100)));
    }

    void anErrorOfTheUsersFunctionEndsTheIteration() {
        const Dataset failing = numbers(5).map([](const Element& element) -> Result<Element> {
            if (element.x.at(0) == 2) return fail(ErrorCode::Corrupt, "sample 2 is odd");
            return element;
        });
        QCOMPARE(went(failing), std::string("0 1! sample 2 is odd"));
        QCOMPARE(went(failing.prefetch(2)), std::string("0 1! sample 2 is odd"));
        QCOMPARE(went(failing.batch(2)), std::string("0 1! sample 2 is odd"));
        auto elements = failing.shard(5, 2).iterate().value();
        QVERIFY(!elements.next().has_value());
        QVERIFY(!elements.next().has_value());
    }

    void wrongCallsAreToldByWhoeverUsesTheDataset_data() {
        QTest::addColumn<int>("call");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("counts differ") << 0
                                       << "fromTensors(): Dimensions 2 and 3 are not "
                                          "compatible: x has as many samples, y as many targets";
        QTest::newRow("no samples")
            << 1 << "fromTensors(): x is 0 of float32, which has no samples";
        QTest::newRow("buffer") << 2 << "shuffle(): 0 was given, which is too few";
        QTest::newRow("batch") << 3 << "batch(): 0 was given, which is too few";
        QTest::newRow("prefetch") << 4 << "prefetch(): 0 was given, which is too few";
        QTest::newRow("shard") << 5
                               << "shard(): Index must be between 0 and 1 (currently index = 2)";
        QTest::newRow("map") << 6 << "map(): no function was given";
    }

    void wrongCallsAreToldByWhoeverUsesTheDataset() {
        QFETCH(int, call);
        QFETCH(QString, sentence);
        const Tensor two = Tensor::ofValues(std::vector<float>{1, 2});
        const Tensor three = Tensor::ofValues(std::vector<float>{1, 2, 3});
        const std::vector<Dataset> wrong = {Dataset::fromTensors(two, three),
                                            Dataset::fromTensors(Tensor()),
                                            numbers(3).shuffle(0),
                                            numbers(3).batch(0),
                                            numbers(3).prefetch(0),
                                            numbers(3).shard(2, 2),
                                            numbers(3).map({})};
        const Dataset& dataset = wrong.at(static_cast<std::size_t>(call));
        QCOMPARE(QString::fromStdString(refusal(dataset.check())), sentence);
        QCOMPARE(QString::fromStdString(went(dataset.batch(2).shuffle(0))), sentence);
    }

    void samplesOfSeveralShapesMakeNoBatch() {
        const Dataset uneven = numbers(3).map([](const Element& element) -> Result<Element> {
            const auto size = static_cast<std::size_t>(element.x.at(0)) + 1;
            return Element{Tensor::ofValues(std::vector<float>(size)), element.y};
        });
        QCOMPARE(went(uneven.batch(3)),
                 std::string("! Cannot batch tensors with different shapes in component 0. First "
                             "element had shape [1] and element 1 had shape [2]."));
        QVERIFY(!Tensor::make(std::vector<float>(5), {2, 3}).has_value());
    }
};

QTEST_GUILESS_MAIN(FitDatasetTest)
#include "tst_fit_dataset.moc"
