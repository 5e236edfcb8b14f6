// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/key_list.h"

namespace lockstep::ui {

GestureGroup KeyList::ofTheWindow() {
    return {tr("Everywhere"),
            {{{tr("Ctrl+0 … Ctrl+6")}, tr("Home, Job, Live, Replicas, Evaluator, Logs, Runs")},
             {{tr("Ctrl+L")}, tr("Launch the job")},
             {{tr("Ctrl+Shift+L")}, tr("Resume from the newest checkpoint")},
             {{tr("Ctrl+.")}, tr("Stop after this step")},
             {{tr("Ctrl+K")}, tr("Check the hosts")},
             {{tr("Ctrl+D")}, tr("A drill: a fault on purpose")},
             {{tr("Ctrl+W")}, tr("Close this run")},
             {{tr("Ctrl+F")}, tr("Find figures on Live, runs on Runs, else lines of the log")},
             {{QStringLiteral("F5")}, tr("Read the runs folder again")},
             {{QStringLiteral("F1")}, tr("These keys")}}};
}

GestureGroup KeyList::ofTheForm() {
    return {tr("Job"),
            {{{tr("Ctrl+Z"), tr("Ctrl+Shift+Z")}, tr("Undo and redo, in the form and in the text")},
             {{tr("Insert"), tr("Delete")}, tr("Table of hosts: add a row, remove it")},
             {{tr("Alt+Up"), tr("Alt+Down")}, tr("Table of hosts: move the row")},
             {{tr("Enter"), QStringLiteral("F2")}, tr("Table of hosts: edit the cell")},
             {{tr("Down")}, tr("While a host is typed: the names of the ssh settings")},
             {{tr("Ctrl+wheel"), QStringLiteral("+"), QStringLiteral("−")},
              tr("Picture of the network: zoom")},
             {{QStringLiteral("0")}, tr("Picture of the network: show all")},
             {{tr("Up"), tr("Down")}, tr("Picture of the network: from layer to layer")},
             {{tr("Enter"), tr("Right"), tr("Left")},
              tr("Picture of the network: open and close a block")}}};
}

GestureGroup KeyList::ofCharts() {
    return {
        tr("Charts"),
        {{{tr("Wheel"), QStringLiteral("+"), QStringLiteral("−")},
          tr("Zoom time; the y axis fits what is shown")},
         {{tr("Ctrl+wheel"), tr("Wheel over the y axis")}, tr("Zoom y alone")},
         {{tr("Drag")}, tr("Choose a range")},
         {{tr("Ctrl+drag")}, tr("Choose a box")},
         {{tr("Space+drag"), tr("Shift+drag"), tr("Middle button"), tr("Arrow keys")}, tr("Pan")},
         {{tr("Double click"), QStringLiteral("0")}, tr("Show all")},
         {{QStringLiteral("L")}, tr("Logarithmic y axis")},
         {{tr("Ctrl+click")}, tr("On a curve's name: this curve alone")},
         {{tr("Click")}, tr("On a mark: the checkpoint's score, or that moment of the run")},
         {{tr("Ctrl+Shift+C"), tr("Ctrl+Shift+E")}, tr("Copy the chart, save it")},
         {{QStringLiteral("W"), QStringLiteral("S"), QStringLiteral("A"), QStringLiteral("D")},
          tr("Steps: zoom and pan")},
         {{QStringLiteral("Esc")}, tr("Leave a chart that fills the page")}}};
}

GestureGroup KeyList::ofNamedFigures() {
    return {tr("Named figures"),
            {{{QStringLiteral("P")}, tr("Pin: before all others, or no longer")},
             {{QStringLiteral("H")}, tr("Hide")},
             {{tr("Alt+Left"), tr("Alt+Right")}, tr("Move")}}};
}

GestureGroup KeyList::ofReplicas() {
    return {tr("Replicas, as a map"),
            {{{tr("Arrow keys")}, tr("From cell to cell")},
             {{tr("Enter"), tr("Click")}, tr("Open the replica")},
             {{QStringLiteral("Esc")}, tr("Close it")}}};
}

GestureGroup KeyList::ofTheEvaluator() {
    return {tr("Evaluator"),
            {{{tr("Arrow keys")}, tr("From cell to cell, class to class, sample to sample")},
             {{tr("Enter"), tr("Click")},
              tr("Cell or class: its samples; sample: across all checkpoints")},
             {{tr("Ctrl+wheel"), QStringLiteral("+"), QStringLiteral("−")},
              tr("Confusion matrix: zoom")},
             {{QStringLiteral("0")}, tr("Confusion matrix: show all")},
             {{QStringLiteral("Esc")}, tr("Close the sample's checkpoints")}}};
}

GestureGroup KeyList::ofLogs() {
    return {tr("Logs"),
            {{{tr("Ctrl+F")}, tr("Search")},
             {{tr("Enter"), QStringLiteral("F3")}, tr("Next match")},
             {{tr("Shift+Enter"), tr("Shift+F3")}, tr("Match before")},
             {{QStringLiteral("Esc")}, tr("End a long search; what was found stays")},
             {{tr("Right"), tr("Left")}, tr("Unfold a traceback, fold it")},
             {{tr("Ctrl+G")}, tr("Go to a line or a time: 12000, 14:05, 14:05:12")},
             {{tr("Click on a time")}, tr("Put the charts' crosshair there")},
             {{tr("Ctrl+Enter")}, tr("The same, and show Live")},
             {{tr("Ctrl+C")}, tr("Copy the chosen lines, or all that are shown")}}};
}

GestureGroup KeyList::ofTheSlider() {
    return {tr("Slider of the past"),
            {{{tr("Drag"), tr("Click on a mark")}, tr("Show the run as it was then")},
             {{tr("Left"), tr("Right")}, tr("The report of a step before, the next one")},
             {{tr("Page Up"), tr("Page Down")}, tr("A twentieth of the run")},
             {{tr("Home")}, tr("Its beginning")},
             {{tr("End")}, tr("Now; anywhere in the window")}}};
}

GestureGroup KeyList::ofRuns() {
    return {tr("Runs"),
            {{{tr("Enter"), tr("Double click")}, tr("Open the run")},
             {{tr("Ctrl+click"), tr("Shift+click")}, tr("Choose several runs")},
             {{tr("Ctrl+Enter")}, tr("Compare the chosen runs; one alone with the best")},
             {{tr("Ctrl+J")}, tr("Open a copy of its job")},
             {{QStringLiteral("F2")}, tr("Name, tags and note")},
             {{tr("Delete")}, tr("To the trash; Undo takes them back")},
             {{tr("Space")}, tr("In a comparison: hide and show a run's curves")}}};
}

GestureGroup KeyList::ofAxes() {
    return {tr("Runs, as axes"),
            {{{tr("Drag along an axis")}, tr("Choose the runs that pass there")},
             {{tr("Click"), tr("Ctrl+click")}, tr("Choose a run; one more")},
             {{tr("Double click")}, tr("Open the run")},
             {{tr("Left"), tr("Right")}, tr("From axis to axis")},
             {{tr("Up"), tr("Down")}, tr("From run to run")},
             {{tr("Space")}, tr("Choose the run")},
             {{QStringLiteral("Esc")}, tr("Give the ranges up")}}};
}

std::vector<GestureGroup> KeyList::groups() {
    return {ofTheWindow(), ofTheForm(),      ofCharts(), ofNamedFigures(), ofReplicas(),
            ofTheSlider(), ofTheEvaluator(), ofLogs(),   ofRuns(),         ofAxes()};
}

}  // namespace lockstep::ui
