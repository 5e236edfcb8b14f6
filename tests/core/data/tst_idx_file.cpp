// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <functional>

#include "core/base/file.h"
#include "core/data/idx_file.h"

using namespace lockstep;
using namespace lockstep::data;

namespace {

std::string bigEndian(std::uint32_t value) {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8)
        text.push_back(static_cast<char>(value >> shift));
    return text;
}

std::string imagesHeader(std::uint32_t count, std::uint32_t height, std::uint32_t width) {
    return bigEndian(0x803) + bigEndian(count) + bigEndian(height) + bigEndian(width);
}

std::string gzip(const std::string& plain) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, plain.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

/// 3 images of 2 x 4 with the values 0 to 23.
std::string smallImages() {
    std::string text = imagesHeader(3, 2, 4);
    for (char value = 0; value < 24; ++value)
        text.push_back(value);
    return text;
}

std::string smallLabels() {
    return bigEndian(0x801) + bigEndian(3) + std::string("\x00\x09\x05", 3);
}

}  // namespace

namespace {

struct Death {
    int status = 0;
    std::string words;
};

/// How a process of its own ends that does this, and what it says on standard error.
Death deathIn(const std::function<void()>& work) {
    int ends[2];
    if (::pipe(ends) != 0) qFatal("no pipe");
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        work();
        ::_exit(0);
    }
    ::close(ends[1]);
    Death death;
    char text[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], text, sizeof text)) > 0;)
        death.words.append(text, static_cast<std::size_t>(got));
    ::close(ends[0]);
    ::waitpid(pid, &death.status, 0);
    return death;
}

}  // namespace

class IdxFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::filesystem::path store(const std::string& bytes) {
        const auto path = std::filesystem::path(folder_.filePath("file").toStdString());
        if (!replaceFileDurably(path, bytes)) qFatal("cannot write the test's file");
        return path;
    }
    Result<IdxImages> images(const std::string& bytes) { return readIdxImages(store(bytes)); }
    Result<std::vector<std::uint8_t>> labels(const std::string& bytes, int classes = 10) {
        return readIdxLabels(store(bytes), classes);
    }
    template <typename T>
    static bool refusedSaying(const Result<T>& result, std::string_view words) {
        if (result || result.error().code != ErrorCode::BadInput) return false;
        if (result.error().message.find(words) != std::string::npos) return true;
        qWarning("message: %s", result.error().message.c_str());
        return false;
    }

private slots:
    void aMappedFileThatIsCutShortEndsTheProgramInWords() {
        const auto path = store(imagesHeader(1000, 28, 28) + std::string(784'000, 'x'));
        const Death death = deathIn([&path] {
            std::signal(SIGBUS, SIG_DFL);  // a sanitizer's comes first otherwise
            const auto images = mapIdxImages(path);
            if (!images || ::truncate(path.c_str(), 4096) != 0) ::_exit(7);
            volatile unsigned sum = 0;
            for (const std::uint8_t pixel : images->pixels)
                sum = sum + pixel;
        });
        QVERIFY2(WIFEXITED(death.status), death.words.c_str());
        QCOMPARE(WEXITSTATUS(death.status), 1);
        QVERIFY2(death.words.starts_with("error: " + path.string() + " was cut short"),
                 death.words.c_str());
        // Another mapping's fault is not taken for it.
        const Death other = deathIn([&] {
            std::signal(SIGBUS, SIG_DFL);
            const auto images = mapIdxImages(store(smallImages()));
            ::raise(SIGBUS);
        });
        QVERIFY(WIFSIGNALED(other.status));
        QVERIFY(other.words.empty());
    }
    void plainAndGzipFilesAreReadAlike() {
        for (const std::string& bytes : {smallImages(), gzip(smallImages())}) {
            const auto result = images(bytes);
            QVERIFY(result.has_value());
            QCOMPARE(result->count, 3U);
            QCOMPARE(result->height, 2);
            QCOMPARE(result->width, 4);
            QCOMPARE(result->pixels.size(), std::size_t{24});
            for (std::uint8_t value = 0; value < 24; ++value)
                QCOMPARE(result->pixels[value], value);
        }
        for (const std::string& bytes : {smallLabels(), gzip(smallLabels())}) {
            const auto result = labels(bytes);
            QVERIFY(result.has_value());
            QCOMPARE(*result, (std::vector<std::uint8_t>{0, 9, 5}));
        }
    }
    void whatWasWrittenIsRead() {
        const std::filesystem::path path = folder_.filePath("written").toStdString();
        const std::vector<std::uint8_t> pixels = {1, 2, 3, 4, 5, 255};
        QVERIFY(writeIdxImages(path, 1, 3, 2, pixels).has_value());
        const auto read = readIdxImages(path);
        QVERIFY(read.has_value());
        QCOMPARE(read->pixels, pixels);
        QCOMPARE(read->width, 3);
        QVERIFY(writeIdxLabels(path, pixels).has_value());
        QCOMPARE(readIdxLabels(path).value_or(std::vector<std::uint8_t>{}), pixels);
    }
    void everyTruncationIsRefused() {
        for (const std::string& whole : {smallImages(), gzip(smallImages())})
            for (std::size_t length = 0; length < whole.size(); ++length)
                QVERIFY2(!images(whole.substr(0, length)), qPrintable(QString::number(length)));
    }
    void everyTrailingByteIsRefused() {
        QVERIFY(
            refusedSaying(images(smallImages() + "x"), "so the file should unpack to 40 bytes"));
        QVERIFY(refusedSaying(images(gzip(smallImages()) + "x"), "bytes follow the gzip data"));
        QVERIFY(refusedSaying(images(gzip(smallImages() + "x")), "more than the header announces"));
    }
    void everyFlippedByteOfAGzipFileIsRefusedOrHarmless() {
        const std::string whole = gzip(smallImages());
        const auto expected = images(whole);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            std::string damaged = whole;
            damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
            const auto result = images(damaged);
            // Time stamp and system of the gzip header are not content.
            if (result) QCOMPARE(result->pixels, expected->pixels);
        }
    }
    void aWrongMagicSaysWhatItIs() {
        QVERIFY(refusedSaying(images(smallLabels()), "should hold images"));
        QVERIFY(refusedSaying(images(smallLabels()), "but holds labels"));
        QVERIFY(refusedSaying(labels(smallImages()), "but holds images"));
        QVERIFY(refusedSaying(images("PNG and so on, long enough"), "begins with 0x504e4720"));
    }
    void aLabelOutOfRangeNamesItsPlace() {
        QVERIFY(refusedSaying(labels(smallLabels(), 9), "label 9 of sample 1"));
        QVERIFY(labels(smallLabels(), 10).has_value());
    }
    void dimensionsWhoseProductOverflowsAreRefused() {
        QVERIFY(refusedSaying(images(imagesHeader(0xFFFFFFFF, 0x3000, 0x3000) + "x"), "announces"));
        // 2^32 x 2^14 x 2^14 is 2^60; in 32 bits the product would be 0, the size of what follows.
        QVERIFY(refusedSaying(images(imagesHeader(0x10000, 0x4000, 0x4000)), "announces"));
        QVERIFY(refusedSaying(images(imagesHeader(1, 0xFFFFFFFF, 0xFFFFFFFF)), "sides from 1"));
        QVERIFY(refusedSaying(images(imagesHeader(1, 0, 4)), "sides from 1"));
        QVERIFY(refusedSaying(images(imagesHeader(0, 2, 4)), "no images"));
        QVERIFY(refusedSaying(labels(bigEndian(0x801) + bigEndian(0)), "no labels"));
    }
    void aGzipBombIsNotUnpacked() {
        // 200 MB behind 200 kB: the header promises 24 bytes, so 25 at most are unpacked.
        const std::string bomb = gzip(imagesHeader(3, 2, 4) + std::string(200'000'000, '\0'));
        QVERIFY(bomb.size() < 300'000);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(refusedSaying(images(bomb), "more than the header announces"));
        QVERIFY(timer.elapsed() < 500);
    }
    void aHeaderThatAFileOfThisSizeCannotMeetIsRefusedBeforeAllocation() {
        QVERIFY(refusedSaying(images(gzip(imagesHeader(4'000'000, 32, 32))), "at most"));
        QVERIFY(refusedSaying(images(imagesHeader(4'000'000, 32, 32)), "it has 16"));
    }
    void onlyRegularFilesAreRead() {
        QVERIFY(!readIdxImages("/dev/zero"));
        QVERIFY(!readIdxImages(folder_.path().toStdString()));
        const std::string fifo = folder_.filePath("fifo").toStdString();
        QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
        QVERIFY(!readIdxImages(fifo));
    }
    void aMissingFileIsNotFound() {
        QCOMPARE(readIdxImages("/nonexistent/images").error().code, ErrorCode::NotFound);
    }
};

QTEST_GUILESS_MAIN(IdxFileTest)
#include "tst_idx_file.moc"
