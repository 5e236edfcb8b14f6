// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QImage>
#include <vector>

#include "core/job/handover/predict.h"

namespace lockstep::ui {

/// What a network answered, a row a sample: the sample, then its likeliest classes in one column,
/// or the numbers in one each.
class AnswerModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role {
        PictureRole = Qt::UserRole + 1,  ///< QImage; null: there is none.
        ClassesRole,                     ///< QVariantList of name and probability in turn.
        ErrorRole,                       ///< bool: there is no answer, and the text says why.
    };

    explicit AnswerModel(QObject* parent = nullptr);

    void clear();
    void append(const std::vector<job::Answer>& answers);
    [[nodiscard]] const std::vector<job::Answer>& answers() const { return answers_; }
    /// Whether the samples are images.
    [[nodiscard]] bool hasPictures() const { return hasPictures_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QVariant answerData(const job::Answer& answer, int column, int role) const;

    std::vector<job::Answer> answers_;
    std::vector<QImage> pictures_;
    QStringList targets_;  ///< Of numbers; empty: classes.
    bool hasPictures_ = false;
};

/// "photo.png", "photos.idx, image 3", "row 2": where a sample is from.
[[nodiscard]] QString sampleName(const job::Answer& answer);

}  // namespace lockstep::ui
