// SPDX-License-Identifier: GPL-3.0-or-later
// How the hosts' table shows and reads addresses.
#include "core/config/job/cluster_spec.h"
#include "core/config/lint/ssh_destination.h"
#include "ui/models/host_rows.h"

namespace lockstep::ui {

QString hostOfAddress(const QString& address) {
    const qsizetype colon = address.lastIndexOf(QLatin1Char(':'));
    QString host = colon < 0 ? address : address.first(colon);
    if (host.startsWith(QLatin1Char('[')) && host.endsWith(QLatin1Char(']')))
        host = host.sliced(1).chopped(1);
    return host;
}

QString hostOfDestination(const QString& destination) {
    const auto parsed = config::parseSshDestination(destination.toStdString());
    return parsed ? QString::fromStdString(parsed->host) : destination;
}

QString shownAddress(const QString& address) {
    return address.endsWith(QLatin1String(":0")) ? hostOfAddress(address) : address;
}

QString fullAddress(const QString& shown) {
    if (shown.isEmpty() || config::parseAddress(shown.toStdString())) return shown;
    if (shown.count(QLatin1Char(':')) > 1 && !shown.startsWith(QLatin1Char('[')))
        return QStringLiteral("[%1]:0").arg(shown);  // of IPv6
    if (shown.contains(QLatin1Char(':')) && !shown.endsWith(QLatin1Char(']'))) return shown;
    return shown + QStringLiteral(":0");
}

}  // namespace lockstep::ui
