// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/request_desk.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::coordination {

namespace {

/// Requests wait a day at most, whatever they ask for.
Nanos boundedTimeout(std::uint32_t milliseconds) {
    return std::min<Nanos>(Millis(milliseconds), 24h);
}

wire::FromCoordinator valueReply(const RequestAnswer& answer) {
    wire::FromCoordinator message;
    message.mutable_value()->set_request(answer.request);
    message.mutable_value()->set_value(answer.value);
    message.mutable_value()->set_error(answer.error);
    return message;
}

wire::FromCoordinator barrierDone(const RequestAnswer& answer) {
    wire::FromCoordinator message;
    message.mutable_barrier_done()->set_request(answer.request);
    message.mutable_barrier_done()->set_error(answer.error);
    return message;
}

}  // namespace

void RequestDesk::beginGeneration() {
    store_.clear();
    edits_.clear();
    barriers_ = BarrierTable(job_.rules().workers);
    publish(kAliveKey, "1");
}

void RequestDesk::set(const wire::KeyValueSet& set, Instant at) {
    const auto answers = store_.set(set.key(), set.value());
    if (answers) return answer(*answers, valueReply);
    ++outbox_.counters().refusedStores;
    outbox_.log({wire::ROLE_AGENT, 0}, LogLevel::Error,
                "the key-value store refused " + answers.error().message, at);
}

void RequestDesk::publish(std::string_view key, const std::string& value) {
    // Fails only where members have filled the store: then whoever waits for it does so in vain.
    if (const auto answers = store_.set(std::string(key), value)) answer(*answers, valueReply);
}

void RequestDesk::get(const Member& member, const wire::KeyValueGet& get, Nanos now) {
    if (get.only_if_there()) {
        const auto found = store_.find(get.key());
        return answer({{member.key, get.request(), found.value_or(std::string()),
                        found ? std::string() : fetchErrorText(found.error())}},
                      valueReply);
    }
    const Nanos timeout = job_.ended() ? Nanos{} : boundedTimeout(get.timeout_ms());
    answer(store_.get(member.key, get.request(), get.key(), timeout, now), valueReply);
}

void RequestDesk::edit(const Member& member, const wire::StoreEdit& edit) {
    const std::string* done = edits_.find(member.key, edit.request());
    std::string error = done != nullptr ? *done : std::string();
    if (done == nullptr) {
        if (edit.erase())
            store_.erase(edit.key());
        else if (const auto answers = store_.set(edit.key(), edit.value()))
            answer(*answers, valueReply);
        else
            error = fetchErrorText(answers.error());
        edits_.note(member.key, edit.request(), error);
    }
    answer({{member.key, edit.request(), {}, std::move(error)}}, valueReply);
}

void RequestDesk::list(const Member& member, const wire::ListKeys& list) {
    const KeyValueStore::Page page = store_.list(list.folder(), list.after());
    wire::KeyList keys;
    keys.set_more(page.more);
    for (const std::string& key : page.keys)
        keys.add_keys(key);
    answer({{member.key, list.request(), keys.SerializeAsString(), {}}}, valueReply);
}

void RequestDesk::tellLive(const Member& member, const wire::AskLive& ask) {
    wire::LiveProcesses live;
    for (const Member* worker : members_.present(wire::ROLE_WORKER))
        live.add_ids(worker->key.id);
    answer({{member.key, ask.request(), live.SerializeAsString(), {}}}, valueReply);
}

void RequestDesk::enterBarrier(const Member& member, const wire::BarrierEnter& enter, Nanos now) {
    if (member.key.role != wire::ROLE_WORKER || !job_.running()) {
        const std::string why = job_.ended() ? "the run has ended: " + job_.endCause()
                                             : "barriers are for workers that are welcome";
        return answer({{member.key, enter.request(), {}, fmt::format("{}: {}", kAbortedWord, why)}},
                      barrierDone);
    }
    answer(barriers_.enter(member.key.id, enter.request(), enter.name(),
                           boundedTimeout(enter.timeout_ms()), now),
           barrierDone);
}

void RequestDesk::forget(const ProcessKey& process) {
    store_.forget(process);
    edits_.forget(process);
}

void RequestDesk::leave(const ProcessKey& worker) {
    answer(barriers_.leave(worker.id), barrierDone);
}

void RequestDesk::expire(Nanos now) {
    answer(store_.expire(now), valueReply);
    answer(barriers_.expire(now), barrierDone);
}

void RequestDesk::abort(const std::string& reason) {
    answer(store_.abort(reason), valueReply);
    answer(barriers_.abort(reason), barrierDone);
}

void RequestDesk::answer(const std::vector<RequestAnswer>& answers, Reply replyOf) {
    for (const RequestAnswer& one : answers)
        if (const Member* member = members_.find(one.process)) outbox_.send(*member, replyOf(one));
}

}  // namespace lockstep::coordination
