// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/doctor_bridge.h"

namespace lockstep::ui {
namespace {
constexpr int kLookMs = 100;
}

DoctorBridge::DoctorBridge(JobServices services, QObject* parent)
    : QObject(parent), services_(std::move(services)) {
    timer_.setInterval(kLookMs);
    connect(&timer_, &QTimer::timeout, this, &DoctorBridge::look);
}

DoctorBridge::~DoctorBridge() {
    letGo();
}

void DoctorBridge::start(const std::string& jobToml, const std::filesystem::path& jobFolder,
                         const job::DoctorOptions& options) {
    if (!services_.startDoctor) return;
    letGo();
    view_.reset();
    starting_.start([start = services_.startDoctor, jobToml, jobFolder,
                     options] { return start(jobToml, jobFolder, options); },
                    [this](JobServices::StartedDoctor outcome) { adopt(std::move(outcome)); });
    Q_EMIT started();
}

void DoctorBridge::adopt(JobServices::StartedDoctor outcome) {
    if (!outcome) {
        Q_EMIT failed(outcome.error());
        return;
    }
    doctor_ = std::move(*outcome);
    timer_.start();
    look();
}

void DoctorBridge::look() {
    auto now = doctor_->view();
    if (now == view_) return;
    view_ = std::move(now);
    const bool over = !view_->running;
    if (over) letGo();
    Q_EMIT viewChanged(view_);
}

void DoctorBridge::cancel() {
    if (doctor_) doctor_->cancel();
}

void DoctorBridge::forget() {
    starting_.cancel();
    letGo();
    view_.reset();
    Q_EMIT viewChanged(view_);
}

void DoctorBridge::letGo() {
    timer_.stop();
    if (!doctor_) return;
    doctor_->cancel();
    QThreadPool::globalInstance()->start(
        [held = std::shared_ptr<job::Doctor>(std::move(doctor_))]() mutable { held.reset(); });
}

}  // namespace lockstep::ui
