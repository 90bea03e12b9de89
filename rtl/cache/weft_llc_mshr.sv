// Fills on their way: MSHRS entries, each with the request that caused it and up to MERGES further ones to its line.
module weft_llc_mshr
    import weft_line_pkg::*;
#(
    parameter int unsigned MSHRS = 16,
    parameter int unsigned MERGES = 4,
    parameter int unsigned WW = 4,
    localparam int unsigned LW = 42,
    localparam int unsigned MW = MSHRS > 1 ? $clog2(MSHRS) : 1,
    localparam int unsigned CW = $clog2(MERGES + 2)
) (
    input  logic clk,
    input  logic rst_n,
    output logic busy,                 // some fill is on its way, or what waited for it is not all done
    // Who fetches this line.
    input  logic [LW-1:0] wanted,
    output logic found,
    output logic found_room,           // one more request may wait there
    output logic free,
    output logic [MW-1:0] free_entry,  // the lowest one
    // A request takes the free entry, or joins the found one.
    input  logic allocate,
    input  logic join_found,
    input  logic [WW-1:0] way,
    input  line_t request,
    // An entry, and a request in it.
    input  logic [MW-1:0] shown_entry,
    input  logic [CW-1:0] shown_position,
    output logic [WW-1:0] shown_way,
    output logic [CW-1:0] shown_count,
    output line_t shown_request,
    input  logic release_shown,
    // The line that an entry fetches.
    input  logic [MW-1:0] fetch_entry,
    output logic [LW-1:0] fetch_line,
    output logic [MSHRS-1:0] taken
);
    localparam int unsigned LIST = MERGES + 1;
    localparam int unsigned NW = MSHRS * LIST > 1 ? $clog2(MSHRS * LIST) : 1;

    logic [MW-1:0] found_entry;

    logic [MSHRS-1:0][LW-1:0] lines;
    logic [WW-1:0] ways [MSHRS];
    logic [MSHRS-1:0][CW-1:0] counts;
    line_t waiting [MSHRS * LIST];

    function automatic logic [NW-1:0] slot(input logic [MW-1:0] entry, input logic [CW-1:0] position);
        return NW'(entry) * NW'(LIST) + NW'(position);
    endfunction

    assign busy = taken != '0;
    always_comb begin
        found = 1'b0;
        found_entry = '0;
        free = 1'b0;
        free_entry = '0;
        for (int m = int'(MSHRS) - 1; m >= 0; m--) begin
            if (taken[m] && lines[m] == wanted) begin
                found = 1'b1;
                found_entry = MW'(m);
            end
            if (!taken[m]) begin
                free = 1'b1;
                free_entry = MW'(m);
            end
        end
    end
    assign found_room = found && counts[found_entry] != CW'(LIST);
    assign shown_way = ways[shown_entry];
    assign shown_count = counts[shown_entry];
    assign shown_request = waiting[slot(shown_entry, shown_position)];
    assign fetch_line = lines[fetch_entry];

    always_ff @(posedge clk) begin
        if (!rst_n) taken <= '0;
        else begin
            if (allocate) taken[free_entry] <= 1'b1;
            if (release_shown) taken[shown_entry] <= 1'b0;
        end
        if (allocate) begin
            lines[free_entry] <= wanted;
            ways[free_entry] <= way;
            counts[free_entry] <= CW'(1);
            waiting[slot(free_entry, '0)] <= request;
        end
        if (join_found) begin
            counts[found_entry] <= counts[found_entry] + 1'b1;
            waiting[slot(found_entry, counts[found_entry])] <= request;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        assert (!rst_n || !allocate || (free && !found)) else $error("mshr: no entry for a miss, or a second one for its line");
        assert (!rst_n || !join_found || found_room) else $error("mshr: a request joined a full list");
    end
`endif
endmodule
