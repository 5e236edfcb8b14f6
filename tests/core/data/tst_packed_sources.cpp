// SPDX-License-Identifier: Apache-2.0
// Large tables, texts and arrays: packed once a host into a file that all processes map.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <future>
#include <set>

#include "core/base/file.h"
#include "tests/core/data/source_place.h"
#include "tests/support/array_files.h"

using namespace lockstep;
using namespace lockstep::data;
using namespace lockstep::data::test;

namespace fs = std::filesystem;

namespace {

constexpr const char* kTable =
    "dataset = \"table\"\nfiles = \"t.csv\"\ntarget = \"y\"\nvalidation_split = 0.25\n"
    "features = { x = \"float_normalized\", colour = \"string_categorical\" }\n";
constexpr const char* kText =
    "dataset = \"text\"\nfiles = \"a.txt\"\nsequence_length = 50\ntokenizer = \"characters\"\n";
constexpr const char* kArrays = "dataset = \"arrays\"\ninputs = \"x.npy\"\ntargets = \"y.npy\"\n";

constexpr std::size_t kPrivate = std::size_t{64} << 20;

struct LargePlace : Place {
    fs::path cache = job / "cache";

    LargePlace() {
        std::string table = "x,colour,y\n";
        while (table.size() < (5U << 20))
            table += std::to_string(table.size() % 1013) + ",c" +
                     std::to_string(table.size() % 10) + "," + std::to_string(table.size()) + "\n";
        write("t.csv", table);
        std::string text;
        while (text.size() < (5U << 20))
            text += "né " + std::to_string(text.size()) + "\n";
        write("a.txt", text);
        std::vector<double> x(600'000);
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = static_cast<double>(i % 97) / 8;
        write("x.npy", tests::npyOf("<f8", "(200000, 3)", tests::bytesOfAll(x)));
        std::vector<std::int64_t> labels(200'000);
        for (std::size_t i = 0; i < labels.size(); ++i)
            labels[i] = static_cast<std::int64_t>(i % 5);
        write("y.npy", tests::npyOf("<i8", "(200000,)", tests::bytesOfAll(labels)));
    }

    [[nodiscard]] Result<Dataset> loadWith(const std::string& lines, const fs::path& folder) const {
        const auto document = config::JobDocument::lenient("[data]\n" + lines, "job.toml");
        return loadDataset(document.spec().data, job, folder);
    }
    [[nodiscard]] Result<Dataset> loadCached(const std::string& lines) const {
        return loadWith(lines, cache);
    }
    /// The packed files of the cache.
    [[nodiscard]] std::vector<fs::path> packed() const {
        std::vector<fs::path> files;
        std::error_code error;
        for (fs::directory_iterator entry(cache / "packed", error), end; !error && entry != end;
             entry.increment(error))
            if (entry->path().extension().empty()) files.push_back(entry->path());
        return files;
    }
};

/// Runs in a process of its own, which may have so many bytes of private memory more than it has.
int inAChild(std::size_t moreBytes, const std::function<bool()>& run) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::size_t pages = 0;
        std::ifstream statm("/proc/self/statm");
        for (int i = 0; i < 6; ++i)
            statm >> pages;  // the sixth: data and stack
        const rlim_t bytes = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + moreBytes;
        const rlimit limit{bytes, bytes};
        ::setrlimit(RLIMIT_DATA, &limit);
        ::_exit(run() ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

}  // namespace

class PackedSourcesTest : public QObject {
    Q_OBJECT

    const LargePlace shared_;

private slots:
    void packedDataAreTheSameAndAllProcessesMapThem_data() {
        QTest::addColumn<QString>("job");
        QTest::newRow("table") << QString(kTable);
        QTest::newRow("text") << QString(kText);
        QTest::newRow("arrays") << QString(kArrays);
    }
    void packedDataAreTheSameAndAllProcessesMapThem() {
        QFETCH(QString, job);
        const std::string lines = job.toStdString();
        const auto own = shared_.loadWith(lines + "cache = \"none\"\n", {});
        LOADED(own);
        QVERIFY(!own->train->inputs.isMapped());
        const auto before = shared_.packed().size();
        const auto first = shared_.loadCached(lines);
        LOADED(first);
        QCOMPARE(shared_.packed().size(), before + 1);
        std::set<fs::file_time_type> times;
        for (const auto& file : shared_.packed())
            times.insert(fs::last_write_time(file));
        const auto again = shared_.loadCached(lines + "cache = \"packed\"\n");
        LOADED(again);
        std::set<fs::file_time_type> timesAgain;
        for (const auto& file : shared_.packed())
            timesAgain.insert(fs::last_write_time(file));
        QVERIFY(times == timesAgain);
        for (const Dataset* dataset : {&*first, &*again}) {
            QCOMPARE(dataset->fingerprint, own->fingerprint);
            QCOMPARE(dataset->preparation, own->preparation);
            QCOMPARE(dataset->notes, own->notes);
            QCOMPARE(dataset->facts.input, own->facts.input);
            QCOMPARE(dataset->facts.classes, own->facts.classes);
            QCOMPARE(dataset->facts.vocabulary, own->facts.vocabulary);
            QCOMPARE(dataset->targetNames, own->targetNames);
            for (const auto split : {&Dataset::train, &Dataset::validation}) {
                const Split& found = *((*dataset).*split);
                const Split& expected = *((*own).*split);
                QCOMPARE(found.count, expected.count);
                QVERIFY(found.inputs == expected.inputs && found.targets == expected.targets);
                QVERIFY(found.inputs.isMapped());
                QVERIFY(found.targets.size() == 0 || found.targets.isMapped());
            }
        }
    }

    void anArrayOfTheRightTypeIsMappedAsItLies() {
        const LargePlace place;
        std::vector<float> x(3'000'000, 1.5F);
        place.write("x.npy", tests::npyOf("<f4", "(200000, 15)", tests::bytesOfAll(x)));
        const auto dataset = place.loadCached(kArrays);
        LOADED(dataset);
        QVERIFY(dataset->train->inputs.isMapped());
        QCOMPARE(place.packed().size(), std::size_t{1});
        QVERIFY(fs::file_size(place.packed()[0]) < 500'000);  // labels of two bytes
        QCOMPARE(numbersOf<float>(dataset->validation->inputs)[7], 1.5F);
    }

    void whatIsDamagedOrOldIsPackedAnewAndSaid() {
        const LargePlace place;
        const std::string first = place.loadCached(kTable).value().fingerprint;
        const fs::path packed = place.packed().at(0);
        std::fstream file(packed, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(100'000);
        file << "x";
        file.close();
        const auto mended = place.loadCached(kTable);
        LOADED(mended);
        QCOMPARE(mended->fingerprint, first);
        QVERIFY(says(*mended, packed.string() + " was damaged: it is written anew"));
        QVERIFY(place.loadCached(kTable)->notes.empty() ||
                !place.loadCached(kTable)->notes.front().ends_with("anew"));

        std::ofstream(place.job / "t.csv", std::ios::app) << "5,c1,7\n";
        const auto changed = place.loadCached(kTable);
        LOADED(changed);
        QVERIFY(changed->fingerprint != first);
        QVERIFY(says(*changed, packed.string() +
                                   " holds the data as they were before: it is written "
                                   "anew"));
        QCOMPARE(place.packed().size(), std::size_t{1});
    }

    void processesThatStartTogetherPackOnce() {
        const LargePlace place;
        std::vector<std::future<Result<Dataset>>> all;
        for (int i = 0; i < 4; ++i)
            all.push_back(
                std::async(std::launch::async, [&place] { return place.loadCached(kText); }));
        std::set<std::string> fingerprints;
        for (auto& one : all) {
            const auto dataset = one.get();
            LOADED(dataset);
            QVERIFY(dataset->train->inputs.isMapped());
            fingerprints.insert(dataset->fingerprint);
        }
        QCOMPARE(fingerprints.size(), std::size_t{1});
        QCOMPARE(place.packed().size(), std::size_t{1});
    }

    void withoutRoomForAFileTheDataAreHeldInMemoryWhichIsSaid() {
        const LargePlace place;
        const std::string expected = place.loadWith(kArrays, {}).value().fingerprint;
        const auto held = place.loadWith(kArrays, "/proc/no-such-place");
        LOADED(held);
        QCOMPARE(held->fingerprint, expected);
        QVERIFY(says(*held, "the cache /proc/no-such-place/packed/"));
        QVERIFY(says(*held, "every process holds the data in its own memory"));

        // A full disk: no file may grow beyond a megabyte.
        rlimit before{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
        const rlimit small{1 << 20, before.rlim_max};
        std::signal(SIGXFSZ, SIG_IGN);
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto full = place.loadCached(kArrays);
        const auto named = place.loadWith(std::string(kArrays) + "cache = \"./own.data\"\n", {});
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);
        LOADED(full);
        QCOMPARE(full->fingerprint, expected);
        QVERIFY(says(*full, "cannot be written: File too large; every process holds the data"));
        QVERIFY(place.packed().empty());
        QVERIFY(!named);
        QVERIFY(
            QString::fromStdString(named.error().message).contains("own.data cannot be written: "));
        QVERIFY(named.error().remedy.starts_with("Name a file on a local disk with room"));
        QVERIFY(!fs::exists(place.job / "own.data.part"));
    }

    void dataTakeLittlePrivateMemoryWhileTheyArePackedAndRead_data() {
        packedDataAreTheSameAndAllProcessesMapThem_data();
    }
    void dataTakeLittlePrivateMemoryWhileTheyArePackedAndRead() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("sanitizers take private memory of their own");
#endif
        QFETCH(QString, job);
        const LargePlace place;
        // Of each what becomes 70 MB and more, with twelve numbers a row, two bytes a character.
        const std::string rows = *readFile(place.job / "t.csv", 1 << 30);
        const std::string text = *readFile(place.job / "a.txt", 1 << 30);
        std::ofstream table(place.job / "t.csv", std::ios::app);
        std::ofstream book(place.job / "a.txt", std::ios::app);
        for (int i = 0; i < 9; ++i) {
            if (i < 6) table << rows.substr(rows.find('\n') + 1);
            book << text;
        }
        table.close();
        book.close();
        place.write("x.npy", tests::npyOf("|u1", "(200000, 100)", std::string(20'000'000, '\1')));
        const std::string lines = job.toStdString();
        for (const char* how : {"packed", "read"}) {
            const int status = inAChild(kPrivate, [&] {
                const auto dataset = place.loadCached(lines);
                if (!dataset) std::fprintf(stderr, "%s\n", dataset.error().message.c_str());
                return dataset && dataset->train->inputs.isMapped() &&
                       dataset->train->inputs.size() > kPrivate;
            });
            QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == 0, how);
        }
        const int own = inAChild(
            kPrivate, [&] { return place.loadWith(lines + "cache = \"none\"\n", {}).has_value(); });
        QVERIFY2(WIFEXITED(own) && WEXITSTATUS(own) != 0, "the limit limits nothing");
        if (lines != kText) return;
        const int nowhere = inAChild(kPrivate, [&] {
            const auto dataset = place.loadWith(lines, "/proc/no-such-place");
            return !dataset &&
                   dataset.error().message.find(
                       "of memory for the data, and the cache "
                       "/proc/no-such-place/packed/") != std::string::npos &&
                   dataset.error().remedy.starts_with("Make room there, or set XDG_CACHE_HOME");
        });
        QVERIFY2(WIFEXITED(nowhere) && WEXITSTATUS(nowhere) == 0, "neither a file nor memory");
    }
};

QTEST_GUILESS_MAIN(PackedSourcesTest)
#include "tst_packed_sources.moc"
