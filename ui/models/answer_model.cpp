// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/answer_model.h"

#include <QFileInfo>
#include <algorithm>

#include "ui/models/metric_words.h"
#include "ui/style/units.h"

namespace lockstep::ui {
namespace {

QString fromText(const std::string& text) {
    return QString::fromStdString(text);
}

QImage imageOf(const job::Answer::Picture& picture) {
    if (picture.pixels.empty()) return {};
    const bool isColour = picture.channels == 3;
    return QImage(picture.pixels.data(), picture.width, picture.height,
                  qsizetype{picture.width} * picture.channels,
                  isColour ? QImage::Format_RGB888 : QImage::Format_Grayscale8)
        .copy();
}

QVariantList classesOf(const job::Answer& answer) {
    QVariantList list;
    for (const auto& each : answer.classes)
        list << fromText(each.name) << each.probability;
    return list;
}

QString errorText(const job::Answer& answer) {
    return fromText(answer.remedy.empty() ? answer.error : answer.error + ". " + answer.remedy);
}

}  // namespace

QString sampleName(const job::Answer& answer) {
    const QString file = QFileInfo(fromText(answer.source)).fileName();
    if (answer.placeName.empty()) return file.isEmpty() ? AnswerModel::tr("the row") : file;
    if (answer.placeName == "index")
        return AnswerModel::tr("%1, image %2").arg(file).arg(answer.place + 1);
    // The first line of what was typed has the names.
    if (file.isEmpty()) return AnswerModel::tr("row %1").arg(qint64(answer.place) - 1);
    return AnswerModel::tr("%1, line %2").arg(file).arg(answer.place);
}

AnswerModel::AnswerModel(QObject* parent) : QAbstractTableModel(parent) {}

void AnswerModel::clear() {
    beginResetModel();
    answers_.clear();
    pictures_.clear();
    targets_.clear();
    hasPictures_ = false;
    endResetModel();
}

void AnswerModel::append(const std::vector<job::Answer>& answers) {
    if (answers.empty()) return;
    const auto withValues =
        std::ranges::find_if(answers, [](const auto& each) { return !each.values.empty(); });
    if (targets_.isEmpty() && withValues != answers.end()) {
        beginResetModel();  // other columns
        for (const auto& value : withValues->values)
            targets_ << fromText(value.name);
        endResetModel();
    }
    const auto first = int(answers_.size());
    beginInsertRows({}, first, first + int(answers.size()) - 1);
    for (const job::Answer& answer : answers) {
        pictures_.push_back(imageOf(answer.picture));
        hasPictures_ = hasPictures_ || !pictures_.back().isNull();
        answers_.push_back(answer);
        answers_.back().picture.pixels = {};  // the image has them
    }
    endInsertRows();
}

int AnswerModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(answers_.size());
}

int AnswerModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 1 + std::max(1, int(targets_.size()));
}

QVariant AnswerModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const job::Answer& answer = answers_[std::size_t(index.row())];
    if (index.column() > 0) return answerData(answer, index.column() - 1, role);
    if (role == Qt::DisplayRole) return sampleName(answer);
    if (role == Qt::ToolTipRole && !answer.source.empty()) return fromText(answer.source);
    if (role == PictureRole) return pictures_[std::size_t(index.row())];
    return {};
}

QVariant AnswerModel::answerData(const job::Answer& answer, int column, int role) const {
    const bool isWrong = !answer.error.empty();
    if (role == ErrorRole) return isWrong;
    if (role == Qt::ToolTipRole && isWrong) return errorText(answer);
    if (isWrong) return role == Qt::DisplayRole && column == 0 ? errorText(answer) : QVariant();
    if (role == ClassesRole) return classesOf(answer);
    if (role == Qt::TextAlignmentRole && !targets_.isEmpty())
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
    if (!targets_.isEmpty())
        return column < int(answer.values.size())
                   ? metricValue({}, answer.values[std::size_t(column)].value)
                   : QString();
    if (answer.classes.empty()) return {};
    const auto& first = answer.classes.front();
    return tr("%1 %2").arg(fromText(first.name), units::percent(first.probability));
}

QVariant AnswerModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const bool isNumber = section > 0 && !targets_.isEmpty();
    if (role == Qt::TextAlignmentRole && isNumber)
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    if (section == 0) return tr("Sample");
    return isNumber ? targets_.value(section - 1) : tr("Answer");
}

}  // namespace lockstep::ui
