// SPDX-License-Identifier: Apache-2.0
// What a run has kept is read whole: damage is named, and put aside when that is asked for.
#include <QRegularExpression>
#include <QtTest>

#include "tests/integration/workplace.h"

using namespace lockstep::tests;

namespace {

/// Turns one bit of a file, at this share of its length.
void flip(const Workplace& place, const QString& file, double share = 0.5) {
    QByteArray bytes = place.read(file);
    const auto at = static_cast<qsizetype>(share * static_cast<double>(bytes.size()));
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    place.write(file, bytes);
}

QString eventFileOf(const Workplace& place, const QString& run) {
    QDirIterator next(place.path(run + "/events/replica-0"), {"events.out.tfevents.*"},
                      QDir::Files);
    return QDir(place.path("")).relativeFilePath(next.next());
}

QJsonObject verified(const Ended& ended) {
    return QJsonDocument::fromJson(ended.output).object();
}

/// Names of the parts that have a problem.
QStringList damagedIn(const Ended& ended) {
    QStringList names;
    for (const QJsonValue& part : verified(ended)["parts"].toArray())
        if (!part["whole"].toBool()) names << part["name"].toString();
    return names;
}

qsizetype linesIn(const Ended& ended) {
    return ended.output.count('\n');
}

}  // namespace

class VerifyTest : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> place_;

private slots:
    void init() {
        place_ = std::make_unique<Workplace>();
        REQUIRE_EXIT(place_->run({"run", "job.toml", "--processes", "2", "--run-dir", "run"}), 0);
    }

    /// As a run over ssh has it, whose folder its hosts see, too, or of which only a copy is here.
    void aFolderThatTheRunsHostWritesIntoIsReadAndACopyIsNot() {
        const auto recordOf = [this](bool sameFolder, bool hasEnded) {
            const QJsonObject record{
                {"host", "node-a"},          {"run_id", "0123456789ab"}, {"run_dir", "/elsewhere"},
                {"same_folder", sameFolder}, {"ended", hasEnded},
            };
            place_->write("run/remote.json", QJsonDocument(record).toJson());
        };
        recordOf(true, false);
        const Ended whole = place_->run({"verify", "run"});
        REQUIRE_EXIT(whole, 0);
        QVERIFY2(whole.output.contains("checkpoints/step-98"), whole.words());
        QVERIFY2(!whole.errors.contains("were not read"), whole.words());
        const Ended early = place_->run({"verify", "run", "--repair"});
        REQUIRE_EXIT(early, 2);
        QVERIFY2(early.errors.contains("Once it has ended"), early.words());
        recordOf(true, true);
        REQUIRE_EXIT(place_->run({"verify", "run", "--repair"}), 0);
        const Ended scored = place_->run({"evaluate", "run"});
        REQUIRE_EXIT(scored, 0);
        QVERIFY2(!scored.errors.contains("not kept with the run"), scored.words());

        recordOf(false, false);
        const Ended copy = place_->run({"verify", "run"});
        REQUIRE_EXIT(copy, 2);
        QVERIFY2(copy.errors.contains("what lies here is a copy"), copy.words());
        recordOf(false, true);
        const Ended read = place_->run({"verify", "run"});
        REQUIRE_EXIT(read, 0);
        QVERIFY2(read.errors.contains("were not read"), read.words());
        REQUIRE_EXIT(place_->run({"verify", "run", "--repair"}), 2);
    }

    void aRunThatNothingHasHappenedToIsWhole() {
        const Ended ended = place_->run({"verify", "run"});
        REQUIRE_EXIT(ended, 0);
        for (const char* part : {"job.toml", "journal", "checkpoints/step-98", "checkpoints/LATEST",
                                 "events/replica-1/events.out.tfevents.", "summary.json"})
            QVERIFY2(QRegularExpression("(?m)^" + QRegularExpression::escape(part) + ".* whole$")
                         .match(QString::fromUtf8(ended.output))
                         .hasMatch(),
                     part);
        QVERIFY2(ended.output.trimmed().endsWith("read: nothing is damaged"), ended.words());
        const QJsonObject json = verified(place_->run({"verify", "run", "--json"}));
        QCOMPARE(json["steps"].toInt(), 2 * 98);
        QCOMPARE(json["missing_steps"].toInt(), 0);
        QCOMPARE(json["damaged_parts"].toInt(), 0);
    }

    void everyDamagedPartIsNamed() {
        const QString events = eventFileOf(*place_, "run");
        const QList<std::pair<QString, QString>> files = {
            {"run/journal", "journal"},
            {"run/checkpoints/step-98/model.safetensors", "checkpoints/step-98"},
            {"run/checkpoints/step-80/state.json", "checkpoints/step-80"},
            {"run/checkpoints/step-60/manifest.json", "checkpoints/step-60"},
            {"run/checkpoints/LATEST", "checkpoints/LATEST"},
            {events, events.mid(4)},
        };
        for (const auto& [file, part] : files) {
            const QByteArray before = place_->read(file);
            QVERIFY2(!before.isEmpty(), qPrintable(file));
            flip(*place_, file);
            const Ended ended = place_->run({"verify", "run", "--json"});
            REQUIRE_EXIT(ended, 1);
            QCOMPARE(damagedIn(ended), QStringList{part});
            place_->write(file, before);
        }
        for (const char* text : {"summary.json", "job.toml"}) {
            const QString file = QString("run/") + text;
            const QByteArray before = place_->read(file);
            place_->write(file, before.left(before.size() / 2) + "\"");
            const Ended ended = place_->run({"verify", "run", "--json"});
            REQUIRE_EXIT(ended, 1);
            QCOMPARE(damagedIn(ended), QStringList{text});
            place_->write(file, before);
        }
        REQUIRE_EXIT(place_->run({"verify", "run"}), 0);
    }

    void whatIsNotThereIsNamed() {
        QVERIFY(QDir(place_->path("run/checkpoints/step-98")).removeRecursively());
        QVERIFY(QFile::remove(place_->path("run/summary.json")));
        const Ended ended = place_->run({"verify", "run"});
        REQUIRE_EXIT(ended, 1);
        QVERIFY2(ended.output.contains("names step 98, which is not there"), ended.words());
        QVERIFY2(ended.output.contains("is missing: the run was cut off, or is to be resumed"),
                 ended.words());
        QVERIFY2(ended.output.contains("2 of the parts are damaged"), ended.words());
        const Ended nothing = place_->run({"verify", "runtime"});
        REQUIRE_EXIT(nothing, 2);
    }

    void aRepairKeepsWhatCanBeRead() {
        const QString hash = place_->stateHash("run");
        const Ended whole = place_->run({"export", "run", "--format", "csv"});
        REQUIRE_EXIT(whole, 0);
        const QByteArray journal = place_->read("run/journal");
        flip(*place_, "run/journal");
        flip(*place_, "run/checkpoints/step-98/model.safetensors");
        flip(*place_, eventFileOf(*place_, "run"), 0.7);
        QFile torn(place_->path("run/journal"));
        QVERIFY(torn.open(QIODevice::Append) && torn.write("torn") == 4);
        torn.close();

        const Ended repaired = place_->run({"verify", "run", "--repair"});
        REQUIRE_EXIT(repaired, 0);
        for (const char* sentence :
             {"of the journal could not be read: what they held is missing; they are kept in "
              "journal.damaged-",
              "4 bytes at the journal's torn end were cut off",
              "checkpoints/step-98 is damaged, and is called damaged-step-98 now",
              "checkpoints/LATEST names step 80 now", "ends behind its last intact record now",
              "missing: a repair has put ", "read: nothing is damaged"})
            QVERIFY2(repaired.output.contains(sentence), repaired.words());

        // All other records are where they were, and the loss is told in the run itself.
        const QByteArray mended = place_->read("run/journal").left(journal.size());
        QCOMPARE(mended.size(), journal.size());
        qsizetype first = 0;
        qsizetype last = journal.size() - 1;
        while (mended[first] == journal[first])
            ++first;
        while (mended[last] == journal[last])
            --last;
        QVERIFY2(first < last && last - first < 70'000, "one record is gone, and no other byte");
        const Ended kept = place_->run({"export", "run", "--format", "csv"});
        REQUIRE_EXIT(kept, 0);
        QVERIFY2(!kept.errors.contains("damaged"), kept.words());
        QVERIFY2(linesIn(kept) > linesIn(whole) / 4 && linesIn(kept) <= linesIn(whole),
                 qPrintable(QString("%1 of %2").arg(linesIn(kept)).arg(linesIn(whole))));
        QVERIFY(place_->read("run/journal").contains("repaired: "));

        REQUIRE_EXIT(place_->run({"verify", "run", "--repair"}), 0);  // nothing is left to do
        QVERIFY(place_->latest("run") == "step-80");
        const Ended resumed =
            place_->run({"run", "job.toml", "--processes", "2", "--run-dir", "run", "--resume"});
        REQUIRE_EXIT(resumed, 0);
        QVERIFY2(!resumed.errors.contains("passed over"), resumed.words());
        QCOMPARE(place_->stateHash("run"), hash);
        QVERIFY(place_->exists("run/checkpoints/damaged-step-98/model.safetensors"));

        // Trained again, and damaged again: what was put aside before stays.
        flip(*place_, "run/checkpoints/step-98/model.safetensors");
        REQUIRE_EXIT(place_->run({"verify", "run", "--repair"}), 0);
        QVERIFY(place_->exists("run/checkpoints/damaged-step-98-2/model.safetensors"));
    }

    /// Wherever the damage lies: some of it is in batches of steps.
    void stepsThatNoRecordTellsOfAreCounted() {
        const QByteArray whole = place_->read("run/journal");
        constexpr qsizetype kDamaged = 2048;
        int most = 0;
        for (qsizetype begin = 0; begin + 2 * kDamaged < whole.size(); begin += kDamaged) {
            QByteArray journal = whole;
            journal.replace(begin, kDamaged, QByteArray(kDamaged, '\0'));
            place_->write("run/journal", journal);
            const Ended ended = place_->run({"verify", "run", "--json"});
            REQUIRE_EXIT(ended, 1);
            const QJsonObject json = verified(ended);
            QVERIFY(json["damaged_bytes"].toInt() >= kDamaged);
            const int missing = json["missing_steps"].toInt();
            QVERIFY2(missing + json["steps"].toInt() <= 2 * 98, ended.words());
            most = std::max(most, missing);
        }
        QVERIFY(most > 0);
    }

    void checkpointsOfWhichNoneIsGoodStayWhereTheyAre() {
        for (const char* step : {"60", "80", "98"})
            flip(*place_, QString("run/checkpoints/step-%1/model.safetensors").arg(step));
        const Ended repaired = place_->run({"verify", "run", "--repair"});
        REQUIRE_EXIT(repaired, 1);
        QVERIFY2(repaired.output.contains("no checkpoint is good: they stay where they are"),
                 repaired.words());
        QVERIFY(place_->exists("run/checkpoints/step-98"));
    }

    void aRunUnderWayIsReadAndNotRepaired() {
        place_->write("job.toml", longerJob(2000));
        const auto run = place_->start({"run", "job.toml", "--run-dir", "long"});
        QVERIFY(place_->firstCheckpointComes("long"));
        const Ended ended = place_->run({"verify", "long"});
        REQUIRE_EXIT(ended, 0);
        QVERIFY2(ended.output.contains("nothing is damaged; the run is under way"), ended.words());
        const Ended refused = place_->run({"verify", "long", "--repair"});
        REQUIRE_EXIT(refused, 2);
        QVERIFY2(refused.errors.contains("is a run under way"), refused.words());
        QVERIFY(run->signal(SIGINT));
        REQUIRE_EXIT(run->waitForEnd(), 3);
    }
};

QTEST_GUILESS_MAIN(VerifyTest)
#include "tst_verify.moc"
