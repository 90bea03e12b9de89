// The buffer of one input: lines wait in a shared memory, in one list for each output and channel. A slot is taken when
// a line is written and given back when it leaves; senders hold credits, so that there is always one.
module weft_voq_input #(
    parameter int unsigned PORTS = 4,
    parameter int unsigned VCS = 4,
    parameter int unsigned DEPTH = 8,   // lines of one channel
    parameter int unsigned WIDTH = 640
) (
    input  logic clk,
    input  logic rst_n,
    // a line joins its queue: takes part in the matching of the next clock
    input  logic write,
    input  logic [VCW-1:0] write_vc,
    input  logic [PW-1:0] write_port,
    input  logic [WIDTH-1:0] write_data,
    // heads of queues
    output logic [VCS-1:0][PORTS-1:0] waiting,
    // the head of a queue leaves in this clock
    input  logic read,
    input  logic [VCW-1:0] read_vc,
    input  logic [PW-1:0] read_port,
    output logic [WIDTH-1:0] read_data
);
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1;
    localparam int unsigned PW = PORTS > 1 ? $clog2(PORTS) : 1;
    localparam int unsigned SLOTS = VCS * DEPTH;
    localparam int unsigned SW = SLOTS > 1 ? $clog2(SLOTS) : 1;

    logic [WIDTH-1:0] store [SLOTS];
    logic [SW-1:0] behind [SLOTS];  // the next line of the queue
    logic [SW-1:0] free [SLOTS];    // a ring of slots
    logic [SW-1:0] free_first, free_last;
    logic [VCS-1:0][PORTS-1:0][SW-1:0] head, tail;
    logic [SW-1:0] slot, leaving;
    logic alone, same;

    assign slot = free[free_first];
    assign leaving = head[read_vc][read_port];
    assign alone = leaving == tail[read_vc][read_port];
    assign same = write && write_vc == read_vc && write_port == read_port;
    assign read_data = store[leaving];

    function automatic logic [SW-1:0] up(input logic [SW-1:0] number);
        return number == SW'(SLOTS - 1) ? '0 : number + 1'b1;
    endfunction

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            waiting <= '0;
            head <= '0;
            tail <= '0;
            free_first <= '0;
            free_last <= '0;
            for (int i = 0; i < int'(SLOTS); i++) free[i] <= SW'(i);
        end else begin
            if (read) begin
                free[free_last] <= leaving;
                free_last <= up(free_last);
                if (!alone) head[read_vc][read_port] <= behind[leaving];
                else if (!same) waiting[read_vc][read_port] <= 1'b0;
            end
            if (write) begin
                store[slot] <= write_data;
                free_first <= up(free_first);
                tail[write_vc][write_port] <= slot;
                if (!waiting[write_vc][write_port] || (read && same && alone)) head[write_vc][write_port] <= slot;
                else behind[tail[write_vc][write_port]] <= slot;
                waiting[write_vc][write_port] <= 1'b1;
            end
        end
    end

`ifndef SYNTHESIS
    // A sender that keeps to its credits never fills the memory.
    logic [SW:0] held;
    always_ff @(posedge clk) begin
        if (!rst_n) held <= '0;
        else begin
            held <= held + {{SW{1'b0}}, write} - {{SW{1'b0}}, read};
            assert (!write || held < (SW+1)'(SLOTS)) else $error("a line finds no slot");
            assert (!read || waiting[read_vc][read_port]) else $error("a line leaves an empty queue");
        end
    end
`endif
endmodule
