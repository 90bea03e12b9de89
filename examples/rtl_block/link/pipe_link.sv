// A link: what goes in at one end comes out at the other, STAGES clocks later, a beat of WIDTH bits in each clock.
module pipe_link #(
    parameter int unsigned WIDTH = 128,
    parameter int unsigned STAGES = 20
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [1:0] s_valid,              // a bit for each end
    output logic [1:0] s_ready,
    input  logic [1:0][WIDTH-1:0] s_data,
    output logic [1:0] m_valid,
    input  logic [1:0] m_ready,
    output logic [1:0][WIDTH-1:0] m_data,
    output logic idle
);
    logic [1:0] empty;

    for (genvar e = 0; e < 2; e++) begin : from
        link_pipe #(.WIDTH(WIDTH), .STAGES(STAGES)) pipe (
            .clk, .rst_n, .s_valid(s_valid[e]), .s_ready(s_ready[e]), .s_data(s_data[e]), .m_valid(m_valid[1-e]),
            .m_ready(m_ready[1-e]), .m_data(m_data[1-e]), .idle(empty[e]));
    end
    assign idle = &empty;
endmodule
