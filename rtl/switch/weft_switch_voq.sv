// One input with virtual output queues: a list for each channel and output, and one for each channel's
// multicast lines.
//
// Offers, out of what `usable` allows: every output that some line to it alone waits for, and the outputs
// that the head of one multicast list still lacks. The matching picks outputs and says which of the two they
// are for. Channels take turns from the one behind the channel that sent last, lines to one output and
// multicast lines each for themselves.
module weft_switch_voq #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned VCS = 4,
    parameter int unsigned DEPTH = 8,  // lines of one channel
    parameter int unsigned WIDTH = 640,
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic write,
    input  logic [VCW-1:0] write_vc,
    input  logic [PORTS-1:0] write_ports,
    input  logic [WIDTH-1:0] write_data,
    input  logic [PORTS-1:0] usable [VCS],
    output logic [PORTS-1:0] unicast,
    output logic [PORTS-1:0] multicast,
    // of this clock: outputs that take a line, what it is, its last copy leaves
    input  logic [PORTS-1:0] match,
    input  logic match_multicast,
    output logic freed,
    output logic [VCW-1:0] vc,
    output logic [WIDTH-1:0] data
);
    localparam int unsigned QUEUES = PORTS + 1;  // the last one for multicast
    localparam int unsigned QW = $clog2(QUEUES);

    logic [PORTS:0] waiting [VCS];
    logic [PORTS-1:0] lacks [VCS];   // outputs that the head of a multicast list has still to go to
    logic [PORTS-1:0] served [VCS];  // outputs where it has been
    logic [PORTS-1:0] left;
    logic [VCS-1:0] turn, multicast_turn;  // channels from the one whose turn it is on
    logic [VCS-1:0] wants, wants_multicast, first_multicast, chosen;
    logic [QW-1:0] write_queue, queue;

    // A copy to several outputs, and to one.
    logic write_multicast;
    assign write_multicast = (write_ports & (write_ports - 1'b1)) != 0;
    always_comb begin
        write_queue = '0;
        for (int o = 0; o < int'(PORTS); o++) if (write_ports[o]) write_queue = QW'(o);
        if (write_multicast) write_queue = QW'(PORTS);
    end

    weft_switch_lists #(.VCS(VCS), .QUEUES(QUEUES), .SLOTS(VCS * DEPTH), .WIDTH(WIDTH)) lists (
        .clk, .rst_n, .push(write), .push_vc(write_vc), .push_queue(write_queue), .push_data(write_data), .waiting,
        .head_vc(vc), .head_queue(queue), .pop(freed), .head_data(data));

    generate
        for (genvar v = 0; v < int'(VCS); v++) begin : g_channel
            logic [PORTS-1:0] wanted;
            logic some;
            weft_switch_ring #(.WIDTH(PORTS), .DEPTH(DEPTH)) ports (
                .clk, .rst_n, .push(write && write_multicast && write_vc == VCW'(v)), .push_data(write_ports),
                .pop(freed && match_multicast && chosen[v]), .valid(some), .head(wanted));
            assign lacks[v] = some ? wanted & ~served[v] : '0;
            always_ff @(posedge clk) begin
                if (!rst_n) served[v] <= '0;
                else if (match_multicast && chosen[v]) served[v] <= freed ? '0 : served[v] | match;
            end
        end
    endgenerate

    // The first of `from`, beginning with those of `turn`.
    function automatic logic [VCS-1:0] first(input logic [VCS-1:0] from, input logic [VCS-1:0] turn_of);
        logic [VCS-1:0] rest;
        rest = (from & turn_of) != 0 ? from & turn_of : from;
        return rest & (~rest + 1'b1);
    endfunction

    always_comb begin
        unicast = '0;
        for (int v = 0; v < int'(VCS); v++) begin
            unicast |= waiting[v][PORTS-1:0] & usable[v];
            wants_multicast[v] = (lacks[v] & usable[v]) != 0;
        end
        first_multicast = first(wants_multicast, multicast_turn);
        multicast = '0;
        for (int v = 0; v < int'(VCS); v++) if (first_multicast[v]) multicast |= lacks[v] & usable[v];
    end

    always_comb begin
        for (int v = 0; v < int'(VCS); v++) wants[v] = (waiting[v][PORTS-1:0] & usable[v] & match) != 0;
        chosen = match == 0 ? '0 : match_multicast ? first_multicast : first(wants, turn);
        vc = '0;
        left = '0;
        for (int v = 0; v < int'(VCS); v++)
            if (chosen[v]) begin
                vc = VCW'(v);
                left = lacks[v] & ~match;
            end
        queue = '0;
        for (int o = 0; o < int'(PORTS); o++) if (match[o]) queue = QW'(o);
        if (match_multicast) queue = QW'(PORTS);
        freed = match != 0 && (!match_multicast || left == 0);
    end

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            turn <= '1;
            multicast_turn <= '1;
        end else if (match != 0) begin
            if (match_multicast) multicast_turn <= ~(chosen | (chosen - 1'b1));
            else turn <= ~(chosen | (chosen - 1'b1));
        end
    end
endmodule
