// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/base/file.h"
#include "core/base/rng.h"
#include "core/data/unpacked_cache.h"

using namespace lockstep;
using namespace lockstep::data;

class UnpackedCacheTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    const std::filesystem::path place_ = folder_.path().toStdString();
    const std::filesystem::path packed_ = place_ / "images.gz";

    /// Noise, which does not shrink: large enough to be kept.
    static IdxImages noise(std::uint64_t seed) {
        std::vector<std::uint8_t> pixels(400 * 784);
        CounterRng rng(seed);
        for (auto& pixel : pixels)
            pixel = static_cast<std::uint8_t>(rng.nextBelow(256));
        return {400, 28, 28, std::move(pixels)};
    }
    void pack(const IdxImages& images) const {
        const std::string bytes = idxFileOf(images);
        const gzFile file = gzopen(packed_.c_str(), "wb");
        QCOMPARE(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
                 static_cast<int>(bytes.size()));
        QCOMPARE(gzclose(file), Z_OK);
    }
    [[nodiscard]] std::filesystem::path cache(const char* name) const { return place_ / name; }
    static std::vector<std::filesystem::path> filesOf(const std::filesystem::path& cache) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(cache / "unpacked"))
            files.push_back(entry.path());
        std::ranges::sort(files);
        return files;
    }
    [[nodiscard]] bool reads(const IdxImages& images, const std::filesystem::path& cache) const {
        const auto read = readIdxImagesCached(packed_, cache);
        return read && read->count == images.count && read->pixels == images.pixels;
    }

private slots:
    void theSecondReadingTakesTheCopy() {
        const IdxImages images = noise(1);
        pack(images);
        QVERIFY(reads(images, cache("a")));
        const auto files = filesOf(cache("a"));
        QCOMPARE(files.size(), std::size_t{2});
        // Another image with its right sum in the copy's place: that is what is read.
        const IdxImages other = noise(2);
        pack(other);
        QVERIFY(reads(other, cache("b")));
        const auto others = filesOf(cache("b"));
        pack(images);
        for (std::size_t i = 0; i < 2; ++i)
            std::filesystem::copy_file(others[i], files[i],
                                       std::filesystem::copy_options::overwrite_existing);
        QVERIFY(reads(other, cache("a")));
    }
    void aDamagedCopyIsMadeAnew() {
        const IdxImages images = noise(3);
        pack(images);
        QVERIFY(reads(images, cache("c")));
        const auto copy = filesOf(cache("c")).front();
        {
            std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(1000);
            file.put('!').put('?').put('!');
        }
        const auto damaged = readFile(copy, kLargestIdxFile);
        QVERIFY(reads(images, cache("c")));
        QVERIFY(*readFile(copy, kLargestIdxFile) != *damaged);
        std::filesystem::resize_file(copy, 0);
        QVERIFY(reads(images, cache("c")));
    }
    void aChangedFileIsUnpackedAgain() {
        pack(noise(4));
        QVERIFY(reads(noise(4), cache("d")));
        pack(noise(5));
        QVERIFY(reads(noise(5), cache("d")));
    }
    void withoutAPlaceForItNothingIsKept() {
        pack(noise(6));
        QVERIFY(reads(noise(6), {}));
        std::ofstream(cache("file")) << "not a folder";
        QVERIFY(reads(noise(6), cache("file")));
    }
    void aDamagedFileIsRefusedByName() {
        std::ofstream(packed_, std::ios::binary) << "\x1f\x8b" << std::string(300'000, 'x');
        const auto read = readIdxImagesCached(packed_, cache("e"));
        QVERIFY(!read);
        QVERIFY(read.error().message.find("images.gz") != std::string::npos);
        QVERIFY(!std::filesystem::exists(cache("e")));
    }
};

QTEST_GUILESS_MAIN(UnpackedCacheTest)
#include "tst_unpacked_cache.moc"
