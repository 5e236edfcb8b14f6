// SPDX-License-Identifier: GPL-3.0-or-later
// Every widget and chart with made-up data: gallery FOLDER saves a picture of each sheet, light
// and dark. QT_SCALE_FACTOR=2 makes the "@2x" pictures.
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>
#include <random>

#include "ui/charts/chart_card.h"
#include "ui/charts/heartbeat_chart.h"
#include "ui/charts/live_chart.h"
#include "ui/style/icons.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/widgets/card.h"
#include "ui/widgets/class_bars.h"
#include "ui/widgets/confusion_matrix.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/metric_tile.h"
#include "ui/widgets/navigation_rail.h"
#include "ui/widgets/notice_bar.h"
#include "ui/widgets/phase_bar.h"
#include "ui/widgets/progress_strip.h"
#include "ui/widgets/sample_grid.h"
#include "ui/widgets/segmented_control.h"
#include "ui/widgets/sparkline.h"
#include "ui/widgets/state_pill.h"

using namespace lockstep::ui;

namespace {

std::mt19937 chance(7);

float noise(double size) {
    return float(std::normal_distribution<double>(0, size)(chance));
}

std::vector<float> lossCurve(int steps, int replica) {
    std::vector<float> values;
    for (int i = 0; i < steps; ++i) {
        const double base = 0.08 + 2.2 * std::exp(-i / (steps * 0.06)) + 0.02 * replica;
        values.push_back(float(std::max(0.001, base * (1 + double(noise(0.18))))));
    }
    return values;
}

void settle(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, &loop, &QEventLoop::quit);
    loop.exec();
}

/// Four linked charts: replicas and their mean.
struct LiveSheet : QWidget {
    ChartGroup group;
    QVector<LiveChart*> charts;

    LiveSheet(int steps, int replicas, bool withSpike) {
        QVector<SeriesInfo> series;
        for (int i = 0; i < replicas; ++i) {
            series.append({QStringLiteral("replica %1").arg(i), {}, false, -1});
        }
        series.append({QStringLiteral("mean"), {}, true, 0});
        group.setSeries(series);
        auto* grid = new QGridLayout(this);
        grid->setSpacing(kGrid);
        grid->setContentsMargins(2 * kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
        addChart(grid, QStringLiteral("Loss"), {}, 0, 0);
        addChart(grid, QStringLiteral("Accuracy"), {}, 0, 1);
        addChart(grid, QStringLiteral("Throughput"), QStringLiteral("samples/s"), 1, 0);
        addChart(grid, QStringLiteral("Step time"), QStringLiteral("ms"), 1, 1);
        charts[1]->setYAtLeast(0, 1);
        charts[1]->setValueFormat([](double v) { return units::percent(v); });
        charts[2]->setYAtLeast(0, std::nullopt);
        charts[2]->setValueFormat([](double v) { return units::compact(std::round(v)); });
        fill(steps, replicas, withSpike);
        auto* beats = new HeartbeatChart;
        beats->setLanes({{QStringLiteral("process 0"), QStringLiteral("0")},
                         {QStringLiteral("process 1"), QStringLiteral("1")},
                         {QStringLiteral("evaluator"), QStringLiteral("evaluator")}});
        beats->setNow(1000);
        for (int lane = 0; lane < 3; ++lane) {
            for (int i = 0; i < 120; ++i) {
                const double time = 880 + i + 0.3 * lane;
                if (lane == 1 && time > 960 && time < 971) continue;
                if (lane == 2 && time > 991) continue;
                beats->addBeat(lane, time, i % 17 == 0 ? 0 : lane == 2 ? 7 : 1 + i % 4);
            }
        }
        auto* card = new Card(QStringLiteral("Heartbeats"));
        card->body()->addWidget(beats);
        grid->addWidget(card, 2, 0, 1, 2);
        grid->setRowStretch(0, 1);
        grid->setRowStretch(1, 1);
    }

    void addChart(QGridLayout* grid, const QString& title, const QString& unit, int row, int col) {
        auto* chart = new LiveChart(&group);
        chart->setTitle(title);
        chart->setUnit(unit);
        charts.append(chart);
        grid->addWidget(new ChartCard(chart), row, col);
    }

    void fill(int steps, int replicas, bool withSpike) {
        std::vector<std::vector<float>> means(4, std::vector<float>(std::size_t(steps), 0));
        for (int r = 0; r < replicas; ++r) {
            std::vector<std::vector<float>> all(4);
            all[0] = lossCurve(steps, r);
            std::vector<double> times;
            double time = 1.7e9;
            for (int i = 0; i < steps; ++i) {
                all[1].push_back(std::clamp(1 - all[0][std::size_t(i)] * 0.4f, 0.f, 1.f));
                const float ms =
                    0.8f + std::abs(noise(0.05)) + (i == steps / 3 && withSpike ? 60 : 0);
                all[2].push_back(16 / ms * 1000);
                all[3].push_back(ms);
                times.push_back(time += double(ms) / 1000);
            }
            if (withSpike) all[0][std::size_t(steps / 2)] = std::nanf("");
            group.appendTimes(r, 1, times);
            for (std::size_t c = 0; c < 4; ++c) {
                charts[qsizetype(c)]->appendSteps(r, 1, all[c]);
                for (std::size_t i = 0; i < means[c].size(); ++i) {
                    if (std::isfinite(all[c][i])) means[c][i] += all[c][i] / float(replicas);
                }
            }
        }
        for (std::size_t c = 0; c < 4; ++c)
            charts[qsizetype(c)]->appendSteps(replicas, 1, means[c]);
    }
};

QWidget* evaluatorSheet() {
    auto* sheet = new QWidget;
    auto* row = new QHBoxLayout(sheet);
    QStringList names;
    for (int i = 0; i < 10; ++i)
        names << QString::number(i);
    QVector<quint32> counts(100, 0);
    QVector<float> accuracies;
    for (int t = 0; t < 10; ++t) {
        quint32 wrong = 0;
        for (int k = 0; k < 5; ++k) {
            const int p = int(chance() % 10);
            if (p == t) continue;
            const quint32 n = chance() % (t == 4 ? 30 : 9);
            counts[t * 10 + p] += n;
            wrong += n;
        }
        counts[t * 10 + t] = 980 - wrong;
        accuracies << float(980 - wrong) / 980;
    }
    auto* matrix = new ConfusionMatrix;
    matrix->setCounts(names, counts);
    auto* bars = new ClassBars;
    bars->setValues(names, accuracies);
    auto* grid = new SampleGrid;
    QVector<SampleGrid::Sample> samples;
    for (int i = 0; i < 24; ++i) {
        QImage image(28, 28, QImage::Format_Grayscale8);
        image.fill(0);
        QPainter painter(&image);
        painter.setPen(QPen(Qt::white, 2.5));
        painter.setRenderHint(QPainter::Antialiasing);
        painter.drawArc(6 + i % 4, 5, 14 - i % 5, 18, i * 300, 4000 + 90 * i);
        samples.append({image, QString::number(i % 10), QString::number((i * 7) % 10),
                        0.5f + 0.02f * float(i), i * 31, i % 10 == (i * 7) % 10 || i > 13});
        if (samples.last().correct) samples.last().prediction = samples.last().truth;
    }
    grid->setSamples(samples);

    auto* score = new LiveChart;
    score->setTitle(QStringLiteral("Score over steps"));
    score->group().setSeries({{QStringLiteral("validation accuracy"), {}, false, -1}});
    for (int i = 1; i <= 9; ++i)
        score->appendPoint(0, i * 500, 0.9f + 0.075f * (1 - std::exp(-float(i) / 3)));
    score->setValueFormat([](double v) { return units::percent(v, 2); });
    auto* left = new QVBoxLayout;
    left->addWidget(new ChartCard(score), 1);
    auto* barCard = new Card(QStringLiteral("Accuracy of each class"));
    barCard->body()->addWidget(bars);
    left->addWidget(barCard);
    auto* matrixCard = new Card(QStringLiteral("Confusion matrix"));
    matrixCard->setSubtitle(QStringLiteral("validation, step 4 500"));
    matrixCard->body()->addWidget(matrix);
    auto* sampleCard = new Card(QStringLiteral("Samples"));
    sampleCard->setSubtitle(QStringLiteral("the hardest first"));
    sampleCard->body()->addWidget(grid);
    sampleCard->body()->addStretch(1);
    row->addLayout(left, 2);
    row->addWidget(matrixCard, 3);
    row->addWidget(sampleCard, 3);
    return sheet;
}

QWidget* partsSheet() {
    auto* sheet = new QWidget;
    auto* outer = new QHBoxLayout(sheet);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* rail = new NavigationRail;
    rail->addEntry(Icon::Job, QStringLiteral("&Job"));
    rail->addEntry(Icon::Live, QStringLiteral("&Live"));
    rail->addEntry(Icon::Replicas, QStringLiteral("&Replicas"));
    rail->addEntry(Icon::Evaluator, QStringLiteral("&Evaluator"));
    rail->addEntry(Icon::Logs, QStringLiteral("L&ogs"));
    rail->addEntry(Icon::Runs, QStringLiteral("R&uns"));
    rail->setCurrent(1);
    rail->setBadge(2, Tone::Bad, QStringLiteral("one replica is lost"));
    outer->addWidget(rail);
    auto* column = new QVBoxLayout;
    column->setContentsMargins(kGrid, 2 * kGrid, 2 * kGrid, 2 * kGrid);
    column->setSpacing(2 * kGrid);
    outer->addLayout(column, 1);

    auto* head = new QHBoxLayout;
    auto* title = new QLabel(QStringLiteral("mnist-mlp"));
    title->setFont(titleFont());
    head->addWidget(title);
    const std::array<std::tuple<const char*, Icon, Tone>, 6> states{
        {{"Ready", Icon::Info, Tone::Neutral},
         {"Launching", Icon::Waiting, Tone::Accent},
         {"Training", Icon::Live, Tone::Accent},
         {"Stuck", Icon::Warning, Tone::Warn},
         {"Failed", Icon::Error, Tone::Bad},
         {"Finished", Icon::Check, Tone::Good}}};
    for (const auto& [word, icon, tone] : states) {
        auto* pill = new StatePill;
        pill->setState(QString::fromLatin1(word), icon, tone);
        head->addWidget(pill);
    }
    head->addStretch(1);
    auto* launch = new QPushButton(makeIcon(Icon::Launch, Theme::current().accentText),
                                   QStringLiteral("Launch"));
    launch->setProperty("primary", true);
    auto* stop = new QPushButton(makeIcon(Icon::Stop), QStringLiteral("Stop"));
    stop->setProperty("danger", true);
    auto* off = new QPushButton(QStringLiteral("Resume"));
    off->setEnabled(false);
    head->addWidget(off);
    head->addWidget(stop);
    head->addWidget(launch);
    column->addLayout(head);
    auto* strip = new ProgressStrip;
    strip->setFraction(0.42);
    column->addWidget(strip);
    for (const Tone tone : {Tone::Neutral, Tone::Good, Tone::Warn, Tone::Bad}) {
        auto* bar = new NoticeBar;
        bar->showNotice(
            {tone, QStringLiteral("Process 1 (gpu03) was killed by signal 9 at step 12 300."),
             tone == Tone::Bad ? QStringLiteral("Its memory may have run out: see the host's "
                                                "kernel log. Resume continues from step 12 000.")
                               : QString(),
             tone == Tone::Bad ? QStringLiteral("trace") : QString()});
        if (tone == Tone::Bad) bar->addAction(QStringLiteral("Resume"));
        column->addWidget(bar);
    }
    auto* cards = new QHBoxLayout;
    auto* figures = new Card(QStringLiteral("Latest checkpoint"));
    figures->setSubtitle(QStringLiteral("step 4 500"));
    auto* tiles = new QHBoxLayout;
    for (const auto& [label, value, unit] : {std::tuple{"Accuracy", "97.32", "%"},
                                             {"Loss", "0.0912", ""},
                                             {"Throughput", "38.4 k", "samples/s"}}) {
        auto* tile = new MetricTile(QString::fromLatin1(label));
        tile->setValue(QString::fromLatin1(value), QString::fromLatin1(unit));
        tiles->addWidget(tile);
    }
    figures->body()->addLayout(tiles);
    auto* phases = new PhaseBar;
    const QStringList phaseNames{QStringLiteral("data"), QStringLiteral("forward"),
                                 QStringLiteral("backward"), QStringLiteral("all-reduce"),
                                 QStringLiteral("update")};
    QVector<PhaseBar::Part> parts;
    const double shares[]{20, 130, 260, 90, 60};
    for (int i = 0; i < 5; ++i)
        parts.append({phaseNames[i], shares[i], Theme::current().phaseColour(i)});
    phases->setParts(parts);
    figures->body()->addWidget(phases);
    auto* spark = new Sparkline;
    for (int i = 0; i < 100; ++i)
        spark->append(float(std::exp(-i / 30.0)) + std::abs(noise(0.05)));
    figures->body()->addWidget(spark);
    cards->addWidget(figures, 1);
    auto* form = new Card(QStringLiteral("Training"));
    auto* fields = new QGridLayout;
    auto* optimizer = new QComboBox;
    optimizer->addItems({QStringLiteral("adam"), QStringLiteral("sgd")});
    auto* batch = new QSpinBox;
    batch->setMaximum(9999);
    batch->setValue(32);
    auto* wrong = new QLineEdit(QStringLiteral("0.01x"));
    wrong->setProperty("invalid", true);
    fields->addWidget(new QLabel(QStringLiteral("Optimizer")), 0, 0);
    fields->addWidget(optimizer, 0, 1);
    fields->addWidget(new QLabel(QStringLiteral("Global batch size")), 1, 0);
    fields->addWidget(batch, 1, 1);
    fields->addWidget(new QLabel(QStringLiteral("Learning rate")), 2, 0);
    fields->addWidget(wrong, 2, 1);
    auto* axis = new SegmentedControl({QStringLiteral("Step"), QStringLiteral("Time")});
    fields->addWidget(new QLabel(QStringLiteral("X axis")), 3, 0);
    fields->addWidget(axis, 3, 1, Qt::AlignLeft);
    form->body()->addLayout(fields);
    cards->addWidget(form, 1);
    auto* empty = new Card(QStringLiteral("Evaluator"));
    auto* teach = new EmptyState(Icon::Evaluator, QStringLiteral("No score yet"),
                                 QStringLiteral("The evaluator scores every checkpoint as it "
                                                "appears. The first one comes after step 500."));
    teach->addButton(QStringLiteral("Launch"));
    teach->addButton(QStringLiteral("Open example"));
    empty->body()->addWidget(teach);
    cards->addWidget(empty, 1);
    column->addLayout(cards);
    auto* tableCard = new Card(QStringLiteral("Replicas"));
    auto* model = new QStandardItemModel(3, 4, tableCard);
    model->setHorizontalHeaderLabels({QStringLiteral("Process"), QStringLiteral("Role"),
                                      QStringLiteral("Host"), QStringLiteral("Loss")});
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c)
            model->setItem(r, c, new QStandardItem(QStringLiteral("cell %1.%2").arg(r).arg(c)));
    auto* table = new QTableView;
    table->setModel(model);
    table->setShowGrid(false);
    table->verticalHeader()->hide();
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->selectRow(1);
    tableCard->body()->addWidget(table);
    column->addWidget(tableCard, 1);
    auto* icons = new QHBoxLayout;
    for (int i = 0; i < int(Icon::Count); ++i) {
        auto* label = new QLabel;
        label->setPixmap(makeIcon(Icon(i)).pixmap(QSize(20, 20), sheet->devicePixelRatioF()));
        icons->addWidget(label);
    }
    auto* app = new QLabel;
    app->setPixmap(applicationIcon().pixmap(QSize(40, 40), sheet->devicePixelRatioF()));
    icons->addWidget(app);
    column->addLayout(icons);
    return sheet;
}

void save(QWidget& sheet, const QString& name) {
    sheet.resize(1280, 800);
    sheet.show();
    settle(500);
    sheet.grab().save(name);
}

void saveAll(const QDir& folder, const QString& theme) {
    const QString end =
        QLatin1Char('-') + theme +
        (qApp->devicePixelRatio() > 1 ? QStringLiteral("@2x.png") : QStringLiteral(".png"));
    const auto path = [&](const char* name) {
        return folder.filePath(QString::fromLatin1(name) + end);
    };
    {
        LiveSheet live(3000, 2, true);
        live.show();
        settle(300);
        live.group.setSmoothing(0.9);
        live.group.setCrosshair(1200);
        save(live, path("live"));
        live.group.setXAxis(XAxis::Time);
        live.group.setLogY(true);
        live.group.setXRange({0.5, 1.2});
        save(live, path("zoomed"));
    }
    {
        LiveSheet dense(200'000, 4, true);
        save(dense, path("dense"));
    }
    {
        LiveSheet young(40, 2, false);
        save(young, path("young"));
    }
    const std::unique_ptr<QWidget> evaluator(evaluatorSheet());
    save(*evaluator, path("evaluator"));
    const std::unique_ptr<QWidget> parts(partsSheet());
    save(*parts, path("parts"));
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const QDir folder(QString::fromLocal8Bit(argc > 1 ? argv[1] : "."));
    applyTheme(application, ThemeMode::Light);
    saveAll(folder, QStringLiteral("light"));
    applyTheme(application, ThemeMode::Dark);
    saveAll(folder, QStringLiteral("dark"));
    return 0;
}
