// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <fstream>
#include <sstream>

#include "core/base/rng.h"
#include "core/config/document/job_file.h"
#include "core/config/document/layer_rename.h"
#include "core/config/document/model_edit.h"

using namespace lockstep;
using namespace lockstep::config;

namespace {

using Edit = std::function<Result<std::string>(const std::string&)>;

const TomlPath kLayers{"model", "layers"};
const char* const kFlatten = "{ type = \"flatten\" }";

/// An edit with the text before and after it.
struct Case {
    const char* name;
    std::string before;
    Edit edit;
    std::string after;
};

Edit inserted(std::size_t index, TomlPath list = kLayers) {
    return [=](const std::string& text) { return withLayer(text, list, index, kFlatten); };
}
Edit removed(TomlPath layer) {
    return [=](const std::string& text) { return withoutLayer(text, layer); };
}
Edit moved(TomlPath layer, TomlPath list, std::size_t index) {
    return [=](const std::string& text) { return withLayerMoved(text, layer, list, index); };
}
Edit copied(TomlPath layer) {
    return [=](const std::string& text) { return withLayerCopied(text, layer); };
}
Edit set(TomlPath table, std::string name, std::string value) {
    return [=](const std::string& text) { return withOption(text, table, name, value); };
}

const std::string kLines =
    "[model]\n"
    "layers = [  # first to last\n"
    "  # the stem\n"
    "  { type = \"a\" },  # one\n"
    "  { type = \"b\" },\n"
    "  { type = \"c\" }  # three\n"
    "]\n";

const std::string kNested =
    "[model]\n"
    "layers = [\n"
    "  { residual = [\n"
    "      { type = \"a\", name = \"c1\" },  # in\n"
    "      { type = \"b\", input = \"c1\" },\n"
    "    ], activation = \"relu\" },  # sum\n"
    "  { type = \"d\" },\n"
    "]\n";

std::vector<Case> insertions() {
    return {
        {"behind the first, with its indent", kLines, inserted(1),
         "[model]\nlayers = [  # first to last\n  # the stem\n  { type = \"a\" },  # one\n"
         "  { type = \"flatten\" },\n  { type = \"b\" },\n  { type = \"c\" }  # three\n]\n"},
        {"in front", kLines, inserted(0),
         "[model]\nlayers = [  # first to last\n  { type = \"flatten\" },\n  # the stem\n"
         "  { type = \"a\" },  # one\n  { type = \"b\" },\n  { type = \"c\" }  # three\n]\n"},
        {"behind the last, which gets a comma", kLines, inserted(3),
         "[model]\nlayers = [  # first to last\n  # the stem\n  { type = \"a\" },  # one\n"
         "  { type = \"b\" },\n  { type = \"c\" },  # three\n  { type = \"flatten\" }\n]\n"},
        {"into one line", "[model]\nlayers = [{ type = \"a\" }, { type = \"b\" }] # x\n",
         inserted(1),
         "[model]\nlayers = [{ type = \"a\" }, { type = \"flatten\" }, { type = \"b\" }] # x\n"},
        {"into an empty list", "[model]\nlayers = []\n", inserted(0),
         "[model]\nlayers = [{ type = \"flatten\" }]\n"},
        {"into an empty list of lines", "[model]\nlayers = [  # none yet\n]\n", inserted(0),
         "[model]\nlayers = [  # none yet\n  { type = \"flatten\" },\n]\n"},
        {"where there is no model", "[job]\nname = 'x'\n", inserted(0),
         "[job]\nname = 'x'\n\n[model]\nlayers = [\n  { type = \"flatten\" },\n]\n"},
        {"a shortcut that is not there", kNested, inserted(0, kLayers / 0 / "shortcut"),
         "[model]\nlayers = [\n  { residual = [\n      { type = \"a\", name = \"c1\" },  # in\n"
         "      { type = \"b\", input = \"c1\" },\n    ], activation = \"relu\", shortcut = [\n"
         "      { type = \"flatten\" },\n    ] },  # sum\n  { type = \"d\" },\n]\n"},
        {"line breaks of Windows", "[model]\r\nlayers = [\r\n  { type = \"a\" },\r\n]\r\n",
         inserted(1),
         "[model]\r\nlayers = [\r\n  { type = \"a\" },\r\n  { type = \"flatten\" },\r\n]\r\n"},
    };
}

std::vector<Case> changes() {
    return {
        {"a layer goes with its comment", kLines, removed(kLayers / 0),
         "[model]\nlayers = [  # first to last\n  # the stem\n  { type = \"b\" },\n"
         "  { type = \"c\" }  # three\n]\n"},
        {"the last one", kLines, removed(kLayers / 2),
         "[model]\nlayers = [  # first to last\n  # the stem\n  { type = \"a\" },  # one\n"
         "  { type = \"b\" },\n]\n"},
        {"one within a line", "[model]\nlayers = [{ type = \"a\" }, { type = \"b\" }]\n",
         removed(kLayers / 1), "[model]\nlayers = [{ type = \"a\" }]\n"},
        {"comments at the ends of lines move along", kLines, moved(kLayers / 0, kLayers, 3),
         "[model]\nlayers = [  # first to last\n  # the stem\n  { type = \"b\" },\n"
         "  { type = \"c\" },  # three\n  { type = \"a\" }  # one\n]\n"},
        {"one step up", kLines, moved(kLayers / 2, kLayers, 1),
         "[model]\nlayers = [  # first to last\n  # the stem\n  { type = \"a\" },  # one\n"
         "  { type = \"c\" },  # three\n  { type = \"b\" }\n]\n"},
        {"a residual of several lines", kNested, moved(kLayers / 0, kLayers, 2),
         "[model]\nlayers = [\n  { type = \"d\" },\n  { residual = [\n"
         "      { type = \"a\", name = \"c1\" },  # in\n      { type = \"b\", input = \"c1\" },\n"
         "    ], activation = \"relu\" },  # sum\n]\n"},
        {"out of a residual", kNested, moved(kLayers / 0 / "residual" / 1, kLayers, 1),
         "[model]\nlayers = [\n  { residual = [\n      { type = \"a\", name = \"c1\" },  # in\n"
         "    ], activation = \"relu\" },  # sum\n  { type = \"b\", input = \"c1\" },\n"
         "  { type = \"d\" },\n]\n"},
        {"into a residual", kNested, moved(kLayers / 1, kLayers / 0 / "residual", 2),
         "[model]\nlayers = [\n  { residual = [\n      { type = \"a\", name = \"c1\" },  # in\n"
         "      { type = \"b\", input = \"c1\" },\n      { type = \"d\" },\n"
         "    ], activation = \"relu\" },  # sum\n]\n"},
        {"a copy has names of its own", kNested, copied(kLayers / 0),
         "[model]\nlayers = [\n  { residual = [\n      { type = \"a\", name = \"c1\" },  # in\n"
         "      { type = \"b\", input = \"c1\" },\n    ], activation = \"relu\" },  # sum\n"
         "  { residual = [\n      { type = \"a\", name = \"c2\" },  # in\n"
         "      { type = \"b\", input = \"c2\" },\n    ], activation = \"relu\" },\n"
         "  { type = \"d\" },\n]\n"},
        {"a layer becomes a residual", kNested,
         [](const std::string& text) { return withLayerAsResidual(text, kLayers / 1); },
         kNested.substr(0, kNested.find("  { type = \"d\" }")) +
             "  { residual = [\n      { type = \"d\" },\n    ] },\n]\n"},
        {"an option within a residual", kNested,
         set(kLayers / 0 / "residual" / 1, "filters", "[3, 3]"),
         "[model]\nlayers = [\n  { residual = [\n      { type = \"a\", name = \"c1\" },  # in\n"
         "      { type = \"b\", input = \"c1\", filters = [3, 3] },\n"
         "    ], activation = \"relu\" },  # sum\n  { type = \"d\" },\n]\n"},
        {"a word without quotes", "[model]\nlayers = [{ type = \"a\" }]\n",
         set(kLayers / 0, "type", "$kind"), "[model]\nlayers = [{ type = \"$kind\" }]\n"},
        {"defaults where there are none", "[model]\nlayers = []\n",
         set({"model", "defaults", "conv2d"}, "use_bias", "false"),
         "[model]\nlayers = []\n\n[model.defaults]\nconv2d = { use_bias = false }\n"},
        {"defaults of another type", "[model.defaults]\ndense = { use_bias = false }\n",
         set({"model", "defaults", "conv2d"}, "use_bias", "false"),
         "[model.defaults]\ndense = { use_bias = false }\nconv2d = { use_bias = false }\n"},
        {"an option of [[model.layers]]", "[[model.layers]]\ntype = \"a\"\n",
         set(kLayers / 0, "units", "4"), "[[model.layers]]\ntype = \"a\"\nunits = 4\n"},
        {"a block", "[model]\nlayers = []\n",
         [](const std::string& text) { return withBlock(text, "down", kFlatten); },
         "[model]\nlayers = []\n\n[model.blocks.down]\nlayers = [\n  { type = \"flatten\" },\n]\n"},
        {"a block goes", "[model.blocks.a]\nlayers = [  # x\n]\n\n[model.blocks.b]\nlayers = []\n",
         [](const std::string& text) { return withoutBlock(text, "a"); },
         "[model.blocks.b]\nlayers = []\n"},
    };
}

Edit renamed(TomlPath layer, std::string name) {
    return [=](const std::string& text) { return withLayerRenamed(text, layer, name); };
}

/// A GPT's skeleton, with the three names that may change as they stand in `names`.
std::string tied(const std::string& embedding, const std::string& use, const std::string& inner) {
    return "[model]\nlayers = [\n  { type = \"embedding\", name = \"" + embedding +
           "\" },  # shared\n  { block = \"t\", name = \"" + use +
           "\", repeat = 2 },\n  { type = \"dense\", weights_of = \"" + embedding +
           "\" },\n  { type = \"dense\", weights_of = \"" + use + ".0." + inner +
           "\" },\n]\n[model.blocks.t]\nlayers = [\n  { type = \"dense\", name = \"" + inner +
           "\" },\n  { type = \"dense\", inputs = [\"" + inner + "\", \"wte\"] },\n]\n";
}

std::vector<Case> renamings() {
    std::string nested = kNested;
    for (std::size_t at = 0; (at = nested.find("c1")) != std::string::npos;)
        nested.replace(at, 2, "stem");
    const std::string before = tied("wte", "h", "fc");
    const TomlPath inner = TomlPath{"model", "blocks", "t", "layers"} / 0;
    return {
        {"what takes the layer takes it by its new name", kNested,
         renamed(kLayers / 0 / "residual" / 0, "stem"), nested},
        {"an owner of weights; not a block's own layer of that name", before,
         renamed(kLayers / 0, "emb"), tied("emb", "h", "fc")},
        {"the use of a block", before, renamed(kLayers / 1, "blocks.h"),
         tied("wte", "blocks.h", "fc")},
        {"a layer of a block, in it and by its full name", before, renamed(inner, "up"),
         tied("wte", "h", "up")},
        {"a layer without a name gets one", kNested, renamed(kLayers / 1, "d"),
         kNested.substr(0, kNested.find("{ type = \"d\"")) +
             "{ type = \"d\", name = \"d\" },\n]\n"},
    };
}

const TomlPath kAugment{"data", "augment"};

std::vector<Case> otherSections() {
    const std::string digits = "[data]\ndataset = \"digits\"\n[model]\nlayers = []\n";
    return {
        {"a first random change", digits,
         [](const std::string& text) { return withLayer(text, kAugment, 0, "{ type = \"x\" }"); },
         "[data]\ndataset = \"digits\"\naugment = [\n  { type = \"x\" },\n]\n[model]\nlayers = "
         "[]\n"},
        {"another order", "[data]\naugment = [{ type = \"a\" }, { type = \"b\" }]\n",
         moved(kAugment / 0, kAugment, 2),
         "[data]\naugment = [{ type = \"b\" }, { type = \"a\" }]\n"},
        {"a first column", digits, set({"data", "features"}, "size of it", "float"),
         digits + "\n[data.features]\n\"size of it\" = \"float\"\n"},
        {"another column", "[data.features]\na = \"float\"  # x\n",
         set({"data", "features"}, "b", "{ type = \"string_categorical\" }"),
         "[data.features]\na = \"float\"  # x\nb = { type = \"string_categorical\" }\n"},
    };
}

std::vector<Case> casesOf(int table) {
    return table == 0   ? insertions()
           : table == 1 ? changes()
           : table == 2 ? renamings()
                        : otherSections();
}

std::string resnet() {
    const std::ifstream file(LOCKSTEP_SOURCE_DIR "/tests/core/model/models/resnet18-cifar10.toml");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Every list of layers below a value, with the way to it.
void collectLists(const TomlValue& value, const TomlPath& path, std::vector<TomlPath>& lists) {
    for (const TomlEntry& entry : value.entries) {
        const TomlPath below = path / entry.key;
        const bool isList =
            entry.key == "layers" || entry.key == "residual" || entry.key == "shortcut";
        if (isList) lists.push_back(below);
        collectLists(entry.value, below, lists);
    }
    for (std::size_t i = 0; i < value.elements.size(); ++i)
        collectLists(value.elements[i], path / i, lists);
}

}  // namespace

class ModelEditTest : public QObject {
    Q_OBJECT
private slots:
    void anEditTouchesItsOwnLinesOnly_data() {
        QTest::addColumn<int>("table");
        QTest::addColumn<int>("row");
        for (int table = 0; table < 4; ++table) {
            const auto cases = casesOf(table);
            for (int row = 0; row < int(cases.size()); ++row)
                QTest::newRow(cases[std::size_t(row)].name) << table << row;
        }
    }
    void anEditTouchesItsOwnLinesOnly() {
        QFETCH(const int, table);
        QFETCH(const int, row);
        const Case each = casesOf(table)[std::size_t(row)];
        const auto after = each.edit(each.before);
        QVERIFY2(after, after ? "" : after.error().message.c_str());
        QCOMPARE(QString::fromStdString(*after), QString::fromStdString(each.after));
    }

    void aLayoutThatCannotBePatchedIsRefusedAndSaysWhatToDo() {
        const std::string text = "[[model.layers]]\ntype = \"a\"\n";
        for (const Edit& edit : {inserted(0), removed(kLayers / 0)}) {
            const auto after = edit(text);
            QVERIFY(!after);
            QCOMPARE(after.error().code, ErrorCode::BadInput);
            QVERIFY(after.error().remedy.find("text") != std::string::npos);
        }
        QVERIFY(!isListEditable(*parseToml(text), kLayers));
        QVERIFY(isListEditable(*parseToml(kLines), kLayers));
        QVERIFY(!inserted(0)("[model\n"));
    }

    void aLayerDoesNotMoveIntoItself() {
        QVERIFY(!moved(kLayers / 0, kLayers / 0 / "residual", 0)(kNested));
    }

    void aThousandRandomEditsOfResNetLeaveAllOtherLinesAlone() {
        CounterRng random(20261123, 7);
        std::string text = resnet();
        const std::string head = text.substr(0, text.find("[model]"));
        int moves = 0;
        for (int i = 0; i < 1000; ++i) {
            const auto root = parseToml(text);
            QVERIFY(root);
            std::vector<TomlPath> lists;
            collectLists(*root->find("model"), {"model"}, lists);
            const auto pick = [&random](std::size_t count) {
                return std::size_t(
                    random.nextBelow(std::uint32_t(std::max<std::size_t>(1, count))));
            };
            const TomlPath from = lists[pick(lists.size())];
            const TomlPath to = lists[pick(lists.size())];
            const std::size_t count = valueAt(*root, from)->elements.size();
            Result<std::string> after = text;
            const int kind = int(pick(4));
            if (kind == 0 && text.size() < 60'000)
                after = withLayer(text, from, pick(count + 1), kFlatten);
            else if (kind == 1 && count > 1 && text.size() > 6000)
                after = withoutLayer(text, from / pick(count));
            else if (count > 0 && !isWithin(to, from / pick(1)))
                after = withLayerMoved(text, from / pick(count), to,
                                       pick(valueAt(*root, to)->elements.size() + 1));
            if (!after) {  // a layer into itself
                QVERIFY(after.error().message.find("cannot be changed") != std::string::npos);
                continue;
            }
            moves += *after != text ? 1 : 0;
            text = *after;
            QVERIFY(text.starts_with(head));
        }
        QVERIFY2(moves > 500, qPrintable(QString::number(moves)));
    }
};

QTEST_GUILESS_MAIN(ModelEditTest)
#include "tst_model_edit.moc"
