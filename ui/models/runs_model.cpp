// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <algorithm>
#include <limits>

#include "core/config/keys/key_help.h"
#include "ui/models/metric_words.h"
#include "ui/models/run_settings.h"
#include "ui/style/core_words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

/// Larger is better, whatever the figure is.
double goodness(const std::optional<job::Score>& score) {
    if (!score) return -std::numeric_limits<double>::infinity();
    return score->largerIsBetter ? score->value : -score->value;
}

/// Between line breaks, so that a word is found from its beginning, or whole.
QString tagLines(const job::RunAbout& about) {
    QString lines(QLatin1Char('\n'));
    for (const std::string& tag : about.tags)
        lines += QString::fromStdString(tag) + QLatin1Char('\n');
    return lines;
}

/// Figures stand at the right, under one another.
int alignmentOf(int column) {
    using Column = RunsModel::Column;
    const bool isFigure = column == int(Column::Took) || column == int(Column::Validation) ||
                          column == int(Column::Score) || column >= int(Column::Count);
    return int(Qt::AlignVCenter | (isFigure ? Qt::AlignRight : Qt::AlignLeft));
}

/// Where it lies, and what the user says of it.
QString folderTip(const job::RunEntry& run) {
    QString tip = QString::fromStdString(run.runDir.string());
    for (const QString& more : {QString::fromStdString(run.about.note), fromCore(run.aboutProblem)})
        if (!more.isEmpty()) tip += QStringLiteral("\n\n") + more;
    return tip;
}

/// Whether the scores of two runs say which is the better one.
bool areRivals(const job::RunEntry& a, const job::RunEntry& b) {
    return a.testScore && b.testScore && a.name == b.name && a.testScore->name == b.testScore->name;
}

}  // namespace

QString RunsModel::statusText(const job::RunEntry& run) {
    if (run.running || run.status == "running") return tr("running");
    if (run.status == "completed") return tr("completed");
    if (run.status == "failed") return tr("failed");
    if (run.status == "stopped") return tr("stopped");
    if (run.status == "interrupted") return tr("interrupted");
    if (run.status == "unknown") return tr("unknown");
    return QString::fromStdString(run.status);
}

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent) {}

QString RunsModel::titleOf(const job::RunEntry& run) {
    return QString::fromStdString(run.about.name.empty() ? run.runDir.filename().string()
                                                         : run.about.name);
}

/// What the curve shows, to be read; empty: there is none.
QString RunsModel::curveText(const job::RunEntry& run) {
    if (run.validationCurve.empty() || !run.validationScore) return {};
    const auto value = [&name = run.validationScore->name](double figure) {
        return metricValue(name, figure);
    };
    return tr("%1 of the validation data: first %2, best %3, last %4")
        .arg(metricName(run.validationScore->name), value(run.validationCurve.front()),
             value(run.validationScore->value), value(run.validationCurve.back()));
}

bool RunsModel::saysAnything(Column column) const {
    return std::ranges::any_of(
        runs_, [&](const job::RunEntry& run) { return !text(run, column).toString().isEmpty(); });
}

void RunsModel::setRuns(std::vector<job::RunEntry> runs) {
    beginResetModel();
    runs_ = std::move(runs);
    findBest();
    findWords();
    endResetModel();
}

void RunsModel::setSettingColumns(const QStringList& keys) {
    if (keys == keys_) return;
    const int first = int(Column::Count);
    if (!keys_.isEmpty()) {
        beginRemoveColumns({}, first, first + int(keys_.size()) - 1);
        keys_.clear();
        endRemoveColumns();
    }
    if (keys.isEmpty()) return;
    beginInsertColumns({}, first, first + int(keys.size()) - 1);
    keys_ = keys;
    endInsertColumns();
}

int RunsModel::rowOf(const QString& folder) const {
    const auto found = std::ranges::find(runs_, std::filesystem::path(folder.toStdString()),
                                         &job::RunEntry::runDir);
    return found == runs_.end() ? -1 : int(found - runs_.begin());
}

int RunsModel::rivalOf(int row) const {
    const int tested = bestOther(row, &job::RunEntry::testScore);
    return tested >= 0 ? tested : bestOther(row, &job::RunEntry::validationScore);
}

/// Of those that are judged by the same figure: the run's own, else that of the newest other one.
int RunsModel::bestOther(int row, ScoreOfRun score) const {
    const job::RunEntry& own = runs_[std::size_t(row)];
    const std::optional<job::Score>* measure = own.*score ? &(own.*score) : nullptr;
    int best = -1;
    for (int i = 0; i < int(runs_.size()); ++i) {
        const job::RunEntry& other = runs_[std::size_t(i)];
        if (i == row || other.name != own.name || !(other.*score)) continue;
        if (measure == nullptr) measure = &(other.*score);
        const bool isAlike = (*measure)->name == (other.*score)->name &&
                             (*measure)->largerIsBetter == (other.*score)->largerIsBetter;
        if (!isAlike) continue;
        if (best < 0 || goodness(other.*score) > goodness(runs_[std::size_t(best)].*score))
            best = i;
    }
    return best;
}

/// Values that were left as they are by themselves find no run: "0.001" would find them all.
void RunsModel::findWords() {
    words_.clear();
    for (const job::RunEntry& run : runs_) {
        QStringList plain{QString::fromStdString(run.name),
                          statusText(run),
                          QString::fromStdString(run.status),
                          units::dateAndTime(run.startedWallTime),
                          QString::fromStdString(run.runDir.filename().string()),
                          QString::fromStdString(run.about.name),
                          QString::fromStdString(run.about.note)};
        QString settings;
        for (const job::RunSetting& setting : run.settings) {
            const QString key = QString::fromStdString(setting.key);
            const QString value = settingText(setting);
            settings += key + QLatin1Char('=') + value + QLatin1Char('\n');
            const config::KeyHelp* help = config::keyHelp(setting.key);
            if (help == nullptr || help->defaultToml != setting.value) plain << value;
        }
        const QString tags = tagLines(run.about);
        plain << tags;
        words_.push_back(
            {plain.join(QLatin1Char('\n')).toLower(), settings.toLower(), tags.toLower()});
    }
}

void RunsModel::findBest() {
    rivals_.assign(runs_.size(), 0);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        int beaten = 0;
        bool isBest = true;
        for (std::size_t j = 0; j < runs_.size() && isBest; ++j) {
            if (i == j || !areRivals(runs_[i], runs_[j])) continue;
            isBest = goodness(runs_[i].testScore) >= goodness(runs_[j].testScore);
            ++beaten;
        }
        if (isBest) rivals_[i] = beaten;
    }
}

QString RunsModel::scoreTip(std::size_t row) const {
    const auto& score = runs_[row].testScore;
    if (!score) return tr("Nothing was tested");
    QString figure =
        tr("%1 of the test data; %2 is better")
            .arg(metricName(score->name), score->largerIsBetter ? tr("higher") : tr("lower"));
    if (rivals_[row] == 0) return figure;
    return tr("%1. The best of %2 runs of %3.")
        .arg(figure)
        .arg(rivals_[row] + 1)
        .arg(QString::fromStdString(runs_[row].name));
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(runs_.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(Column::Count) + int(keys_.size());
}

QVariant RunsModel::text(const job::RunEntry& run, Column column) const {
    const auto figure = [](const std::optional<job::Score>& score) {
        if (!score) return QStringLiteral("–");
        return tr("%1  %2").arg(metricShortName(score->name),
                                metricValue(score->name, score->value));
    };
    switch (column) {
        case Column::Name:
            return QString::fromStdString(run.name);
        case Column::Status:
            return statusText(run);
        case Column::Started:
            return units::dateAndTime(run.startedWallTime);
        case Column::Took:
            return run.tookSeconds > 0 ? units::duration(run.tookSeconds) : QStringLiteral("–");
        case Column::Validation:
            return figure(run.validationScore);
        case Column::Score:
            return figure(run.testScore);
        case Column::Folder:
            return QString::fromStdString(run.runDir.filename().string());
        case Column::Called:
            return QString::fromStdString(run.about.name);
        case Column::Tags:
            return tagLines(run.about).trimmed().replace(QLatin1Char('\n'), QStringLiteral(" · "));
        case Column::Curve:
            return curveText(run);
        case Column::Count:
            break;
    }
    return {};
}

QVariant RunsModel::sortValue(const job::RunEntry& run, Column column) const {
    switch (column) {
        case Column::Started:
            return run.startedWallTime;
        case Column::Took:
            return run.tookSeconds > 0 ? QVariant(run.tookSeconds) : QVariant();
        case Column::Validation:
        case Column::Curve:
            return run.validationScore ? QVariant(goodness(run.validationScore)) : QVariant();
        case Column::Score:
            return run.testScore ? QVariant(goodness(run.testScore)) : QVariant();
        default:
            return text(run, column);
    }
}

QVariant RunsModel::settingData(const job::RunEntry& run, int section, int role) const {
    const QString key = keys_[section - int(Column::Count)];
    const QString value = settingText(run, key);
    if (role == Qt::ToolTipRole) return QString(key + QStringLiteral(" = ") + value);
    if (role == Qt::DisplayRole)
        return value.isEmpty() ? QStringLiteral("–") : settingWords(run, key);
    if (role != SortRole || value.isEmpty()) return {};
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    return isNumber ? QVariant(number) : QVariant(value);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto row = std::size_t(index.row());
    const job::RunEntry& run = runs_[row];
    switch (role) {
        case FolderRole:
            return QString::fromStdString(run.runDir.string());
        case RunningRole:
            return run.running;
        case StatusRole:
            return QString::fromStdString(run.running ? "running" : run.status);
        case BestRole:
            return rivals_[row] > 0;
        case WordsRole:
            return words_[row].plain;
        case TagsRole:
            return words_[row].tags;
        case SettingsRole:
            return words_[row].settings;
        case CurveRole:
            return QVariant::fromValue(
                QList<float>(run.validationCurve.begin(), run.validationCurve.end()));
        case Qt::TextAlignmentRole:
            return alignmentOf(index.column());
        default:
            break;
    }
    if (index.column() >= int(Column::Count)) return settingData(run, index.column(), role);
    const auto column = Column(index.column());
    // It is drawn: the words are for those who point at it, or hear it.
    if (column == Column::Curve && role == Qt::DisplayRole) return {};
    if (column == Column::Curve && (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole))
        return curveText(run);
    if (role == Qt::ToolTipRole && column == Column::Score) return scoreTip(row);
    if (role == Qt::ToolTipRole && column == Column::Validation)
        return run.validationScore ? tr("The best after an epoch, of the validation data")
                                   : tr("Nothing was validated");
    if (role == Qt::ToolTipRole && (column == Column::Name || column == Column::Called))
        return QString(text(run, column).toString() + QLatin1Char('\n') + folderTip(run)).trimmed();
    if (role == Qt::ToolTipRole) return folderTip(run);
    if (role == SortRole) return sortValue(run, column);
    return role == Qt::DisplayRole ? text(run, column) : QVariant();
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return alignmentOf(section);
    const bool isSetting = section >= int(Column::Count);
    if (role == Qt::ToolTipRole && isSetting) return keys_[section - int(Column::Count)];
    if (role == Qt::ToolTipRole && Column(section) == Column::Curve)
        return tr("What Best validation is the best of, epoch by epoch");
    if (role == Qt::ToolTipRole &&
        (Column(section) == Column::Started || Column(section) == Column::Took))
        return Column(section) == Column::Started
                   ? tr("Of a run that was resumed: its newest start")
                   : tr("All starts of a run together; its newest start alone where one of them "
                        "left no summary");
    if (role != Qt::DisplayRole) return {};
    if (isSetting) return settingLabel(keys_[section - int(Column::Count)]);
    switch (Column(section)) {
        case Column::Name:
            return tr("Job");
        case Column::Status:
            return tr("Status");
        case Column::Started:
            return tr("Started");
        case Column::Took:
            return tr("Took");
        case Column::Validation:
            return tr("Best validation");
        case Column::Score:
            return tr("Test score");
        case Column::Folder:
            return tr("Run folder");
        case Column::Called:
            return tr("Name");
        case Column::Tags:
            return tr("Tags");
        case Column::Curve:
            return tr("Curve");
        case Column::Count:
            break;
    }
    return {};
}

}  // namespace lockstep::ui
