// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

#include "core/base/rng.h"
#include "core/data/digits.h"

using namespace lockstep;
using namespace lockstep::data;

namespace {

constexpr std::size_t kInputs = 784;
constexpr std::size_t kClasses = 10;

/// A plain layer with momentum-free gradient descent; rows are samples.
struct Dense {
    Dense(std::size_t in, std::size_t out, CounterRng& rng)
        : in_(in), out_(out), w(in * out), b(out) {
        const float limit = std::sqrt(6.0F / static_cast<float>(in + out));
        for (float& weight : w)
            weight = rng.nextFloat(-limit, limit);
    }
    std::vector<float> forward(const std::vector<float>& x) const {
        std::vector<float> y(b);
        for (std::size_t i = 0; i < in_; ++i)
            if (x[i] != 0)
                for (std::size_t j = 0; j < out_; ++j)
                    y[j] += x[i] * w[i * out_ + j];
        return y;
    }
    /// Descends along the gradient of one sample; returns the gradient of the input.
    std::vector<float> backward(const std::vector<float>& x, const std::vector<float>& dy,
                                float rate) {
        std::vector<float> dx(in_);
        for (std::size_t i = 0; i < in_; ++i) {
            if (x[i] == 0) continue;  // ReLU's derivative, too
            float sum = 0;
            for (std::size_t j = 0; j < out_; ++j) {
                sum += w[i * out_ + j] * dy[j];
                w[i * out_ + j] -= rate * x[i] * dy[j];
            }
            dx[i] = sum;
        }
        for (std::size_t j = 0; j < out_; ++j)
            b[j] -= rate * dy[j];
        return dx;
    }
    std::size_t in_, out_;
    std::vector<float> w, b;
};

class Classifier {
public:
    explicit Classifier(const std::vector<std::size_t>& sizes) {
        CounterRng rng(1);
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
            layers_.emplace_back(sizes[i], sizes[i + 1], rng);
    }
    void train(const Split& split, int epochs, float rate) {
        for (int epoch = 0; epoch < epochs; ++epoch)
            for (const std::uint32_t index :
                 permutation(split.count, 1, static_cast<std::uint64_t>(epoch)))
                step(split, index, rate / static_cast<float>(1 + epoch));
    }
    double accuracy(const Split& split) const {
        int right = 0;
        for (std::uint32_t i = 0; i < split.count; ++i) {
            const auto logits = activations(split, i).back();
            right +=
                std::max_element(logits.begin(), logits.end()) - logits.begin() == split.label(i);
        }
        return static_cast<double>(right) / split.count;
    }

private:
    std::vector<std::vector<float>> activations(const Split& split, std::uint32_t index) const {
        std::vector<std::vector<float>> values(1, std::vector<float>(kInputs));
        std::ranges::transform(split.input(index), values[0].begin(),
                               [](std::uint8_t pixel) { return float(pixel) / 255.0F; });
        for (const Dense& layer : layers_) {
            if (values.size() > 1)
                for (float& value : values.back())
                    value = std::max(value, 0.0F);
            values.push_back(layer.forward(values.back()));
        }
        return values;
    }
    void step(const Split& split, std::uint32_t index, float rate) {
        const auto values = activations(split, index);
        std::vector<float> gradient(values.back());
        const float highest = *std::max_element(gradient.begin(), gradient.end());
        float sum = 0;
        for (float& value : gradient)
            sum += value = std::exp(value - highest);
        for (float& value : gradient)
            value /= sum;
        gradient[split.label(index)] -= 1;
        for (std::size_t i = layers_.size(); i > 0; --i)
            gradient = layers_[i - 1].backward(values[i - 1], gradient, rate);
    }
    std::vector<Dense> layers_;
};

}  // namespace

class DigitsTest : public QObject {
    Q_OBJECT
private slots:
    void aSampleDependsOnItsIndexAlone() {
        const Split whole = generateDigits(1000, 300, 1);
        const Split threaded = generateDigits(1000, 300, 7);
        const Split part = generateDigits(1100, 50, 2);
        QCOMPARE(threaded.inputs, whole.inputs);
        QCOMPARE(threaded.targets, whole.targets);
        for (std::uint32_t i = 0; i < part.count; ++i) {
            QCOMPARE(part.label(i), whole.label(100 + i));
            QVERIFY(std::equal(part.input(i).begin(), part.input(i).end(),
                               whole.input(100 + i).begin()));
        }
    }
    void theFirstSamplesAreThoseOfThisVersion() {
        // If this fails, the pixels changed: raise kDigitsVersion, or caches hold other digits.
        const Split split = generateDigits(0, 100);
        const std::uint64_t sum =
            std::accumulate(split.inputs.begin(), split.inputs.end(), std::uint64_t{0});
        std::uint64_t weighted = 0;
        for (std::size_t i = 0; i < split.inputs.size(); ++i)
            weighted += (i % 997) * split.inputs[i];
        QCOMPARE(kDigitsVersion, 1);
        QCOMPARE(sum, std::uint64_t{2223158});
        QCOMPARE(weighted, std::uint64_t{1115468493});
    }
    void everyDigitIsAsCommonAsTheOthersAndReadable() {
        const Split split = generateDigits(0, 5000);
        std::array<int, kClasses> counts{};
        for (std::uint32_t i = 0; i < split.count; ++i) {
            ++counts[split.label(i)];
            const auto image = split.input(i);
            QVERIFY(*std::max_element(image.begin(), image.end()) > 120);
            const auto ink =
                std::count_if(image.begin(), image.end(), [](int v) { return v > 90; });
            QVERIFY(ink >= 10 && ink < 400);
        }
        for (const int count : counts)
            QVERIFY(count > 400 && count < 600);
    }
    void noTwoSamplesAreAlike() {
        const Split split = generateDigits(0, 1000);
        std::set<std::vector<std::uint8_t>> distinct;
        for (std::uint32_t i = 0; i < split.count; ++i)
            distinct.emplace(split.input(i).begin(), split.input(i).end());
        QCOMPARE(distinct.size(), std::size_t{1000});
    }
    void aHiddenLayerIsClearlyBetterThanALinearModel() {
        const Split train = generateDigits(0, 6000);
        const Split test = generateDigits(kDigitsTrainCount, 2000);
        Classifier linear({kInputs, kClasses});
        linear.train(train, 4, 0.01F);
        Classifier hidden({kInputs, 64, kClasses});
        hidden.train(train, 4, 0.02F);
        const double linearScore = linear.accuracy(test);
        const double hiddenScore = hidden.accuracy(test);
        qInfo("linear %.4f, one hidden layer of 64 %.4f", linearScore, hiddenScore);
        QVERIFY(linearScore > 0.6 && linearScore < 0.90);
        QVERIFY(hiddenScore > 0.88);
        QVERIFY(hiddenScore > linearScore + 0.05);
    }
};

QTEST_GUILESS_MAIN(DigitsTest)
#include "tst_digits.moc"
