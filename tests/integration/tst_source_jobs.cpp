// SPDX-License-Identifier: Apache-2.0
// Jobs on tables, texts and arrays whose files stand beside the job file, as a user runs them.
#include <QtTest>

#include "tests/core/data/bad_pieces.h"
#include "tests/integration/workplace.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

/// The rest of a job whose network gives one number or a token a position.
QByteArray jobOf(const QByteArray& data, const QByteArray& model) {
    return "[job]\nname = \"source\"\n[cluster]\nevaluator = true\n[data]\n" + data +
           "[model]\nlayers = [" + model +
           "]\n[training]\nglobal_batch_size = 16\nepochs = 2\nlearning_rate = 0.01\nseed = 1\n";
}

QByteArray rowsOf(double scale) {
    QByteArray rows = "x,y\n";
    for (int i = 0; i < 200; ++i)
        rows += QByteArray::number(i * scale) + "," + QByteArray::number(2 * i) + "\n";
    return rows;
}

/// A .npy file of float32, rows x columns.
QByteArray arrayOf(int rows, int columns, double scale) {
    QByteArray header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                        QByteArray::number(rows) + ", " + QByteArray::number(columns) + "), }";
    while ((10 + header.size() + 1) % 64 != 0)
        header += ' ';
    header += '\n';
    QByteArray file("\x93NUMPY\x01\x00", 8);
    file += static_cast<char>(header.size() & 0xFF);
    file += static_cast<char>(header.size() >> 8);
    file += header;
    for (int i = 0; i < rows * columns; ++i) {
        const auto value = static_cast<float>(i % 17 * scale);
        file += QByteArray(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return file;
}

}  // namespace

class SourceJobs : public QObject {
    Q_OBJECT

private slots:
    void aRunIsEvaluatedAndResumedFromItsOwnFolder_data() {
        QTest::addColumn<QByteArray>("job");
        const QByteArray dense = "{ type = \"dense\", units = 1 }";
        QTest::newRow("table") << jobOf(
            "dataset = \"table\"\nfiles = [\"sets/t.csv\"]\ntarget = \"y\"\nvalidation_split = "
            "0.2\nfeatures = { x = \"float_normalized\" }\n",
            dense);
        QTest::newRow("text") << jobOf(
            "dataset = \"text\"\nfiles = [\"sets/t.txt\"]\nsequence_length = 8\n"
            "validation_split = 0.2\n",
            "{ type = \"embedding\", input_dim = \"vocabulary\", output_dim = 8 }, "
            "{ type = \"dense\", units = \"vocabulary\" }");
        QTest::newRow("arrays") << jobOf(
            "dataset = \"arrays\"\ninputs = \"sets/x.npy\"\ntargets = \"sets/y.npy\"\n"
            "validation_split = 0.2\n",
            dense);
    }
    void aRunIsEvaluatedAndResumedFromItsOwnFolder() {
        QFETCH(QByteArray, job);
        Workplace place;
        writeSets(place, 1);
        place.write("job.toml", job);
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "runs/one"}), 0);
        const Ended scored = place.run({"evaluate", "runs/one"});
        REQUIRE_EXIT(scored, 0);
        QVERIFY2(scored.output.contains("validation loss"), scored.output.constData());
        REQUIRE_EXIT(place.run({"run", "runs/one/job.toml", "--run-dir", "runs/one", "--resume",
                                "--set", "training.epochs=3"}),
                     0);

        // Other files are other data: a score on them would say nothing about this network.
        writeSets(place, 3);
        const Ended refused = place.run({"evaluate", "runs/one"});
        QVERIFY(!refused.exitedWith(0));
        QVERIFY2(refused.errors.contains("was trained on other data"), refused.errors.constData());
    }

    void whatATerminalWouldObeyIsNotWrittenToIt() {
        Workplace place;
        writeSets(place, 1);
        place.write("job.toml",
                    jobOf("dataset = \"text\"\nfiles = [\"sets/t.txt\"]\nsequence_length = 8\n"
                          "validation_split = 0.2\n",
                          "{ type = \"embedding\", input_dim = \"vocabulary\", output_dim = 8 }, "
                          "{ type = \"dense\", units = \"vocabulary\" }"));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "run"}), 0);
        const Ended said =
            place.run({"predict", "run", "--prompt", "\x1b[31mred\a", "--tokens", "4"});
        REQUIRE_EXIT(said, 0);
        QVERIFY(said.output.contains("red"));
        QVERIFY(!said.output.contains('\x1b') && !said.output.contains('\a'));

        QByteArray rows = "x,y\n";
        for (int i = 0; i < 40; ++i)
            rows += QByteArray::number(i) + (i % 2 == 0 ? ",\x1b[31mred\n" : ",blue\n");
        place.write("sets/c.csv", rows);
        place.write("table.toml",
                    jobOf("dataset = \"table\"\nfiles = [\"sets/c.csv\"]\ntarget = \"y\"\n"
                          "validation_split = 0.2\n"
                          "features = { x = \"float\", y = \"string_categorical\" }\n",
                          "{ type = \"dense\", units = \"classes\" }"));
        const Ended classes = place.run({"data", "table.toml"});
        REQUIRE_EXIT(classes, 0);
        QVERIFY(classes.output.contains("red") && !classes.output.contains('\x1b'));
    }

    void aTextIsContinuedWhole() {
        Workplace place;
        writeSets(place, 1);
        place.write("job.toml",
                    jobOf("dataset = \"text\"\nfiles = [\"sets/t.txt\"]\nsequence_length = 8\n"
                          "validation_split = 0.2\ntokenizer = \"characters\"\n",
                          "{ type = \"embedding\", input_dim = \"vocabulary\", output_dim = 8 }, "
                          "{ type = \"dense\", units = \"vocabulary\" }"));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "run"}), 0);
        const Ended unknown = place.run({"predict", "run", "--prompt", "to @", "--tokens", "2"});
        REQUIRE_EXIT(unknown, 0);
        QVERIFY2(unknown.errors.contains("--prompt: 1 character of it is not in the vocabulary and "
                                         "left out: "),
                 unknown.errors.constData());
        const Ended top = place.run({"predict", "run", "--prompt", "to", "--top", "2"});
        QVERIFY(top.exitedWith(2) &&
                top.errors.contains("--top is for networks that tell classes"));
        const QByteArray longLine(70'000, 'e');  // of a line
        place.write("prompt.txt", longLine);
        const Ended whole = place.run({"predict", "run", "prompt.txt", "--tokens", "3"});
        REQUIRE_EXIT(whole, 0);
        QVERIFY(whole.output.size() >= longLine.size() + 3);
    }

    void aTextOfPiecesIsContinuedWhereItsModelIsNot() {
        const Workplace place;
        QVERIFY(QDir().mkpath(place.path("sets")));
        QByteArray text;
        for (int i = 0; i < 300; ++i)
            text += "to be or bot to be\n";
        place.write("sets/t.txt", text);
        place.write("sets/m.model", QByteArray::fromStdString(data::test::modelFile()));
        place.write("job.toml",
                    jobOf("dataset = \"text\"\nfiles = [\"sets/t.txt\"]\nsequence_length = 8\n"
                          "validation_split = 0.2\ntokenizer = \"sets/m.model\"\n",
                          "{ type = \"embedding\", input_dim = \"vocabulary\", output_dim = 8 }, "
                          "{ type = \"dense\", units = \"vocabulary\" }"));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "runs/one"}), 0);
        const QStringList question{"--prompt", "to be", "--tokens", "5", "--seed", "1"};
        const Ended before = place.run(QStringList{"predict", "runs/one"} + question);
        REQUIRE_EXIT(before, 0);

        // As on another machine.
        QVERIFY(QDir().rename(place.path("runs"), place.path("moved")));
        QVERIFY(QDir(place.path("sets")).removeRecursively());
        const Ended after = place.run(QStringList{"predict", "moved/one"} + question);
        REQUIRE_EXIT(after, 0);
        QCOMPARE(after.output, before.output);
    }

    void aTableWithOtherColumnsIsRefusedWithTheOnesItHas() {
        Workplace place;
        writeSets(place, 1);
        place.write("job.toml",
                    jobOf("dataset = \"table\"\nfiles = [\"sets/t.csv\"]\ntarget = \"y\"\n"
                          "validation_split = 0.2\nfeatures = { x = \"float_normalized\" }\n",
                          "{ type = \"dense\", units = 1 }"));
        REQUIRE_EXIT(place.run({"run", "job.toml", "--run-dir", "run"}), 0);
        place.write("q.csv", "z\n1\n");
        const Ended refused = place.run({"predict", "run", "q.csv"});
        QVERIFY(refused.exitedWith(1));
        QVERIFY2(refused.errors.contains("q.csv: it has no column x") &&
                     refused.errors.contains("Its columns are z."),
                 refused.errors.constData());
    }

    void theWindowsStartersTrainAsTheyAre() {
        Workplace place;
        const QString starters = LOCKSTEP_SOURCE_DIR "/resources/starters/";
        REQUIRE_EXIT(place.run({"run", starters + "houses.toml", "--set", "training.epochs=5",
                                "--run-dir", "houses"}),
                     0);
        const double error = place.summary("houses")["validation_mean_absolute_error"].toDouble();
        QVERIFY2(error > 0 && error < 150'000,
                 qPrintable(QString::number(error)));  // untrained: 200,000
        REQUIRE_EXIT(place.run({"run", starters + "tiny-gpt.toml", "--set", "training.steps=6",
                                "--run-dir", "text"}),
                     0);
    }

    void eachProcessTrainsOnTheFilesThatItIsDealt() {
        Workplace place;
        place.write("a.csv", rowsOf(1));
        QByteArray few = rowsOf(1);
        few.truncate(few.indexOf("\n20,") + 1);  // 20 of the 200 rows
        place.write("b.csv", few);
        const auto job = [](const QByteArray& policy) {
            return "[cluster]\nevaluator = false\n[data]\ndataset = \"table\"\nfiles = "
                   "[\"a.csv\", \"b.csv\"]\ntarget = \"y\"\ntarget_scale = 0.01\nfeatures = { x "
                   "= \"float_normalized\" }\nauto_shard = \"" +
                   policy +
                   "\"\n[model]\nlayers = [{ type = \"dense\", units = 1 }]\n[training]\n"
                   "global_batch_size = 8\nepochs = 2\nlearning_rate = 0.01\nseed = 1\n";
        };
        place.write("file.toml", job("file"));
        place.write("data.toml", job("data"));
        REQUIRE_EXIT(place.run({"run", "file.toml", "--run-dir", "file", "--processes", "2"}), 0);
        REQUIRE_EXIT(place.run({"run", "data.toml", "--run-dir", "data", "--processes", "2"}), 0);
        REQUIRE_EXIT(place.run({"run", "file.toml", "--run-dir", "alone", "--processes", "1"}), 0);
        const auto stepsOf = [&place](const char* run) {
            return place.summary(run)["steps"].toInt();
        };
        QCOMPARE(stepsOf("data"), 2 * 25);  // 198 rows are trained on, 8 a step
        QVERIFY2(stepsOf("file") >= 2 * 43 && stepsOf("file") <= 2 * 48,
                 qPrintable(QString::number(stepsOf("file"))));  // a.csv's by 4
        QVERIFY(place.summary("file")["state_hash"] != place.summary("data")["state_hash"]);
        QCOMPARE(stepsOf("alone"), 2 * 25);
        const Ended resumed = place.run({"run", "file.toml", "--run-dir", "file", "--resume",
                                         "--processes", "1", "--set", "training.epochs=3"});
        REQUIRE_EXIT(resumed, 2);
        QVERIFY2(resumed.errors.contains("out to 2 processes; the job deals them out to 1"),
                 resumed.words().constData());
    }

private:
    static void writeSets(Workplace& place, int scale) {
        QDir().mkpath(place.path("sets"));
        place.write("sets/t.csv", rowsOf(scale));
        QByteArray text;
        for (int i = 0; i < 300; ++i)
            text += "to be or not to be " + QByteArray::number(i * scale) + "\n";
        place.write("sets/t.txt", text);
        place.write("sets/x.npy", arrayOf(200, 3, scale));
        place.write("sets/y.npy", arrayOf(200, 1, scale));
    }
};

QTEST_GUILESS_MAIN(SourceJobs)
#include "tst_source_jobs.moc"
