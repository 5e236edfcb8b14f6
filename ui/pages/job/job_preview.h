// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace lockstep::ui {

class CodeEdit;
class JobEditor;
class TomlHighlighter;

/// The job as text, foldable beneath the form: the file itself (editable, in step with the form),
/// the resolved file with every default, and the same cluster as other programs take it.
class JobPreview final : public QWidget {
    Q_OBJECT
public:
    explicit JobPreview(JobEditor& editor, QWidget* parent = nullptr);

    void setExpanded(bool expanded);
    /// It has a place of its own beside the form: as high as that is, and not folded.
    void setBeside(bool beside);
    /// Puts the cursor at a finding's place (both from 1), marks its line and shows the text.
    void showPlace(int line, int column);
    /// Scrolls the text so that the place stands in its middle, and gives where it is then: what a
    /// page has to scroll to.
    [[nodiscard]] QRect centrePlace();

protected:
    void changeEvent(QEvent* event) override;

private:
    void buildHeader();
    void buildEditor();
    void showParts();
    void refresh();
    void fillTasks();
    void showDerived();
    void showText(const QString& text);
    void textTyped();
    void showFindings();
    [[nodiscard]] bool isUnfolded() const;
    [[nodiscard]] bool showsFile() const;
    [[nodiscard]] QString derivedText() const;

    JobEditor& editor_;
    QToolButton* fold_ = nullptr;
    QComboBox* form_ = nullptr;
    QComboBox* task_ = nullptr;  ///< Whom a dialect's text is for.
    CodeEdit* text_ = nullptr;
    TomlHighlighter* colours_ = nullptr;
    QLabel* note_ = nullptr;
    bool beside_ = false;
    bool showing_ = false;  ///< The text changes because the job did, not because someone types.
};

}  // namespace lockstep::ui
