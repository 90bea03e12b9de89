// One slice of a GPU's level-2 cache, point of coherence of its addresses; or, where the L2 has two mirrored
// partitions, the two slices of the same number.
//
// Sockets: target (requests of the own compute units and of other GPUs, from the crossbar), memory
// (misses and write-backs). With two partitions, one of each for either: target_of(p), memory_of(p).
//
// Timing: a line waits until the slice is free, occupies it for 64 B / (bandwidth / slices), and on
// a hit its data are ready `latency` after its service began. Lines that arrive at one instant are
// served in the crossbar's input order. A miss goes to memory when its `latency` has passed and
// answers when the fill arrives; further accesses to what is being filled wait for the same
// fill and at least for their own `latency`. A write of 64 bytes allocates without a fill; a partial
// write of an absent sector fetches it first. Write-back, least recently used; a dirty victim is written
// back behind the scenes. With `line` = 128 B a tag stands for two sectors of 64 B, each there or not.
// At most `outstanding_misses` fills are in flight; further misses wait in order. While `outstanding_write_backs` lines are on their
// way to memory, what would displace another dirty one waits until memory has taken one (memory_model.h) or answered it, and what
// needs a tag behind it (at most one tag's sectors more are on their way); two partitions have the room of both together. At most `merges` accesses join a
// fill; a further one tries again when a fill has ended, and is then at best a hit of that moment.
// The credit of a request returns when its service begins.
//
// Wide transactions (l2_wide.cpp) occupy the slice for all their lines. One whose lines are all there is answered when its first
// line is ready, if it reads (`tail` says when the last one is), or when its last one is written. The lines that are not there are
// accesses by themselves; then all of it is answered with the last. Its credits return when the service of its last line begins.
//
// Two partitions: each has a slice, tags and misses of its own, and a line has its home, which is in front of its
// memory, in one of them. The partitions know each other's tags in no time. What one lacks and the other has, or
// fetches, is asked for there: the request occupies no slice here, leaves after `latency`, takes `far_latency`, is
// served there like any line, and the data take `far_latency` and a place on the way back, far_bandwidth /
// (slices / 2) for each pair of slices. The line is then in both partitions, until one displaces or writes it: a
// write leaves one copy. A victim moves to the other partition, as its most recently used line; what that displaces
// leaves the cache. Data of the other's memory take a place on the way between the partitions, no time: what memory
// adds is a mean over both homes.
//
// Contents. flat: one image of the GPU's memory changes when the line's turn comes at the slice (arrival order). cached: the slice
// holds the bytes of its sectors (cache_contents.h). A hit reads and changes them at its turn, what waits for a fill when that
// comes, in the order in which it came to wait; fills and write-backs carry bytes. A fill that sets out while a write-back of its
// sector is on its way has those bytes. Between the two partitions, and among private partitions and their home
// (cache_copies.h), contents are coherent in no time. Times are the same either way.
//
// Order: every slice is sequentially consistent and an atomic is one step. Packets (base/packet_format.h) are there from the
// turn of their store on; a load of packets finds out at its turn. `await` and `monitor` wait for flags (sync_monitor.h). Flags are always
// resident: they cost slice bandwidth and `latency`, never memory traffic.
//
// Statistics: hits, misses, merged misses, write-backs, waits for room to write back, flag operations, busy time, sector misses; far hits, copies,
// moved victims, bytes between partitions.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "sc_models/l2/cache_contents.h"
#include "sc_models/l2/slice_fills.h"
#include "sc_models/l2/slice_flags.h"
#include "sc_models/l2/slice_input.h"
#include "sc_models/l2/slice_model.h"
#include "sc_models/l2/stalled_lines.h"
#include "sc_models/l2/tag_array.h"
#include "sc_models/l2/write_backs.h"
#include "tlm_interconnect/kernel/rate_server.h"

namespace weft {

class CacheCopies;

class L2Slice final :
    public sc_core::sc_module,
    public TimedComponent,
    public LineTarget,
    public LineInitiator,
    public SliceModel {
public:
    // Slice `index` of spec.slices; of two mirrored partitions, slices `index` and index + spec.slices / 2.
    L2Slice(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const L2Spec& spec, unsigned index,
        MemoryImage& image, LinePool& pool, std::uint32_t endpoint, const ContentsFactory& make_contents = nullptr);
    L2Slice(EventQueue& event_queue, const SliceRequest& request)
        : L2Slice(request.module_name.c_str(), event_queue, request.path, request.spec, request.index, request.image,
              request.pool, request.endpoint, request.make_contents)
    {
    }

    LineTargetSocket target;
    LineInitiatorSocket memory;
    LineTargetSocket& target_of(unsigned partition) override { return partition == 0 ? target : *other_target_; }
    LineInitiatorSocket& memory_of(unsigned partition) override { return partition == 0 ? memory : *other_memory_; }
    unsigned partitions() const override { return other_ ? 2 : 1; }
    void set_input_rate(std::uint64_t rate, std::uint32_t header) override { inputs_.set(partitions(), rate, header); }
    RateServers& inputs() override { return inputs_.servers(); }
    std::uint64_t hops() const override;

    FlagCounts flag_counts() const override { return flags_.counts(); }
    std::vector<SliceFlags::Waiting> waiting() const { return flags_.waiting(); }

    // Of caches that hold contents and are not in front of each other: the others with the same addresses.
    void set_copies(CacheCopies& copies) { beside_ = &copies; }
    // Another of them has written: held bytes, fills and write-backs on their way change.
    void reach(std::uint64_t local, const std::uint8_t* bytes, unsigned size);
    // The bytes of the sector if they are newer than those of memory: dirty, or on their way there.
    bool newest(std::uint64_t local, std::uint8_t* sector);

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_request(unsigned partition, Line& line, Time delay) override;
    Time on_response(unsigned partition, Line& line, Time delay) override;
    void on_request_credit(unsigned partition, Line& line, Time delay) override;

private:
    using Fill = SliceFills::Fill;
    struct Part {  // the slice of one partition
        Part(const L2Spec& spec, std::uint64_t sets);
        std::uint8_t* bytes(const std::uint32_t* word, unsigned sector)
        {
            return contents->at(tags.place_of(word)) + sector * line_bytes;
        }
        std::uint32_t states_of_new(unsigned sector, TagArray::State state) const
        {
            const std::uint32_t states = TagArray::only(sector, state);
            return contents ? contents->valid(states) : states;
        }
        std::uint32_t to_be_written(std::uint32_t victim) const
        {
            return contents ? contents->to_be_written(tags, victim) : tags.dirty_sectors(victim);
        }

        // By cache lines of the host.
        alignas(64) RateServer server;
        alignas(64) TagArray tags;
        alignas(64) std::unique_ptr<CacheContents> contents;  // null: they are in the image
        bool looking = false;                                 // at a stalled line
        StalledLines::Outcome outcome{};                      // of that look
        bool full = false;                                    // somebody found no room to write back in this turn
        std::uint32_t without_room = 0;                       // stalled lines that wait for that
        SliceFills fills;
        StalledLines stalled;
    };

    // What a line on the event queue is, with the partition in the lowest bit.
    enum Work : std::uint8_t { request = 0, fill = 2, far_request = 4, crossing = 6, written = 8 };
    static std::uint8_t kind_of(Work work, unsigned partition) { return static_cast<std::uint8_t>(work | partition); }
    static unsigned partition_of(const ScheduledItem& item) { return item.kind & 1U; }
    // The tag of a line that fetches: the slot of its fill, or of a row of them, and its partition.
    static std::uint32_t fetch_tag(std::uint32_t slot, unsigned partition) { return slot << 2U | partition; }
    static std::uint32_t row_tag(std::uint32_t slot, unsigned partition) { return slot << 2U | 2U | partition; }
    static std::uint32_t slot_of(const LineHeader& fetch) { return fetch.tag >> 2U; }
    static bool of_row(const LineHeader& fetch) { return (fetch.tag & 2U) != 0; }
    static unsigned asker_of(const LineHeader& fetch) { return fetch.tag & 1U; }
    static constexpr std::uint8_t timer_kind = 16;
    static constexpr std::uint8_t taken_kind = 17;
    static constexpr std::uint8_t entered = 32;  // a request that has its place at the input

    unsigned debug(unsigned partition, Line& line) override;
    void run(ScheduledItem& item) override;
    void prefetch(const ScheduledItem& item) const override;
    bool try_enter(Line& line);
    void serve(Line& line);
    void serve_wide(Line& line);
    struct WideTurn;
    struct TagLines;
    template <class Look>
    void each_tag(const Line& line, const Look& look);
    std::uint32_t far_sectors(unsigned partition, std::uint64_t tag, const std::uint32_t* word);
    std::uint32_t own_sectors(unsigned partition, std::uint32_t word);
    void drop_sectors(unsigned partition, std::uint64_t tag, std::uint32_t sectors);
    std::uint32_t wait_for_lines(Line& line, const WideTurn& turn);
    void start_missing(Line& line, const WideTurn& turn);
    void start_part(Line& line, std::uint32_t number, std::uint32_t place, Time ready);
    std::uint32_t enter(unsigned partition, std::uint64_t tag, std::uint32_t sectors, TagArray::State state, Time ready,
        bool& known);
    std::uint32_t start_writes(unsigned partition, std::uint64_t tag, std::uint32_t sectors, Time ready);
    struct NewRow;
    std::uint32_t start_fills(unsigned partition, const TagLines& at, std::uint32_t sectors, Time ready, NewRow& row);
    void fetch(unsigned partition, std::uint64_t address, std::uint32_t lines, std::uint32_t row, Time first,
        Time last);
    std::uint32_t start_far(unsigned partition, const TagLines& at, std::uint32_t sectors, NewRow& row);
    void fetch_far(unsigned partition, std::uint64_t address, std::uint32_t lines, std::uint32_t row, Time ready);
    void serve_far_wide(Line& fetch);
    Time book_crossing_wide(unsigned partition, std::uint32_t lines);
    void finish_part(Line& line, Time at);
    void finish_lines(std::uint32_t place, std::uint32_t count, Time at);
    void serve_flag(Line& line, Time ready);
    void look_up(Line& line, Time ready);
    void proceed(Line& line, std::uint64_t number, std::uint32_t* word, Time ready, bool far);
    void write_absent(Line& line, std::uint64_t number, Time ready, std::uint32_t* word);
    void start_miss(Line& line, std::uint64_t number, Time ready, std::uint32_t* word, bool far);
    // Packets are there from the turn of their store on, for loads at other caches, too. Of a store that has to wait the bytes go
    // everywhere at its turn, as if written from outside.
    static bool shows_early(const Line& line) { return line.op == LineOp::write && line.asks(LineHeader::packet_flag); }
    void stall(Line& line, Time ready, StalledLines::Outcome how);
    void wait_for_room(Line& line, Time ready);
    bool lacks_room(unsigned partition, std::uint64_t tag)
    {
        const Part& own = part(partition);
        if (own.without_room > 0 && !own.looking) return true;  // none passes those that wait
        return writing_back_ >= most_write_backs_ && displaces_dirty(partition, tag);
    }
    bool displaces_dirty(unsigned partition, std::uint64_t tag);
    void write_back_run(std::uint64_t tag, Time delay);
    void end_write_back(std::uint32_t lines);
    void end_write_back_later(std::uint32_t lines, Time delay);
    void end_taken(ScheduledItem& item);
    void finish_fill(Line& fetch);
    void end_fill(Line& fetch, std::uint64_t number, std::uint32_t slot, std::uint32_t* word);
    void end_row(Line& fetch);
    void retry_stalled(Part& own);
    void access(Line& line);
    void displace(unsigned partition, std::uint32_t victim, const std::uint32_t* word, std::uint64_t neighbour,
        Time delay);
    void write_back_displaced(unsigned partition, std::uint64_t tag, std::uint32_t dirty, const std::uint8_t* bytes,
        Time delay);
    void write_back_sectors(unsigned partition, std::uint64_t tag, std::uint32_t dirty, const std::uint8_t* bytes,
        Time delay);
    void write_back(unsigned partition, std::uint64_t number, std::uint32_t sectors, const std::uint8_t* place,
        Time delay);
    void answer(Line& line, Time at);
    void set_timer();

    // Contents.
    void hold_contents(const ContentsFactory& make);
    void carry_out(unsigned partition, Line& line, std::uint8_t* sector);
    void begin_patch(unsigned partition, std::uint64_t number, Fill& fill);
    static void take_fill(Part& own, const Line& fetch, const Fill& fill, std::uint8_t* sector);
    void leave_to(unsigned partition, std::uint64_t number, const std::uint8_t* sector);
    void look_inside(const Line& line, std::uint8_t* sector);
    unsigned debug_flag(Line& line);

    // Between partitions.
    void serve_in_partition(Line& line);
    bool is_far_hit(const Line& line, std::uint64_t number, const std::uint32_t* word);
    void drop_other(unsigned partition, std::uint64_t number);
    void move_victim(unsigned to, std::uint32_t victim, const std::uint8_t* bytes, std::uint64_t line, Time delay);
    void serve_far(Line& fetch);
    void send_across(Line& fetch, Time at);
    void cross(Line& fetch);
    Time book_crossing(unsigned partition, std::uint32_t bytes);

    Part& part(unsigned partition) { return partition == 0 ? part_ : *other_; }
    // A sector's number in this slice. The home partition is in it: each holds lines of both.
    std::uint64_t number_of(std::uint64_t local) const
    {
        return tag_of(local) << sector_shift_ | (local / line_bytes & sector_mask_);
    }
    std::uint64_t tag_of(std::uint64_t local) const
    {
        const std::uint64_t line = local / line_bytes;
        const std::uint64_t block = line >> interleave_shift_;
        const std::uint64_t tag = slices_.quotient(block) << tags_shift_ | (line >> sector_shift_ & tags_mask_);
        return other_ ? with_home(block, tag) : tag;
    }
    std::uint64_t with_home(std::uint64_t block, std::uint64_t tag) const;
    std::uint64_t address_of(std::uint64_t number) const;
    // A request is noted with it.
    void note_number(Line& line) const { line.scratch.slice.number = number_of(local_of(line.address)); }
    unsigned sector_of(std::uint64_t number) const { return static_cast<unsigned>(number) & sector_mask_; }
    unsigned home_of(std::uint64_t number) const { return other_ ? number >> sector_shift_ & 1U : 0; }

    // What every request needs, in a cache line of the host.
    alignas(64) unsigned sector_shift_;
    unsigned sector_mask_;
    unsigned interleave_shift_;
    unsigned tags_shift_;  // log2 of the tags in a row in one slice
    unsigned tags_mask_;
    std::uint32_t endpoint_;
    Divider slices_;
    std::unique_ptr<Part> other_;  // of the second partition
    Time latency_;
    MemoryImage& image_;
    LinePool& pool_;
    std::uint64_t merges_;
    std::uint64_t most_write_backs_;
    std::uint64_t writing_back_ = 0;  // lines
    bool sending_ = false;            // a write-back, now
    std::uint64_t run_tags_;          // that are written back together
    std::uint64_t hits_ = 0;
    std::uint64_t missed_ = 0;
    std::uint64_t merged_ = 0;
    SliceInput inputs_;
    Part part_;
    L2Spec spec_;
    unsigned index_;
    WriteBacks write_backs_;  // of slices that hold contents
    CacheCopies* beside_ = nullptr;
    std::vector<RateServer> crossing_;  // into each partition, from the other
    std::unique_ptr<LineTargetSocket> other_target_;
    std::unique_ptr<LineInitiatorSocket> other_memory_;
    SliceFlags flags_;
    // A wide transaction that waits for some of its lines.
    struct Wide {
        Line* line = nullptr;
        std::uint32_t parts = 0;  // without an answer
        Time ready = 0;
    };
    std::vector<Wide> wide_;
    std::vector<std::uint32_t> free_wide_;
    ScheduledItem timer_;           // of monitors
    struct Taken : ScheduledItem {  // write-backs that memory takes some time from now
        std::uint32_t lines = 0;
    };
    std::deque<Taken> taken_;
    std::vector<Taken*> free_taken_;
    std::uint64_t written_back_ = 0;
    std::uint64_t waited_for_room_ = 0;
    std::uint64_t cleaned_ = 0;
    std::uint64_t sector_misses_ = 0;
    std::uint64_t far_hits_ = 0;
    std::uint64_t copies_ = 0;
    std::uint64_t moved_ = 0;
    std::uint64_t far_bytes_ = 0;
};

}  // namespace weft
