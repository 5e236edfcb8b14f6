// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/job/job_field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <algorithm>

#include "core/config/document/model_edit.h"
#include "ui/models/form_words.h"
#include "ui/models/job_editor.h"
#include "ui/pages/page_parts.h"
#include "ui/style/core_words.h"
#include "ui/style/icons.h"
#include "ui/widgets/wheel_guard.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kLeastLabelWidth = 120;
constexpr int kInputWidth = 112;
constexpr int kOriginWidth = 96;

bool hasLongWord(const config::KeyHelp& help) {
    constexpr std::size_t kFitting = 10;  // characters
    return std::any_of(help.words.begin(), help.words.end(),
                       [](const std::string& word) { return word.size() > kFitting; });
}

/// Text and long words grow with the column; numbers and other words keep one width so that they
/// stand in line.
bool isLong(const config::KeyHelp* help) {
    return help == nullptr || hasLongWord(*help) || help->kind == config::ValueKind::Text ||
           help->kind == config::ValueKind::Path || help->kind == config::ValueKind::TextList ||
           help->kind == config::ValueKind::PathOrTable ||
           help->kind == config::ValueKind::WordOrTable ||
           help->kind == config::ValueKind::NumberList ||
           help->kind == config::ValueKind::AddressList;
}

bool isFile(const QString& key) {
    return key == QLatin1String("model.initial_weights") ||
           key == QLatin1String("launch.ssh_config") || key == QLatin1String("data.tokenizer") ||
           key.endsWith(QLatin1String("inputs")) || key.endsWith(QLatin1String("targets"));
}

/// A file that is made where it is missing.
bool isMade(const QString& key) {
    return key == QLatin1String("data.cache");
}

bool isFileList(const QString& key) {
    return key == QLatin1String("data.files");
}

bool isProgram(const QString& key) {
    return key == QLatin1String("launch.command");
}

/// Whether what it names is chosen by a button, too.
bool isChosen(const QString& key) {
    if (isFileList(key) || isProgram(key)) return true;
    const config::KeyHelp* help = config::keyHelp(key.toStdString());
    return help != nullptr &&
           (help->kind == config::ValueKind::Path || help->kind == config::ValueKind::PathOrTable);
}

/// A path, or the table that holds one.
QString pathIn(const QString& text) {
    if (!text.startsWith(QLatin1Char('{'))) return text;
    const auto root = config::parseToml("v = " + text.toStdString());
    const config::TomlValue* file = root ? config::valueAt(*root, {"v", "file"}) : nullptr;
    return file ? QString::fromStdString(file->text) : QString();
}

/// As TOML writes it.
QString listOf(const QStringList& texts) {
    QStringList items;
    for (const QString& text : texts)
        items << QString::fromStdString(config::tomlString(text.toStdString()));
    return QLatin1Char('[') + items.join(QStringLiteral(", ")) + QLatin1Char(']');
}

/// "gpu1, gpu2"
QStringList itemsOf(const QString& text) {
    QStringList items = text.split(QLatin1Char(','), Qt::SkipEmptyParts);
    for (QString& item : items)
        item = item.trimmed();
    return items;
}

}  // namespace

JobField::JobField(JobEditor& editor, const QString& key, Getter getter, const QString& name,
                   QWidget* parent)
    : QWidget(parent), editor_(editor), key_(key), getter_(std::move(getter)) {
    const config::KeyHelp* help = config::keyHelp(key.toStdString());
    const QString label = formLabel(key);
    buildInput(help, label, name);
    buildLayout(label, help ? unitWords(help->unit) : QString());
    connect(&editor_, &JobEditor::changed, this, &JobField::refresh);
    refresh();
}

QWidget* JobField::input() const {
    if (text_) return text_;
    return words_ ? static_cast<QWidget*>(words_) : flag_;
}

void JobField::buildInput(const config::KeyHelp* help, const QString& label, const QString& name) {
    const config::ValueKind kind = help ? help->kind : config::ValueKind::Text;
    if (kind == config::ValueKind::Word) {
        words_ = new QComboBox(this);
        guardWheel(words_);
        for (const std::string& word : help->words)
            words_->addItem(QString::fromStdString(word));
        connect(words_, &QComboBox::textActivated, this, &JobField::write);
    } else if (kind == config::ValueKind::Flag || kind == config::ValueKind::FlagOrAddress) {
        flag_ = new QCheckBox(this);
        connect(flag_, &QCheckBox::clicked, this,
                [this](bool on) { write(on ? QStringLiteral("true") : QStringLiteral("false")); });
    } else {
        buildTextInput(help);
    }
    QWidget* widget = input();
    widget->setObjectName(name + QStringLiteral("Edit"));
    widget->setAccessibleName(label);
    if (!help) return;
    const QString tip = fromCore(help->help);
    widget->setToolTip(
        QStringLiteral("<p>%1</p><p><code>%2</code></p>").arg(tip.toHtmlEscaped(), key_));
    widget->setAccessibleDescription(tip);
}

void JobField::buildTextInput(const config::KeyHelp* help) {
    text_ = new QLineEdit(this);
    const QString byDefault = help ? QString::fromStdString(help->defaultToml) : QString();
    const bool isNothing = byDefault.isEmpty() || byDefault == QLatin1String("[]");
    text_->setPlaceholderText(isNothing ? tr("not set") : byDefault);
    connect(text_, &QLineEdit::textEdited, this, &JobField::write);
    // While typing the field shows what was typed; afterwards what it was taken for.
    connect(text_, &QLineEdit::editingFinished, this, &JobField::refresh);
}

/// One for all fields, whose inputs stand below each other.
int JobField::labelWidth(const QFontMetrics& metrics) {
    // Measured once a language: there are a hundred fields and as many labels.
    static QHash<QString, int> known;
    int& width = known[formLabel(QStringLiteral("launch.hosts"))];
    if (width == 0) width = std::max(kLeastLabelWidth, widestFormLabel(metrics) + 2);
    return width;
}

void JobField::buildLayout(const QString& label, const QString& unit) {
    auto* name = new QLabel(label, this);
    name->setFixedWidth(labelWidth(name->fontMetrics()));
    name->setBuddy(input());
    name->setToolTip(input()->toolTip());
    origin_ = new QLabel(this);
    origin_->setProperty("secondary", true);
    origin_->setFixedWidth(kOriginWidth);
    origin_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    problem_ = wrappedLabel(this);
    problem_->setObjectName(input()->objectName() + QStringLiteral("Problem"));
    problem_->hide();

    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(8);
    layout->setVerticalSpacing(4);
    layout->addWidget(name, 0, 0);
    if (isLong(config::keyHelp(key_.toStdString()))) {
        layout->addWidget(isChosen(key_) ? withBrowse(label) : input(), 0, 1, 1, 2);
    } else {
        input()->setFixedWidth(kInputWidth);
        layout->addWidget(input(), 0, 1);
        auto* unitLabel = new QLabel(unit, this);
        unitLabel->setProperty("secondary", true);
        layout->addWidget(unitLabel, 0, 2);
    }
    layout->addWidget(origin_, 0, 3);
    layout->addWidget(problem_, 1, 1, 1, 3);
    layout->setColumnStretch(2, 1);
}

/// The input with a button that chooses a folder, or files.
QWidget* JobField::withBrowse(const QString& label) {
    auto* both = new QWidget(this);
    auto* button = new QToolButton(both);
    button->setObjectName(
        QString(input()->objectName()).replace(QStringLiteral("Edit"), QStringLiteral("Browse")));
    button->setIcon(makeIcon(Icon::FolderOpen));
    button->setFocusPolicy(Qt::StrongFocus);
    button->setToolTip(tr("Choose …"));
    button->setAccessibleName(tr("Choose %1").arg(label));
    connect(button, &QToolButton::clicked, this, [this, label] {
        if (isFileList(key_)) return browseFiles(label);
        if (isProgram(key_)) return browseProgram(label);
        browse(label);
    });
    auto* row = new QHBoxLayout(both);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(input(), 1);
    row->addWidget(button);
    return both;
}

/// Below the folder, where the job has a file, a relative path goes where both go.
QString JobField::besideJob(const QString& chosen, const QString& folder) const {
    const QString relative = QDir(folder).relativeFilePath(chosen);
    const bool isBelow = !editor_.folder().isEmpty() && !relative.startsWith(QLatin1String(".."));
    return isBelow ? relative : chosen;
}

/// Takes the place of all that was listed.
void JobField::browseFiles(const QString& label) {
    const auto& listed = editor_.spec().data.files;
    QString begin = dialogFolder(editor_);
    if (!listed.empty())
        begin =
            QFileInfo(QDir(begin).absoluteFilePath(QString::fromStdString(listed.front()))).path();
    const QStringList chosen = QFileDialog::getOpenFileNames(window(), label, begin);
    if (chosen.isEmpty()) return;
    QStringList files;
    for (const QString& file : chosen)
        files << besideJob(file, editor_.folder());
    editor_.setValue(key_, listOf(files));
}

/// The command's first word; its arguments stay.
void JobField::browseProgram(const QString& label) {
    const config::LaunchSpec& launch = editor_.spec().launch;
    const QString folder =
        QDir(dialogFolder(editor_)).absoluteFilePath(QString::fromStdString(launch.directory));
    const QString chosen = QFileDialog::getOpenFileName(window(), label, folder);
    if (chosen.isEmpty()) return;
    QString program = besideJob(chosen, folder);
    // Without a slash it would be looked for where the system has its programs.
    if (!program.contains(QLatin1Char('/'))) program.prepend(QStringLiteral("./"));
    QStringList command{program};
    for (std::size_t i = 1; i < launch.command.size(); ++i)
        command << QString::fromStdString(launch.command[i]);
    editor_.setValue(key_, listOf(command));
}

void JobField::browse(const QString& label) {
    const QDir folder(dialogFolder(editor_));
    const QString before = text_->text().trimmed();
    const QString present = folder.absoluteFilePath(pathIn(before));
    const QString chosen =
        isMade(key_)   ? QFileDialog::getSaveFileName(window(), label, present, {}, nullptr,
                                                      QFileDialog::DontConfirmOverwrite)
        : isFile(key_) ? QFileDialog::getOpenFileName(window(), label, present)
                       : QFileDialog::getExistingDirectory(window(), label, present);
    if (chosen.isEmpty()) return;
    const QString path = besideJob(chosen, editor_.folder());
    if (!before.startsWith(QLatin1Char('{'))) return write(path);
    // What else the table says stays.
    config::TomlPath table;
    for (const QString& step : key_.split(QLatin1Char('.')))
        table.emplace_back(step.toStdString());
    editor_.apply(
        config::withOption(editor_.text().toStdString(), table, "file", path.toStdString(), true),
        tr("change of %1").arg(key_));
}

void JobField::write(const QString& value) {
    const QString text = value.trimmed();
    const config::KeyHelp* help = config::keyHelp(key_.toStdString());
    const bool isList = help != nullptr && help->kind == config::ValueKind::TextList;
    const bool isNumbers = help != nullptr && (help->kind == config::ValueKind::NumberList ||
                                               help->kind == config::ValueKind::PixelSize);
    // A word may stand in the place of the numbers: "balanced".
    const bool isArray = isNumbers && !text.isEmpty() && !text.front().isLetter();
    if (text.isEmpty())
        editor_.unsetValue(key_);
    else if (isArray && !text.startsWith(QLatin1Char('[')))
        editor_.setValue(key_, QLatin1Char('[') + text + QLatin1Char(']'));
    else if (isList && !text.startsWith(QLatin1Char('[')))
        editor_.setValue(key_, listOf(itemsOf(text)));
    else
        editor_.setValue(key_, text);
}

void JobField::showWhere(Fits fits) {
    fits_ = std::move(fits);
    refresh();
}

void JobField::refresh() {
    if (fits_) setVisible(fits_(editor_.spec()) || editor_.isWritten(key_));
    setEnabled(editor_.hasJob() && editor_.wellFormed());
    const bool typing = text_ && text_->hasFocus() && text_->isModified();
    const config::Finding* problem = editor_.problemOf(key_);
    const bool wrong = problem != nullptr && problem->severity == config::Severity::Error;
    if (!typing && !(wrong && text_ && text_->isModified())) showValue(getter_(editor_.spec()));
    const QString origin = editor_.originOf(key_);
    // The open file's name stands in the title.
    const QString line = editor_.fileName() + QLatin1Char(':');
    const bool isDefault = origin == QLatin1String("default");
    const QString shown = origin.startsWith(line) ? tr("line %1").arg(origin.mid(line.size()))
                          : isDefault             ? tr("default")
                                                  : origin;
    origin_->setText(origin_->fontMetrics().elidedText(shown, Qt::ElideLeft, kOriginWidth));
    origin_->setToolTip(isDefault ? tr("This is the default")
                                  : tr("This value comes from %1").arg(shown));
    showProblem();
}

void JobField::showValue(const QString& value) {
    if (words_) {
        // What is written may be none of the words that are listed: a metric's name.
        if (!value.isEmpty() && words_->findText(value) < 0) words_->addItem(value);
        words_->setCurrentIndex(words_->findText(value));
    } else if (flag_) {
        flag_->setChecked(value != QLatin1String("false"));  // an address means yes
    } else if (text_->text() != value) {
        text_->setText(value);
    }
}

void JobField::showProblem() {
    const config::Finding* problem = editor_.problemOf(key_);
    const bool wrong = problem != nullptr && problem->severity == config::Severity::Error;
    problem_->setVisible(problem != nullptr);
    if (problem) problem_->setText(sentenceOf(*problem));
    markProblem(input(), "invalid", wrong);
    markProblem(problem_, "problem", wrong);
}

}  // namespace lockstep::ui
