// A switch of PORTS inputs and outputs with virtual output queues, credits on both sides, one line a clock and port.
//
// A line enters with `in_valid` in clock c, with its channel and the output that its header names; it takes part in the
// matching from clock c + LATENCY on. Matched in clock m, it is on `out_*` in clock m + TRAVERSAL; `in_credit_*` gives its
// slot back in clock m. An output takes part while `out_ready`: the wire behind it will be free in clock m + TRAVERSAL, and
// while there is a credit for the channel: OUT_CREDITS at reset, one more the clock after a bit of `out_credit`.
// Channels of one input that want the same output take turns.
module weft_switch #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned VCS = 4,
    parameter int unsigned DEPTH = 8,        // lines of a channel that an input holds
    parameter int unsigned OUT_CREDITS = 8,  // lines of a channel that whoever follows holds
    parameter int unsigned WIDTH = 640,
    parameter int unsigned LATENCY = 1,      // clocks, at least 1
    parameter int unsigned TRAVERSAL = 1,    // clocks
    parameter int unsigned ITERATIONS = 1,
    parameter bit ISLIP = 1'b1,
    parameter bit ONE_QUEUE = 1'b0           // one queue for each input: the head blocks the rest
) (
    input  logic clk,
    input  logic rst_n,
    input  logic [PORTS-1:0] in_valid,
    input  logic [PORTS-1:0][VCW-1:0] in_vc,
    input  logic [PORTS-1:0][PW-1:0] in_port,
    input  logic [PORTS-1:0][WIDTH-1:0] in_data,
    output logic [PORTS-1:0] in_credit_valid,
    output logic [PORTS-1:0][VCW-1:0] in_credit_vc,
    output logic [PORTS-1:0] out_valid,
    output logic [PORTS-1:0][VCW-1:0] out_vc,
    output logic [PORTS-1:0][WIDTH-1:0] out_data,
    input  logic [PORTS-1:0] out_ready,
    input  logic [PORTS-1:0][VCS-1:0] out_credit,
    output logic idle  // nothing is in here: clocks may be left out
);
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1;
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1;
    localparam int unsigned CW = $clog2(OUT_CREDITS + 1);

    logic [PORTS-1:0][VCS-1:0][PORTS-1:0] waiting;
    logic [PORTS-1:0][PORTS-1:0] request, match;
    logic [PORTS-1:0][PORTS-1:0][VCW-1:0] candidate;  // channel, by input and output
    logic [PORTS-1:0][VCW-1:0] turn;
    logic [PORTS-1:0][VCS-1:0][CW-1:0] credits;       // by output
    logic [PORTS-1:0] read;
    logic [PORTS-1:0][VCW-1:0] read_vc;
    logic [PORTS-1:0][PW-1:0] read_port;
    logic [PORTS-1:0][WIDTH-1:0] read_data;
    logic [PORTS-1:0] sent;
    logic [PORTS-1:0][VCW-1:0] sent_vc;
    logic [PORTS-1:0][WIDTH-1:0] sent_data;

    generate
        for (genvar i = 0; i < int'(PORTS); i++) begin : g_input
            logic write;
            logic [VCW-1:0] write_vc;
            logic [PW-1:0] write_port;
            logic [WIDTH-1:0] write_data;
            weft_delay #(.WIDTH(WIDTH + VCW + PW), .CLOCKS(LATENCY - 1)) pipeline (
                .clk, .rst_n, .valid_in(in_valid[i]), .data_in({in_vc[i], in_port[i], in_data[i]}), .valid_out(write),
                .data_out({write_vc, write_port, write_data}));
            if (ONE_QUEUE) begin : g_fifo
                logic [0:0][0:0] any;
                logic [VCW-1:0] head_vc;
                logic [PW-1:0] head_port;
                weft_voq_input #(.PORTS(1), .VCS(1), .DEPTH(VCS * DEPTH), .WIDTH(WIDTH + VCW + PW)) buffer (
                    .clk, .rst_n, .write, .write_vc(1'b0), .write_port(1'b0),
                    .write_data({write_vc, write_port, write_data}), .waiting(any), .read(read[i]), .read_vc(1'b0),
                    .read_port(1'b0), .read_data({head_vc, head_port, read_data[i]}));
                always_comb begin
                    waiting[i] = '0;
                    waiting[i][head_vc][head_port] = any[0][0];
                end
                logic unused;
                assign unused = ^{read_vc[i], read_port[i]};
            end else begin : g_voq
                weft_voq_input #(.PORTS(PORTS), .VCS(VCS), .DEPTH(DEPTH), .WIDTH(WIDTH)) buffer (
                    .clk, .rst_n, .write, .write_vc, .write_port, .write_data, .waiting(waiting[i]), .read(read[i]),
                    .read_vc(read_vc[i]), .read_port(read_port[i]), .read_data(read_data[i]));
            end
        end
        for (genvar o = 0; o < int'(PORTS); o++) begin : g_output
            weft_delay #(.WIDTH(WIDTH + VCW), .CLOCKS(TRAVERSAL)) pipeline (
                .clk, .rst_n, .valid_in(sent[o]), .data_in({sent_vc[o], sent_data[o]}), .valid_out(out_valid[o]),
                .data_out({out_vc[o], out_data[o]}));
        end
    endgenerate

    weft_matching #(.INPUTS(PORTS), .OUTPUTS(PORTS), .ITERATIONS(ITERATIONS), .ISLIP(ISLIP)) matching (
        .clk, .rst_n, .request, .match);

    logic [VCW-1:0] channel;
    always_comb begin
        request = '0;
        candidate = '0;
        channel = '0;
        for (int i = 0; i < int'(PORTS); i++)
            for (int o = 0; o < int'(PORTS); o++) begin
                channel = turn[i];
                for (int k = 0; k < int'(VCS); k++) begin
                    if (!request[i][o] && waiting[i][channel][o] && out_ready[o] && credits[o][channel] != 0) begin
                        request[i][o] = 1'b1;
                        candidate[i][o] = channel;
                    end
                    channel = channel == VCW'(VCS - 1) ? '0 : channel + 1'b1;
                end
            end
    end

    always_comb begin
        read = '0;
        read_vc = '0;
        read_port = '0;
        sent = '0;
        sent_vc = '0;
        sent_data = '0;
        for (int i = 0; i < int'(PORTS); i++)
            for (int o = 0; o < int'(PORTS); o++)
                if (match[i][o]) begin
                    read[i] = 1'b1;
                    read_vc[i] = candidate[i][o];
                    read_port[i] = PW'(o);
                    sent[o] = 1'b1;
                    sent_vc[o] = candidate[i][o];
                end
        // By output, so that the data of an input are read by its final address.
        for (int i = 0; i < int'(PORTS); i++)
            for (int o = 0; o < int'(PORTS); o++)
                if (match[i][o]) sent_data[o] = read_data[i];
    end
    assign in_credit_valid = read;
    assign in_credit_vc = read_vc;

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            turn <= '0;
            for (int o = 0; o < int'(PORTS); o++)
                for (int v = 0; v < int'(VCS); v++) credits[o][v] <= CW'(OUT_CREDITS);
        end else begin
            for (int i = 0; i < int'(PORTS); i++)
                if (read[i]) turn[i] <= read_vc[i] == VCW'(VCS - 1) ? '0 : read_vc[i] + 1'b1;
            for (int o = 0; o < int'(PORTS); o++)
                for (int v = 0; v < int'(VCS); v++)
                    credits[o][v] <= credits[o][v] + {{(CW-1){1'b0}}, out_credit[o][v]} -
                        {{(CW-1){1'b0}}, sent[o] && sent_vc[o] == VCW'(v)};
        end
    end

    // Lines in pipelines and queues, and pulses that take one clock more.
    logic [15:0] lines_in;
    logic moving;
    always_ff @(posedge clk) begin
        if (!rst_n) lines_in <= '0;
        else begin
            automatic logic [15:0] count = lines_in;
            for (int p = 0; p < int'(PORTS); p++) count = count + {15'd0, in_valid[p]} - {15'd0, out_valid[p]};
            lines_in <= count;
        end
    end
    assign moving = |in_valid || |out_credit;
    assign idle = lines_in == 0 && !moving;
endmodule
