// A switch of PORTS inputs and outputs with virtual output queues, multicast, and credits on both sides; one
// line a clock and port.
//
// A line enters with `in_valid` in clock c, with its channel and its outputs (`in_ports`: one, or several for
// multicast); it takes part in the matching from clock c + LATENCY on. Matched in clock m, it is on `out_*`
// in clock m + TRAVERSAL. `in_credit_*` gives its slot back in the clock in which its last copy is matched.
// An output takes part while `out_ready`: the wire behind it will be free in clock m + TRAVERSAL, and while
// there is a credit for the channel: cfg_credits in reset, one more the clock after a bit of `out_credit`.
//
// A multicast line waits in a queue of its input's and channel's own. Its copies leave as outputs are won,
// several in a clock where they can; it holds one slot until the last has left. Order is kept among the lines
// to one output alone of an input, channel and output, and among the multicast lines of an input and channel;
// not between the two.
module weft_switch #(
    parameter int unsigned PORTS = 4,        // up to 64
    parameter int unsigned VCS = 4,          // up to 16
    parameter int unsigned DEPTH = 8,        // lines of a channel that an input holds
    parameter int unsigned MAX_CREDITS = 8,  // largest of cfg_credits
    parameter int unsigned WIDTH = 640,
    parameter int unsigned LATENCY = 1,      // clocks, at least 1
    parameter int unsigned TRAVERSAL = 1,    // clocks
    parameter int unsigned ITERATIONS = 1,
    parameter bit ISLIP = 1'b1,              // 0: plain round robin
    parameter bit ONE_QUEUE = 1'b0,          // one queue for each input: the head blocks the rest
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1,
    localparam int unsigned CW = $clog2(MAX_CREDITS + 1)
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0][VCS-1:0][CW-1:0] cfg_credits,  // by output; 0: it has no such channel
    input  logic [PORTS-1:0] in_valid,
    input  logic [PORTS-1:0][VCW-1:0] in_vc,
    input  logic [PORTS-1:0][PORTS-1:0] in_ports,
    input  logic [PORTS-1:0][WIDTH-1:0] in_data,
    output logic [PORTS-1:0] in_credit_valid,
    output logic [PORTS-1:0][VCW-1:0] in_credit_vc,
    output logic [PORTS-1:0] out_valid,
    output logic [PORTS-1:0][VCW-1:0] out_vc,
    output logic [PORTS-1:0][WIDTH-1:0] out_data,
    input  logic [PORTS-1:0] out_ready,
    input  logic [PORTS-1:0][VCS-1:0] out_credit,
    output logic idle  // nothing is in here and nothing comes: clocks may be left out
);
    logic [PORTS-1:0] some [VCS];      // outputs with a credit of the channel
    logic [PORTS-1:0] usable [VCS];
    logic [PORTS-1:0] unicast [PORTS];
    logic [PORTS-1:0] multicast [PORTS];
    logic [PORTS-1:0] match [PORTS];   // outputs, by input
    logic [PORTS-1:0] match_multicast;
    logic [VCW-1:0] read_vc [PORTS];
    logic [WIDTH-1:0] read_data [PORTS];
    logic [PORTS-1:0] sent;
    logic [VCW-1:0] sent_vc [PORTS];
    logic [WIDTH-1:0] sent_data [PORTS];

    generate
        for (genvar i = 0; i < int'(PORTS); i++) begin : g_input
            logic write;
            logic [VCW-1:0] write_vc;
            logic [PORTS-1:0] write_ports;
            logic [WIDTH-1:0] write_data;
            weft_delay #(.WIDTH(WIDTH + VCW + PORTS), .CLOCKS(LATENCY - 1)) pipeline (
                .clk, .rst_n, .valid_in(in_valid[i]), .data_in({in_vc[i], in_ports[i], in_data[i]}),
                .valid_out(write), .data_out({write_vc, write_ports, write_data}));
            if (ONE_QUEUE) begin : g_fifo
                weft_switch_fifo #(.PORTS(PORTS), .VCS(VCS), .DEPTH(DEPTH), .WIDTH(WIDTH)) buffer (
                    .clk, .rst_n, .write, .write_vc, .write_ports, .write_data, .usable, .unicast(unicast[i]),
                    .multicast(multicast[i]), .match(match[i]), .freed(in_credit_valid[i]), .vc(read_vc[i]),
                    .data(read_data[i]));
            end else begin : g_voq
                weft_switch_voq #(.PORTS(PORTS), .VCS(VCS), .DEPTH(DEPTH), .WIDTH(WIDTH)) buffer (
                    .clk, .rst_n, .write, .write_vc, .write_ports, .write_data, .usable, .unicast(unicast[i]),
                    .multicast(multicast[i]), .match(match[i]), .match_multicast(match_multicast[i]),
                    .freed(in_credit_valid[i]), .vc(read_vc[i]), .data(read_data[i]));
            end
            assign in_credit_vc[i] = read_vc[i];
        end
        for (genvar o = 0; o < int'(PORTS); o++) begin : g_output
            weft_delay #(.WIDTH(WIDTH + VCW), .CLOCKS(TRAVERSAL)) pipeline (
                .clk, .rst_n, .valid_in(sent[o]), .data_in({sent_vc[o], sent_data[o]}), .valid_out(out_valid[o]),
                .data_out({out_vc[o], out_data[o]}));
        end
    endgenerate

    weft_switch_credits #(.PORTS(PORTS), .VCS(VCS), .MAX_CREDITS(MAX_CREDITS)) counters (
        .clk, .rst_n, .cfg_credits, .back(out_credit), .sent, .sent_vc, .some);

    always_comb for (int v = 0; v < int'(VCS); v++) usable[v] = some[v] & out_ready;

    weft_matching #(.INPUTS(PORTS), .OUTPUTS(PORTS), .ITERATIONS(ITERATIONS), .ISLIP(ISLIP)) matching (
        .clk, .rst_n, .unicast, .multicast, .match, .match_multicast);

    always_comb begin
        sent = '0;
        for (int o = 0; o < int'(PORTS); o++) begin
            sent_vc[o] = '0;
            sent_data[o] = '0;
        end
        for (int i = 0; i < int'(PORTS); i++)
            if (match[i] != 0) begin
                sent |= match[i];
                for (int o = 0; o < int'(PORTS); o++)
                    if (match[i][o]) begin
                        sent_vc[o] = read_vc[i];
                        sent_data[o] = read_data[i];
                    end
            end
    end

    weft_switch_idle #(.PORTS(PORTS), .LINES(PORTS * VCS * DEPTH), .TRAVERSAL(TRAVERSAL)) idleness (
        .clk, .rst_n, .entered(in_valid), .freed(in_credit_valid), .sending(|sent), .credit(|out_credit), .idle);

`ifndef SYNTHESIS
    weft_switch_checks #(.PORTS(PORTS), .VCS(VCS), .DEPTH(DEPTH), .MAX_CREDITS(MAX_CREDITS)) checks (
        .clk, .rst_n, .cfg_credits, .in_valid, .in_vc, .in_ports, .in_credit_valid, .in_credit_vc, .sent, .sent_vc,
        .out_credit, .usable, .match, .match_multicast, .read_vc);
`endif
endmodule
