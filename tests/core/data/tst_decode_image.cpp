// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cmath>

#include "core/data/images/decode_image.h"
#include "core/data/images/resize_image.h"
#include "core/data/sample_preview.h"
#include "tests/support/image_files.h"

using namespace lockstep;
using namespace lockstep::data;
using tests::jpegOf;
using tests::Pixels;
using tests::plainPixels;
using tests::pngOf;

class DecodeImageTest : public QObject {
    Q_OBJECT

    /// Other numbers everywhere, other ones in each channel.
    static Pixels colourful(int height, int width) {
        Pixels pixels;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                for (const int value : {x * 37 + y * 11, 255 - x * 9 - y * 23, x * y * 7 + 50})
                    pixels.push_back(static_cast<std::uint8_t>(value));
        return pixels;
    }
    /// What is wrong with the file, as it goes on after the file's name.
    static QString wrongWith(const std::string& file) {
        const auto image = decodeImage(file);
        return image ? QStringLiteral("nothing") : QString::fromStdString(image.error().message);
    }
    /// A JPEG file that lacks the segments of its tables: 0xdb are quantisation's, 0xc4 Huffman's.
    static std::string withoutTables(const std::string& file, char marker) {
        std::string rest = file.substr(0, 2);
        std::size_t at = 2;
        for (char kind = 0; kind != '\xda';) {  // what follows a scan's header has no segments
            kind = file[at + 1];
            const std::size_t size = 2 +
                                     static_cast<std::uint8_t>(file[at + 2]) * std::size_t{256} +
                                     static_cast<std::uint8_t>(file[at + 3]);
            if (kind != marker) rest += file.substr(at, size);
            at += size;
        }
        return rest + file.substr(at);
    }
    /// By the definition, pixel by pixel in floating point.
    static Pixels resizedNaively(const RgbImage& image, int height, int width) {
        const auto at = [&image](int y, int x, int c) {
            y = std::clamp(y, 0, image.height - 1);
            x = std::clamp(x, 0, image.width - 1);
            return static_cast<long double>(
                image.pixels[static_cast<std::size_t>((y * image.width + x) * 3 + c)]);
        };
        Pixels out;
        for (int i = 0; i < height; ++i) {
            for (int j = 0; j < width; ++j) {
                const long double y = (i + 0.5L) * image.height / height - 0.5L;
                const long double x = (j + 0.5L) * image.width / width - 0.5L;
                const int top = static_cast<int>(std::floor(y));
                const int left = static_cast<int>(std::floor(x));
                for (int c = 0; c < 3; ++c) {
                    const long double upper =
                        at(top, left, c) * (1 - (x - left)) + at(top, left + 1, c) * (x - left);
                    const long double lower = at(top + 1, left, c) * (1 - (x - left)) +
                                              at(top + 1, left + 1, c) * (x - left);
                    const long double value = upper * (1 - (y - top)) + lower * (y - top);
                    out.push_back(static_cast<std::uint8_t>(std::floor(value + 0.5L + 1e-12L)));
                }
            }
        }
        return out;
    }

private slots:
    void aPngGivesItsVeryPixels() {
        const Pixels pixels = colourful(5, 7);
        const auto image = decodeImage(pngOf(5, 7, pixels));
        QVERIFY(image.has_value());
        QCOMPARE(image->height, 5);
        QCOMPARE(image->width, 7);
        QCOMPARE(image->pixels, pixels);
    }

    void aJpegGivesItsColoursInOrder() {
        const auto image = decodeImage(jpegOf(16, 8, plainPixels(16, 8, 200, 100, 30)));
        QVERIFY(image.has_value());
        QCOMPARE(image->height, 16);
        QCOMPARE(image->width, 8);
        for (std::size_t i = 0; i < image->pixels.size(); i += 3) {
            QVERIFY(std::abs(image->pixels[i] - 200) <= 2);
            QVERIFY(std::abs(image->pixels[i + 1] - 100) <= 2);
            QVERIFY(std::abs(image->pixels[i + 2] - 30) <= 2);
        }
    }

    void greyImagesHaveThreeEqualChannels() {
        const Pixels grey = {0, 50, 100, 150, 200, 255};
        const Pixels expected = {0,   0,   0,   50,  50,  50,  100, 100, 100,
                                 150, 150, 150, 200, 200, 200, 255, 255, 255};
        QCOMPARE(decodeImage(pngOf(2, 3, grey, PNG_FORMAT_GRAY))->pixels, expected);
        const auto jpeg = decodeImage(jpegOf(8, 8, Pixels(64, 77), JCS_GRAYSCALE));
        QCOMPARE(jpeg->pixels, Pixels(192, 77));
    }

    void sixteenBitsAreRoundedToEight() {
        const std::vector<std::uint16_t> pixels = {0, 128, 129, 257, 30'000, 65'535};
        const Pixels expected = {0, 0, 1, 1, 117, 255};
        QCOMPARE(decodeImage(pngOf(1, 2, pixels, PNG_FORMAT_LINEAR_RGB))->pixels, expected);
    }

    void transparencyIsLeftOut() {
        const Pixels pixels = {10, 20, 30, 255, 40, 50, 60, 0};
        const Pixels expected = {10, 20, 30, 40, 50, 60};
        QCOMPARE(decodeImage(pngOf(1, 2, pixels, PNG_FORMAT_RGBA))->pixels, expected);
    }

    void theOrientationOfExifIsIgnored() {
        const Pixels pixels = colourful(8, 16);
        const std::string turned(
            "Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 32);
        const auto plain = decodeImage(jpegOf(8, 16, pixels));
        const auto image = decodeImage(jpegOf(8, 16, pixels, JCS_RGB, turned));
        QVERIFY(plain.has_value() && image.has_value());
        QCOMPARE(image->width, 16);
        QCOMPARE(image->pixels, plain->pixels);
    }

    void whatIsNoWholeImageIsTold() {
        QCOMPARE(wrongWith(""), QStringLiteral("is empty"));
        QCOMPARE(wrongWith("This is a text."), QStringLiteral("is neither a JPEG nor a PNG image"));
        const std::string jpeg = jpegOf(64, 64, colourful(64, 64));
        QCOMPARE(wrongWith(jpeg.substr(0, jpeg.size() / 2)),
                 QStringLiteral("is a JPEG image that ends too early"));
        const std::string png = pngOf(64, 64, colourful(64, 64));
        QCOMPARE(wrongWith(png.substr(0, png.size() / 2)),
                 QStringLiteral("is a PNG image that ends too early"));
        QCOMPARE(wrongWith(png.substr(0, png.size() - 6)),
                 QStringLiteral("is a PNG image that ends too early"));
        QVERIFY(wrongWith(std::string("\xff\xd8", 2)).startsWith("is a"));
        QCOMPARE(wrongWith(jpegOf(8, 8, Pixels(256, 9), JCS_CMYK)),
                 QStringLiteral("is a CMYK image, and only grey and RGB are read"));
    }

    void aPngWithAWrongByteIsDamaged() {
        std::string png = pngOf(64, 64, colourful(64, 64));
        png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 1);
        QVERIFY2(wrongWith(png).startsWith("is a damaged PNG image: "), qPrintable(wrongWith(png)));
    }

    void noCutAndNoChangedByteEndsTheProgram() {
        for (std::string file :
             {jpegOf(16, 16, colourful(16, 16)), pngOf(16, 16, colourful(16, 16))}) {
            for (std::size_t size = 0; size < file.size(); ++size) {
                QVERIFY(!decodeImage(std::string_view(file).substr(0, size)) ||
                        size + 2 >= file.size());
                file[size] = static_cast<char>(file[size] ^ 0x55);
                std::ignore = decodeImage(file);
                file[size] = static_cast<char>(file[size] ^ 0x55);
            }
        }
    }

    void filesOneAfterTheOtherGiveWhatEachGivesAlone() {
        std::vector<std::string> files;
        for (const int quality : {100, 75, 30}) {
            files.push_back(jpegOf(48, 32, colourful(48, 32), JCS_RGB, {}, quality));
            files.push_back(withoutTables(files.back(), '\xdb'));
            files.push_back(withoutTables(files.front(), '\xc4'));
            files.push_back(files.back().substr(0, files.back().size() / 2));
            files.push_back(pngOf(9, 5, colourful(9, 5)));
            files.push_back(jpegOf(8, 8, Pixels(256, 9), JCS_CMYK));
        }
        ImageDecoder decoder;
        for (int round = 0; round < 3; ++round)
            for (const std::string& file : files) {
                const auto alone = decodeImage(file);
                const auto kept = decoder.decode(file);
                QCOMPARE(kept.has_value(), alone.has_value());
                if (!alone) {
                    QCOMPARE(kept.error().message, alone.error().message);
                    continue;
                }
                QCOMPARE((*kept)->height, alone->height);
                QCOMPARE((*kept)->width, alone->width);
                QCOMPARE((*kept)->pixels, alone->pixels);
            }
    }

    void resizingIsBilinearAndTheSameEverywhere() {
        const RgbImage image{13, 9, colourful(13, 9)};
        for (const auto& [height, width] :
             {std::pair{13, 9}, {26, 18}, {7, 20}, {1, 1}, {40, 3}, {5, 5}}) {
            Pixels out(static_cast<std::size_t>(height * width * 3));
            resizeImage(image, height, width, 3, out);
            QCOMPARE(out, resizedNaively(image, height, width));
        }
        Pixels same(image.pixels.size());
        resizeImage(image, 13, 9, 3, same);
        QCOMPARE(same, image.pixels);
    }

    void oneChannelWeighsTheColours() {
        const RgbImage image{1, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255}};
        Pixels out(3);
        resizeImage(image, 1, 3, 1, out);
        QCOMPARE(out, (Pixels{76, 150, 29}));
    }

    void largeSamplesAreShownSmaller() {
        Split split;
        split.count = 2;
        split.shape = {100, 61, 3};
        Pixels pixels = plainPixels(100, 61, 1, 2, 3);
        const Pixels second = plainPixels(100, 61, 10, 20, 30);
        pixels.insert(pixels.end(), second.begin(), second.end());
        split.inputs = std::move(pixels);
        const PreviewSize size = previewSize(split);
        QVERIFY(size.height * size.width * 3 <= 5120);
        QCOMPARE(previewOf(split, 1), plainPixels(size.height, size.width, 10, 20, 30));
        split.shape = {28, 28, 3};
        QCOMPARE(previewSize(split).step, 1);
        QCOMPARE(previewOf(split, 0), Pixels(split.input(0).begin(), split.input(0).end()));
    }
};

QTEST_APPLESS_MAIN(DecodeImageTest)
#include "tst_decode_image.moc"
