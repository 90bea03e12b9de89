// One input with one queue, whatever channel and outputs its lines are for: the head blocks the rest. It
// offers the outputs that the head has still to go to; the interface is that of weft_switch_voq.
module weft_switch_fifo #(
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
    input  logic [PORTS-1:0] match,
    output logic freed,
    output logic [VCW-1:0] vc,
    output logic [WIDTH-1:0] data
);
    logic some;
    logic [PORTS-1:0] wanted, served, lacks;

    weft_switch_ring #(.WIDTH(WIDTH + VCW + PORTS), .DEPTH(VCS * DEPTH)) lines (
        .clk, .rst_n, .push(write), .push_data({write_ports, write_vc, write_data}), .pop(freed), .valid(some),
        .head({wanted, vc, data}));

    assign lacks = some ? wanted & ~served : '0;
    assign unicast = '0;
    assign multicast = lacks & usable[vc];
    assign freed = match != 0 && (lacks & ~match) == 0;

    always_ff @(posedge clk) begin
        if (!rst_n) served <= '0;
        else if (match != 0) served <= freed ? '0 : served | match;
    end
endmodule
