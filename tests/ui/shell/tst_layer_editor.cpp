// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "core/model/description/layer_table.h"
#include "tests/ui/shell/window_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/models/layer_options.h"
#include "ui/models/layer_tree_model.h"
#include "ui/pages/job/layer_tree.h"
#include "ui/style/units.h"

using namespace lockstep;
using namespace lockstep::ui;
using config::TomlPath;
using config::operator/;
using testsupport::settle;
using testsupport::WindowFixture;

namespace {

const TomlPath kLayers{"model", "layers"};

QString example(const char* name) {
    const auto kImages = QStringLiteral(
        "[data]\ndataset = \"image_folder\"\ndirectory = \"images\"\nimage_size = [32, 32]\n");
    QFile file(QStringLiteral(LOCKSTEP_SOURCE_DIR "/tests/core/model/models/") +
               QLatin1String(name));
    return file.open(QIODevice::ReadOnly) ? kImages + QString::fromUtf8(file.readAll()) : QString();
}

const auto kSmall = QStringLiteral(
    "[data]\ndataset = \"digits\"\n"
    "[model]\n"
    "layers = [  # a small network\n"
    "  { type = \"conv2d\", name = \"stem\", filters = 4, kernel_size = 3 },  # first\n"
    "  { residual = [\n"
    "      { type = \"dropout\", rate = 0.5 },  # inside\n"
    "    ] },\n"
    "  { type = \"flatten\" },\n"
    "  { type = \"dense\", units = \"classes\" },\n"
    "]\n");

/// A window with a job, and its outline.
struct Opened {
    WindowFixture fixture;
    LayerTree* tree = nullptr;
    LayerTreeModel* model = nullptr;

    explicit Opened(const QString& text) {
        if (!fixture.showExample()) return;
        fixture.editor().setText(text);
        tree = fixture.find<LayerTree>("layerTree");
        model = qobject_cast<LayerTreeModel*>(tree->model());
    }
    [[nodiscard]] QString text() { return fixture.editor().text(); }
    template <typename Field>
    [[nodiscard]] Field* option(const char* name) {
        // One that was replaced waits for its deletion.
        for (Field* field : fixture.window().findChildren<Field*>(QStringLiteral("layerOption ") +
                                                                  QLatin1String(name)))
            if (!field->isHidden() && field->isVisible()) return field;
        return nullptr;
    }
    void click(const char* name) { fixture.find<QAbstractButton>(name)->click(); }
    /// Of the menu behind Add.
    void addBy(const QString& words) {
        auto* menu = fixture.find<QMenu>("addLayerMenu");
        Q_EMIT menu->aboutToShow();
        for (QAction* action : menu->findChildren<QAction*>())
            if (action->text() == words) return action->trigger();
        for (const QMenu* group : menu->findChildren<QMenu*>())
            for (QAction* action : group->actions())
                if (action->text() == words) return action->trigger();
        QFAIL(qPrintable(words));
    }
};

/// A line a row, indented as deep as it is.
void listRows(const QAbstractItemModel& model, const QModelIndex& parent, int depth,
              QStringList& lines) {
    for (int i = 0; i < model.rowCount(parent); ++i) {
        const QModelIndex index = model.index(i, 0, parent);
        lines << QString(depth, QLatin1Char(' ')) + index.data().toString();
        listRows(model, index, depth + 1, lines);
    }
}

QStringList rowsOf(const QAbstractItemModel& model) {
    QStringList lines;
    listRows(model, {}, 0, lines);
    return lines;
}

}  // namespace

class LayerEditorTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void theChosenRowIsRoundAtBothEnds() {
        WindowFixture fixture;
        QVERIFY(fixture.showExample());
        auto* tree = fixture.find<LayerTree>("layerTree");
        tree->choose({"model", "layers", std::size_t{0}});
        settle(fixture.window());
        const QRect row = tree->visualRect(tree->currentIndex());
        const QImage picture = tree->viewport()->grab().toImage();
        const int bottom = row.top() + row.height() - 1;
        QCOMPARE(picture.pixel(0, bottom), picture.pixel(tree->viewport()->width() - 1, bottom));
        QVERIFY(picture.pixel(0, bottom) != picture.pixel(8, row.center().y()));
    }
    void aNetworkIsShownAsItIsWritten() {
        Opened opened(example("resnet18-cifar10.toml"));
        const QStringList rows = rowsOf(*opened.model);
        QCOMPARE(rows.mid(0, 5),
                 (QStringList{"conv2d  conv1", "batch_normalization  bn1", "basic  layer1",
                              "down  layer2.0", "basic  layer2.1"}));
        QVERIFY(rows.contains(QStringLiteral("Blocks")));
        QVERIFY(rows.contains(QStringLiteral("  residual")));
        QVERIFY(rows.contains(QStringLiteral("   shortcut")));
        QVERIFY(rows.contains(QStringLiteral("    conv2d  downsample.0")));
        QVERIFY(rows.contains(QStringLiteral("Defaults")));
        QVERIFY(rows.contains(QStringLiteral(" batch_normalization")));
        const QModelIndex stem = opened.model->indexOf(kLayers / 0);
        QCOMPARE(stem.siblingAtColumn(int(LayerTreeModel::Column::Output)).data().toString(),
                 QStringLiteral("32 × 32 × 64"));
        const QModelIndex block = opened.model->indexOf(kLayers / 2);
        QCOMPARE(block.data(LayerTreeModel::SummaryRole).toString(),
                 QStringLiteral("repeat 2, filters 64"));
        // Both uses of the block together, and what the second one gives.
        QCOMPARE(block.siblingAtColumn(int(LayerTreeModel::Column::Output)).data().toString(),
                 QStringLiteral("32 × 32 × 64"));
        QCOMPARE(block.siblingAtColumn(int(LayerTreeModel::Column::Parameters)).data().toString(),
                 units::count(2 * 73984));
    }
    void theOutlineStaysSoundWhileTheTextChanges() {
        Opened opened(kSmall);
        const QAbstractItemModelTester tester(
            opened.model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (const char* name :
             {"resnet18-cifar10.toml", "tiny-gpt.toml", "houses.toml", "mnist-cnn.toml"}) {
            opened.fixture.editor().setText(example(name));
            opened.fixture.editor().undoStack().undo();
            opened.fixture.editor().setText(QStringLiteral("[model]\nlayers = [1, {}, []"));
            opened.fixture.editor().setText(QStringLiteral("[model]\nlayers = [1, {}, []]\n"));
            opened.fixture.editor().setText(kSmall);
        }
    }
    void anOptionIsWrittenInItsPlaceAndEverythingElseStays() {
        Opened opened(kSmall);
        opened.tree->choose(kLayers / 1 / "residual" / 0);
        auto* rate = opened.option<QLineEdit>("rate");
        QVERIFY(rate);
        QCOMPARE(rate->text(), QStringLiteral("0.5"));
        rate->setFocus();
        rate->selectAll();
        QTest::keyClicks(rate, QStringLiteral("0.25"));
        QCOMPARE(opened.text(),
                 QString(kSmall).replace(QLatin1String("0.5"), QLatin1String("0.25")));
        QCOMPARE(opened.fixture.editor().undoStack().count(), 2);  // the typing is one step
        opened.fixture.editor().undoStack().undo();
        QCOMPARE(opened.text(), kSmall);
        QCOMPARE(rate->text(), QStringLiteral("0.5"));
    }
    void wordsAreChosenAndLeftOutAgain() {
        Opened opened(kSmall);
        opened.tree->choose(kLayers / 0);
        auto* activation = opened.option<QComboBox>("activation");
        QVERIFY(activation);
        QCOMPARE(activation->currentText(), QStringLiteral("linear (default)"));
        const int relu = activation->findText(QStringLiteral("relu"));
        activation->setCurrentIndex(relu);
        Q_EMIT activation->activated(relu);
        QVERIFY(opened.text().contains(
            QStringLiteral("kernel_size = 3, activation = \"relu\" },  # first")));
        Q_EMIT activation->activated(0);
        QCOMPARE(opened.text(), kSmall);
    }
    void everyTypeHasAFieldForEachOfItsOptions_data() {
        QTest::addColumn<QString>("type");
        for (const std::string& name : model::layerTypeNames())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
        QCOMPARE(model::layerTypeNames().size(), std::size_t{34});
    }
    void everyTypeHasAFieldForEachOfItsOptions() {
        if (!shared_) shared_ = std::make_unique<Opened>(kSmall);
        Opened& opened = *shared_;
        QFETCH(const QString, type);
        opened.fixture.editor().setText(kSmall);
        opened.tree->choose(kLayers / 2);
        opened.addBy(type);
        QCOMPARE(opened.tree->chosen(), kLayers / 3);
        if (auto* more = opened.fixture.find<QToolButton>("moreOptions"); !more->isChecked())
            more->click();
        const model::LayerType* known = model::findLayerType(type.toStdString());
        for (const model::OptionType& option : known->options) {
            auto* field = opened.option<QWidget>(option.name.c_str());
            QVERIFY2(field, option.name.c_str());
            QCOMPARE(field->accessibleDescription(), QString::fromStdString(option.help));
            const bool isWords = qobject_cast<QComboBox*>(field) != nullptr;
            QCOMPARE(isWords, option.kind == model::OptionKind::Word ||
                                  option.kind == model::OptionKind::Flag);
            auto* edit = qobject_cast<QLineEdit*>(field);
            if (edit && option.kind == model::OptionKind::Number && !option.isRequired)
                QCOMPARE(edit->placeholderText(), QString::fromStdString(option.defaultToml));
        }
        for (const config::Finding& finding : opened.fixture.editor().findings())
            QVERIFY2(
                known->isMerge ||
                    !QString::fromStdString(finding.message).contains(QStringLiteral("missing")),
                finding.message.c_str());
    }
    void layersAreAddedCopiedMovedAndRemoved() {
        Opened opened(kSmall);
        opened.tree->choose(kLayers / 0);
        opened.click("copyLayerButton");
        QVERIFY(opened.text().contains(
            QStringLiteral("# first\n  { type = \"conv2d\", name = \"stem_2\", filters = 4, "
                           "kernel_size = 3 },\n")));
        QCOMPARE(opened.tree->chosen(), kLayers / 1);
        opened.click("layerDownButton");
        QCOMPARE(opened.tree->chosen(), kLayers / 2);
        QCOMPARE(rowsOf(*opened.model).mid(0, 4),
                 (QStringList{"conv2d  stem", "residual", " dropout", "conv2d  stem_2"}));
        opened.click("removeLayerButton");
        QCOMPARE(opened.text(), kSmall);
        opened.tree->choose(kLayers / 2);
        opened.click("wrapLayerButton");
        QVERIFY(opened.text().contains(
            QStringLiteral("  { residual = [\n      { type = \"flatten\" },\n    ] },\n")));
        for (int i = 0; i < 4; ++i)
            opened.fixture.editor().undoStack().undo();
        QCOMPARE(opened.text(), kSmall);
    }
    void aLayerIsDraggedIntoAResidual() {
        Opened opened(kSmall);
        const std::unique_ptr<QMimeData> dragged(
            opened.model->mimeData({opened.model->indexOf(kLayers / 0)}));
        const QModelIndex residual = opened.model->indexOf(kLayers / 1);
        QVERIFY(opened.model->canDropMimeData(dragged.get(), Qt::MoveAction, 0, 0, residual));
        opened.model->dropMimeData(dragged.get(), Qt::MoveAction, 0, 0, residual);
        QCOMPARE(rowsOf(*opened.model),
                 (QStringList{"residual", " conv2d  stem", " dropout", "flatten", "dense"}));
        QVERIFY(opened.text().contains(QStringLiteral("# inside")));
    }
    void aMistakeStandsAtItsLayerWithTheSentenceOfLint() {
        Opened opened(example("resnet18-cifar10.toml"));
        opened.fixture.editor().setText(opened.text().replace(
            QLatin1String("strides = 2, padding = 1"), QLatin1String("strides = 0, padding = 1")));
        const TomlPath path = TomlPath{"model", "blocks", "down", "layers"} / 0 / "residual" / 0;
        const QModelIndex index = opened.model->indexOf(path);
        const QString problem = index.data(LayerTreeModel::ProblemRole).toString();
        QVERIFY2(problem.startsWith(QStringLiteral("Strides is 0, but must be")),
                 qPrintable(problem));
        QVERIFY(index.data(LayerTreeModel::WrongRole).toBool());
        QVERIFY(opened.model->indexOf(kLayers / 0)
                    .data(LayerTreeModel::ProblemRole)
                    .toString()
                    .isEmpty());
        opened.tree->choose(path);
        auto* strides = opened.option<QLineEdit>("strides");
        QVERIFY(strides && strides->property("invalid").toBool());
        auto* note = opened.fixture.find<QLabel>("networkNote");
        QCOMPARE(note->text(),
                 QStringLiteral("The picture is of the last text that was a network."));
        QVERIFY(note->isVisible());
    }
    void theKeyboardStaysAtTheTypeThatItChanges() {
        Opened opened(kSmall);
        opened.tree->choose(kLayers / 0);
        opened.fixture.window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&opened.fixture.window()));
        opened.option<QComboBox>("type")->setFocus();
        QStringList types;
        for (int i = 0; i < 4; ++i) {  // some have other options: then the fields are made anew
            auto* type = opened.option<QComboBox>("type");
            QVERIFY(type->hasFocus());
            types << type->currentText();
            QTest::keyClick(type, Qt::Key_Down);
        }
        QCOMPARE(types.removeDuplicates(), qsizetype{0});
    }
    void onlyTypesWithDefaultsAreOfferedALineOfThem() {
        Opened opened(kSmall);
        const auto isOffered = [&opened](const QString& words) {
            auto* menu = opened.fixture.find<QMenu>("addLayerMenu");
            Q_EMIT menu->aboutToShow();
            for (const QAction* action : menu->actions())
                if (action->text() == words) return action->isEnabled();
            return false;
        };
        opened.tree->choose(kLayers / 0);
        QVERIFY(isOffered(QStringLiteral("Defaults of every conv2d")));
        opened.tree->choose(kLayers / 2);
        QVERIFY(!isOffered(QStringLiteral("Defaults of every flatten")));
    }
    void whatIsAddedToAShortcutIsChosen() {
        Opened opened(kSmall);
        for (const std::size_t expected : {0, 1}) {
            opened.tree->choose(kLayers / 1);
            opened.addBy(QStringLiteral("Shortcut of the residual"));
            QCOMPARE(config::toString(opened.tree->chosen()),
                     "model.layers[1].shortcut[" + std::to_string(expected) + "]");
        }
    }
    void whatAnotherTypeLeavesBehindIsNamedAndRemovedWhenAsked() {
        Opened opened(kSmall);
        opened.tree->choose(kLayers / 0);
        auto* type = opened.option<QComboBox>("type");
        const int dense = type->findText(QStringLiteral("dense"));
        Q_EMIT type->activated(dense);
        auto* stray = opened.fixture.find<QPushButton>("removeStrayOptions");
        QVERIFY(stray->isVisible());
        QVERIFY2(stray->text().endsWith(QStringLiteral("filters, kernel_size")),
                 qPrintable(stray->text()));
        stray->click();
        QVERIFY(opened.text().contains(
            QStringLiteral("{ type = \"dense\", name = \"stem\" },  # first")));
        QVERIFY(!stray->isVisible());
    }
    void aListThatCannotBeEditedHereSaysSo() {
        Opened opened(
            QStringLiteral("[data]\ndataset = \"digits\"\n[[model.layers]]\n"
                           "type = \"dense\"\nunits = 10\nuse_bias = false\n"));
        opened.tree->choose(kLayers / 0);
        for (const char* name : {"copyLayerButton", "removeLayerButton", "wrapLayerButton"})
            QVERIFY2(!opened.fixture.find<QToolButton>(name)->isEnabled(), name);
        auto* units = opened.option<QLineEdit>("units");
        units->setFocus();
        units->selectAll();
        QTest::keyClicks(units, QStringLiteral("12"));
        QVERIFY(opened.text().contains(QStringLiteral("units = 12\nuse_bias")));
        QVERIFY(opened.fixture.find<QLabel>("layerNote")->isVisible());
        opened.click("layerAsText");
        QVERIFY(opened.fixture.find<QPlainTextEdit>("jobTextEdit")->isVisible());
    }
    void blocksAndDefaultsAreListsOfTheirOwn() {
        Opened opened(example("resnet18-cifar10.toml"));
        opened.tree->choose(kLayers / 3);
        QCOMPARE(opened.option<QLineEdit>("filters")->text(), QStringLiteral("128"));
        opened.click("showBlockButton");
        QCOMPARE(opened.tree->chosen(), (TomlPath{"model", "blocks", "down"}));
        QVERIFY(!opened.fixture.find<QToolButton>("removeLayerButton")->isEnabled());  // it is used
        opened.addBy(QStringLiteral("dropout"));
        QVERIFY(opened.text().contains(QStringLiteral(
            "    ], activation = \"relu\" },\n  { type = \"dropout\", rate = 0.5 },\n")));
        opened.tree->choose({"model", "defaults", "conv2d"});
        auto* start = opened.option<QComboBox>("kernel_initializer");
        QCOMPARE(start->currentText(), QStringLiteral("he_normal"));
        // What layers have from the defaults is their default.
        opened.tree->choose(kLayers / 1);
        if (auto* more = opened.fixture.find<QToolButton>("moreOptions"); !more->isChecked())
            more->click();
        QCOMPARE(opened.option<QLineEdit>("momentum")->placeholderText(), QStringLiteral("0.9"));
    }
    void aNewBlockIsUsedByItsName() {
        Opened opened(kSmall);
        opened.addBy(QStringLiteral("New block"));
        QVERIFY(opened.text().endsWith(QStringLiteral(
            "\n[model.blocks.block]\nlayers = [\n  { type = \"dense\", units = 64 },\n]\n")));
        opened.tree->choose(kLayers / 2);
        opened.addBy(QStringLiteral("Use of block block"));
        QVERIFY(opened.text().contains(QStringLiteral("  { block = \"block\" },\n")));
        QVERIFY(!opened.fixture.editor().hasErrors());
    }
    void aNewNameGoesToWhateverTakesTheLayerAndIsUndoneAtOnce() {
        QString text = kSmall;
        text.replace(QStringLiteral("{ type = \"flatten\" }"),
                     QStringLiteral("{ type = \"flatten\", input = \"stem\" }"));
        text.replace(QStringLiteral("{ type = \"dropout\""),
                     QStringLiteral("{ type = \"dropout\", name = \"st\""));
        Opened opened(text);
        opened.tree->choose(kLayers / 0);
        auto* name = opened.option<QLineEdit>("name");
        QVERIFY(name);
        name->setFocus();
        name->selectAll();
        // On its way it is another layer's name, and none at all.
        QTest::keyClick(name, Qt::Key_Backspace);
        QTest::keyClicks(name, QStringLiteral("stage"));
        QVERIFY(opened.text().contains(QStringLiteral("name = \"stage\", filters")));
        QVERIFY(opened.text().contains(QStringLiteral("input = \"stage\"")));
        QVERIFY(opened.text().contains(QStringLiteral("name = \"st\"")));
        opened.fixture.editor().undoStack().undo();
        QCOMPARE(opened.text(), text);
    }
    void whatIsFoldedAndChosenStaysSoWhileSomebodyTypes() {
        Opened opened(example("resnet18-cifar10.toml"));
        const QModelIndex block = opened.model->indexOf({"model", "blocks", "basic"});
        opened.tree->collapse(block);
        opened.tree->choose(kLayers / 4);
        opened.click("copyLayerButton");
        QVERIFY(!opened.tree->isExpanded(opened.model->indexOf({"model", "blocks", "basic"})));
        QVERIFY(opened.tree->isExpanded(opened.model->indexOf({"model", "blocks", "down"})));
        opened.fixture.editor().setText(opened.text() + QStringLiteral("\n["));
        QVERIFY(!opened.tree->isEnabled());
        opened.fixture.editor().undoStack().undo();
        QVERIFY(opened.tree->isEnabled());
        QCOMPARE(opened.tree->chosen(), kLayers / 5);
    }

    void cleanupTestCase() { shared_.reset(); }

private:
    std::unique_ptr<Opened> shared_;  ///< Of the rows of a table: a window takes its time.
};

QTEST_MAIN(LayerEditorTest)
#include "tst_layer_editor.moc"
