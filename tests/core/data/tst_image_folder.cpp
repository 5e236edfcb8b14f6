// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <future>
#include <set>

#include "core/base/file.h"
#include "core/data/images/tar_archive.h"
#include "core/data/load_dataset.h"
#include "tests/support/image_files.h"
#include "tests/support/tar_file.h"

using namespace lockstep;
using namespace lockstep::data;
namespace fs = std::filesystem;

class ImageFolderTest : public QObject {
    Q_OBJECT

    struct Place {
        QTemporaryDir dir;
        fs::path job = dir.path().toStdString();
        fs::path cache = job / "cache";

        void write(const std::string& name, const std::string& content) const {
            fs::create_directories((job / name).parent_path());
            std::ofstream(job / name, std::ios::binary) << content;
        }
        /// `count` images of one colour each; the last byte of the colour tells them apart.
        void addClass(const std::string& folder, int count, std::uint8_t red) const {
            for (int i = 0; i < count; ++i)
                write(folder + "/" + std::to_string(i) + ".png",
                      tests::pngOf(4, 4, tests::plainPixels(4, 4, red, 0, std::uint8_t(i))));
        }
        /// Files of the cache that hold decoded images.
        [[nodiscard]] std::vector<fs::path> packed() const {
            std::vector<fs::path> files;
            if (!fs::exists(cache / "images")) return files;
            for (const auto& entry : fs::directory_iterator(cache / "images"))
                if (entry.path().extension() != ".lock") files.push_back(entry.path());
            return files;
        }
        [[nodiscard]] Result<Dataset> load(const config::DataSpec& spec) const {
            return loadDataset(spec, job, cache);
        }
    };
    static config::DataSpec spec(int validation = 2) {
        config::DataSpec data;
        data.dataset = "image_folder";
        data.directory = "images";
        data.validationSamples = validation;
        data.imageSize = {4, 4};
        return data;
    }
    static bool refusedSaying(const Result<Dataset>& result, std::string_view words) {
        if (result || result.error().code != ErrorCode::BadInput) return false;
        const std::string all = result.error().message + "\n" + result.error().remedy;
        if (all.find(words) != std::string::npos) return true;
        qWarning("error: %s", all.c_str());
        return false;
    }
    static bool says(const Dataset& dataset, std::string_view words) {
        return std::ranges::any_of(dataset.notes, [words](const std::string& note) {
            return note.find(words) != std::string::npos;
        });
    }

private slots:
    void everyFolderIsAClass() {
        const Place place;
        place.addClass("images/zebra", 5, 200);
        place.addClass("images/ant", 7, 100);
        place.addClass("images/Bee", 3, 50);
        place.write("images/ant/inside/LARGE.JPEG",
                    tests::jpegOf(8, 8, tests::plainPixels(8, 8, 100, 0, 0)));
        place.write("images/README", "Not an image.");
        const auto dataset = place.load(spec());
        QVERIFY2(dataset.has_value(), dataset ? "" : dataset.error().message.c_str());
        QCOMPARE(dataset->classNames, (std::vector<std::string>{"Bee", "ant", "zebra"}));
        QCOMPARE(dataset->facts.classes, std::int64_t{3});
        QCOMPARE(dataset->train->count, 14U);
        QCOMPARE(dataset->train->channels(), 3);
        QCOMPARE(dataset->validation->count, 2U);
        QCOMPARE(dataset->test, dataset->validation);
        QVERIFY(says(*dataset, "the validation images are the test images, too"));
        const int reds[] = {50, 100, 200};
        for (std::uint32_t i = 0; i < dataset->train->count; ++i) {
            const auto pixels = dataset->train->input(i);
            QCOMPARE(pixels.size(), std::size_t{48});
            QVERIFY(std::abs(pixels[0] - reds[dataset->train->label(i)]) <= 2);
            QVERIFY(pixels[1] <= 2);
        }
    }

    void aTarArchiveIsAFolder() {
        const Place place;
        std::vector<std::pair<std::string, std::string>> files;
        for (const char* kind : {"ant", "bee"})
            for (int i = 0; i < 10; ++i) {
                const std::string name = std::string(kind) + "/" + std::to_string(i) + ".png";
                const auto pixels =
                    tests::plainPixels(4, 4, kind[0] == 'a' ? 10 : 20, 0, std::uint8_t(i));
                place.write("images/" + name, tests::pngOf(4, 4, pixels));
                files.emplace_back("./set/" + name, tests::pngOf(4, 4, pixels));
            }
        files.emplace_back("./set/ant/notes.txt", "Not an image.");
        place.write("all.tar", tests::tarOf(files));
        QCOMPARE(::system(("gzip -k " + (place.job / "all.tar").string()).c_str()), 0);
        const auto folder = place.load(spec());
        QVERIFY(folder);
        for (const char* name : {"all.tar:set", "all.tar.gz:set/"}) {
            auto archived = spec();
            archived.directory = name;
            const auto dataset = place.load(archived);
            QVERIFY2(dataset, dataset ? "" : dataset.error().message.c_str());
            QCOMPARE(dataset->fingerprint, folder->fingerprint);
            QVERIFY(says(*dataset, "1 file was passed over"));
        }
    }

    void longNamesInArchivesAreRead() {
        const std::string name = std::string(90, 'x') + "/" + std::string(90, 'y') + ".png";
        const std::string record = "path=" + name + "\n";
        const std::string pax = std::to_string(record.size() + 4) + " " + record;
        for (const std::string& before : {tests::tarEntry("././@LongLink", name + '\0', 'L'),
                                          tests::tarEntry("pax", pax, 'x')}) {
            const std::string archive = before + tests::tarOf({{"cut", "content"}});
            const auto files = readTar(archive);
            QVERIFY2(files, files ? "" : files.error().message.c_str());
            QCOMPARE(files->size(), std::size_t{1});
            QCOMPARE(files->front().name, name);
            QCOMPARE(archive.substr(files->front().at, files->front().bytes),
                     std::string("content"));
        }
    }

    void linksInArchivesHaveTheContentOfWhatTheyLeadTo() {
        const std::string archive =
            tests::tarEntry("a/1.png", "one") + tests::tarEntry("b/1.png", "", '1', "a/1.png") +
            tests::tarEntry("b/2.png", "", '2', "../a/1.png") +
            tests::tarEntry("b/3.png", "", '2', "2.png") +
            tests::tarEntry("b/4.png", "", '2', "/a/1.png") +
            tests::tarEntry("b/5.png", "", '2', "5.png") + std::string(1024, '\0');
        const auto files = readTar(archive);
        QVERIFY(files);
        QStringList found;
        for (const TarEntry& file : *files)
            found << QString::fromStdString(file.name + " " + archive.substr(file.at, file.bytes) +
                                            file.linkedTo);
        QCOMPARE(found, (QStringList{"a/1.png one", "b/1.png one", "b/2.png one", "b/3.png one",
                                     "b/4.png /a/1.png", "b/5.png b/5.png"}));
    }
    void theLastOfANameInAnArchiveCounts() {
        const std::string archive = tests::tarOf({{"a", "old"}, {"b", "x"}, {"./a", "newer"}});
        const auto files = readTar(archive);
        QCOMPARE(files->size(), std::size_t{2});
        QCOMPARE(files->front().name, std::string("a"));
        QCOMPARE(archive.substr(files->front().at, files->front().bytes), std::string("newer"));
    }

    void whatIsWrongWithAnArchiveIsSaid_data() {
        QTest::addColumn<QByteArray>("archive");
        QTest::addColumn<QString>("directory");
        QTest::addColumn<QString>("words");
        const std::string good = tests::tarOf({{"a/1.png", "x"}, {"b/1.png", "x"}});
        std::string changed = good;
        changed[3] = 'z';
        const auto row = [](const char* name, const std::string& archive, const char* words,
                            const char* directory = "all.tar") {
            QTest::newRow(name) << QByteArray(archive.data(), static_cast<int>(archive.size()))
                                << directory << words;
        };
        row("empty", "", "all.tar: it is no tar archive");
        row("text", std::string(2000, 'x'), "all.tar: it is no tar archive");
        row("a changed byte", changed, "it is no tar archive");
        row("cut off", good.substr(0, 1024 + 600), "it is a tar archive that is cut off");
        row("ends early", good.substr(0, 1024), "it is a tar archive that is cut off");
        row("no such folder", good, "holds no files in c", "all.tar:c");
        row("a link that leads nowhere",
            tests::tarEntry("a/1.png", "x") + tests::tarEntry("b/1.png", "", '2', "c.png") +
                std::string(1024, '\0'),
            "data.directory: b/1.png is a link to b/c.png, which is no file of the archive");
        row("one class", tests::tarOf({{"a/1.png", "x"}}), "has one class folder, a");
        row("beside", tests::tarOf({{"a/1.png", "x"}, {"1.png", "x"}}),
            "1 image lies beside the class folders");
        row("a class without images", tests::tarOf({{"a/1.png", "x"}, {"b/1.txt", "x"}}),
            "the class folder b holds no .jpg, .jpeg or .png file");
        row("no image", good, "of 2 images in ");
    }
    void whatIsWrongWithAnArchiveIsSaid() {
        QFETCH(QByteArray, archive);
        QFETCH(QString, directory);
        QFETCH(QString, words);
        const Place place;
        place.write("all.tar", archive.toStdString());
        auto archived = spec();
        archived.directory = directory.toStdString();
        QVERIFY(refusedSaying(place.load(archived), words.toStdString()));
    }

    void aShareOfTheImagesValidates() {
        const Place place;
        place.addClass("images/a", 30, 10);
        place.addClass("images/b", 10, 20);
        auto shared = spec();
        shared.validationSplit = 0.25;
        const auto dataset = place.load(shared);
        QVERIFY(dataset);
        QCOMPARE(dataset->validation->count, 10U);
        QCOMPARE(dataset->train->count, 30U);
    }

    void theValidationSamplesAreOfAllClassesAndAlwaysTheSame() {
        const Place place;
        place.addClass("images/a", 100, 10);
        place.addClass("images/b", 100, 20);
        const auto first = place.load(spec(40));
        const auto again = loadDataset(spec(40), place.job, {});
        QVERIFY(first && again);
        QCOMPARE(first->fingerprint, again->fingerprint);
        QVERIFY(first->validation->inputs == again->validation->inputs);
        const auto& labels = first->validation->targets;
        const auto ofB = std::count(labels.begin(), labels.end(), 1);
        QVERIFY(ofB > 8 && ofB < 32);
    }

    void foldersForValidationAndTestAreReadWithTheSameClasses() {
        const Place place;
        place.addClass("images/a", 4, 10);
        place.addClass("images/b", 4, 20);
        place.addClass("held/b", 3, 20);
        place.addClass("last/a", 2, 10);
        auto data = spec(10'000);
        data.validationDirectory = "held";
        data.testDirectory = "last";
        for (const char* how : {"made", "from the cache"}) {
            const auto dataset = place.load(data);
            QVERIFY2(dataset.has_value(), how);
            QCOMPARE(dataset->train->count, 8U);
            QCOMPARE(dataset->validation->count, 3U);
            QCOMPARE(int(dataset->validation->label(0)), 1);
            QCOMPARE(int(dataset->validation->input(0)[0]), 20);
            QCOMPARE(dataset->test->count, 2U);
            QCOMPARE(int(dataset->test->label(1)), 0);
            QVERIFY(dataset->notes.empty());
        }
        data.validationSplit = 0.99;  // which would leave nothing to train on
        const auto beside = place.load(data);
        QVERIFY2(beside.has_value(), beside ? "" : beside.error().message.c_str());
        QCOMPARE(beside->train->count, 8U);
        place.addClass("held/c", 1, 30);
        QVERIFY(refusedSaying(place.load(data),
                              "data.validation_directory: there is a class folder c"));
    }

    void sizeAndColoursAreAsAsked() {
        const Place place;
        place.addClass("images/a", 3, 10);
        place.addClass("images/b", 3, 200);
        auto data = spec();
        const std::string fingerprint = place.load(data)->fingerprint;
        data.imageSize = {6, 2};
        const auto narrow = place.load(data);
        QCOMPARE(narrow->train->height(), 6);
        QCOMPARE(narrow->train->width(), 2);
        QVERIFY(narrow->fingerprint != fingerprint);
        data.color = config::ImageColor::Grey;
        const auto grey = place.load(data);
        QCOMPARE(grey->train->channels(), 1);
        QCOMPARE(grey->train->input(0).size(), std::size_t{12});
        QVERIFY(grey->fingerprint != narrow->fingerprint);
        data.imageSize = {};
        QVERIFY(refusedSaying(place.load(data), "data.image_size is not set"));
    }

    void imagesThatCannotBeReadAreNamed() {
        const Place place;
        place.addClass("images/a", 4, 10);
        place.addClass("images/b", 4, 20);
        place.write("images/a/empty.jpg", "");
        place.write("images/b/text.jpg", "hello");
        auto data = spec();
        QVERIFY(refusedSaying(place.load(data),
                              "2 cannot be read: a/empty.jpg is empty; b/text.jpg is neither a "
                              "JPEG nor a PNG image\nReplace or remove them"));
        QVERIFY(place.packed().empty());
        data.onError = config::OnBrokenImage::Skip;
        for (const char* how : {"made", "from the cache"}) {
            const auto dataset = place.load(data);
            QVERIFY2(dataset.has_value(), how);
            QCOMPARE(dataset->train->count, 6U);
            QVERIFY(says(*dataset, "2 of 10 images cannot be read and are left out"));
        }
        for (const char* more : {"1", "2", "3", "4", "5"})
            place.write(std::string("images/a/x") + more + ".png", "");
        data.onError = config::OnBrokenImage::Error;
        QVERIFY(refusedSaying(place.load(data), "a/x4.png is empty; and 2 more"));
    }

    void foldersThatAreWrongAreToldWithTheWayOut() {
        const Place place;
        QVERIFY(refusedSaying(place.load(spec()), "data.directory: there is no directory"));
        fs::create_directories(place.job / "images");
        QVERIFY(
            refusedSaying(place.load(spec()), "has no folders in it\nIt should hold one folder"));
        place.addClass("images/a", 3, 10);
        QVERIFY(refusedSaying(place.load(spec()), "has one class folder, a"));
        fs::create_directories(place.job / "images/b");
        QVERIFY(refusedSaying(place.load(spec()), "the class folder b holds no .jpg"));
        place.addClass("images/b", 3, 20);
        place.write("images/lost.JPG", "");
        QVERIFY(refusedSaying(place.load(spec()), "1 image lies beside the class folders"));
        fs::remove(place.job / "images/lost.JPG");
        QVERIFY(place.load(spec()).has_value());
        QVERIFY(refusedSaying(place.load(spec(6)), "Choose from 0 to 5"));
        QVERIFY(refusedSaying(place.load(spec(0)), "there is nothing to test on"));
    }

    void moreThan256ClassesAreTold() {
        const Place place;
        for (int i = 100; i < 400; ++i)
            place.addClass("images/class" + std::to_string(i), 1, std::uint8_t(i % 250));
        std::ignore = place.load(spec(30));  // decoded, then from the cache
        const auto dataset = place.load(spec(30));
        QVERIFY(dataset.has_value());
        QCOMPARE(dataset->facts.classes, std::int64_t{300});
        for (std::uint32_t i = 0; i < dataset->train->count; ++i)
            QVERIFY(std::abs(dataset->train->input(i)[0] -
                             (dataset->train->label(i) + 100) % 250) <= 2);
    }

    void otherFilesArePassedOverAndSaid() {
        const Place place;
        place.addClass("images/a", 3, 10);
        place.addClass("images/b", 3, 20);
        place.write("images/a/notes.txt", "hello");
        place.write("images/a/.hidden.png", "");
        place.write("images/.git/x.png", "");
        const auto dataset = place.load(spec());
        QVERIFY(dataset.has_value());
        QVERIFY(says(*dataset,
                     "1 file was passed over, which is neither .jpg, .jpeg nor .png, for "
                     "example a/notes.txt"));
    }

    void imagesAreDecodedOnce() {
        const Place place;
        place.addClass("images/a", 3, 10);
        place.addClass("images/b", 3, 20);
        const std::string first = place.load(spec())->fingerprint;
        QCOMPARE(place.packed().size(), std::size_t{1});
        const auto written = fs::last_write_time(place.packed()[0]);
        QCOMPARE(place.load(spec())->fingerprint, first);
        QVERIFY(fs::last_write_time(place.packed()[0]) == written);

        // Another image under a name that was there: its time tells.
        const fs::path changed = place.job / "images/a/0.png";
        place.write("images/a/0.png", tests::pngOf(4, 4, tests::plainPixels(4, 4, 11, 0, 0)));
        fs::last_write_time(changed, fs::last_write_time(changed) + std::chrono::seconds(2));
        QVERIFY(place.load(spec())->fingerprint != first);
        QCOMPARE(place.packed().size(), std::size_t{1});
    }

    void aDamagedCacheFileIsMadeAnew() {
        const Place place;
        place.addClass("images/a", 3, 10);
        place.addClass("images/b", 3, 20);
        const std::string first = place.load(spec())->fingerprint;
        const fs::path packed = place.packed().at(0);
        const std::string whole = *readFile(packed, 1 << 20);
        std::string wrong = whole;
        wrong.back() = static_cast<char>(wrong.back() ^ 1);
        for (const std::string& damaged : {wrong, whole.substr(0, whole.size() / 2),
                                           std::string("something else"), std::string()}) {
            std::ofstream(packed, std::ios::binary) << damaged;
            const auto dataset = place.load(spec());
            QVERIFY(dataset.has_value());
            QCOMPARE(dataset->fingerprint, first);
            QVERIFY(*readFile(packed, 1 << 20) == whole);
        }
    }

    void withoutACacheImagesAreDecodedEveryTime() {
        const Place place;
        place.addClass("images/a", 3, 10);
        place.addClass("images/b", 3, 20);
        auto data = spec();
        const std::string first = place.load(data)->fingerprint;
        fs::remove_all(place.cache);
        data.cache = "none";
        QCOMPARE(place.load(data)->fingerprint, first);
        QVERIFY(place.packed().empty());
        QCOMPARE(loadDataset(spec(), place.job, "/proc/no-such-place")->fingerprint, first);
        data.cache = "./images.packed";
        QCOMPARE(place.load(data)->fingerprint, first);
        QVERIFY(fs::exists(place.job / "images.packed"));
        QCOMPARE(place.load(data)->fingerprint, first);
    }

    void processesThatStartTogetherGetTheSame() {
        const Place place;
        place.addClass("images/a", 50, 10);
        place.addClass("images/b", 50, 20);
        std::vector<std::future<Result<Dataset>>> all;
        for (int i = 0; i < 4; ++i)
            all.push_back(std::async(std::launch::async, [&place] { return place.load(spec()); }));
        std::set<std::string> fingerprints;
        for (auto& one : all) {
            auto dataset = one.get();
            QVERIFY(dataset.has_value());
            fingerprints.insert(dataset->fingerprint);
        }
        QCOMPARE(fingerprints.size(), std::size_t{1});
        QCOMPARE(place.packed().size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(ImageFolderTest)
#include "tst_image_folder.moc"
