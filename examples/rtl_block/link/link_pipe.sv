// One direction of a link: beats move on by one stage in each clock, all together, unless the far end does not take one.
module link_pipe #(
    parameter int unsigned WIDTH = 128,  // bits of a beat, 1..1024
    parameter int unsigned STAGES = 20   // clocks from end to end, 1..1024
) (
    input  logic clk,
    input  logic rst_n,
    input  logic s_valid,
    output logic s_ready,
    input  logic [WIDTH-1:0] s_data,
    output logic m_valid,
    input  logic m_ready,
    output logic [WIDTH-1:0] m_data,
    output logic idle
);
    logic [STAGES-1:0] full;
    logic [STAGES-1:0][WIDTH-1:0] beat;

    assign m_valid = full[STAGES-1];
    assign m_data = beat[STAGES-1];
    assign s_ready = m_ready || !m_valid;
    assign idle = full == '0;

    always_ff @(posedge clk)
        if (!rst_n) full <= '0;
        else if (s_ready) begin
            full[0] <= s_valid;
            beat[0] <= s_data;
            for (int unsigned i = 1; i < STAGES; i++) begin
                full[i] <= full[i-1];
                beat[i] <= beat[i-1];
            end
        end
endmodule
