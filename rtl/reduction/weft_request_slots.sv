// Requests to groups wait here, in the order of arrival, until the unit takes them.
//
// A contribution whose context is open joins it: the oldest of these goes first, past requests that wait for a context.
// Whether a request joins is found out when it arrives and whenever a context opens, and kept with it. Of the others the
// oldest goes that a context may be opened for.
module weft_request_slots import weft_line_pkg::*; #(
    parameter int unsigned SLOTS = 16,
    parameter int unsigned CONTEXTS = 4,
    parameter int unsigned PW = 2
) (
    input  logic clk,
    input  logic rst_n,
    input  logic write,
    input  line_t write_line,
    input  logic [PW-1:0] write_port,
    input  logic write_joins,             // an open context, not that of `opens`
    input  logic [CW-1:0] write_context,
    // whom the unit may take in this clock
    input  logic may_open,                // there is a free context
    input  logic may_collect,             // and contributions may have it
    output logic offered,
    output line_t line,
    output logic [PW-1:0] port,
    output logic joins,
    output logic [CW-1:0] join_context,
    // it takes the one offered
    input  logic take,
    input  logic opens,                   // and opens this context for contributions to its address
    input  logic [CW-1:0] open_context,
    output logic none
);
    localparam int unsigned CW = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1;
    localparam int unsigned SW = SLOTS > 1 ? $clog2(SLOTS) : 1;
    localparam int unsigned NW = $clog2(SLOTS + 1);

    line_t lines [SLOTS];
    logic [PW-1:0] ports [SLOTS];
    logic [SLOTS-1:0] used, joining, sums;
    logic [SLOTS-1:0][CW-1:0] contexts;
    logic [SLOTS-1:0][SW-1:0] order;  // slots by age, the oldest first
    logic [NW-1:0] count;

    logic [SW-1:0] free, slot, place, join_place, open_place;
    logic can_open;
    logic [SLOTS-1:0] woken;
    logic write_woken;

    always_comb begin
        free = '0;
        for (int i = int'(SLOTS) - 1; i >= 0; i--)
            if (!used[i]) free = SW'(i);
    end

    always_comb begin
        join_place = '0;
        open_place = '0;
        joins = 1'b0;
        can_open = 1'b0;
        for (int i = int'(SLOTS) - 1; i >= 0; i--)
            if (NW'(i) < count) begin
                if (joining[order[i]]) begin
                    join_place = SW'(i);
                    joins = 1'b1;
                end
                if (sums[order[i]] ? may_collect : may_open) begin
                    open_place = SW'(i);
                    can_open = 1'b1;
                end
            end
    end
    assign place = joins ? join_place : open_place;
    assign slot = order[place];
    assign offered = joins || can_open;
    assign line = lines[slot];
    assign port = ports[slot];
    assign join_context = contexts[slot];
    assign none = count == 0;

    always_comb begin
        for (int i = 0; i < int'(SLOTS); i++)
            woken[i] = opens && used[i] && sums[i] && lines[i].destination == line.destination &&
                lines[i].address == line.address;
        write_woken = opens && write_line.op == OP_REDUCE && write_line.destination == line.destination &&
            write_line.address == line.address;
    end

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            used <= '0;
            joining <= '0;
            count <= '0;
        end else begin
            joining <= joining | woken;
            if (write) begin
                used[free] <= 1'b1;
                joining[free] <= write_joins || write_woken;
            end
            if (take) begin
                used[slot] <= 1'b0;
                joining[slot] <= 1'b0;
            end
            count <= count + NW'(write) - NW'(take);
        end
        for (int i = 0; i < int'(SLOTS); i++) if (woken[i]) contexts[i] <= open_context;
        if (write) contexts[free] <= write_woken ? open_context : write_context;
        if (take)
            for (int i = 0; i + 1 < int'(SLOTS); i++)
                if (SW'(i) >= place) order[i] <= order[i+1];
        if (write) order[SW'(count - NW'(take))] <= free;
        if (write) begin
            lines[free] <= write_line;
            sums[free] <= write_line.op == OP_REDUCE;
            ports[free] <= write_port;
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk)
        if (rst_n) begin
            assert (!write || count < NW'(SLOTS)) else $error("a request finds no slot: more sent than credits given");
            assert (!take || offered) else $error("a request is taken that is not there");
            assert ($countones(used) == 32'(count)) else $error("slots in use and their order disagree");
        end
`endif
endmodule
