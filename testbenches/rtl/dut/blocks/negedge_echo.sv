// What goes in comes out again. Inputs are taken by flops at the falling edge, as a block behind pads does it, and used at
// the rising edge; assertions at the falling edge hold them against what has been taken.
module negedge_echo #(
    parameter int unsigned W = 640
) (
    input  logic clk,
    input  logic rst_n,
    input  logic s_valid,
    output logic s_ready,
    input  logic [W-1:0] s_data,
    output logic m_valid,
    input  logic m_ready,
    output logic [W-1:0] m_data
);
    logic n_valid, n_ready, took;
    logic [W-1:0] n_data, held, line;
    logic full;
    initial {n_valid, n_ready, took, full} = '0;

    always_ff @(negedge clk) begin
        n_valid <= s_valid;
        n_data <= s_data;
        n_ready <= m_ready;
        assert (!(took && s_valid && s_data == held)) else $error("a line that has been taken is still offered");
    end
    assign s_ready = !full;
    assign m_valid = full;
    assign m_data = line;
    always_ff @(posedge clk) begin
        assert (n_valid == s_valid && n_ready == m_ready && (!s_valid || n_data == s_data)) else $error("an input changes after the fall");
        took <= rst_n && n_valid && s_ready;
        held <= n_data;
        if (!rst_n) full <= 1'b0;
        else if (full ? n_ready : n_valid) full <= !full;
        if (!full) line <= n_data;
    end
endmodule
