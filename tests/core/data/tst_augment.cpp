// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include "core/data/augment/augmenter.h"
#include "core/data/augment/crop.h"
#include "core/data/augment/erase.h"
#include "core/data/augment/warp.h"

using namespace lockstep;
using namespace lockstep::data;
using config::AugmentationKind;
using config::AugmentationSpec;

namespace {

constexpr ImageShape kShape{9, 7, 3};

/// The image of the golden file.
std::vector<std::uint8_t> patternOf(const ImageShape& shape, std::uint32_t number = 0) {
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < shape.height; ++y)
        for (int x = 0; x < shape.width; ++x)
            for (int c = 0; c < shape.channels; ++c)
                pixels.push_back(static_cast<std::uint8_t>(
                    (37 * y + 11 * x + 71 * c + 3 * x * y + 101 * static_cast<int>(number)) % 256));
    return pixels;
}

AugmentationSpec change(AugmentationKind kind, std::array<double, 2> range = {},
                        std::array<double, 2> across = {}) {
    AugmentationSpec spec;
    spec.kind = kind;
    spec.range = range;
    spec.across = across;
    return spec;
}

/// A small training set with its augmenter.
class Images {
public:
    explicit Images(std::vector<AugmentationSpec> changes, const ImageShape& shape = kShape,
                    std::uint32_t count = 8)
        : augmenter_(Augmenter::make(std::move(changes), shape, 5).value()), order_(count) {
        std::iota(order_.begin(), order_.end(), 0U);
        for (std::uint32_t i = 0; i < count; ++i)
            images_.push_back(patternOf(shape, i));
    }

    std::vector<std::uint8_t> made(std::uint32_t sample, std::int64_t epoch = 0) {
        std::vector<std::uint8_t> out(augmenter_.shape().bytes());
        mixture = augmenter_.apply(
            {epoch, sample, order_},
            [this](std::uint32_t i) { return std::span<const std::uint8_t>(images_[i]); },
            workspace_, out.data());
        return out;
    }
    [[nodiscard]] const std::vector<std::uint8_t>& image(std::uint32_t i) const {
        return images_[i];
    }
    void setOrder(std::vector<std::uint32_t> order) { order_ = std::move(order); }

    Mixture mixture;

private:
    Augmenter augmenter_;
    Augmenter::Workspace workspace_;
    std::vector<std::uint32_t> order_;
    std::vector<std::vector<std::uint8_t>> images_;
};

/// "kind fill lower upper across": a change whose factor is fixed, as the golden file has it.
AugmentationSpec goldenChange(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    std::string fill;
    double first = 0;
    double second = 0;
    double value = 0;
    words >> kind >> fill >> first >> second >> value;
    const std::map<std::string, AugmentationKind> kinds = {
        {"rotation", AugmentationKind::RandomRotation},
        {"zoom", AugmentationKind::RandomZoom},
        {"translation", AugmentationKind::RandomTranslation},
        {"brightness", AugmentationKind::RandomBrightness},
        {"contrast", AugmentationKind::RandomContrast},
    };
    const std::map<std::string, config::FillMode> fills = {
        {"reflect", config::FillMode::Reflect},
        {"constant", config::FillMode::Constant},
        {"nearest", config::FillMode::Nearest},
        {"wrap", config::FillMode::Wrap},
    };
    AugmentationSpec spec = change(kinds.at(kind), {first, first}, {second, second});
    // The factor is drawn from [1 - lower, 1 + upper].
    if (spec.kind == AugmentationKind::RandomContrast) spec.range = {1 - first, first - 1};
    spec.fill = fills.at(fill);
    spec.value = value;
    return spec;
}

}  // namespace

class AugmentTest : public QObject {
    Q_OBJECT
private slots:
    void geometryAndToneAgreeWithKeras() {
        std::ifstream file(LOCKSTEP_SOURCE_DIR "/tests/golden/augmentation.txt");
        std::string line;
        int cases = 0;
        while (std::getline(file, line)) {
            if (line.empty() || line.starts_with('#')) continue;
            Images images({goldenChange(line)});
            const auto made = images.made(0);
            std::getline(file, line);
            std::istringstream numbers(line);
            double largest = 0;
            for (const std::uint8_t pixel : made) {
                double expected = -1000;
                numbers >> expected;
                largest = std::max(largest, std::abs(pixel - expected));
            }
            QVERIFY2(largest <= 0.502, qPrintable(QString("case %1: %2").arg(cases).arg(largest)));
            ++cases;
        }
        QVERIFY(cases >= 20);
    }
    void aResultDependsOnSeedEpochAndSampleAlone() {
        const std::vector<AugmentationSpec> changes = {
            change(AugmentationKind::RandomTranslation, {-0.5, 0.5}, {-0.5, 0.5}),
            change(AugmentationKind::RandomFlip)};
        Images images(changes);
        const auto first = images.made(3, 2);
        std::ignore = images.made(1, 0);
        images.setOrder({3, 1});
        QVERIFY(images.made(3, 2) == first);
        QVERIFY(images.made(3, 1) != first);
        QVERIFY(Images(changes).made(3, 2) == first);
    }
    void whatIsDrawnHasTheDistributionThatWasAskedFor() {
        Images flips({change(AugmentationKind::RandomFlip)});
        AugmentationSpec erasing = change(AugmentationKind::RandomErasing, {0, 0.5}, {0.2, 0.2});
        erasing.value = 1;
        Images erasures({erasing});
        AugmentationSpec seldom = change(AugmentationKind::RandomBrightness, {0.5, 0.5});
        seldom.probability = 0.1;
        Images brightened({seldom});
        int flipped = 0;
        int erased = 0;
        int brighter = 0;
        constexpr int kEpochs = 4000;
        for (std::int64_t epoch = 0; epoch < kEpochs; ++epoch) {
            flipped += flips.made(0, epoch) != flips.image(0) ? 1 : 0;
            erased += erasures.made(0, epoch) != erasures.image(0) ? 1 : 0;
            brighter += brightened.made(0, epoch) != brightened.image(0) ? 1 : 0;
        }
        QVERIFY(std::abs(flipped - kEpochs / 2) < 150);
        QVERIFY(std::abs(erased - kEpochs / 4) < 150);
        QVERIFY(std::abs(brighter - kEpochs / 10) < 100);
    }
    void aBetaDistributionHasItsMeanAndVariance() {
        for (const double alpha : {1.0, 0.5, 0.2, 1e-6}) {
            double sum = 0;
            double squares = 0;
            constexpr int kCount = 20000;
            for (std::uint32_t i = 0; i < kCount; ++i) {
                Draws draws(9, 0, i);
                const double x = draws.beta(alpha);
                QVERIFY(x >= 0 && x <= 1);
                sum += x;
                squares += x * x;
            }
            const double mean = sum / kCount;
            const double variance = squares / kCount - mean * mean;
            QVERIFY(std::abs(mean - 0.5) < 0.015);
            QVERIFY(std::abs(variance - 1 / (4 * (2 * alpha + 1))) < 0.01);
        }
    }
    void aCropTakesEveryPlaceOfThePaddedImage() {
        AugmentationSpec spec = change(AugmentationKind::RandomCrop);
        spec.padding = 2;
        Images images({spec});
        std::set<std::vector<std::uint8_t>> seen;
        for (std::int64_t epoch = 0; epoch < 400; ++epoch)
            seen.insert(images.made(0, epoch));
        std::set<std::vector<std::uint8_t>> expected;
        for (int top = -2; top <= 2; ++top)
            for (int left = -2; left <= 2; ++left) {
                std::vector<std::uint8_t> one(kShape.bytes());
                for (int y = 0; y < kShape.height; ++y)
                    for (int x = 0; x < kShape.width; ++x)
                        for (int c = 0; c < 3; ++c) {
                            const int fromY = y + top;
                            const int fromX = x + left;
                            const bool isInside = fromY >= 0 && fromY < kShape.height &&
                                                  fromX >= 0 && fromX < kShape.width;
                            one[static_cast<std::size_t>((y * kShape.width + x) * 3 + c)] =
                                isInside ? images.image(0)[static_cast<std::size_t>(
                                               (fromY * kShape.width + fromX) * 3 + c)]
                                         : 0;
                        }
                expected.insert(one);
            }
        QVERIFY(seen == expected);
    }
    void aResizedCropOfTheWholeImageChangesNothing() {
        const double ratio = 7.0 / 9;
        Images whole({change(AugmentationKind::RandomResizedCrop, {1, 1}, {ratio, ratio})});
        QVERIFY(whole.made(2) == whole.image(2));
        Images parts({change(AugmentationKind::RandomResizedCrop, {0.1, 0.9}, {0.75, 4.0 / 3})});
        QVERIFY(parts.made(2, 1) != parts.made(2, 2));
        // No box of that shape lies in the image: the largest one in its middle is taken.
        Images wide({change(AugmentationKind::RandomResizedCrop, {1, 1}, {7, 7})});
        std::vector<std::uint8_t> row(kShape.bytes());
        resizeBox({kShape, wide.image(0).data()}, {4, 0, 1, 7}, kShape, row.data());
        QVERIFY(wide.made(0) == row);
    }
    void flipsAreExact() {
        const auto flippedBy = [](config::FlipMode mode) {
            AugmentationSpec spec = change(AugmentationKind::RandomFlip);
            spec.mode = mode;
            Images images({spec});
            for (std::int64_t epoch = 0;; ++epoch)
                if (auto made = images.made(0, epoch); made != images.image(0)) return made;
        };
        const auto image = patternOf(kShape);
        const auto pixel = [&image](int y, int x) {
            return image[static_cast<std::size_t>((y * kShape.width + x) * 3)];
        };
        QCOMPARE(flippedBy(config::FlipMode::Horizontal)[0], pixel(0, 6));
        QCOMPARE(flippedBy(config::FlipMode::Vertical)[0], pixel(8, 0));
        QCOMPARE(flippedBy(config::FlipMode::HorizontalAndVertical)[0], pixel(8, 6));
        QCOMPARE(flippedBy(config::FlipMode::HorizontalAndVertical).back(), image[2]);
    }
    void noiseIsNormalAndCut() {
        constexpr ImageShape kLarge{200, 200, 1};
        std::vector<std::uint8_t> pixels(kLarge.bytes());
        Draws draws(3, 0, 0);
        fillWithNoise(kLarge, {0, 0, 200, 200}, draws, pixels.data());
        const double black = static_cast<double>(std::ranges::count(pixels, 0)) / 40000;
        const double white = static_cast<double>(std::ranges::count(pixels, 255)) / 40000;
        QVERIFY(std::abs(black - 0.5) < 0.01);
        QVERIFY(std::abs(white - 0.159) < 0.01);
    }
    void mixUpBlendsWithAPartnerOfTheGlobalBatch() {
        AugmentationSpec spec = change(AugmentationKind::MixUp);
        spec.alpha = 1;
        Images images({spec});
        images.setOrder({6, 2, 4});
        std::set<std::uint32_t> partners;
        for (std::int64_t epoch = 0; epoch < 50; ++epoch) {
            const auto made = images.made(2, epoch);
            const auto [partner, share] = images.mixture;
            partners.insert(partner);
            for (std::size_t i = 0; i < made.size(); ++i) {
                const double expected =
                    share * images.image(2)[i] + (1 - share) * images.image(partner)[i];
                QVERIFY(std::abs(made[i] - expected) <= 0.51);
            }
        }
        QVERIFY(partners == (std::set<std::uint32_t>{6, 2, 4}));
    }
    void cutMixPastesABoxAndCountsItsPixels() {
        Images images({change(AugmentationKind::CutMix, {1, 1})});
        for (std::int64_t epoch = 0; epoch < 200; ++epoch) {
            const auto made = images.made(2, epoch);
            const auto [partner, share] = images.mixture;
            if (partner == 2) continue;
            int own = 0;
            for (std::size_t i = 0; i < made.size(); i += 3) {
                const bool isOwn = made[i] == images.image(2)[i];
                QVERIFY(isOwn || made[i] == images.image(partner)[i]);
                own += isOwn ? 1 : 0;
            }
            QVERIFY(std::abs(share - own / 63.0) < 1e-4);
        }
    }
    void aPartnerHasComeThroughTheChangesBefore() {
        Images brighter(
            {change(AugmentationKind::RandomBrightness, {1, 1}), change(AugmentationKind::MixUp)});
        for (std::uint32_t sample = 0; sample < 8; ++sample)
            for (const std::uint8_t pixel : brighter.made(sample))
                QCOMPARE(pixel, std::uint8_t{255});
    }
    void whatCannotBeIsRefused() {
        AugmentationSpec large = change(AugmentationKind::RandomCrop);
        large.height = 14;
        large.padding = 2;
        QVERIFY(!Augmenter::make({large}, kShape, 1));
        large.height = 5;
        QVERIFY(!Augmenter::make({large}, kShape, 1));
        QVERIFY(Augmenter::make(
            {large, change(AugmentationKind::RandomResizedCrop, {0.5, 1}, {1, 1})}, kShape, 1));
        QVERIFY(!Augmenter::make(
            {change(AugmentationKind::MixUp), change(AugmentationKind::CutMix)}, kShape, 1));
    }
    void aSmallerCropThatIsLeftOutIsOfTheMiddle() {
        AugmentationSpec small = change(AugmentationKind::RandomCrop);
        small.height = 3;
        small.width = 3;
        small.probability = 0;
        Images images({small, change(AugmentationKind::RandomResizedCrop, {1, 1}, {1, 1})});
        std::vector<std::uint8_t> middle(27);
        crop({kShape, images.image(0).data()}, {3, 2, 3, 3}, middle.data());
        std::vector<std::uint8_t> expected(kShape.bytes());
        resizeBox({{3, 3, 3}, middle.data()}, {0, 0, 3, 3}, kShape, expected.data());
        QVERIFY(images.made(0) == expected);
    }
};

QTEST_GUILESS_MAIN(AugmentTest)
#include "tst_augment.moc"
