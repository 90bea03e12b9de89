// A slice of a last-level cache: tags, MSHRs and data of 64-byte lines, atomics at home, write-back, write-allocate.
//
// A request that is taken in clock c is looked at from clock c + TAG_CLOCKS on, requests in their order, one a clock. The
// look, in clock d, decides all: a hit, or a whole line written to a way that it takes, is answered in d + DATA_CLOCKS; a
// miss takes an entry and a way and asks memory from d + 1 on; a request to a line on its way joins that entry. A line from
// memory that is taken in clock f is put in place and answers the first request of its entry in f + DATA_CLOCKS; then
// the others of the entry have their turns. A dirty line that loses its way is on `mem_write` from d + 2 on.
// One thing a clock is looked at: others of an entry before lines from memory before the walk of a flush before requests;
// but after a line from memory, and all of its entry, a request that is there has its turn.
// Who lacks what it needs (place for its answer, an entry, a way, place on the way to memory, a place that is not being
// written) waits, and the requests behind it.
module weft_llc_slice
    import weft_line_pkg::*;
#(
    parameter int unsigned SETS = 64,         // a power of two, at least 2
    parameter int unsigned WAYS = 16,
    parameter int unsigned INDEX_LOW = 0,     // bits of a line's number below those that choose its set
    parameter int unsigned MSHRS = 16,
    parameter int unsigned MERGES = 4,        // requests that may join an entry
    parameter int unsigned QUEUE = 4,         // requests taken and not yet looked at
    parameter int unsigned RESPONSES = 4,     // answers under way
    parameter int unsigned WRITE_BACKS = 4,   // lines on their way back to memory
    parameter int unsigned TAG_CLOCKS = 2,    // at least 1
    parameter int unsigned DATA_CLOCKS = 3,   // at least 2
    parameter int unsigned MODIFY_CLOCKS = 1  // from a modified line to one that can be read
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [15:0] endpoint,  // whose memory this is; constant
    input  logic req_valid,
    output logic req_ready,
    input  line_t req,
    output logic resp_valid,
    input  logic resp_ready,
    output line_t resp,
    output logic mem_read_valid,
    input  logic mem_read_ready,
    output line_t mem_read,        // its tag is the entry
    output logic mem_write_valid,
    input  logic mem_write_ready,
    output line_t mem_write,
    input  logic mem_resp_valid,
    output logic mem_resp_ready,
    input  line_t mem_resp,
    input  logic flush,            // write back all that is dirty; hold until `flushed`
    output logic flushed,
    output logic hit,              // counters: one clock for each, the clock after the look
    output logic miss,
    output logic merged,
    output logic write_back,
    output logic idle              // nothing is in here: clocks may be left out
);
    localparam int unsigned LW = 42;
    localparam int unsigned SW = $clog2(SETS);
    localparam int unsigned WW = WAYS > 1 ? $clog2(WAYS) : 1;
    localparam int unsigned PW = $clog2(SETS * WAYS);
    localparam int unsigned MW = MSHRS > 1 ? $clog2(MSHRS) : 1;
    localparam int unsigned CW = $clog2(MERGES + 2);
    localparam int unsigned QW = $clog2(QUEUE + 1);
    localparam int unsigned RW = $clog2(RESPONSES + 1);

    // Requests, until they are looked at.
    logic take, request_late, head_valid, pop_request;
    line_t request_line, head;
    logic [QW-1:0] requests_in;
    assign req_ready = requests_in != QW'(QUEUE);
    assign take = req_valid && req_ready;
    weft_delay #(.WIDTH(640), .CLOCKS(TAG_CLOCKS - 1)) tag_delay (
        .clk, .rst_n, .valid_in(take), .data_in(req), .valid_out(request_late), .data_out(request_line));
    weft_llc_fifo #(.WIDTH(640), .DEPTH(QUEUE)) queue (
        .clk, .rst_n, .push(request_late), .push_data(request_line), .pop(pop_request), .valid(head_valid), .data(head));

    // What is looked at.
    logic replaying;
    logic [MW-1:0] replay_entry;
    logic [CW-1:0] replay_position;
    logic response_room, mshr_busy, walked, turn_of_request;
    logic at_replay, at_fill, at_walk, at_request;
    logic [SW-1:0] walk_row;
    logic [WW-1:0] walk_way;
    assign mem_resp_ready = !replaying && response_room && !(turn_of_request && head_valid);
    always_comb begin
        at_replay = replaying;
        at_fill = mem_resp_valid && mem_resp_ready;
        at_walk = !at_replay && !at_fill && flush && !mshr_busy && !walked;
        at_request = !at_replay && !at_fill && !flush && head_valid;
    end

    // Entry and request that a fill or a replay is about.
    logic [MW-1:0] shown_entry;
    logic [CW-1:0] shown_position, shown_count;
    logic [WW-1:0] shown_entry_way;
    line_t waiting, subject;
    logic [LW-1:0] subject_line;
    logic [SW-1:0] row;
    assign shown_entry = replaying ? replay_entry : mem_resp.tag[MW-1:0];
    assign shown_position = replaying ? replay_position : '0;
    assign subject = at_replay || at_fill ? waiting : head;
    assign subject_line = subject.address[47:6];
    assign row = at_walk ? walk_row : subject_line[INDEX_LOW +: SW];

    logic found, found_pending, victim_there, shown_dirty, update, install, make_dirty, make_clean;
    logic [WW-1:0] found_way, victim_way, way;
    logic [LW-1:0] shown_line;
    weft_llc_tags #(.SETS(SETS), .WAYS(WAYS)) tags (
        .clk, .rst_n, .row, .wanted(subject_line), .found, .found_way, .found_pending, .victim_there, .victim_way,
        .shown_way(way), .shown_dirty, .shown_line, .update, .way, .install, .install_pending(allocate),
        .landed(at_fill), .make_dirty, .make_clean);

    logic entry_found, entry_room, entry_free, allocate, join_found, release_shown, read_valid, read_pop;
    logic [MW-1:0] free_entry, read_entry;
    logic [LW-1:0] fetch_line;
    logic [MSHRS-1:0] taken;
    weft_llc_mshr #(.MSHRS(MSHRS), .MERGES(MERGES), .WW(WW)) mshr (
        .clk, .rst_n, .busy(mshr_busy), .wanted(subject_line), .found(entry_found), .found_room(entry_room),
        .free(entry_free), .free_entry, .allocate, .join_found, .way, .request(head), .shown_entry, .shown_position,
        .shown_way(shown_entry_way), .shown_count, .shown_request(waiting), .release_shown, .fetch_entry(read_entry),
        .fetch_line, .taken);

    // The decision.
    logic is_hit, is_join, is_place, is_miss;        // which of four a request is
    logic go_hit, go_join, go_place, go_miss, go_replay, go_walk, evict, clear, readable, plain_write, leaves_room;
    logic returning, write_room, write_empty;
    assign plain_write = subject.op == OP_WRITE;
    assign way = at_replay || at_fill ? shown_entry_way : at_walk ? walk_way : found ? found_way : victim_way;
    assign is_hit = at_request && found && !found_pending;
    assign is_join = at_request && found_pending;
    assign is_place = at_request && !found && plain_write && subject.size[6];
    assign is_miss = at_request && !found && !(plain_write && subject.size[6]);
    assign readable = plain_write || clear;
    assign leaves_room = victim_there && (!shown_dirty || (write_room && clear));
    assign go_hit = is_hit && response_room && readable;
    assign go_join = is_join && entry_room;
    assign go_place = is_place && response_room && leaves_room;
    assign go_miss = is_miss && entry_free && leaves_room && !returning;
    assign go_replay = at_replay && response_room && readable;
    assign go_walk = at_walk && (!shown_dirty || (write_room && clear));
    assign evict = (go_place || go_miss || go_walk) && shown_dirty;

    assign pop_request = go_hit || go_join || go_place || go_miss;
    assign allocate = go_miss;
    assign join_found = go_join;
    assign install = go_place || go_miss;
    assign make_clean = go_walk && shown_dirty;
    assign update = pop_request || go_replay || at_fill || make_clean;
    assign make_dirty = (go_hit || go_place || go_replay || at_fill) && subject.op != OP_READ;
    assign release_shown = (at_fill && shown_count == CW'(1)) || (go_replay && replay_position + 1'b1 == shown_count);

    // Data, and the answers that they give.
    logic answers, answer_valid, out_valid, moving, late_valid, pop_response;
    line_t answer, late_answer;
    logic [511:0] out_data;
    logic [RW-1:0] responses_in;
    assign answers = go_hit || go_place || go_replay || at_fill;
    weft_llc_data #(.PLACES(SETS * WAYS), .MODIFY(MODIFY_CLOCKS)) data (
        .clk, .rst_n, .place(PW'(row) * PW'(WAYS) + PW'(way)), .clear, .start(answers || evict), .answers,
        .from_memory(at_fill), .takes_out(evict), .request(subject), .memory_data(mem_resp.data), .answer_valid, .answer,
        .out_valid, .out_data, .moving);
    weft_delay #(.WIDTH(640), .CLOCKS(DATA_CLOCKS - 2)) data_delay (
        .clk, .rst_n, .valid_in(answer_valid), .data_in(answer), .valid_out(late_valid), .data_out(late_answer));
    weft_llc_fifo #(.WIDTH(640), .DEPTH(RESPONSES)) answers_out (
        .clk, .rst_n, .push(late_valid), .push_data(late_answer), .pop(pop_response), .valid(resp_valid), .data(resp));
    assign pop_response = resp_valid && resp_ready;
    assign response_room = responses_in != RW'(RESPONSES);

    // To memory.
    logic [LW-1:0] back_line;
    logic [511:0] back_data;
    weft_llc_fifo #(.WIDTH(MW), .DEPTH(MSHRS)) reads (
        .clk, .rst_n, .push(go_miss), .push_data(free_entry), .pop(read_pop), .valid(read_valid), .data(read_entry));
    assign read_pop = mem_read_valid && mem_read_ready;
    weft_llc_write_buffer #(.DEPTH(WRITE_BACKS)) writes (
        .clk, .rst_n, .push(evict), .push_line(shown_line), .fill(out_valid), .fill_data(out_data),
        .pop(mem_write_valid && mem_write_ready), .valid(mem_write_valid), .line(back_line), .data(back_data),
        .room(write_room), .empty(write_empty), .wanted(subject_line), .found(returning));

    assign mem_read_valid = read_valid;
    always_comb begin
        mem_read = '0;
        mem_read.address = {fetch_line, 6'd0};
        mem_read.destination = endpoint;
        mem_read.source = endpoint;
        mem_read.op = OP_READ;
        mem_read.size = 7'd64;
        mem_read.tag = 24'(read_entry);
        mem_write = '0;
        mem_write.address = {back_line, 6'd0};
        mem_write.destination = endpoint;
        mem_write.source = endpoint;
        mem_write.op = OP_WRITE;
        mem_write.size = 7'd64;
        mem_write.data = back_data;
    end

    logic last_place;
    assign last_place = walk_row == SW'(SETS - 1) && walk_way == WW'(WAYS - 1);
    always_ff @(posedge clk) begin
        if (!rst_n) begin
            requests_in <= '0;
            responses_in <= '0;
            replaying <= 1'b0;
            turn_of_request <= 1'b0;
            walked <= 1'b0;
            walk_row <= '0;
            walk_way <= '0;
            flushed <= 1'b0;
            hit <= 1'b0;
            miss <= 1'b0;
            merged <= 1'b0;
            write_back <= 1'b0;
        end else begin
            requests_in <= requests_in + QW'(take) - QW'(pop_request);
            responses_in <= responses_in + RW'(answers) - RW'(pop_response);
            if (at_fill && shown_count != CW'(1)) begin
                replaying <= 1'b1;
                replay_entry <= shown_entry;
                replay_position <= CW'(1);
            end else if (go_replay) begin
                replaying <= !release_shown;
                replay_position <= replay_position + 1'b1;
            end
            turn_of_request <= at_fill || (turn_of_request && replaying);
            if (!flush) walked <= 1'b0;
            else if (go_walk) begin
                walked <= last_place;
                walk_way <= walk_way == WW'(WAYS - 1) ? '0 : walk_way + 1'b1;
                if (walk_way == WW'(WAYS - 1)) walk_row <= walk_row + 1'b1;
            end
            flushed <= flush && walked && write_empty;
            hit <= go_hit || go_place;
            miss <= go_miss;
            merged <= go_join;
            write_back <= evict;
        end
    end

    assign idle = requests_in == 0 && responses_in == 0 && !mshr_busy && write_empty && !moving && flush == flushed &&
        !req_valid && !mem_resp_valid;

`ifndef SYNTHESIS
    weft_llc_checks #(.MSHRS(MSHRS)) checks (
        .clk, .rst_n, .req_valid, .req_ready, .req, .mem_resp_valid, .mem_resp_ready, .mem_resp, .flush, .flushed, .taken,
        .sent(read_pop), .sent_entry(read_entry));
    always_ff @(posedge clk)
        assert (!rst_n || !at_request || found_pending == entry_found) else $error("slice: tags and entries disagree");
`else
    logic unused;
    assign unused = ^{taken, entry_found, mem_resp};
`endif
endmodule
