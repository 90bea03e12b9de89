// The crossbar at one clock, its outputs at another: a line at a time crosses over, a toggle goes with it and another comes back.
module crossing_crossbar #(
    parameter int unsigned PORTS = 4,
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1
) (
    input  logic clk,
    input  logic out_clk,
    input  logic rst_n,
    input  logic [PORTS-1:0] s_valid,
    output logic [PORTS-1:0] s_ready,
    input  logic [PORTS-1:0][639:0] s_data,
    input  logic [PORTS-1:0][PW-1:0] s_dest,
    output logic [PORTS-1:0] m_valid,
    input  logic [PORTS-1:0] m_ready,
    output logic [PORTS-1:0][639:0] m_data,
    output logic idle
);
    logic [PORTS-1:0] given, free, sent, sent_1, sent_2, got, got_1, got_2;
    logic [PORTS-1:0][639:0] crossed, held;
    logic inside_idle;

    crossbar #(.PORTS(PORTS), .WIDTH(640)) lines (
        .clk, .rst_n, .s_valid, .s_ready, .s_data, .s_dest, .m_valid(given), .m_ready(free), .m_data(crossed), .idle(inside_idle));

    assign free = ~(sent ^ got_2);
    assign m_valid = sent_2 ^ got;
    assign m_data = held;
    always_ff @(posedge clk) begin
        {got_2, got_1} <= rst_n ? {got_1, got} : '0;
        sent <= rst_n ? sent ^ (given & free) : '0;
        for (int p = 0; p < int'(PORTS); p++)
            if (given[p] && free[p]) held[p] <= crossed[p];
    end
    always_ff @(posedge out_clk) begin
        {sent_2, sent_1} <= rst_n ? {sent_1, sent} : '0;
        got <= rst_n ? got ^ (m_valid & m_ready) : '0;
    end
    assign idle = inside_idle && free == '1;
endmodule
