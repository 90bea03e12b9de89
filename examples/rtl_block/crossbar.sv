// A crossbar with valid/ready: a queue of two lines behind each input, round robin in front of each output.
// A line leaves one clock after it has come in, at the earliest.
module crossbar #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned WIDTH = 640,
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0] s_valid,
    output logic [PORTS-1:0] s_ready,
    input  logic [PORTS-1:0][WIDTH-1:0] s_data,
    input  logic [PORTS-1:0][PW-1:0] s_dest,
    output logic [PORTS-1:0] m_valid,
    input  logic [PORTS-1:0] m_ready,
    output logic [PORTS-1:0][WIDTH-1:0] m_data,
    output logic idle
);
    logic [PORTS-1:0] waits;                 // an input has a line
    logic [PORTS-1:0][WIDTH-1:0] head;
    logic [PORTS-1:0][PW-1:0] head_dest;
    logic [PORTS-1:0] taken;
    logic [PORTS-1:0][PORTS-1:0] grant;      // by output: one input
    logic [PORTS-1:0][PW-1:0] next;          // by output: who goes first

    for (genvar i = 0; i < PORTS; i++) begin : inputs
        crossbar_queue #(.WIDTH(WIDTH + PW)) queue (
            .clk, .rst_n, .push(s_valid[i] && s_ready[i]), .push_data({s_dest[i], s_data[i]}), .ready(s_ready[i]),
            .valid(waits[i]), .data({head_dest[i], head[i]}), .pop(taken[i]));
    end

    for (genvar o = 0; o < PORTS; o++) begin : outputs
        always_comb begin
            grant[o] = '0;
            m_data[o] = '0;
            for (int unsigned k = 0; k < PORTS; k++) begin
                automatic int unsigned i = (32'(next[o]) + k) % PORTS;
                if (grant[o] == '0 && waits[i] && 32'(head_dest[i]) == o) begin
                    grant[o][i] = 1'b1;
                    m_data[o] = head[i];
                end
            end
            m_valid[o] = grant[o] != '0;
        end
        always_ff @(posedge clk)
            if (!rst_n) next[o] <= '0;
            else
                // Who waits for ready stays first.
                for (int unsigned i = 0; i < PORTS; i++)
                    if (grant[o][i]) next[o] <= PW'((i + (m_ready[o] ? 1 : 0)) % PORTS);
    end

    always_comb begin
        taken = '0;
        for (int unsigned o = 0; o < PORTS; o++)
            if (m_ready[o]) taken |= grant[o];
    end
    assign idle = waits == '0;
endmodule
