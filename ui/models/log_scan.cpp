// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_scan.h"

#include <QStringList>
#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>

#include "core/base/mutex.h"
#include "core/base/thread.h"
#include "core/job/logs/log_book.h"
#include "core/job/logs/log_reader.h"
#include "ui/models/log_words.h"

namespace lockstep::ui {
namespace {

using namespace std::chrono_literals;
constexpr std::size_t kIndexBatch = 65'536;  // where no text is read
constexpr std::size_t kTextBatch = 8192;
constexpr int kMostWaiting = 4;  // answers
constexpr auto kIdle = 500ms;

}  // namespace

/// The thread, and what it shares with its owner.
class LogScan::Worker {
public:
    explicit Worker(LogScan& owner) : owner_(owner) {
        thread_ = startThread("log-read", [this](const std::stop_token& stop) { run(stop); });
    }

    /// What is wanted; the counts tell when it was wanted anew.
    struct Orders {
        std::shared_ptr<const job::LogBook> book;
        LogFilter filter;
        LogPattern find;
        quint64 books = 0;
        quint64 filters = 0;
        quint64 finds = 0;
        bool findStopped = false;
        Lines fetch{};
        std::optional<Lines> copy{};
        struct Failure {
            job::Role role = job::Role::Worker;
            int processId = 0;
            QString cause;
        };
        std::optional<Failure> failure{};
    };

    template <typename Change>
    void order(Change change) {
        {
            Lock lock(mutex_);
            change(orders_);
            hasNews_ = true;
        }
        changed_.notify_all();
    }

private:
    void run(const std::stop_token& stop) {
        stop_ = stop;
        while (!stop.stop_requested()) {
            takeOrders(stop);
            if (!doOne()) isIdle_ = true;
        }
    }

    void takeOrders(const std::stop_token& stop) {
        Lock lock(mutex_);
        const auto isDue = [this]() LS_REQUIRES(mutex_) {
            return hasNews_ || (!isIdle_ && waiting_ < kMostWaiting);
        };
        while (!isDue() && !stop.stop_requested())
            changed_.wait_for(mutex_, stop, kIdle, isDue);
        hasNews_ = false;
        isIdle_ = false;
        if (orders_.books != now_.books) {
            now_.fetch.clear();
            copy_.reset();
            failure_.reset();
            reader_.reset();
            if (orders_.book) reader_ = std::make_unique<job::LogReader>(orders_.book);
        }
        if (orders_.books != now_.books || orders_.filters != now_.filters) filterAt_ = 0;
        if (filterAt_ == 0 || orders_.finds != now_.finds) findAt_ = 0;
        auto fetch = std::exchange(now_.fetch, {});
        now_ = orders_;
        orders_.fetch.clear();
        orders_.copy.reset();
        orders_.failure.reset();
        now_.fetch.insert(now_.fetch.begin(), fetch.begin(), fetch.end());
        if (now_.copy) copy_ = std::move(now_.copy);
        if (now_.failure) beginFailure();
    }

    /// False: nothing is left to do.
    bool doOne() {
        if (!now_.book) return false;
        if (!now_.fetch.empty()) return fetchTexts();
        if (failure_) return lookForFailure();
        if (copy_) return copyLines();
        const std::size_t size = now_.book->size();
        if (filterAt_ < size) return filterSome(size);
        if (!now_.find.isEmpty() && !now_.findStopped && findAt_ < filterAt_) return findSome();
        return false;
    }

    /// Hands something to the owner's thread, where it is dropped once other things are wanted.
    template <typename Deliver>
    void answer(Deliver deliver) {
        {
            Lock lock(mutex_);
            ++waiting_;
        }
        auto call = [this, asked = now_.books, deliver = std::move(deliver)] {
            bool isWanted = false;
            Orders wanted;
            {
                Lock lock(mutex_);
                --waiting_;
                isWanted = asked == orders_.books;
                wanted.filters = orders_.filters;
                wanted.finds = orders_.finds;
            }
            changed_.notify_all();
            if (isWanted) deliver(wanted);
        };
        QMetaObject::invokeMethod(&owner_, std::move(call), Qt::QueuedConnection);
    }

    /// Whoever ends the thread waits for it, and shall not wait for a batch.
    [[nodiscard]] bool goesOn() const { return !stop_.stop_requested(); }

    [[nodiscard]] bool passes(const job::LineFacts& facts) const {
        return facts.level >= now_.filter.level &&
               (!now_.filter.process ||
                logProcessKey(facts.role, facts.processId) == *now_.filter.process);
    }
    static QString messageOf(const job::LineFacts& facts, std::string_view text) {
        return logMessage(QString::fromUtf8(text.data(), qsizetype(text.size())), facts.level);
    }

    bool filterSome(std::size_t size) {
        const bool readsText = !now_.filter.text.isEmpty();
        const std::size_t count = std::min(size - filterAt_, readsText ? kTextBatch : kIndexBatch);
        Lines lines;
        Lines continuing;
        if (readsText) {
            reader_->read(
                filterAt_, count, [this](const job::LineFacts& facts) { return passes(facts); },
                [&](std::size_t line, const job::LineFacts& facts, std::string_view text) {
                    if (now_.filter.text.isIn(messageOf(facts, text)))
                        lines.push_back(quint32(line));
                    return goesOn();
                });
        } else {
            quint32 line = quint32(filterAt_);
            for (const job::LineFacts& facts : now_.book->facts(filterAt_, count)) {
                if (passes(facts)) (facts.continues ? continuing : lines).push_back(line);
                ++line;
            }
        }
        filterAt_ += count;
        answer([this, lines = std::move(lines), continuing = std::move(continuing),
                filters = now_.filters, end = quint32(filterAt_)](const Orders& wanted) {
            if (filters != wanted.filters) return;
            owner_.filtered_ = end;
            Q_EMIT owner_.passed(lines, continuing);
        });
        return true;
    }

    bool findSome() {
        const std::size_t count = std::min(filterAt_ - findAt_, kTextBatch);
        Lines lines;
        reader_->read(
            findAt_, count, [this](const job::LineFacts& facts) { return passes(facts); },
            [&](std::size_t line, const job::LineFacts& facts, std::string_view text) {
                const QString message = messageOf(facts, text);
                if (now_.find.isIn(message) &&
                    (now_.filter.text.isEmpty() || now_.filter.text.isIn(message)))
                    lines.push_back(quint32(line));
                return goesOn();
            });
        findAt_ += count;
        answer([this, lines = std::move(lines), finds = now_.finds, filters = now_.filters,
                end = quint32(findAt_)](const Orders& wanted) {
            if (finds != wanted.finds || filters != wanted.filters) return;
            owner_.searched_ = end;
            Q_EMIT owner_.found(lines);
        });
        return true;
    }

    bool fetchTexts() {
        Texts texts;
        const std::size_t size = now_.book->size();
        for (const quint32 line : std::exchange(now_.fetch, {})) {
            if (line >= size || !goesOn()) continue;
            reader_->read(line, 1, {},
                          [&](std::size_t, const job::LineFacts& facts, std::string_view text) {
                              texts.emplace_back(line, messageOf(facts, text));
                              return true;
                          });
        }
        answer([this, texts = std::move(texts)](const Orders&) { Q_EMIT owner_.fetched(texts); });
        return true;
    }

    bool copyLines() {
        QStringList rows;
        const Lines lines = *std::exchange(copy_, std::nullopt);
        for (const quint32 line : lines) {
            if (!goesOn()) break;
            reader_->read(line, 1, {},
                          [&](std::size_t, const job::LineFacts& facts, std::string_view text) {
                              rows << logRow(facts, messageOf(facts, text));
                              return true;
                          });
        }
        answer([this, text = rows.join(QLatin1Char('\n')),
                count = int(rows.size())](const Orders&) { Q_EMIT owner_.copied(text, count); });
        return true;
    }

    void beginFailure() {
        failure_ = std::exchange(now_.failure, std::nullopt);
        failureAt_ = now_.book ? now_.book->size() : 0;
        newest_ = newestError_ = -1;
    }

    /// From the newest lines back, some at a time.
    bool lookForFailure() {
        const std::size_t begin = failureAt_ - std::min(failureAt_, kTextBatch);
        qint64 quoted = -1;
        qint64 newest = -1;
        qint64 newestError = -1;
        reader_->read(
            begin, failureAt_ - begin,
            [this](const job::LineFacts& facts) {
                return facts.role == failure_->role && facts.processId == failure_->processId;
            },
            [&](std::size_t line, const job::LineFacts& facts, std::string_view bytes) {
                constexpr int kShortestQuotation = 8;
                const QString text =
                    QString::fromUtf8(bytes.data(), qsizetype(bytes.size())).trimmed();
                if (text.size() >= kShortestQuotation && failure_->cause.contains(text))
                    quoted = qint64(line);
                newest = qint64(line);
                if (facts.level >= 3) newestError = qint64(line);
                return goesOn();
            });
        failureAt_ = begin;
        if (newest_ < 0) newest_ = newest;
        if (newestError_ < 0) newestError_ = newestError;
        if (quoted < 0 && begin > 0) return true;
        failure_.reset();
        const qint64 line = quoted >= 0 ? quoted : newestError_ >= 0 ? newestError_ : newest_;
        answer([this, line](const Orders&) { Q_EMIT owner_.failureFound(line); });
        return true;
    }

    LogScan& owner_;
    Mutex mutex_;
    ConditionVariable changed_;
    Orders orders_ LS_GUARDED_BY(mutex_);
    bool hasNews_ LS_GUARDED_BY(mutex_) = false;
    int waiting_ LS_GUARDED_BY(mutex_) = 0;  ///< Answers that the owner has not taken yet.

    // Of the thread alone.
    std::stop_token stop_;
    Orders now_;
    std::unique_ptr<job::LogReader> reader_;
    bool isIdle_ = true;
    std::size_t filterAt_ = 0;
    std::size_t findAt_ = 0;
    std::optional<Lines> copy_;
    std::optional<Orders::Failure> failure_;
    std::size_t failureAt_ = 0;
    qint64 newest_ = -1;
    qint64 newestError_ = -1;
    std::jthread thread_;  // last: ends before what it uses
};

LogScan::LogScan(QObject* parent) : QObject(parent), worker_(std::make_unique<Worker>(*this)) {}
LogScan::~LogScan() = default;

void LogScan::follow(std::shared_ptr<const job::LogBook> book) {
    filtered_ = searched_ = 0;
    findStopped_ = false;
    worker_->order([&](Worker::Orders& orders) {
        orders.findStopped = false;
        orders.book = std::move(book);
        ++orders.books;
        orders.fetch.clear();
        orders.copy.reset();
        orders.failure.reset();
    });
}

void LogScan::wake() {
    worker_->order([](Worker::Orders&) {});
}

void LogScan::setFilter(const LogFilter& filter) {
    filtered_ = searched_ = 0;
    findStopped_ = false;
    worker_->order([&](Worker::Orders& orders) {
        orders.findStopped = false;
        orders.filter = filter;
        ++orders.filters;
    });
}

void LogScan::setFind(const LogPattern& pattern) {
    searched_ = 0;
    findStopped_ = false;
    worker_->order([&](Worker::Orders& orders) {
        orders.find = pattern;
        orders.findStopped = false;
        ++orders.finds;
    });
}

void LogScan::stopFind() {
    findStopped_ = true;
    worker_->order([](Worker::Orders& orders) { orders.findStopped = true; });
}

void LogScan::fetch(Lines lines) {
    worker_->order([&](Worker::Orders& orders) {
        orders.fetch.insert(orders.fetch.end(), lines.begin(), lines.end());
    });
}

void LogScan::copy(Lines lines) {
    lines.resize(std::min(lines.size(), std::size_t(kMostCopied)));
    worker_->order([&](Worker::Orders& orders) { orders.copy = std::move(lines); });
}

void LogScan::findFailure(job::Role role, int processId, const QString& cause) {
    worker_->order([&](Worker::Orders& orders) { orders.failure = {role, processId, cause}; });
}

}  // namespace lockstep::ui
