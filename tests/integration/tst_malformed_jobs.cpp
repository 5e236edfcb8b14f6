// SPDX-License-Identifier: Apache-2.0
// Networks and data sets with one mistake each, as a user meets them: `lockstepctl run` refuses
// them with status 2 and one clear sentence, before anything trains.
#include <QtTest>

#include "tests/core/data/bad_sources.h"
#include "tests/core/model/model_mistakes.h"
#include "tests/integration/workplace.h"

using namespace lockstep;
using namespace lockstep::tests;

namespace {

/// "3:10 model.layers[0] …" as the place in the file and the sentence behind it; the place is empty
/// where none is expected.
struct Expected {
    QString place;
    QString sentence;
};

Expected expectationOf(const char* text) {
    static const QRegularExpression place(QStringLiteral(R"(^(\d+:\d+) )"));
    const QString all = QString::fromUtf8(text);
    const auto match = place.match(all);
    if (!match.hasMatch()) return {{}, all};
    return {"job.toml:" + match.captured(1) + ":", all.mid(match.capturedEnd())};
}

/// `text`: of model::test::Mistake. It comes first, so that its lines are the file's.
QByteArray jobOfModel(const std::string& text) {
    const bool isWhole = text.find("[model") != std::string::npos;
    const std::string model = isWhole ? text : "[model]\nlayers = [\n" + text + "\n]\n";
    return QByteArray::fromStdString(model) +
           "\n[data]\ndataset = \"digits\"\n[cluster]\nevaluator = false\n";
}

QByteArray jobOfData(const std::string& lines) {
    const bool isText = lines.find("\"text\"") != std::string::npos;
    const bool isPictures = lines.find("\"image_folder\"") != std::string::npos ||
                            lines.find("\"mnist\"") != std::string::npos ||
                            lines.find("y = \"string_categorical\"") != std::string::npos;
    const QByteArray layers =
        isText       ? "{ type = \"embedding\", input_dim = \"vocabulary\", output_dim = 4 }, "
                       "{ units = \"vocabulary\" }"
        : isPictures ? "{ type = \"flatten\" }, { units = \"classes\" }"
                     : "{ units = 1 }";
    return "[model]\nlayers = [" + layers +
           "]\n[cluster]\nevaluator = false\n[training]\nglobal_batch_size = 2\n[data]\n" +
           QByteArray::fromStdString(lines);
}

/// A job file's keys are checked together: this one is unknown there already.
const char* wordsOf(const model::test::Mistake& mistake) {
    return mistake.name == std::string_view("key of the model")
               ? "3:1 there is no key \"model.layer\", did you mean model.layers?"
               : mistake.expected;
}

/// What the job file's own rules say first of what no file is needed to see.
QString wordsOf(const data::test::BadSource& bad) {
    static const QMap<QString, QString> atLint{
        {"no targets", "data.targets is missing, but the data set \"arrays\" needs it"},
        {"no size", "data.image_size is missing, but the data set \"image_folder\" needs it"},
        {"no inputs", "data.inputs is missing, but the data set \"arrays\" needs it"},
    };
    return atLint.value(bad.name, QString::fromUtf8(bad.words));
}

}  // namespace

class MalformedJobsTest : public QObject {
    Q_OBJECT

private:
    static Workplace* newPlace() {
        auto* place = new Workplace;
        place->setEnvironment("XDG_CACHE_HOME", place->path("cache"));
        return place;
    }
    /// One line that begins with `error: `, with `expected` in it; help that is not longer than
    /// four lines; nothing on standard output; and nothing trained.
    static void refuses(const Workplace& place, const Expected& expected) {
        const Ended ended = place.run({"run", "job.toml", "--run-dir", "out"});
        REQUIRE_EXIT(ended, 2);
        const QStringList errors = errorsOf(ended);
        QVERIFY2(errors.size() == 1, ended.words());
        // Files are named in full.
        const QString sentence = QString(errors[0]).remove(place.path(".").chopped(1));
        QVERIFY2(sentence.contains(expected.sentence), ended.words());
        QVERIFY2(sentence.contains(expected.place), ended.words());
        QVERIFY2(remedyOf(ended).size() <= 4, ended.words());
        QVERIFY2(ended.output.isEmpty(), ended.words());
        QVERIFY(!place.exists("out/checkpoints/LATEST"));
        QVERIFY(!place.exists("out/summary.json") ||
                place.summary("out")["status"].toString() == "failed");
    }

private slots:
    void thereAreEnoughOfThem() {
        using namespace model::test;
        const std::size_t models = wordsAndValues().size() + references().size() + shapes().size();
        QVERIFY2(models + data::test::badSources().size() >= 230,
                 qPrintable(QString::number(models + data::test::badSources().size())));
    }

    void networksAreRefused_data() {
        using namespace model::test;
        QTest::addColumn<QByteArray>("job");
        QTest::addColumn<QByteArray>("words");
        for (const auto& list : {wordsAndValues(), references(), shapes()})
            for (const Mistake& mistake : list)
                QTest::newRow(mistake.name)
                    << jobOfModel(mistake.text) << QByteArray(wordsOf(mistake));
    }
    void networksAreRefused() {
        QFETCH(QByteArray, job);
        QFETCH(QByteArray, words);
        const std::unique_ptr<Workplace> place(newPlace());
        place->write("job.toml", job);
        refuses(*place, expectationOf(words.constData()));
    }

    void dataAreRefused_data() {
        QTest::addColumn<int>("index");
        const auto all = data::test::badSources();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::addRow("%zu %s", i, all[i].name) << static_cast<int>(i);
    }
    void dataAreRefused() {
        static const data::test::BadSources all = data::test::badSources();
        QFETCH(int, index);
        const data::test::BadSource& bad = all[static_cast<std::size_t>(index)];
        const std::unique_ptr<Workplace> place(newPlace());
        for (const auto& [name, content] : bad.files) {
            const QString path = QString::fromStdString(name);
            QDir().mkpath(QFileInfo(place->path(path)).path());
            place->write(path, QByteArray::fromStdString(content));
        }
        place->write("job.toml", jobOfData(bad.job));
        refuses(*place, {{}, wordsOf(bad)});
    }
};

QTEST_GUILESS_MAIN(MalformedJobsTest)
#include "tst_malformed_jobs.moc"
