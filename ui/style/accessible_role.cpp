// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/accessible_role.h"

#include <QAccessibleWidget>
#include <QHash>
#include <QPointer>
#include <QWidget>
#include <algorithm>

namespace lockstep::ui {
namespace {

constexpr auto kRole = "accessibleRole";
constexpr double kSteps = 100;  // from none of a figure to all of it

QAccessible::Role partRole(QAccessible::Role whole) {
    switch (whole) {
        case QAccessible::Table:
            return QAccessible::Cell;
        case QAccessible::PageTabList:
            return QAccessible::PageTab;
        default:
            return QAccessible::ListItem;
    }
}

/// Null also while the widget is being destroyed, when it is its own class no more.
template <typename T>
T* faceOf(QWidget* widget) {
    return dynamic_cast<T*>(widget);
}

/// One part. It lasts as long as the widget's interface, and is valid while there is such a part.
class Part final : public QAccessibleInterface, public QAccessibleTableCellInterface {
public:
    Part(QWidget* widget, QAccessible::Role role, int index)
        : widget_(widget), role_(role), index_(index) {}

    bool isValid() const override { return parts() != nullptr; }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return isValid() ? parent()->window() : nullptr; }
    QAccessibleInterface* childAt(int /*x*/, int /*y*/) const override { return nullptr; }
    QAccessibleInterface* parent() const override {
        return QAccessible::queryAccessibleInterface(widget_);
    }
    QAccessibleInterface* child(int /*index*/) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface* /*child*/) const override { return -1; }
    QString text(QAccessible::Text kind) const override {
        return kind == QAccessible::Name && isValid() ? parts()->partWords(index_) : QString();
    }
    void setText(QAccessible::Text /*kind*/, const QString& /*text*/) override {}
    QRect rect() const override {
        if (!isValid()) return {};
        const QRect area = parts()->partArea(index_);
        return {widget_->mapToGlobal(area.topLeft()), area.size()};
    }
    QAccessible::Role role() const override { return role_; }
    QAccessible::State state() const override {
        QAccessible::State state;
        state.invalid = !isValid();
        if (state.invalid) return state;
        state.selectable = true;
        state.focusable = true;
        state.selected = isSelected();
        state.focused = state.selected && widget_->hasFocus();
        state.invisible = !widget_->isVisible();
        state.disabled = !widget_->isEnabled();
        return state;
    }
    void* interface_cast(QAccessible::InterfaceType type) override {
        const bool isCell = type == QAccessible::TableCellInterface && grid() != nullptr;
        return isCell ? static_cast<QAccessibleTableCellInterface*>(this) : nullptr;
    }

    bool isSelected() const override { return isValid() && parts()->chosenPart() == index_; }
    QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    int columnIndex() const override { return grid() ? grid()->placeOf(index_).x() : -1; }
    int rowIndex() const override { return grid() ? grid()->placeOf(index_).y() : -1; }
    int columnExtent() const override { return 1; }
    int rowExtent() const override { return 1; }
    QAccessibleInterface* table() const override { return parent(); }

    [[nodiscard]] int index() const { return index_; }

private:
    /// Null: the part is not there any more.
    [[nodiscard]] AccessibleParts* parts() const {
        auto* parts = faceOf<AccessibleParts>(widget_);
        return parts && index_ < parts->partCount() ? parts : nullptr;
    }
    [[nodiscard]] AccessibleGrid* grid() const {
        return isValid() ? faceOf<AccessibleGrid>(widget_) : nullptr;
    }

    QPointer<QWidget> widget_;
    QAccessible::Role role_;
    int index_;
};

/// A widget of ours: its role, and its figure where it has one.
class Painted : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    Painted(QWidget* widget, QAccessible::Role role) : QAccessibleWidget(widget, role) {}

    void* interface_cast(QAccessible::InterfaceType type) override {
        if (type == QAccessible::ValueInterface && shown())
            return static_cast<QAccessibleValueInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    QVariant currentValue() const override { return shown() ? shown()->figure() : 0; }
    void setCurrentValue(const QVariant& value) override {
        if (shown()) shown()->wantFigure(std::clamp(value.toDouble(), 0.0, limit()));
    }
    QVariant maximumValue() const override { return limit(); }
    QVariant minimumValue() const override { return 0.0; }
    QVariant minimumStepSize() const override { return limit() / kSteps; }

private:
    [[nodiscard]] AccessibleFigure* shown() const { return faceOf<AccessibleFigure>(widget()); }
    [[nodiscard]] double limit() const { return shown() ? shown()->figureLimit() : 0; }
};

/// A widget of ours with parts; they are made when they are asked for.
class WithParts : public QAccessibleWidget {
public:
    using QAccessibleWidget::QAccessibleWidget;

    int childCount() const override { return parts() ? parts()->partCount() : 0; }
    QAccessibleInterface* child(int index) const override {
        if (index < 0 || index >= childCount()) return nullptr;
        auto known = ids_.find(index);
        if (known == ids_.end()) {
            auto* part = new Part(widget(), partRole(role()), index);
            known = ids_.insert(index, QAccessible::registerAccessibleInterface(part));
        }
        return QAccessible::accessibleInterface(*known);
    }
    int indexOfChild(const QAccessibleInterface* child) const override {
        const auto* part = dynamic_cast<const Part*>(child);
        return part && part->parent() == this ? part->index() : -1;
    }
    QAccessibleInterface* childAt(int x, int y) const override {
        return parts() ? child(parts()->partUnder(widget()->mapFromGlobal(QPoint(x, y)))) : nullptr;
    }
    QAccessibleInterface* focusChild() const override {
        const bool isIn = widget() && widget()->hasFocus();
        return isIn && parts() ? child(parts()->chosenPart()) : nullptr;
    }

protected:
    ~WithParts() override {
        for (const QAccessible::Id id : std::as_const(ids_))
            QAccessible::deleteAccessibleInterface(id);
    }
    [[nodiscard]] AccessibleParts* parts() const { return faceOf<AccessibleParts>(widget()); }

private:
    mutable QHash<int, QAccessible::Id> ids_;  ///< Of the parts that were asked for.
};

class Table final : public WithParts, public QAccessibleTableInterface {
public:
    explicit Table(QWidget* widget) : WithParts(widget, QAccessible::Table) {}

    void* interface_cast(QAccessible::InterfaceType type) override {
        if (type == QAccessible::TableInterface)
            return static_cast<QAccessibleTableInterface*>(this);
        return QAccessibleWidget::interface_cast(type);
    }
    QAccessibleInterface* caption() const override { return nullptr; }
    QAccessibleInterface* summary() const override { return nullptr; }
    QAccessibleInterface* cellAt(int row, int column) const override {
        const bool isIn = row >= 0 && row < rowCount() && column >= 0 && column < columnCount();
        return isIn ? child(grid()->partAt(row, column)) : nullptr;
    }
    int selectedCellCount() const override { return int(selectedCells().size()); }
    QList<QAccessibleInterface*> selectedCells() const override {
        QAccessibleInterface* chosen = grid() ? child(grid()->chosenPart()) : nullptr;
        return chosen ? QList{chosen} : QList<QAccessibleInterface*>();
    }
    QString columnDescription(int column) const override {
        return grid() ? grid()->columnHeading(column) : QString();
    }
    QString rowDescription(int row) const override {
        return grid() ? grid()->rowHeading(row) : QString();
    }
    int columnCount() const override { return grid() ? grid()->gridSize().width() : 0; }
    int rowCount() const override { return grid() ? grid()->gridSize().height() : 0; }
    // One cell is chosen, never a row or a column.
    int selectedColumnCount() const override { return 0; }
    int selectedRowCount() const override { return 0; }
    QList<int> selectedColumns() const override { return {}; }
    QList<int> selectedRows() const override { return {}; }
    bool isColumnSelected(int /*column*/) const override { return false; }
    bool isRowSelected(int /*row*/) const override { return false; }
    bool selectRow(int /*row*/) override { return false; }
    bool selectColumn(int /*column*/) override { return false; }
    bool unselectRow(int /*row*/) override { return false; }
    bool unselectColumn(int /*column*/) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent* /*event*/) override {}

private:
    [[nodiscard]] AccessibleGrid* grid() const { return faceOf<AccessibleGrid>(widget()); }
};

QAccessibleInterface* makeInterface(const QString& /*className*/, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    if (widget == nullptr) return nullptr;
    const QVariant said = widget->property(kRole);
    if (!said.isValid()) return nullptr;
    const auto role = QAccessible::Role(said.toInt());
    if (faceOf<AccessibleGrid>(widget)) return new Table(widget);
    if (faceOf<AccessibleParts>(widget)) return new WithParts(widget, role);
    return new Painted(widget, role);
}

}  // namespace

void setAccessibleRole(QWidget& widget, QAccessible::Role role) {
    QAccessible::installFactory(makeInterface);  // once, whoever is first
    widget.setProperty(kRole, int(role));
}

void tellChosenPart(QWidget& widget) {
    auto* parts = faceOf<AccessibleParts>(&widget);
    if (parts == nullptr || parts->chosenPart() < 0 || !widget.hasFocus()) return;
    QAccessibleEvent event(&widget, QAccessible::Focus);
    event.setChild(parts->chosenPart());
    QAccessible::updateAccessibility(&event);
}

}  // namespace lockstep::ui
