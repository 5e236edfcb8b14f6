// SPDX-License-Identifier: Apache-2.0
// Whoever waits for data to be read is told how far it is, and may wait no longer.
#include <atomic>
#include <span>

#include "core/data/idx_file.h"
#include "tests/core/data/source_place.h"
#include "tests/support/image_files.h"

using namespace lockstep;
using namespace lockstep::data;
using namespace lockstep::data::test;

namespace {

struct Kind {
    const char* name;
    std::string lines;
};

/// A folder of 30 images, IDX files, a table and a text, all of them small.
std::vector<Kind> written(const Place& place) {
    std::string rows = "x,y\n";
    for (int i = 0; i < 30; ++i) {
        place.write("images/" + std::string(i % 2 == 0 ? "a/" : "b/") + std::to_string(i) + ".png",
                    tests::pngOf(4, 4, tests::plainPixels(4, 4, 9, 0, std::uint8_t(i))));
        rows += std::to_string(i) + "," + std::to_string(i % 7) + "\n";
    }
    place.write("t.csv", rows);
    for (const auto& [name, count] : {std::pair{"train", 9U}, std::pair{"t10k", 3U}}) {
        const auto file = [&, name = name](const char* kind) {
            return place.job / "idx" / (std::string(name) + kind);
        };
        const std::vector<std::uint8_t> zeros(count * 4);
        std::filesystem::create_directories(place.job / "idx");
        if (!writeIdxImages(file("-images-idx3-ubyte"), count, 2, 2, zeros) ||
            !writeIdxLabels(file("-labels-idx1-ubyte"), std::span(zeros).first(count)))
            qFatal("no IDX files can be written");
    }
    place.write("t.txt", std::string(300, 'a') + "b");
    return {
        {"images",
         "dataset = \"image_folder\"\ndirectory = \"images\"\nimage_size = [4, 4]\n"
         "validation_samples = 5\n"},
        {"idx", "dataset = \"idx\"\ndirectory = \"idx\"\nvalidation_samples = 2\n"},
        {"table",
         "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\nfeatures = { x = \"float\" }\n"},
        {"text",
         "dataset = \"text\"\nfiles = \"t.txt\"\ntokenizer = \"bytes\"\nsequence_length = 4\n"}};
}

Result<Dataset> load(const Place& place, const Kind& kind, const LoadWatch& watch,
                     const std::string& more = {}) {
    const auto document = config::JobDocument::lenient("[data]\n" + kind.lines + more, "job.toml");
    return loadDataset(document.spec().data, place.job, place.job / "cache", watch);
}

}  // namespace

class LoadWatchTest : public QObject {
    Q_OBJECT
private slots:
    void whatNobodyWaitsForIsNotReadAndLeavesNothing() {
        const Place place;
        for (const Kind& kind : written(place)) {
            std::stop_source nobody;
            nobody.request_stop();
            const std::string packed = std::string("packed.") + kind.name;
            const auto dataset =
                load(place, kind, {.stop = nobody.get_token()}, "cache = \"./" + packed + "\"\n");
            QVERIFY2(!dataset, kind.name);
            QVERIFY2(dataset.error().code == ErrorCode::Cancelled, dataset.error().message.c_str());
            QVERIFY(!std::filesystem::exists(place.job / packed));
            const auto whole = load(place, kind, {}, "cache = \"./" + packed + "\"\n");
            LOADED(whole);
            QVERIFY(std::filesystem::exists(place.job / packed));
        }
    }

    void readingEndsAtTheNextImageOnceNobodyWaits() {
        const Place place;
        const Kind images = written(place).front();
        std::stop_source waiting;
        std::atomic<std::uint64_t> told = 0;
        const auto dataset =
            load(place, images, {.stop = waiting.get_token(), .tell = [&](const LoadProgress& now) {
                                     ++told;
                                     if (now.done >= 3) waiting.request_stop();
                                 }});
        QVERIFY(!dataset && dataset.error().code == ErrorCode::Cancelled);
        QVERIFY(told > 0 && told < 30);
    }

    void parsingATableEndsOnceNobodyWaits() {
        const Place place;
        std::string rows = "x,y\n";
        for (int i = 0; i < 40'000; ++i)
            rows += std::to_string(i) + "," + std::to_string(i % 7) + "\n";
        place.write("t.csv", rows);
        const Kind table{"table",
                         "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\n"
                         "features = { x = \"float\" }\n"};
        std::stop_source waiting;
        std::uint64_t read = 0;
        const auto dataset =
            load(place, table, {.stop = waiting.get_token(), .tell = [&](const LoadProgress& now) {
                                    read = now.done;
                                    if (read > 0) waiting.request_stop();
                                }});
        QVERIFY(!dataset && dataset.error().code == ErrorCode::Cancelled);
        QVERIFY2(read > 0 && read < rows.size() / 4, std::to_string(read).c_str());
    }

    void imagesAreCountedWhileTheyAreDecoded() {
        const Place place;
        const Kind images = written(place).front();
        std::atomic<std::uint64_t> most = 0;
        std::atomic<std::uint64_t> all = 0;
        const auto dataset = load(place, images, {.stop = {}, .tell = [&](const LoadProgress& now) {
                                                      if (now.unit != LoadProgress::Unit::Images)
                                                          return;
                                                      all = now.all;
                                                      if (now.done == 30) most = now.done;
                                                  }});
        LOADED(dataset);
        QCOMPARE(all.load(), std::uint64_t{30});
        QCOMPARE(most.load(), std::uint64_t{30});
    }
};

QTEST_GUILESS_MAIN(LoadWatchTest)
#include "tst_load_watch.moc"
