// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>

#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/models/network.h"
#include "ui/pages/job/graph_legend.h"
#include "ui/pages/job/graph_view.h"
#include "ui/pages/job/layer_tree.h"
#include "ui/widgets/segmented_control.h"

using namespace lockstep;
using namespace lockstep::ui;
using testsupport::settle;
using testsupport::WindowFixture;

namespace {

QString example(const char* name) {
    const auto kImages = QStringLiteral(
        "[data]\ndataset = \"image_folder\"\ndirectory = \"images\"\nimage_size = [32, 32]\n");
    QFile file(QStringLiteral(LOCKSTEP_SOURCE_DIR "/tests/core/model/models/") +
               QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? kImages + QString::fromUtf8(file.readAll()) : QString();
}

const auto kDigits = QStringLiteral("[data]\ndataset = \"digits\"\n[model]\nlayers = [\n");

/// A network alone with its picture.
struct Drawn {
    JobEditor editor;
    Network network{editor};
    GraphView view{network};

    explicit Drawn(const QString& text) {
        editor.open(QStringLiteral("job.toml"), text);
        view.resize(520, 480);
        view.show();
        settle(view);
    }
    /// Of 256 letters.
    void supposeText() {
        network.setFacts(
            model::DataFacts{.input = {256}, .columns = {}, .classes = 65, .vocabulary = 65});
    }
    [[nodiscard]] const GraphBox* box(const char* name) const {
        const auto& boxes = view.picture().boxes;
        const auto found = std::ranges::find(boxes, QLatin1String(name), &GraphBox::name);
        return found == boxes.end() ? nullptr : &*found;
    }
    [[nodiscard]] int layers() const {
        int count = 0;
        for (const GraphBox& box : view.picture().boxes)
            count += box.layers;
        return count;
    }
};

/// "a and b" for two boxes that lie on each other; empty: none do.
QString overlap(const GraphPicture& picture) {
    for (std::size_t i = 0; i < picture.boxes.size(); ++i)
        for (std::size_t j = i + 1; j < picture.boxes.size(); ++j)
            if (picture.boxes[i].rect.intersects(picture.boxes[j].rect))
                return picture.boxes[i].name + QStringLiteral(" and ") + picture.boxes[j].name;
    return {};
}

}  // namespace

class GraphViewTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void everyLayerIsDrawnOnceHoweverBlocksAreFolded_data() {
        QTest::addColumn<QString>("file");
        for (const char* name : {"resnet18-cifar10.toml", "tiny-gpt.toml", "mnist-cnn.toml"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void everyLayerIsDrawnOnceHoweverBlocksAreFolded() {
        QFETCH(const QString, file);
        Drawn drawn(example(file.toLatin1().constData()));
        if (file.contains(QStringLiteral("gpt"))) drawn.supposeText();
        const int layers = int(drawn.network.graph().layers.size());
        QVERIFY2(layers > 10, qPrintable(drawn.network.problem()));
        for (const bool fold : {true, false, true}) {
            drawn.view.foldAll(fold);
            QCOMPARE(drawn.layers(), layers);
            QCOMPARE(overlap(drawn.view.picture()), QString());
        }
    }
    void aResidualsWayPastItsLayersIsBesideThem() {
        Drawn drawn(example("resnet18-cifar10.toml"));
        drawn.view.foldAll(false);
        const GraphBox* body = drawn.box("layer2.0.conv1");
        const GraphBox* past = drawn.box("layer2.0.downsample.0");
        QVERIFY(body && past);
        QCOMPARE(body->rect.top(), past->rect.top());
        QVERIFY(past->rect.left() > body->rect.right());
        QCOMPARE(body->shape, QStringLiteral("16 × 16 × 128"));
        QCOMPARE(past->parameters, qint64(64 * 128));
        // Two edges come into every sum: one of them past the layers.
        int sums = 0;
        for (const GraphBox& box : drawn.view.picture().boxes)
            sums += box.kind == GraphBox::Kind::Sum ? 1 : 0;
        QCOMPARE(sums, 8);
        const auto& lines = drawn.view.picture().lines;
        QVERIFY(std::ranges::count_if(lines, &GraphLine::isAside) >= 8);
    }
    void linesAreTheNetworksOwnEdges() {
        Drawn drawn(kDigits +
                    QStringLiteral("{ type = \"flatten\", name = \"a\" },"
                                   "{ type = \"dense\", name = \"b\", units = 8 },"
                                   "{ type = \"dense\", name = \"c\", input = \"a\", units = 8 },"
                                   "{ type = \"add\", inputs = [\"b\", \"c\"] },"
                                   "{ type = \"dense\", units = 10 }]\n"));
        QVERIFY2(drawn.network.problem().isEmpty(), qPrintable(drawn.network.problem()));
        // data-a, a-b, a-c past b, b-add past c, c-add, add-dense
        QCOMPARE(drawn.view.picture().lines.size(), std::size_t{6});
        const auto aside = std::ranges::count_if(drawn.view.picture().lines, &GraphLine::isAside);
        QCOMPARE(aside, 2);
    }
    void aColumnOfATableIsAnEntryWithItsName() {
        Drawn drawn(example("houses.toml"));
        drawn.network.setFacts(
            model::DataFacts{.input = {8}, .columns = {{"ocean_proximity", {}, 6}}});
        QVERIFY2(drawn.network.problem().isEmpty(), qPrintable(drawn.network.problem()));
        const auto& boxes = drawn.view.picture().boxes;
        QCOMPARE(boxes[1].label, QStringLiteral("ocean_proximity"));
        QCOMPARE(overlap(drawn.view.picture()), QString());
    }
    void keysGoFromBoxToBoxAndAreToldInWords() {
        Drawn drawn(example("resnet18-cifar10.toml"));
        drawn.view.foldAll(true);
        QSignalSpy chosen(&drawn.view, &GraphView::placeChosen);
        QTest::keyClick(&drawn.view, Qt::Key_Home);
        QVERIFY(drawn.view.readout().startsWith(QStringLiteral("data, gives 32 × 32 × 3")));
        QTest::keyClick(&drawn.view, Qt::Key_Down);
        QCOMPARE(chosen.back().front().toString(), QStringLiteral("model.layers[0]"));
        QVERIFY2(drawn.view.accessibleDescription().startsWith(
                     QStringLiteral("conv2d conv1, gives 32 × 32 × 64, 1")),
                 qPrintable(drawn.view.accessibleDescription()));
        QTest::keyClick(&drawn.view, Qt::Key_Down);
        QTest::keyClick(&drawn.view, Qt::Key_Down);
        QVERIFY(drawn.view.readout().startsWith(QStringLiteral("basic layer1.0")));
        QVERIFY(!drawn.box("layer1.0.conv1"));
        QTest::keyClick(&drawn.view, Qt::Key_Return);
        QVERIFY(drawn.box("layer1.0.conv1"));
    }
    void itZoomsByKeysAndFitsItsWidthAgain() {
        Drawn drawn(example("resnet18-cifar10.toml"));
        const double fitted = drawn.view.zoom();
        QTest::keyClick(&drawn.view, Qt::Key_Plus);
        QVERIFY(drawn.view.zoom() > fitted);
        QTest::keyClick(&drawn.view, Qt::Key_Minus);
        QTest::keyClick(&drawn.view, Qt::Key_Minus);
        QVERIFY(drawn.view.zoom() < fitted);
        QTest::keyClick(&drawn.view, Qt::Key_0);
        QCOMPARE(drawn.view.zoom(), fitted);
        drawn.view.resize(900, 480);
        settle(drawn.view);
        QVERIFY(drawn.view.zoom() >= fitted);
    }
    void keysGoOnFromEveryUseOfABlockThatIsRepeated() {
        Drawn drawn(example("resnet18-cifar10.toml"));
        drawn.view.foldAll(false);
        // As the list does, which has one row for all of them.
        connect(&drawn.view, &GraphView::placeChosen, &drawn.view, &GraphView::mark);
        QTest::keyClick(&drawn.view, Qt::Key_Home);
        const auto& boxes = drawn.view.picture().boxes;
        const auto last =
            std::ranges::find(boxes, QStringLiteral("layer3.1.conv2"), &GraphBox::name);
        QVERIFY(last != boxes.end());
        for (auto box = boxes.begin(); box != last; ++box)
            QTest::keyClick(&drawn.view, Qt::Key_Down);
        QVERIFY2(drawn.view.readout().startsWith(QStringLiteral("conv2d layer3.1.conv2")),
                 qPrintable(drawn.view.readout()));
        const QRectF viewport(drawn.view.viewport()->rect());
        QVERIFY(viewport.contains(drawn.view.viewRect(last->rect)));
    }
    void keysStayAtABlockThatIsUnfoldedAndFoldedAgain() {
        Drawn drawn(example("resnet18-cifar10.toml"));
        drawn.view.foldAll(true);
        QTest::keyClick(&drawn.view, Qt::Key_Home);
        const std::size_t boxes = drawn.view.picture().boxes.size();
        for (std::size_t i = 0; i < boxes; ++i)
            if (!drawn.view.readout().startsWith(QStringLiteral("basic layer4.1,")))
                QTest::keyClick(&drawn.view, Qt::Key_Down);
        QTest::keyClick(&drawn.view, Qt::Key_Right);
        QVERIFY2(drawn.view.readout().contains(QStringLiteral("layer4.1.")),
                 qPrintable(drawn.view.readout()));
        QTest::keyClick(&drawn.view, Qt::Key_Left);
        QVERIFY2(drawn.view.readout().startsWith(QStringLiteral("basic layer4.1,")),
                 qPrintable(drawn.view.readout()));
    }
    void whatIsSaidOfTheChosenBoxFollowsTheText() {
        Drawn drawn(kDigits +
                    QStringLiteral("{ type = \"flatten\" }, { type = \"dense\", units = 30 },"
                                   "{ type = \"dense\", units = 10 }]\n"));
        for (const auto key : {Qt::Key_Home, Qt::Key_Down, Qt::Key_Down})
            QTest::keyClick(&drawn.view, key);
        QSignalSpy told(&drawn.view, &GraphView::readoutChanged);
        drawn.editor.setText(
            drawn.editor.text().replace(QLatin1String("units = 30"), QLatin1String("units = 31")));
        QCOMPARE(told.size(), qsizetype(1));
        QVERIFY2(
            told.back().front().toString().startsWith(QStringLiteral("dense layers.1, gives 31,")),
            qPrintable(told.back().front().toString()));
        drawn.editor.open(QStringLiteral("other.toml"), QStringLiteral("[data]\n"));
        QCOMPARE(told.back().front().toString(), QString());
        QCOMPARE(drawn.view.accessibleDescription(), QString());
    }
    void theDataStayChosenWhenTheTextIsEdited() {
        Drawn drawn(example("houses.toml"));
        drawn.network.setFacts(
            model::DataFacts{.input = {8}, .columns = {{"ocean_proximity", {}, 6}}});
        for (const auto& [key, words] :
             {std::pair{Qt::Key_Home, "data, gives 8"}, {Qt::Key_Down, "column, gives"}}) {
            QTest::keyClick(&drawn.view, key);
            QVERIFY2(drawn.view.readout().startsWith(QLatin1String(words)),
                     qPrintable(drawn.view.readout()));
            drawn.editor.setText(drawn.editor.text() + QStringLiteral("# drawn anew\n"));
            QVERIFY2(drawn.view.readout().startsWith(QLatin1String(words)),
                     qPrintable(drawn.view.readout()));
        }
    }
    void whatIsChosenStaysInViewWhenItsWordsTakeRoom() {
        Drawn drawn(example("resnet18-cifar10.toml"));
        drawn.view.foldAll(false);
        const auto& boxes = drawn.view.picture().boxes;
        const auto box = std::ranges::find_if(boxes, [&](const GraphBox& each) {
            return drawn.view.viewRect(each.rect).bottom() > drawn.view.viewport()->height();
        });
        QVERIFY(box != boxes.end());
        QTest::keyClick(&drawn.view, Qt::Key_Home);
        for (auto each = boxes.begin(); each != box; ++each)
            QTest::keyClick(&drawn.view, Qt::Key_Down);
        const QRectF before(drawn.view.viewport()->rect());
        QVERIFY(before.contains(drawn.view.viewRect(box->rect)));
        drawn.view.resize(drawn.view.width(), drawn.view.height() - 60);
        settle(drawn.view);
        const QRectF after(drawn.view.viewport()->rect());
        QVERIFY(after.height() < before.height());
        QVERIFY(after.contains(drawn.view.viewRect(box->rect)));
    }
    void aClickOnEmptyGroundChoosesNothing() {
        Drawn drawn(example("resnet18-cifar10.toml"));
        drawn.view.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&drawn.view));
        drawn.view.clearFocus();
        // Of a text without a network nothing is chosen, nor of the one that follows.
        drawn.editor.open(QStringLiteral("empty.toml"), QStringLiteral("[data]\n"));
        drawn.editor.open(QStringLiteral("job.toml"), example("resnet18-cifar10.toml"));
        QCOMPARE(drawn.view.readout(), QString());
        QTest::mouseClick(drawn.view.viewport(), Qt::LeftButton, {}, QPoint(1, 1));
        QTRY_VERIFY(drawn.view.hasFocus());
        QCOMPARE(drawn.view.readout(), QString());
        drawn.view.clearFocus();
        drawn.view.setFocus(Qt::TabFocusReason);
        QTRY_VERIFY(drawn.view.readout().startsWith(QStringLiteral("data")));
    }
    void dataThatAreNormalisedAreOneEntry() {
        Drawn drawn(
            QStringLiteral("[data]\ndataset = \"image_folder\"\ndirectory = \"images\"\n"
                           "image_size = [16, 16]\n[model]\nlayers = ["
                           "{ type = \"flatten\" }, { type = \"dense\", units = 4 }]\n"));
        drawn.network.setFacts(model::DataFacts{.input = {16, 16, 3},
                                                .inputScale = {2, 2, 2},
                                                .inputOffset = {-1, -1, -1},
                                                .classes = 4});
        QVERIFY2(drawn.network.problem().isEmpty(), qPrintable(drawn.network.problem()));
        QCOMPARE(drawn.view.picture().boxes.size(), std::size_t{3});
        QCOMPARE(drawn.view.picture().lines.size(), std::size_t{2});
        QVERIFY(!drawn.view.picture().lines.front().isAside);
    }
    void aNetworkOfBlocksThatDoesNotFitItsDataIsDrawnAsItIs() {
        Drawn drawn(
            QStringLiteral("[data]\ndataset = \"digits\"\n[model]\nlayers = ["
                           "{ type = \"flatten\" }, { block = \"pair\" },"
                           "{ type = \"dense\", units = 7 }]\n"
                           "[model.defaults.dense]\nactivation = \"relu\"\n"
                           "[model.blocks.pair]\nlayers = ["
                           "{ type = \"dense\", units = 8 }, { residual = ["
                           "{ type = \"dense\", units = 8 }] }]\n"));
        QVERIFY(drawn.editor.problemOf(QStringLiteral("model")) != nullptr);
        QCOMPARE(drawn.network.problem(), QString());
        QCOMPARE(drawn.layers(), 5);
        // An entry that is none is missing in the picture, which says so.
        drawn.editor.setText(drawn.editor.text().replace(QLatin1String("{ residual = ["),
                                                         QLatin1String("7, { residual = [")));
        QVERIFY(!drawn.network.problem().isEmpty());
    }
    void samplesAreSaidInWords() {
        Drawn drawn(example("houses.toml"));
        drawn.network.setFacts(
            model::DataFacts{.input = {8}, .columns = {{"ocean_proximity", {}, 6}}});
        QCOMPARE(drawn.network.dataWords(),
                 QStringLiteral("8 numbers and the column ocean_proximity"));
    }
    void aMistakeLeavesTheLastPictureAndSaysSo() {
        Drawn drawn(kDigits + QStringLiteral("{ type = \"flatten\" },"
                                             "{ type = \"dense\", units = 10 }]\n"));
        QCOMPARE(drawn.view.picture().boxes.size(), std::size_t{3});
        drawn.editor.setText(
            drawn.editor.text().replace(QLatin1String("units = 10"), QLatin1String("unit = 10")));
        QCOMPARE(drawn.view.picture().boxes.size(), std::size_t{3});
        QVERIFY2(drawn.network.problem().contains(QStringLiteral("unit")),
                 qPrintable(drawn.network.problem()));
    }
    void chosenInThePictureIsChosenInTheListAndBack() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        fixture.editor().setText(example("resnet18-cifar10.toml"));
        auto* view = fixture.find<GraphView>("graphView");
        auto* tree = fixture.find<LayerTree>("layerTree");
        view->foldAll(false);
        settle(fixture.window());
        const auto& boxes = view->picture().boxes;
        const auto box =
            std::ranges::find(boxes, QStringLiteral("layer1.0.conv2"), &GraphBox::name);
        QVERIFY(box != boxes.end());
        view->verticalScrollBar()->setValue(int(box->rect.top() * view->zoom()) - 40);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {},
                          view->viewRect(box->rect).center().toPoint());
        QCOMPARE(config::toString(tree->chosen()),
                 std::string("model.blocks.basic.layers[0].residual[2]"));
        view->verticalScrollBar()->setValue(view->verticalScrollBar()->maximum());
        tree->choose({"model", "layers", std::size_t{0}});
        QVERIFY(view->verticalScrollBar()->value() < 200);
    }
    void twoHundredLayersAreLaidOutAtOnce() {
        QString text = kDigits + QStringLiteral("{ type = \"flatten\" },");
        for (int i = 0; i < 100; ++i)
            text += QStringLiteral(
                "{ residual = [{ type = \"dense\", units = 784, activation = \"relu\" }] },\n");
        Drawn drawn(text + QStringLiteral("{ type = \"dense\", units = 10 }]\n"));
        QCOMPARE(drawn.layers(), 202);
        QCOMPARE(overlap(drawn.view.picture()), QString());
        QElapsedTimer timer;
        timer.start();
        drawn.view.foldAll(false);
        const QImage image = drawn.view.grab().toImage();
        // Half a second would be felt; it takes a few milliseconds.
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(!image.isNull());
    }
    void sharesOfAWholeAreThoseOfTheBoxesAndOfWhatTheyFold() {
        Drawn drawn(kDigits + QStringLiteral("  { type = \"dense\", units = 30 },\n"
                                             "  { type = \"dense\", units = 10 },\n]\n"));
        drawn.view.showShares({3.0, 1.0}, QStringLiteral("ms"));
        QCOMPARE(drawn.box("layers.0")->share, 0.75);
        QCOMPARE(drawn.box("layers.1")->part, 1.0);
        double whole = 0;
        for (const GraphBox& box : drawn.view.picture().boxes)
            whole += box.share;
        QCOMPARE(whole, 1.0);
        drawn.view.setFocus();
        QTest::keyClick(&drawn.view, Qt::Key_End);
        QVERIFY2(drawn.view.readout().contains(QStringLiteral("ms")) &&
                     drawn.view.readout().contains(QStringLiteral("of all")),
                 qPrintable(drawn.view.readout()));
    }
    void theLegendSwitchesBetweenSizesOperationsAndMeasuredTime() {
        Drawn drawn(kDigits + QStringLiteral("  { type = \"dense\", units = 30 },\n"
                                             "  { type = \"dense\", units = 10 },\n]\n"));
        GraphLegend legend(drawn.editor, drawn.network, drawn.view);
        legend.setMeasure([](const model::Graph& graph, int samples) {
            job::LayerTimes times{.samples = samples};
            times.milliseconds.assign(graph.layers.size(), 2.0);
            return Result<job::LayerTimes>(times);
        });
        legend.show();
        auto* mode = legend.findChild<SegmentedControl*>();
        auto* words = legend.findChild<QLabel*>(QStringLiteral("graphWords"));
        mode->setCurrent(1);
        QVERIFY(drawn.box("layers.0")->share > 0.9);  // of 784 inputs
        mode->setCurrent(2);
        QVERIFY(QTest::qWaitFor([&] { return drawn.box("layers.0")->share > 0; }, 5000));
        QCOMPARE(drawn.box("layers.0")->share, 0.5);
        QVERIFY2(words->text().contains(QStringLiteral("a step of 32 samples")),
                 qPrintable(words->text()));
        drawn.editor.setText(
            drawn.editor.text().replace(QStringLiteral("30"), QStringLiteral("31")));
        QCOMPARE(drawn.box("layers.0")->share, 0.0);
        QVERIFY2(words->text().contains(QStringLiteral("has changed")), qPrintable(words->text()));
    }
};

QTEST_MAIN(GraphViewTest)
#include "tst_graph_view.moc"
