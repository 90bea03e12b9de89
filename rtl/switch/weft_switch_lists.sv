// Lines in a shared memory, in VCS times QUEUES lists: each channel has SLOTS / VCS places by its credits,
// and all of them may be in one list. A slot is taken when a line is pushed and is free again when it is
// popped.
module weft_switch_lists #(
    parameter int unsigned VCS = 4,
    parameter int unsigned QUEUES = 5,  // of a channel
    parameter int unsigned SLOTS = 32,
    parameter int unsigned WIDTH = 640,
    localparam int unsigned VCW = VCS > 1 ? $clog2(VCS) : 1,
    localparam int unsigned QW = QUEUES > 1 ? $clog2(QUEUES) : 1
) (
    input  logic clk,
    input  logic rst_n,
    // a line joins its list: it is there from the next clock on
    input  logic push,
    input  logic [VCW-1:0] push_vc,
    input  logic [QW-1:0] push_queue,
    input  logic [WIDTH-1:0] push_data,
    output logic [QUEUES-1:0] waiting [VCS],  // lists that hold something
    // the head of a list, which may leave
    input  logic [VCW-1:0] head_vc,
    input  logic [QW-1:0] head_queue,
    input  logic pop,
    output logic [WIDTH-1:0] head_data
);
    localparam int unsigned SW = SLOTS > 1 ? $clog2(SLOTS) : 1;

    logic [WIDTH-1:0] store [SLOTS];
    logic [SW-1:0] behind [SLOTS];        // the next line of the list
    logic [SW-1:0] head [VCS][QUEUES];
    logic [SW-1:0] tail [VCS][QUEUES];
    // Slots that were used before and are free, in a ring; those from `fresh` on never were.
    logic [SW-1:0] free [SLOTS];
    logic [SW-1:0] free_first, free_last;
    logic [SW:0] fresh;
    logic [SW-1:0] slot, leaving;
    logic used_up, alone, same;

    assign used_up = fresh == (SW+1)'(SLOTS);
    assign slot = used_up ? free[free_first] : fresh[SW-1:0];
    assign leaving = head[head_vc][head_queue];
    assign alone = leaving == tail[head_vc][head_queue];
    assign same = push && push_vc == head_vc && push_queue == head_queue;
    assign head_data = store[leaving];

    function automatic logic [SW-1:0] up(input logic [SW-1:0] number);
        return number == SW'(SLOTS - 1) ? '0 : number + 1'b1;
    endfunction

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            for (int v = 0; v < int'(VCS); v++) waiting[v] <= '0;
            free_first <= '0;
            free_last <= '0;
            fresh <= '0;
        end else begin
            if (pop) begin
                free[free_last] <= leaving;
                free_last <= up(free_last);
                if (!alone) head[head_vc][head_queue] <= behind[leaving];
                else waiting[head_vc][head_queue] <= 1'b0;  // unless one is pushed, below
            end
            if (push) begin
                store[slot] <= push_data;
                if (used_up) free_first <= up(free_first);
                else fresh <= fresh + 1'b1;
                tail[push_vc][push_queue] <= slot;
                if (!waiting[push_vc][push_queue] || (pop && same && alone)) head[push_vc][push_queue] <= slot;
                else behind[tail[push_vc][push_queue]] <= slot;
                waiting[push_vc][push_queue] <= 1'b1;
            end
        end
    end

`ifndef SYNTHESIS
    // A sender that keeps to its credits never fills the memory.
    logic [SW:0] held;
    always_ff @(posedge clk) begin
        if (!rst_n) held <= '0;
        else begin
            held <= held + {{SW{1'b0}}, push} - {{SW{1'b0}}, pop};
            assert (!push || held < (SW+1)'(SLOTS)) else $error("a line finds no slot");
            assert (!pop || waiting[head_vc][head_queue]) else $error("a line leaves an empty list");
        end
    end
`endif
endmodule
