// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/faults/data_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace lockstep::launch {

namespace {

/// The folder and what lies beside it.
std::vector<std::string> placesOf(const Examination& all) {
    std::vector<std::string> places;
    if (!all.dataDirectory.empty()) places.push_back(all.dataDirectory.string());
    for (const config::NamedFile& place : all.dataPlaces)
        places.push_back(place.path);
    return places;
}

std::string copyCommand(const Examination& all, const ExaminedHost& from, const ExaminedHost& to,
                        const FaultReport& report) {
    if (all.dataPlaces.empty()) {
        const std::string folder = shellWord(all.dataDirectory.string());
        return report.on(from.name, "tar -C " + folder + " -cf - .") + " | " +
               report.on(to.name, "mkdir -p " + folder + " && tar -C " + folder + " -xf -");
    }
    std::string places;
    for (const std::string& place : placesOf(all))
        places += " " + shellWord(place.substr(1));  // below /
    return report.on(from.name, "tar -C / -cf -" + places) + " | " +
           report.on(to.name, "tar -C / -xf -");
}

}  // namespace

std::string dataPlacesText(const Examination& all) {
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> places = placesOf(all);
    if (places.size() > kNamed) {
        const std::size_t more = places.size() - (kNamed - 1);
        places.resize(kNamed - 1);
        places.push_back(fmt::format("{} more", more));
    }
    return joinWords(places);
}

DataReference::DataReference(const Examination& all) {
    std::map<std::string, int> counts;
    for (const ExaminedHost& host : all.hosts)
        if (host.facts && host.facts->data().present()) ++counts[host.facts->data().fingerprint()];
    int most = 0;
    for (const ExaminedHost& host : all.hosts) {
        if (!host.facts || !host.facts->data().present()) continue;
        const int count = counts[host.facts->data().fingerprint()];
        if (count > most) host_ = &host;
        most = std::max(most, count);
    }
}

void DataReference::addCopy(const ExaminedHost& to, FaultReport& report,
                            HostFinding& finding) const {
    const Examination& all = report.all();
    if (host_ != nullptr) {
        finding.advice = fmt::format("Copy the data of {}.", host_->name);
        finding.command = copyCommand(all, *host_, to, report);
    } else if (all.dataDirectory.empty()) {
        finding.advice = "Put the files there, or name files that every host sees.";
    } else {
        finding.advice =
            "Put the data there, or name in data.directory a folder that every host sees; "
            "train-images-idx3-ubyte and its companions should be in it.";
        if (all.job.data.dataset == "image_folder")
            finding.advice =
                "Put the data there, or name in data.directory a folder that every host sees; "
                "a folder of images for each class should be in it.";
        finding.command = report.on(to.name, "mkdir -p " + shellWord(all.dataDirectory.string()));
    }
}

void DataReference::findFaults(const ExaminedHost& host, FaultReport& report) const {
    const wire::DataFacts& data = host.facts->data();
    if (!data.needed() || (host.processes.empty() && !host.evaluator)) return;
    const Examination& all = report.all();
    if (!data.missing().empty()) {
        const std::vector<std::string> names(data.missing().begin(), data.missing().end());
        const std::string in =
            all.dataDirectory.empty() ? std::string() : " in " + all.dataDirectory.string();
        HostFinding& finding =
            report.error(host.name, Check::Data,
                         fmt::format("{} {} missing{} on {}", joinWords(names),
                                     names.size() == 1 ? "is" : "are", in, host.name));
        addCopy(host, report, finding);
    } else if (!data.error().empty()) {
        HostFinding& finding =
            report.error(host.name, Check::Data,
                         fmt::format("the data of {} cannot be read: {}", host.name, data.error()));
        addCopy(host, report, finding);
    } else if (host_ != nullptr && host_->facts->data().fingerprint() != data.fingerprint()) {
        HostFinding& finding =
            report.error(host.name, Check::Data,
                         fmt::format("the data in {} on {} differ from those on {}",
                                     dataPlacesText(all), host.name, host_->name));
        finding.otherHost = host_->name;
        addCopy(host, report, finding);
    }
}

}  // namespace lockstep::launch
