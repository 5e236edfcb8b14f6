// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/host_rows.h"

#include <algorithm>

#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/text/array_patch.h"
#include "core/text/toml_tree.h"
#include "ui/models/job_editor.h"

namespace lockstep::ui {
namespace {

using Part = HostRow::Part;

/// Processes that come, go or change places with their comments: each takes a reading of the text.
constexpr qsizetype kMostMoved = 64;

/// The values of the file that say where processes run, wrong ones too.
struct Written {
    QStringList addresses;
    QStringList hosts;
    QStringList spares;
    QString evaluator;      ///< Its address; empty: it has none.
    QString evaluatorHost;  ///< What launch.hosts names behind the `hosts` of processes, for it.
    bool evaluates = true;
    int count = 0;  ///< cluster.num_processes; 0: not written.
};

QStringList textsOf(const config::TomlValue* list) {
    QStringList texts;
    if (!list) return texts;
    for (const config::TomlValue& item : list->elements)
        texts << QString::fromStdString(item.text);
    return texts;
}

Written writtenIn(const JobEditor& editor) {
    Written written;
    const auto root = config::parseToml(editor.text().toStdString());
    if (!root) return written;
    if (const config::TomlValue* cluster = root->find("cluster")) {
        written.addresses = textsOf(cluster->find("job_addresses"));
        const config::TomlValue* evaluator = cluster->find("evaluator");
        if (evaluator) written.evaluator = QString::fromStdString(evaluator->text);
        if (const config::TomlValue* count = cluster->find("num_processes"))
            written.count =
                int(std::clamp<std::int64_t>(count->integer, 0, config::kMostProcesses));
    }
    if (const config::TomlValue* launch = root->find("launch")) {
        written.hosts = textsOf(launch->find("hosts"));
        written.spares = textsOf(launch->find("spares"));
    }
    written.evaluates = editor.spec().cluster.evaluator;
    const auto processes = std::max<qsizetype>({written.count, written.addresses.size(), 1});
    if (written.evaluates && !written.evaluator.isEmpty() && written.hosts.size() == processes + 1)
        written.evaluatorHost = written.hosts.takeLast();
    return written;
}

/// Only process 0 has an address: the coordinator's.
bool givesCoordinatorAlone(const Written& written) {
    return written.count > 1 && written.addresses.size() <= 1;
}

bool namesHosts(const Written& written) {
    return !written.hosts.isEmpty() ||
           std::ranges::any_of(written.addresses, [](const QString& address) {
               return !config::isLoopback(hostOfAddress(address).toStdString());
           });
}

bool isOpenPort(const QString& address) {
    return address.isEmpty() || address.endsWith(QLatin1String(":0"));
}

/// Whether a process is on the row's host, as the one before it.
bool continues(const HostRow& row, const HostRow& next, bool coordinatorAlone) {
    if (row.host != next.host) return false;
    return coordinatorAlone || (row.address == next.address && isOpenPort(next.address));
}

std::vector<HostRow> trainingRows(const Written& written) {
    std::vector<HostRow> rows;
    const bool alone = givesCoordinatorAlone(written);
    const int count = std::max({written.count, int(written.addresses.size()),  //
                                int(written.hosts.size())});
    for (int process = 0; process < std::min(count, config::kMostProcesses); ++process) {
        HostRow row;
        row.first = process;
        row.address = written.addresses.value(process);
        row.takesAddress = !alone || process < written.addresses.size();
        row.host =
            written.hosts.isEmpty() ? hostOfAddress(row.address) : written.hosts.value(process);
        if (!rows.empty() && continues(rows.back(), row, alone))
            ++rows.back().processes;
        else
            rows.push_back(row);
    }
    return rows;
}

/// Where ssh goes for the evaluator: to the workers' host with that address, else to the address.
QString evaluatorsHost(const std::vector<HostRow>& rows, const QString& address) {
    if (address.isEmpty()) return rows.empty() ? QString() : rows.front().host;
    const auto same = std::ranges::find_if(rows, [&address](const HostRow& row) {
        return row.part == Part::Trains && hostOfAddress(row.address) == hostOfAddress(address);
    });
    return same == rows.end() ? hostOfAddress(address) : same->host;
}

/// What launch.hosts has to name behind the hosts of processes: where ssh goes for the evaluator
/// if its address does not say so, or the file has it already; empty: nothing.
QString evaluatorsDestination(const Written& before, const std::vector<HostRow>& rows) {
    const auto row = std::ranges::find(rows, Part::Scores, &HostRow::part);
    if (row == rows.end() || row->address.isEmpty()) return {};
    const bool isSaid = evaluatorsHost(rows, row->address) == row->host;
    return isSaid && before.evaluatorHost.isEmpty() ? QString() : row->host;
}

/// All that do something while nobody is lost.
std::vector<HostRow> membersOf(std::vector<HostRow> rows) {
    std::erase_if(rows, [](const HostRow& row) { return row.part == Part::Spare; });
    return rows;
}

std::string listOf(const QStringList& items) {
    std::string text;
    for (const QString& item : items)
        text += (text.empty() ? "" : ", ") + config::tomlString(item.toStdString());
    return "[" + text + "]";
}

/// The hosts and addresses of all processes, as the rows say.
struct Places {
    QStringList hosts;
    QStringList addresses;
};

Places placesOf(const std::vector<HostRow>& rows) {
    Places places;
    for (const HostRow& row : rows) {
        if (row.part != Part::Trains) continue;
        for (int process = 0; process < row.processes; ++process) {
            places.hosts << row.host;
            places.addresses << (row.address.isEmpty() ? fullAddress(hostOfDestination(row.host))
                                                       : row.address);
        }
    }
    return places;
}

QStringList sparesOf(const std::vector<HostRow>& rows) {
    QStringList spares;
    for (const HostRow& row : rows)
        if (row.part == Part::Spare) spares << row.host;
    return spares;
}

/// Whether an address says where ssh goes.
bool areAlike(const Places& places) {
    for (qsizetype i = 0; i < places.hosts.size(); ++i)
        if (places.hosts[i] != hostOfAddress(places.addresses[i])) return false;
    return true;
}

/// How a list became another: from a place on some left, or some came, or the first `turned` of
/// `gone` went behind the others.
struct ListChange {
    qsizetype at = 0;
    qsizetype gone = 0;
    qsizetype came = 0;
    qsizetype turned = 0;
};

/// None at all where it was more than that, or what came is behind all others.
ListChange changeBetween(const QStringList& before, const QStringList& after) {
    const qsizetype least = std::min(before.size(), after.size());
    qsizetype at = 0;
    while (at < least && before[at] == after[at])
        ++at;
    qsizetype tail = 0;
    while (tail < least - at && before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    const qsizetype gone = before.size() - at - tail;
    const qsizetype came = after.size() - at - tail;
    if (std::max(gone, came) > kMostMoved) return {};
    if (came == 0 || (gone == 0 && tail > 0)) return {at, gone, came, 0};
    QStringList part = before.sliced(at, gone);
    for (qsizetype turned = 1; turned < gone; ++turned) {
        std::rotate(part.begin(), part.begin() + 1, part.end());
        if (part == after.sliced(at, came)) return {at, gone, gone, turned};
    }
    return {};
}

/// A list of the job file, with what it was and is to be.
struct ListOfFile {
    const char* section;
    const char* name;
    const QStringList& before;
    const QStringList& after;
};

/// The text with the change made to the list, so that what is written then finds each host in its
/// place. A list that the change does not fit stays as it is.
std::string rearranged(const std::string& text, const ListChange& change, const ListOfFile& list) {
    std::string result = text;
    const auto edit = [&](auto&& editsOf) {
        const auto root = config::parseToml(result);
        const config::TomlValue* section = root ? root->find(list.section) : nullptr;
        const config::TomlValue* array = section ? section->find(list.name) : nullptr;
        if (array && array->isInline && array->kind == config::TomlValue::Kind::Array)
            result = config::applyEdits(result, editsOf(*array));
    };
    const auto at = std::size_t(change.at);
    const std::size_t last = at + std::size_t(std::max<qsizetype>(change.gone, 1)) - 1;
    if (change.turned > 0) {
        for (qsizetype i = 0; i < change.turned; ++i)
            edit([&](const auto& array) { return config::editsToMove(result, array, at, last); });
    } else {
        for (std::size_t i = last + 1; change.gone > 0 && i-- > at;)
            edit([&](const auto& array) { return config::editsToErase(result, array, i); });
        for (std::size_t i = at; i < at + std::size_t(change.came); ++i)
            edit([&](const auto& array) {
                const std::string item = config::tomlString(list.after[qsizetype(i)].toStdString());
                return config::editsToInsert(result, array, i, item);
            });
    }
    return config::parseToml(result) ? result : text;
}

/// The job's text with the rows that came, went or changed places doing so with their comments.
std::string rearranged(const JobEditor& editor, const Written& before,
                       const std::vector<HostRow>& rows) {
    const auto pairsOf = [](const Places& places) {
        QStringList pairs;
        for (qsizetype i = 0; i < places.hosts.size(); ++i)
            pairs << places.hosts[i] + QLatin1Char('\n') + places.addresses[i];
        return pairs;
    };
    const Places now = placesOf(rows);
    const Places was = placesOf(hostRowsOf(editor));
    // Behind the processes' hosts that of the evaluator stays where it is.
    QStringList behind{before.evaluatorHost.isEmpty() ? QString()
                                                      : evaluatorsDestination(before, rows)};
    behind.removeAll(QString());
    const ListChange addresses = changeBetween(pairsOf(was), pairsOf(now));
    const ListChange hosts = changeBetween(pairsOf(was) + behind, pairsOf(now) + behind);
    std::string text = editor.text().toStdString();
    if (before.addresses.size() == was.hosts.size())
        text = rearranged(text, addresses,
                          {"cluster", "job_addresses", before.addresses, now.addresses});
    if (before.hosts.size() == was.hosts.size())
        text = rearranged(text, hosts, {"launch", "hosts", before.hosts, now.hosts});
    const QStringList spares = sparesOf(rows);
    return rearranged(text, changeBetween(before.spares, spares),
                      {"launch", "spares", before.spares, spares});
}

Result<void> writeProcesses(config::JobDocument& document, const Written& before,
                            const std::vector<HostRow>& rows) {
    Places places = placesOf(rows);
    const auto count = places.hosts.size();
    const bool alone = givesCoordinatorAlone(before) && count > 1;
    const QString evaluators = evaluatorsDestination(before, rows);
    const bool needsHosts =
        !before.hosts.isEmpty() || alone || !evaluators.isEmpty() || !areAlike(places);
    if (alone) places.addresses.resize(before.addresses.size());
    if (count == 0) places.addresses = {QStringLiteral("127.0.0.1:0")};
    if (!alone || !before.addresses.isEmpty())
        TRY(document.set("cluster.job_addresses", listOf(places.addresses)));
    if (before.count > 0)
        TRY(document.set("cluster.num_processes", std::to_string(std::max<qsizetype>(count, 1))));
    if (count == 0) return document.unset("launch.hosts");
    if (!evaluators.isEmpty()) places.hosts << evaluators;
    return needsHosts ? document.set("launch.hosts", listOf(places.hosts)) : Result<void>();
}

Result<void> writeEvaluator(config::JobDocument& document, const Written& before,
                            const std::vector<HostRow>& rows) {
    const auto row = std::ranges::find(rows, Part::Scores, &HostRow::part);
    const bool evaluates = row != rows.end();
    const QString address = evaluates ? row->address : QString();
    if (evaluates == before.evaluates && address == before.evaluator) return {};
    return document.set("cluster.evaluator", !evaluates ? "false"
                                             : address.isEmpty()
                                                 ? "true"
                                                 : config::tomlString(address.toStdString()));
}

Result<void> writeMembers(config::JobDocument& document, const Written& before,
                          const std::vector<HostRow>& rows) {
    TRY(writeProcesses(document, before, rows));
    const bool trains =
        std::ranges::any_of(rows, [](const HostRow& row) { return row.part == Part::Trains; });
    if (trains && namesHosts(before)) return writeEvaluator(document, before, rows);
    // Without hosts that train there is no row that could say so; an address goes with them.
    if (!trains && namesHosts(before) && !before.evaluator.isEmpty())
        return document.set("cluster.evaluator", "true");
    return {};
}

}  // namespace

std::vector<HostRow> hostRowsOf(const JobEditor& editor) {
    std::vector<HostRow> rows;
    const Written written = writtenIn(editor);
    if (namesHosts(written)) {
        rows = trainingRows(written);
        if (written.evaluates) {
            const QString host = written.evaluatorHost.isEmpty()
                                     ? evaluatorsHost(rows, written.evaluator)
                                     : written.evaluatorHost;
            const int place = rows.empty() ? 0 : rows.back().first + rows.back().processes;
            rows.push_back({Part::Scores, host, written.evaluator, 1, place});
        }
    }
    for (int i = 0; i < written.spares.size(); ++i)
        rows.push_back({Part::Spare, written.spares[i], {}, 0, i});
    return rows;
}

void giveEvaluatorAddress(const JobEditor& editor, std::vector<HostRow>& rows,
                          const QString& address) {
    const auto row = std::ranges::find(rows, Part::Scores, &HostRow::part);
    if (row == rows.end()) return;
    const bool isDerived = writtenIn(editor).evaluatorHost.isEmpty() &&
                           row->host == evaluatorsHost(rows, row->address);
    row->address = address;
    if (isDerived) row->host = evaluatorsHost(rows, address);
}

Result<std::string> withHostRows(const JobEditor& editor, const std::vector<HostRow>& rows) {
    const Written before = writtenIn(editor);
    config::JobDocument document = config::JobDocument::lenient(rearranged(editor, before, rows),
                                                                editor.fileName().toStdString());
    // A job of this machine alone has no rows, and keeps its processes whatever spares it gets.
    if (membersOf(rows) != membersOf(hostRowsOf(editor))) TRY(writeMembers(document, before, rows));
    const QStringList spares = sparesOf(rows);
    if (spares != before.spares) {
        if (spares.isEmpty())
            TRY(document.unset("launch.spares"));
        else
            TRY(document.set("launch.spares", listOf(spares)));
    }
    return document.text();
}

QStringList keysOf(const HostRow& row) {
    if (row.part == Part::Scores)
        return {QStringLiteral("cluster.evaluator"),
                QStringLiteral("launch.hosts[%1]").arg(row.first)};
    if (row.part == Part::Spare) return {QStringLiteral("launch.spares[%1]").arg(row.first)};
    QStringList keys;
    for (int process = row.first; process < row.first + row.processes; ++process)
        keys << QStringLiteral("launch.hosts[%1]").arg(process)
             << QStringLiteral("cluster.job_addresses[%1]").arg(process);
    return keys;
}

}  // namespace lockstep::ui
