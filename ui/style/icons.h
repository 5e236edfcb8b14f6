// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>
#include <array>

#include "ui/style/theme.h"

class QPainter;

namespace lockstep::ui {

/// Our icons: one family on a grid of 24, stroke 1.75, drawn from resources/icons/<name>.svg.
enum class Icon {
    Job,
    Live,
    Replicas,
    Evaluator,
    Logs,
    Runs,
    Launch,
    Stop,
    Resume,
    Check,
    Warning,
    Error,
    Info,
    Heart,
    ZoomFit,
    Follow,
    Sun,
    Moon,
    FolderOpen,
    Plus,
    Minus,
    Close,
    Search,
    Copy,
    Gauge,
    Clock,
    Checkpoint,
    Cpu,
    ChevronLeft,
    ChevronRight,
    ChevronUp,
    ChevronDown,
    Waiting,
    Save,
    Settings,
    Maximize,
    Restore,
    Trash,
    Model,
    Data,
    Home,
    Pause,
    Count,
};

/// The name of the icon's file, without folder and ending.
[[nodiscard]] QString iconName(Icon icon);

/// An icon in the colours of the theme that is in force when it is painted: secondary text when
/// normal, text when active, accent when on or selected, pale when disabled. Crisp at any scale.
[[nodiscard]] QIcon makeIcon(Icon icon);
/// The same in one tone, for icons that say something by themselves.
[[nodiscard]] QIcon makeIcon(Icon icon, Tone tone);
/// The same in one colour, for buttons of their own colour.
[[nodiscard]] QIcon makeIcon(Icon icon, const QColor& colour);

/// Draws an icon as lines of one colour into a rectangle.
void paintIcon(QPainter& painter, Icon icon, const QRectF& rect, const QColor& colour);

/// The program's own icon, 16 to 512 pixels.
[[nodiscard]] QIcon applicationIcon();

}  // namespace lockstep::ui
