// Tags of a slice: SETS rows of WAYS, least recently used first to go.
//
// One row a clock: it is shown, and changed at the end of the clock if `update`. A row that was never changed is empty,
// with way 0 the most recently used, so that no memory needs a reset.
module weft_llc_tags #(
    parameter int unsigned SETS = 64,
    parameter int unsigned WAYS = 16,
    localparam int unsigned LW = 42,
    localparam int unsigned SW = $clog2(SETS),
    localparam int unsigned WW = WAYS > 1 ? $clog2(WAYS) : 1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [SW-1:0] row,
    // What is there.
    input  logic [LW-1:0] wanted,
    output logic found,            // `wanted` is in the row, or on its way
    output logic [WW-1:0] found_way,
    output logic found_pending,
    output logic victim_there,     // some way is not waiting for its line
    output logic [WW-1:0] victim_way,
    input  logic [WW-1:0] shown_way,
    output logic shown_dirty,
    output logic [LW-1:0] shown_line,
    // What becomes of `way`. It is the most recently used one then, unless it is cleaned.
    input  logic update,
    input  logic [WW-1:0] way,
    input  logic install,          // `wanted` has it now
    input  logic install_pending,  // and is on its way
    input  logic landed,           // what was on its way is there
    input  logic make_dirty,
    input  logic make_clean
);
    logic [SETS-1:0] used;
    logic [WAYS-1:0] valids [SETS];
    logic [WAYS-1:0] dirties [SETS];
    logic [WAYS-1:0] pendings [SETS];
    logic [WAYS-1:0][WW-1:0] ages [SETS];  // 0: the most recently used
    logic [WAYS-1:0][LW-1:0] lines [SETS];

    logic [WAYS-1:0] valid, dirty, pending, valid_next, dirty_next, pending_next;
    logic [WAYS-1:0][WW-1:0] age, age_next;
    logic [WAYS-1:0][LW-1:0] line;

    always_comb begin
        valid = used[row] ? valids[row] : '0;
        dirty = used[row] ? dirties[row] : '0;
        pending = used[row] ? pendings[row] : '0;
        for (int w = 0; w < int'(WAYS); w++) age[w] = used[row] ? ages[row][w] : WW'(w);
    end
    assign line = lines[row];

    logic [WW-1:0] oldest;
    always_comb begin
        found = 1'b0;
        found_way = '0;
        victim_there = 1'b0;
        victim_way = '0;
        oldest = '0;
        for (int w = 0; w < int'(WAYS); w++) begin
            if (valid[w] && line[w] == wanted) begin
                found = 1'b1;
                found_way = WW'(w);
            end
            if (!pending[w] && (!victim_there || age[w] > oldest)) begin
                victim_there = 1'b1;
                victim_way = WW'(w);
                oldest = age[w];
            end
        end
    end
    assign found_pending = found && pending[found_way];
    assign shown_dirty = valid[shown_way] && dirty[shown_way];
    assign shown_line = line[shown_way];

    always_comb begin
        valid_next = valid;
        dirty_next = dirty;
        pending_next = pending;
        age_next = age;
        if (install) begin
            valid_next[way] = 1'b1;
            pending_next[way] = install_pending;
            dirty_next[way] = 1'b0;
        end
        if (landed) pending_next[way] = 1'b0;
        if (make_dirty) dirty_next[way] = 1'b1;
        if (make_clean) dirty_next[way] = 1'b0;
        if (!make_clean) begin
            for (int w = 0; w < int'(WAYS); w++) if (age[w] < age[way]) age_next[w] = age[w] + 1'b1;
            age_next[way] = '0;
        end
    end

    always_ff @(posedge clk) begin
        if (!rst_n) used <= '0;
        else if (update) used[row] <= 1'b1;
        if (update) begin
            valids[row] <= valid_next;
            dirties[row] <= dirty_next;
            pendings[row] <= pending_next;
            ages[row] <= age_next;
            if (install) lines[row][way] <= wanted;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (rst_n && update) begin
            assert (!install || !found) else $error("tags: a line would be in two ways");
            assert (!install || !pending[way]) else $error("tags: a way that waits for its line was given away");
            assert (!make_dirty || !pending_next[way]) else $error("tags: a write to a way that waits for its line");
        end
    end
`endif
endmodule
