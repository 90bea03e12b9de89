// Flits to packets to lines: finds packets by their tags, checks their CRC and their number. A line is on `rx_*` in the
// clock after its last flit.
//
// A packet that does not end before the next begins, a flit outside a packet, a packet longer than any, and a wrong CRC
// are gaps. The next head is a beginning whatever was before it.
module weft_link_receiver
    import weft_line_pkg::*;
    import weft_link_pkg::*;
#(
    parameter int unsigned FLIT_BYTES = 16,
    parameter int unsigned SEQ_BITS = 8,
    parameter logic [31:0] CRC_POLY = 32'hEDB88320,
    localparam int unsigned BITS = 8 * FLIT_BYTES
) (
    input  logic clk,
    input  logic rst_n,
    input  logic wire_valid,
    input  logic [BITS+1:0] wire_flit,
    output logic ack_news,              // a packet has come, whatever its number, and tells an ack
    output logic [SEQ_BITS-1:0] ack,
    output logic nak,                   // which is to be gone back to
    output logic credit_news,           // it tells what has become free
    output logic [2:0] credit_vc,
    output logic [CREDIT_BITS-1:0] credit,
    output logic asked,                 // it asks for that
    output logic [2:0] asked_vc,
    output logic gap,
    output logic again,                 // the gap was there, and the far end has gone back since
    output logic repeated,
    output logic delivered,
    output logic [SEQ_BITS-1:0] expected,
    output logic rx_valid,
    output logic [2:0] rx_vc,
    output line_t rx_line
);
    localparam int unsigned FLITS = (OVERHEAD_BYTES + 64 + FLIT_BYTES - 1) / FLIT_BYTES;
    localparam int unsigned FW = $clog2(FLITS + 1);

    logic [FLITS*BITS-1:0] kept, whole;  // flits of the packet so far; with this one
    logic in_packet, again_before;
    logic [FW-1:0] count, place;
    logic [31:0] crc, crc_before_last, crc_after;
    logic [BITS-1:0] flit;
    logic head, tail, wanted, too_long, ends, right, news;
    link_word_t word;
    logic [SEQ_BITS-1:0] ahead;

    assign {tail, head, flit} = wire_flit;
    weft_link_crc #(.BITS(BITS), .POLY(CRC_POLY)) check (
        .crc(head ? '1 : crc), .flit, .before_last(crc_before_last), .after(crc_after));

    assign place = head ? '0 : count;
    assign wanted = wire_valid && (head || in_packet);
    assign too_long = wanted && place == FW'(FLITS);
    assign ends = wanted && tail && !too_long;
    assign right = flit[BITS-1:BITS-32] == ~crc_before_last;
    always_comb begin
        whole = kept;
        for (int i = 0; i < int'(FLITS); i++) if (place == FW'(i)) whole[i*int'(BITS) +: BITS] = flit;
    end

    line_t line;
    logic unused;  // behind the longest payload, above the numbers
    assign word = whole[WORD_BITS-1:0];
    assign line = whole[WORD_BITS +: HEADER_BITS + DATA_BITS];
    assign unused = ^{whole[FLITS*BITS-1:WORD_BITS+HEADER_BITS+DATA_BITS], word.seq};
    assign ahead = word.seq[SEQ_BITS-1:0] - expected;

    assign news = ends && right;
    assign asked = news && word.control && word.vc[0];
    assign asked_vc = word.seq[2:0];
    assign ack_news = news && (word.control ? !word.vc[0] : !word.seq[0]);
    assign ack = word.control ? word.seq[SEQ_BITS-1:0] : word.told[SEQ_BITS-1:0];
    assign nak = ack_news && word.control && word.vc[1];
    assign credit_news = news && (word.control || word.seq[0]);
    assign credit_vc = word.told_vc;
    assign credit = word.told;
    assign delivered = news && !word.control && ahead == 0;
    assign repeated = news && !word.control && ahead[SEQ_BITS-1];
    assign again = news && !word.control && word.again != again_before;
    assign gap = (wire_valid && (head == in_packet)) || too_long || (ends && !right) ||
        (news && !word.control && ahead != 0 && !ahead[SEQ_BITS-1]);

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            in_packet <= 1'b0;
            expected <= '0;
            again_before <= 1'b0;
            rx_valid <= 1'b0;
        end else begin
            if (wire_valid) in_packet <= wanted && !tail && !too_long;
            if (wanted) count <= place + 1'b1;
            if (delivered) expected <= expected + 1'b1;
            if (again) again_before <= word.again;
            rx_valid <= delivered;
        end
        if (wanted) begin
            kept <= whole;
            crc <= crc_after;
        end
        if (delivered) begin
            rx_vc <= word.vc;
            rx_line <= line & {payload_mask(payload_bytes(line[HEADER_BITS-1:0])), {HEADER_BITS{1'b1}}};
        end
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk) begin
        if (rst_n) begin
            assert (!news || word.control ? !news || place == 0 :
                8'(place) == (8'(OVERHEAD_BYTES - 1) + 8'(payload_bytes(line[HEADER_BITS-1:0]))) / 8'(FLIT_BYTES))
                else $error("a packet of %0d flits is not as long as its header says", place + 1'b1);
        end
    end
`endif
endmodule
