// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/live/report_hint.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <chrono>

#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/widgets/wrapped_label.h"

namespace lockstep::ui {
namespace {

constexpr int kWidth = 620;
constexpr std::chrono::seconds kCopiedFor(2);

QLabel* explanation(const QString& text, QWidget* parent) {
    QLabel* label = wrappedLabel(parent, text);
    label->setProperty("secondary", true);
    return label;
}

/// Lines of code that can be marked.
QLabel* codeLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(parent->font().pointSizeF());
    label->setFont(font);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace

QString ReportHint::code() {
    return QStringLiteral(
        "import lockstep_report\n"
        "report = lockstep_report.connect()\n"
        "report.step(loss=loss, accuracy=accuracy)   # after every step; any names");
}

ReportHint::ReportHint(QWidget* parent)
    : Card({}, parent),
      headline_(new QLabel(this)),
      copy_(new QPushButton(tr("Copy the lines"), this)) {
    setObjectName(QStringLiteral("reportHint"));
    QFont font = strongFont();
    font.setPointSizeF(font.pointSizeF() * 1.2);
    headline_->setFont(font);
    auto* lines = codeLabel(code(), this);
    lines->setObjectName(QStringLiteral("reportLines"));
    lines->setAccessibleName(tr("Lines for the program"));
    copy_->setObjectName(QStringLiteral("copyReportLines"));
    connect(copy_, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(code());
        copy_->setText(tr("Copied"));
        QTimer::singleShot(kCopiedFor, copy_, [this] { copy_->setText(tr("Copy the lines")); });
    });

    auto* column = new QWidget(this);
    column->setMaximumWidth(kWidth);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kGrid);
    layout->addWidget(headline_);
    layout->addWidget(
        explanation(tr("Three lines show its loss, and any other figure, here as they "
                       "come. Python 3.8 is all they need."),
                    column));
    layout->addWidget(lines);
    layout->addWidget(copy_, 0, Qt::AlignLeft);
    layout->addSpacing(kGrid);
    layout->addWidget(explanation(tr("With Keras, one callback reports every metric:"), column));
    layout->addWidget(codeLabel(
        QStringLiteral("model.fit(..., callbacks=[lockstep_report.keras_callback()])"), column));
    body()->addStretch(2);
    body()->addWidget(column, 0, Qt::AlignHCenter);
    body()->addStretch(3);
    setEnded(false);
}

void ReportHint::setEnded(bool ended) {
    headline_->setText(ended ? tr("The program reported nothing")
                             : tr("The program runs and has reported nothing yet"));
    setAccessibleName(headline_->text());
}

}  // namespace lockstep::ui
