// SPDX-License-Identifier: Apache-2.0
// Jobs on images in folders, as a user runs them.
#include <QtTest>

#include "tests/integration/workplace.h"
#include "tests/support/image_files.h"

using namespace lockstep::tests;

namespace {

const QByteArray kShapes = R"([job]
name = "shapes"
[cluster]
num_processes = 2
evaluator = true
[data]
dataset = "image_folder"
directory = "shapes"
image_size = [16, 16]
validation_samples = 60
[model]
layers = [
  { type = "conv2d", filters = 8, kernel_size = 3, padding = "same", activation = "relu" },
  { type = "max_pooling2d", pool_size = 2 },
  { type = "conv2d", filters = 8, kernel_size = 3, padding = "same", activation = "relu" },
  { type = "global_average_pooling2d" },
  { type = "dense", units = "classes" },
]
[training]
global_batch_size = 32
epochs = 12
learning_rate = 0.02
seed = 1
)";

/// A shape of its class somewhere on a dark ground: red discs, green squares, blue bars of the
/// same size.
Pixels shapeOf(int kind, int number) {
    constexpr int kSide = 20;
    const int top = 4 + number * 7 % 11;
    const int left = 4 + number * 5 % 12;
    Pixels pixels;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const int down = y - top;
            const int right = x - left;
            const bool isInside = kind == 0   ? down * down + right * right <= 16
                                  : kind == 1 ? std::abs(down) <= 3 && std::abs(right) <= 3
                                              : std::abs(down) <= 1 && std::abs(right) <= 6;
            for (int c = 0; c < 3; ++c)
                pixels.push_back(static_cast<std::uint8_t>(
                    isInside && c == kind ? 180 + number % 60 : 20 + (x * y + number) % 17));
        }
    }
    return pixels;
}

void writeShapes(const Workplace& place) {
    const char* const names[] = {"disc", "square", "bar"};
    for (int kind = 0; kind < 3; ++kind) {
        const QString folder = QStringLiteral("shapes/%1").arg(names[kind]);
        QDir().mkpath(place.path(folder));
        for (int i = 0; i < 100; ++i) {
            const Pixels pixels = shapeOf(kind, i);
            const std::string file = i % 2 == 0 ? pngOf(20, 20, pixels) : jpegOf(20, 20, pixels);
            place.write(
                QStringLiteral("%1/%2.%3").arg(folder).arg(i).arg(i % 2 == 0 ? "png" : "JPG"),
                QByteArray::fromStdString(file));
        }
    }
    place.write("job.toml", kShapes);
}

}  // namespace

class ImageFolderJobTest : public QObject {
    Q_OBJECT

private slots:
    void aNetworkLearnsColouredShapesOfFolders() {
        Workplace place;
        place.setEnvironment("XDG_CACHE_HOME", place.path("cache"));
        writeShapes(place);
        const Ended linted = place.run({"lint", "job.toml", "--model"});
        REQUIRE_EXIT(linted, 0);
        // 8 filters of 3 x 3 x 3 and as many biases: there are three channels.
        QVERIFY2(linted.output.contains("  224  "), linted.output.constData());
        const Ended run = place.run({"run", "job.toml", "--run-dir", "run"});
        REQUIRE_EXIT(run, 0);
        const QJsonObject summary = place.summary("run");
        const double accuracy = summary["test_accuracy"].toDouble();
        QVERIFY2(accuracy > 0.9, QJsonDocument(summary).toJson().constData());
        QVERIFY(place.nothingRunsSoon());

        // Images that it has not seen, larger ones among them, without the folders it learned from.
        QVERIFY(QDir(place.path("shapes")).removeRecursively());
        place.write("red.png", QByteArray::fromStdString(pngOf(20, 20, shapeOf(0, 131))));
        place.write("blue.jpg", QByteArray::fromStdString(jpegOf(20, 20, shapeOf(2, 137))));
        const Ended asked = place.run({"predict", "run", "red.png", "blue.jpg", "--top", "1"});
        REQUIRE_EXIT(asked, 0);
        QVERIFY2(
            asked.output.contains("red.png   disc ") && asked.output.contains("blue.jpg  bar "),
            asked.output.constData());
        place.write("no.png", "no image");
        const Ended partly =
            place.run({"predict", "run", "no.png", "blue.jpg", "gone.png", "--json", "--top", "2"});
        REQUIRE_EXIT(partly, 1);
        QCOMPARE(errorsOf(partly), QStringList("2 of 3 inputs could not be predicted"));
        QVERIFY2(partly.errors.contains("warning: no.png is neither a JPEG nor a PNG image"),
                 partly.words().constData());
        const QJsonArray list = QJsonDocument::fromJson(partly.output).array();
        QCOMPARE(list.size(), 3);
        QVERIFY(list[0]["error"].toString().contains("no.png"));
        QCOMPARE(list[1]["file"].toString(), QString("blue.jpg"));
        QCOMPARE(list[1]["classes"].toArray().size(), 2);
        QCOMPARE(list[1]["classes"][0]["class"].toString(), QString("bar"));
        QVERIFY(list[2]["error"].toString().contains("gone.png"));
    }

    void aBrokenImageEndsTheStartAndIsNamedUnlessItIsSkipped() {
        Workplace place;
        place.setEnvironment("XDG_CACHE_HOME", place.path("cache"));
        writeShapes(place);
        place.write("shapes/bar/broken.png", "no image");
        const Ended refused = place.run({"run", "job.toml", "--run-dir", "one"});
        QVERIFY(!refused.exitedWith(0));
        QVERIFY2(refused.errors.contains("bar/broken.png is neither a JPEG nor a PNG image"),
                 refused.words().constData());
        const Ended run = place.run({"run", "job.toml", "--run-dir", "two", "--set",
                                     "data.on_error=skip", "--set", "training.epochs=1"});
        REQUIRE_EXIT(run, 0);
        QVERIFY(place.read("two/logs/process-0.log").contains("1 of 301 images cannot be read"));
    }

    void theWindowsStarterWantsAFolderAndTrainsOnIt() {
        Workplace place;
        place.setEnvironment("XDG_CACHE_HOME", place.path("cache"));
        writeShapes(place);
        const QString starter = LOCKSTEP_SOURCE_DIR "/resources/starters/images.toml";
        const Ended linted = place.run({"lint", starter});
        REQUIRE_EXIT(linted, 2);
        QVERIFY2(linted.words().contains("data.directory is missing"), linted.words().constData());
        QVERIFY2(!linted.errors.contains("also: ") && !linted.errors.contains("warning: "),
                 linted.words().constData());
        REQUIRE_EXIT(place.run({"run", starter, "--set", "data.directory=" + place.path("shapes"),
                                "--set", "data.image_size=[32, 32]", "--set", "training.epochs=1",
                                "--run-dir", "run"}),
                     0);
        QVERIFY(place.summary("run").contains("test_accuracy"));
    }

    void lintSeesAModelThatDoesNotFitTheClasses() {
        const Workplace place;
        writeShapes(place);
        QByteArray job = kShapes;
        place.write("job.toml", job.replace("\"classes\"", "5"));
        const Ended linted = place.run({"lint", "job.toml"});
        QVERIFY2(linted.errors.contains("the data has 3 classes"), linted.words().constData());
        place.write("job.toml", job.replace("\"shapes\"\nimage", "\"nowhere\"\nimage"));
        const Ended missing = place.run({"lint", "job.toml"});
        QVERIFY2(missing.errors.contains("data.directory: there is no directory"),
                 missing.words().constData());
    }
};

QTEST_GUILESS_MAIN(ImageFolderJobTest)
#include "tst_image_folder_job.moc"
