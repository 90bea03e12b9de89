// Engines that move data without wavefronts: the copy engines of a GPU, and the bulk copy engine of each of its
// compute units.
//
// Socket: memory (to the crossbar).
//
// Both are the same machine: it takes descriptors (one source, any number of destinations) one after another. From
// when a descriptor is at the head to its first load `start` passes. A descriptor is cut where any of its
// operands reaches the end of a line (in a run with wide transactions: of `grain` bytes); a piece is loaded, and when it is there
// stored to every destination. A piece books 64 B for each destination at `rate`, and goes out only while fewer than `in_flight`
// requests have no response; stores of what was loaded always go. The next descriptor is at the head when all loads of the one before it are out.
//
// A copy engine works on up to `queues` command lists (Program: moves of one source, signals, waits, fences; barriers mean
// nothing to it), each in order; further lists queue for a place. A list gives one descriptor at a time and goes
// on when its loads are out. A fence, and a signal before it adds to its flag, wait until everything that the list
// has copied is acknowledged. A wait is an 8-byte load of the flag, again `poll_interval` after each response. Both hold
// up their own list only and take nothing of the rate.
//
// A proxied list is that of a workgroup with a port channel. It does what the workgroup has asked for, each request when the
// proxy (port_proxy.h) has handed it on, needs no place on its engine, and never waits for flags.
//
// A bulk copy engine takes what the workgroups of its unit hand over, in order, and tells when a copy is acknowledged.
//
// On the die bulk copy engine u sits by unit u, and copy engine e of n by unit e x units / n. A bulk copy engine shares its
// unit's ends of the on-die network; copy engines have ends of their own there, without a limit.
//
// Statistics, for copy engines and bulk copy engines apart: descriptors, lines, bytes, time of descriptors in the queue.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/statistic.h"
#include "gpu/copies/list_log.h"
#include "gpu/units/bulk_copy_engine.h"
#include "gpu/units/compute_units.h"
#include "gpu/network/line_tag.h"
#include "gpu/interface/dma_spec.h"
#include "gpu/network/die_ports.h"
#include "gpu/network/path_chooser.h"
#include "gpu/copies/port_proxy.h"
#include "gpu/units/progress.h"
#include "tlm_interconnect/protocol/protocol.h"
#include "tlm_interconnect/kernel/rate_server.h"

namespace weft {

class DmaEngines final : public sc_core::sc_module, public TimedComponent, public LineInitiator, public BulkCopyEngine {
public:
    DmaEngines(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const CopySpec& copy,
        const BulkSpec& bulk, std::uint32_t units, LinePool& pool, Progress& progress, bool data_on,
        const PathChooser& paths, BulkListener& listener, std::uint32_t grain = line_bytes);

    LineInitiatorSocket memory;

    // Tells `log` what lists do that are launched with a number of it. Before time starts.
    void set_log(OperationLog& log) { list_log_.set(log); }

    // The ports of the units, by which their bulk copies go. Before time starts.
    void set_ports(UnitPorts& ports) { ports_ = &ports; }

    struct List {
        const Program* program = nullptr;  // stays alive until the list is done
        WorkgroupListener* listener = nullptr;
        std::uint64_t token = 0;
        bool proxied = false;
        std::uint32_t log = 0;  // its number in the operation log; 0: none
    };
    // Gives the list to the copy engine whose turn it is, at the present instant or when one has a place. Of a proxied list,
    // the number for Launch::list of the workgroup that asks for its operations; otherwise 0.
    std::uint32_t launch(const List& list);
    void request(std::uint32_t list, std::uint64_t operations, Time delay) override;

    void copy(std::uint32_t unit, const std::uint64_t* operands, const Operation& operation, std::uint32_t workgroup,
        Time delay) override;
    std::uint32_t limit() const override { return static_cast<std::uint32_t>(bulk_.queue); }
    std::uint32_t in_flight(std::uint32_t unit) const override
    {
        return bulk_engines_[unit] == nullptr ? 0 : bulk_engines_[unit]->open;
    }

    std::uint64_t lines() const { return copied_.lines + bulk_copied_.lines; }  // polls and signals included
    std::uint64_t copied() const { return copied_.lines; }
    std::uint64_t bulk_copied() const { return bulk_copied_.lines; }
    bool cannot_progress() const { return cannot_progress_; }
    // Lists of copy engines that are not done.
    std::vector<ComputeUnits::Blocked> blocked() const;
    std::size_t queued() const { return queued_.size(); }
    // The run ends at `end`, with lists that are not done: what they wait for counts up to then.
    void cut_off(Time end);
    // Lists ever placed on an engine, or cut off in the queue, without a workgroup that asks for their operations, and their times by cause, summed.
    std::uint64_t lists() const { return list_log_.lists(); }
    StallTimes stalls() const { return list_log_.stalls(); }

    std::vector<Statistic> copy_statistics() const;
    std::vector<Statistic> bulk_statistics() const;

    // What comes in by the sockets.
    Time on_response(unsigned port, Line& line, Time delay) override;

private:
    struct Engine : ScheduledItem {  // as an item: the next load
        std::uint32_t unit = 0;      // by which it sits
        bool bulk = false;
        std::uint32_t open = 0;  // lines without a response
        std::uint32_t lists = 0;
        std::uint64_t in_flight = 0;
        Time start = 0;
        Time rests_since = 0;  // scheduled for its next load
        RateServer rate;
        std::deque<std::uint32_t> waiting;  // descriptors with loads to issue, the head first
    };

    struct Descriptor {
        Engine* engine = nullptr;
        const std::uint64_t* operands = nullptr;
        std::uint64_t bytes = 0;
        std::uint64_t position = 0;  // what has been cut into pieces
        std::uint32_t destinations = 0;
        std::uint32_t open = 0;      // lines without a response
        std::uint32_t owner = 0;     // list, or workgroup
        std::uint32_t transfer = 0;  // number of its source; its destinations follow
        Time since = 0;              // in the queue
        Time first = 0;              // at the head: earliest first load
    };

    struct Queue : ScheduledItem {  // a list on its engine; as an item: its next poll of a flag
        std::uint32_t index = 0;    // in queues_
        List list;
        Engine* engine = nullptr;
        std::size_t next = 0;       // operation
        std::uint32_t copying = 0;  // descriptors that are not performed
        std::uint32_t posted = 0;   // signals without acknowledge
        bool active = false;
        bool loading = false;  // its descriptor has loads to issue
        bool waiting = false;
        Time polled_at = 0;
        std::uint64_t vain_epoch = 0;
        std::uint64_t granted = 0;  // proxied: operations that the proxy has handed on
        bool awake = false;         // proxied: counted as busy
    };

    struct Grant : ScheduledItem {  // a request, due when the proxy hands it on
        std::uint32_t number = 0;   // in grants_
        std::uint32_t queue = 0;
        std::uint64_t operations = 0;
    };

    struct Counts {
        std::uint64_t descriptors = 0;
        std::uint64_t bytes = 0;
        std::uint64_t lines = 0;
        std::uint64_t signals = 0;
        std::uint64_t flag_reads = 0;
        Time queued = 0;
    };

    // Below: a line that arrives, by DieStage.
    static constexpr std::uint8_t engine_kind = 3;
    static constexpr std::uint8_t queue_kind = 4;
    static constexpr std::uint8_t grant_kind = 5;

    void run(ScheduledItem& item) override;

    // Descriptors: dma_engines.cpp
    std::unique_ptr<Engine> make_engine(std::uint32_t unit, bool bulk) const;
    void submit(Engine& engine, const std::uint64_t* operands, const Operation& operation, std::uint32_t owner,
        Time delay);
    void pump(Engine& engine);
    void come_to_head(Engine& engine, Time arrival);
    void rest_until(Engine& engine, Time next_load);
    void load_piece(Engine& engine, std::uint32_t index);
    bool try_arrive(Line& line);
    void loaded(Line& line, std::uint32_t index);
    void line_done(std::uint32_t index, std::uint32_t lines);
    void send(const LineIssue& issue, const Engine& engine, std::uint32_t index, MoverUse use);
    Counts& counts(const Engine& engine) { return engine.bulk ? bulk_copied_ : copied_; }

    // Lists: copy_lists.cpp
    Queue& place(const List& list, Engine& engine, Time since);
    void go_on(Queue& queue);
    void rest(Queue& queue);
    void grant(Grant& grant);
    void poll(Queue& queue);
    void signal(Queue& queue, const Operation& operation);
    void word_answered(Line& line, Queue& queue);
    void end(Queue& queue);
    // For the logs of lists and workgroups.
    void wait_for(const Queue& queue, StallCause cause);
    void copies_at_head(const Engine& engine, StallCause cause);
    void responded(const Queue& queue, Line& line);
    void copies_have_waited(const Engine& engine);
    void traces(const Descriptor& copy, const LineIssue& issue);
    void responded(const Descriptor& copy, Line& line);

    CopySpec copy_;
    BulkSpec bulk_;
    LinePool& pool_;
    Progress& progress_;
    bool data_on_;
    std::uint32_t grain_;
    PathChooser paths_;
    BulkListener& listener_;
    UnitPorts* ports_ = nullptr;
    bool cannot_progress_ = false;
    std::uint32_t next_engine_ = 0;
    std::uint32_t transfers_ = 0;  // operands of all descriptors so far
    Counts copied_;
    Counts bulk_copied_;
    Time lists_queued_ = 0;
    ListLog list_log_;
    std::vector<std::unique_ptr<Engine>> engines_;
    std::vector<std::unique_ptr<Engine>> bulk_engines_;  // by unit, made when first used
    std::vector<Descriptor> descriptors_;
    std::vector<std::uint32_t> free_descriptors_;
    std::deque<Queue> queues_;
    std::vector<std::uint32_t> free_queues_;
    std::deque<std::pair<List, Time>> queued_;
    PortProxy proxy_;
    std::deque<Grant> grants_;
    std::vector<std::uint32_t> free_grants_;
};

}  // namespace weft
