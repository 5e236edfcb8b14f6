// SPDX-License-Identifier: Apache-2.0
// One bit of a checkpoint's files is another one: whoever reads it says so. LOCKSTEP_FLIPS sets how
// many are flipped, one at a time (20,000 in `./dev check`), LOCKSTEP_FLIP plays one alone. The
// same program with blind checksums is BLIND_PROGRAM, of which the campaign must find that it is
// blind.
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <fstream>

#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/layout.h"
#include "core/checkpoint/shard_index.h"
#include "tests/support/cut_tensor.h"
#include "tests/support/sharded_sample.h"

using namespace lockstep;
using namespace lockstep::checkpoint;
using namespace lockstep::checkpoint::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kStep = 20;
constexpr int kBlindMilliseconds = 120'000;

bool isSame(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    return std::ranges::equal(a, b, [](const Tensor& one, const Tensor& other) {
        return one.name == other.name && one.shape == other.shape && one.values == other.values;
    });
}

bool isSame(const LoadedCheckpoint& a, const LoadedCheckpoint& b) {
    return a.state == b.state && isSame(a.model, b.model) && isSame(a.optimizer, b.optimizer) &&
           a.modelHash == b.modelHash;
}

bool names(const std::string& sentence, const std::string& file) {
    return sentence.find(file == kManifestFile ? "manifest" : file) != std::string::npos;
}

std::uint32_t below(CounterRng& rng, std::uint64_t bound) {
    return rng.nextBelow(static_cast<std::uint32_t>(bound));
}

/// A checkpoint in a folder of its own, and what is read of it while it is well.
class Place {
public:
    void commit(std::string form, const Snapshot& snapshot, ShardCrew* crew = nullptr) {
        form_ = std::move(form);
        if (!store_.commit(snapshot, crew)) qFatal("cannot prepare: %s", form_.c_str());
        well_ = *store_.load(kStep);
        for (const auto& entry : fs::recursive_directory_iterator(store_.folder()))
            if (entry.is_regular_file()) files_.push_back(entry.path());
        std::ranges::sort(files_);
    }

    [[nodiscard]] const std::string& form() const { return form_; }
    [[nodiscard]] const std::vector<fs::path>& files() const { return files_; }
    [[nodiscard]] const CheckpointStore& store() const { return store_; }
    [[nodiscard]] const LoadedCheckpoint& well() const { return well_; }
    /// As the manifest names it.
    [[nodiscard]] std::string nameOf(const fs::path& file) const {
        return file.filename() == kLatestFile
                   ? kLatestFile
                   : fs::relative(file, store_.folderOf(kStep)).generic_string();
    }
    [[nodiscard]] Manifest manifest() const {
        return *readManifest(store_.lease(kStep)->folder(), kStep);
    }
    [[nodiscard]] Result<ShardIndex> index(const std::string& kind) const {
        const auto lease = store_.lease(kStep);
        const auto read = readManifest(lease->folder(), kStep);
        return read ? ShardIndex::read(lease->folder(), *read, kind)
                    : Result<ShardIndex>(fail(read.error()));
    }

private:
    QTemporaryDir root_;
    CheckpointStore store_ = *CheckpointStore::open(
        fs::path(root_.path().toStdString()) / "checkpoints", CheckpointStore::Access::Write);
    std::string form_;
    LoadedCheckpoint well_;
    std::vector<fs::path> files_;
};

/// One bit of one file, flipped while the object lives.
class Flip {
public:
    Flip(const fs::path& file, CounterRng& rng) : file_(file) {
        at_ = below(rng, fs::file_size(file));
        bit_ = below(rng, 8);
        turn();
    }
    ~Flip() { turn(); }
    Flip(const Flip&) = delete;
    Flip& operator=(const Flip&) = delete;

    [[nodiscard]] std::uint64_t at() const { return at_; }
    [[nodiscard]] std::string words() const {
        return "bit " + std::to_string(bit_) + " of byte " + std::to_string(at_);
    }

private:
    void turn() const {
        std::fstream stream(file_, std::ios::in | std::ios::out | std::ios::binary);
        stream.seekg(static_cast<std::streamoff>(at_));
        const int old = stream.get();
        stream.seekp(static_cast<std::streamoff>(at_));
        stream.put(static_cast<char>(old ^ (1 << bit_)));
        stream.flush();
        if (!stream) qFatal("cannot flip a bit of %s", file_.c_str());
    }

    const fs::path& file_;
    std::uint64_t at_ = 0;
    std::uint32_t bit_ = 0;
};

/// A part of a tensor that somebody asks of the shards.
struct Question {
    std::string tensor;
    Box box;
    std::vector<float> answer;  ///< While all is well.
};

Result<std::vector<float>> ask(ShardIndex& index, const std::string& tensor, const Box& box) {
    std::vector<float> values(static_cast<std::size_t>(elementsOf(box.shape)));
    const auto read = index.readBox(tensor, box, std::as_writable_bytes(std::span(values)));
    return read ? values : Result<std::vector<float>>(fail(read.error()));
}

Question randomQuestion(ShardIndex& index, CounterRng& rng) {
    auto tensor = index.tensors().begin();
    std::advance(tensor, below(rng, index.tensors().size()));
    Question question{tensor->first, {}, {}};
    for (const std::int64_t size : tensor->second.shape) {
        question.box.offsets.push_back(below(rng, static_cast<std::uint64_t>(size)));
        question.box.shape.push_back(
            1 + below(rng, static_cast<std::uint64_t>(size - question.box.offsets.back())));
    }
    question.answer = *ask(index, question.tensor, question.box);
    return question;
}

/// Whether an element of `box` lies between those two bytes of a piece's file: element by element,
/// another way than the reader's.
bool isNeeded(const ShardIndex::Piece& piece, const Box& box, std::uint64_t from,
              std::uint64_t to) {
    for (std::int64_t i = 0; i < elementsOf(piece.box.shape); ++i) {
        const std::uint64_t begin = piece.begin + static_cast<std::uint64_t>(i) * sizeof(float);
        if (begin + sizeof(float) <= from || begin >= to) continue;
        std::int64_t rest = i;
        bool isInside = true;
        for (std::size_t axis = box.shape.size(); axis-- > 0;) {
            const std::int64_t at = piece.box.offsets[axis] + rest % piece.box.shape[axis];
            rest /= piece.box.shape[axis];
            isInside = isInside && at >= box.offsets[axis] && at < box.end(axis);
        }
        if (isInside) return true;
    }
    return false;
}

/// Whether who asks reads that byte of a shard: its block has a header, or an element of the part.
bool isRead(const ShardIndex& index, const FileRecord& record, const std::string& file,
            const Question& question, std::uint64_t at) {
    if (record.blocks.empty()) return true;
    const std::uint64_t from = at / record.blockBytes * record.blockBytes;
    if (from == 0) return true;
    return std::ranges::any_of(index.tensors().at(question.tensor).pieces, [&](const auto& piece) {
        return piece.file == file && isNeeded(piece, question.box, from, from + record.blockBytes);
    });
}

struct Counts {
    std::map<std::string, int> flipped;  ///< By what the file is: model, optimizer, state, ...
    int found = 0;
    int harmless = 0;   ///< What is read is what was written, all of it.
    int inParts = 0;    ///< Of a shard of which a part was read, and the flip found,
    int elsewhere = 0;  ///< or in none of the blocks that were read, which were right.
    QStringList undetected;

    [[nodiscard]] QString words() const {
        QStringList kinds;
        int all = 0;
        for (const auto& [kind, count] : flipped) {
            kinds.append(QString("%1 %2").arg(kind.c_str()).arg(count));
            all += count;
        }
        return QString(
                   "%1 single bit flips (%2): found %3, changed nothing that is read %4, "
                   "undetected %5; with a part of the shard read: found %6, not in the blocks "
                   "that were read %7")
            .arg(all)
            .arg(kinds.join(", "))
            .arg(found)
            .arg(harmless)
            .arg(undetected.size())
            .arg(inParts)
            .arg(elsewhere);
    }
};

std::string kindOf(const std::string& name) {
    return name.substr(0, name.find_first_of("./"));
}

/// Who reads all of it: a resume, an evaluator, `lockstepctl verify`.
void readAll(const Place& place, const std::string& name, const QString& words, Counts& counts) {
    const CheckpointStore& store = place.store();
    if (name == kLatestFile) {
        const auto good = store.latestGood();
        const bool isFound = !store.latest() && good && good->step == kStep &&
                             good->rejected.size() == 1 && names(good->rejected[0], name);
        if (isFound)
            ++counts.found;
        else
            counts.undetected.append(words);
        return;
    }
    const auto verified = store.verify(kStep);
    const auto loaded = store.load(kStep);
    if (!verified && !loaded && names(verified.error().message, name) &&
        names(loaded.error().message, name))
        ++counts.found;
    else if (verified && loaded && isSame(*loaded, place.well()))
        ++counts.harmless;
    else
        counts.undetected.append(words);
}

}  // namespace

class BitFlipsTest : public QObject {
    Q_OBJECT

    std::array<Place, 6> places_;

    static int flipCount() {
        const int wanted = qEnvironmentVariableIntValue("LOCKSTEP_FLIPS");
        return wanted > 0 ? wanted : 1000;
    }
    /// The seed chooses the checkpoint, the file, its bit, and which part of a tensor is asked for.
    void flip(int seed, Counts& counts) const {
        CounterRng rng(static_cast<std::uint64_t>(seed), 31);
        const Place& place = places_[below(rng, places_.size())];
        const fs::path& file = place.files()[below(rng, place.files().size())];
        const std::string name = place.nameOf(file);
        const std::string kind = kindOf(name);
        ++counts.flipped[kind];

        const Manifest manifest = place.manifest();
        auto index = place.index(kind);
        const bool isShard = index && !index->tensors().empty();
        const Question question = isShard ? randomQuestion(*index, rng) : Question();

        const Flip flipped(file, rng);
        const QString words = QString("LOCKSTEP_FLIP=%1: %2, %3, %4")
                                  .arg(seed)
                                  .arg(place.form().c_str(), name.c_str())
                                  .arg(flipped.words().c_str());
        readAll(place, name, words, counts);
        if (!isShard) return;
        auto damaged = place.index(kind);
        const auto answer = damaged ? ask(*damaged, question.tensor, question.box)
                                    : Result<std::vector<float>>(fail(damaged.error()));
        const bool mustBeFound =
            isRead(*index, manifest.files.at(name), name, question, flipped.at());
        if (mustBeFound && !answer && names(answer.error().message, name))
            ++counts.inParts;
        else if (!mustBeFound && answer && *answer == question.answer)
            ++counts.elsewhere;
        else
            counts.undetected.append(words + ", a part of " + question.tensor.c_str());
    }

private slots:
    void initTestCase() {
        const Sample small(kStep);
        const Sample large(kStep, 200'000);  // a shard has several blocks
        places_[0].commit("one file, small", small.snapshot);
        places_[1].commit("one file, large", large.snapshot);
        CrewHere two(places_[2].store().folder(), small, 2);
        places_[2].commit("two shards, small", partOf(small, 0, 2), &two);
        CrewHere four(places_[3].store().folder(), small, 4);
        places_[3].commit("four shards, small", partOf(small, 0, 4), &four);
        CrewHere blocks(places_[4].store().folder(), large, 2);
        places_[4].commit("two shards, large", partOf(large, 0, 2), &blocks);

        CounterRng rng(7, 31);
        std::vector<CutTensor> tensors;
        for (int i = 0; i < 4; ++i)
            tensors.emplace_back("t" + std::to_string(i), rng);
        Snapshot cut;
        cut.state = small.snapshot.state;
        cut.isSharded = true;
        for (const CutTensor& tensor : tensors) {
            tensor.addTo(cut.model);
            tensor.addTo(cut.optimizer);
        }
        places_[5].commit("shards of a random grid", cut);
    }

    void everyFlippedBitIsFound() {
        Counts counts;
        const int one = qEnvironmentVariableIntValue("LOCKSTEP_FLIP");
        for (int seed = one > 0 ? one : 1; seed <= (one > 0 ? one : flipCount()); ++seed)
            flip(seed, counts);
        std::puts(qPrintable(counts.words()));
        for (const QString& undetected : counts.undetected.mid(0, 10))
            std::puts(qPrintable("undetected: " + undetected));
        QVERIFY2(counts.undetected.isEmpty(), "a flipped bit was not found");
        if (one > 0) return;
        // They hit everything that a checkpoint consists of, and parts of shards with and without.
        QCOMPARE(counts.flipped.size(), std::size_t{5});
        QVERIFY(counts.inParts > 0 && counts.elsewhere > 0);
        for (const Place& place : places_)
            QVERIFY2(isSame(*place.store().load(kStep), place.well()), place.form().c_str());
    }

    void withoutChecksumsThatIsNoticed() {
        QProcess blind;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LOCKSTEP_FLIPS", "200");
        environment.remove("LOCKSTEP_FLIP");
        blind.setProcessEnvironment(environment);
        blind.start(BLIND_PROGRAM, {"everyFlippedBitIsFound"});
        QVERIFY(blind.waitForFinished(kBlindMilliseconds));
        const QByteArray output = blind.readAllStandardOutput();
        QVERIFY2(blind.exitStatus() == QProcess::NormalExit && blind.exitCode() == 1, output);
        QVERIFY2(output.contains("a flipped bit was not found"), output);
        QVERIFY2(output.contains("undetected: LOCKSTEP_FLIP="), output);
    }
};

QTEST_GUILESS_MAIN(BitFlipsTest)
#include "tst_bit_flips.moc"
