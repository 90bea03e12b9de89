// Numbers of contexts, first in, first out. Each context is in it once at most: it never overflows.
module weft_context_queue #(
    parameter int unsigned CONTEXTS = 4
) (
    input  logic clk,
    input  logic rst_n,
    input  logic push,
    input  logic [CW-1:0] push_context,
    input  logic pop,
    output logic waiting,         // there is a head
    output logic [CW-1:0] head
);
    localparam int unsigned CW = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1;
    localparam int unsigned NW = $clog2(CONTEXTS + 1);

    logic [CW-1:0] ring [CONTEXTS];
    logic [CW-1:0] first, last;
    logic [NW-1:0] count;

    function automatic logic [CW-1:0] up(input logic [CW-1:0] place);
        return place == CW'(CONTEXTS - 1) ? '0 : place + 1'b1;
    endfunction

    assign waiting = count != 0;
    assign head = ring[first];

    always_ff @(posedge clk) begin
        if (!rst_n) begin
            first <= '0;
            last <= '0;
            count <= '0;
        end else begin
            if (push) last <= up(last);
            if (pop) first <= up(first);
            count <= count + NW'(push) - NW'(pop);
        end
        if (push) ring[last] <= push_context;
    end

`ifndef SYNTHESIS
    always_ff @(posedge clk)
        if (rst_n) begin
            assert (!push || pop || count < NW'(CONTEXTS)) else $error("a queue of contexts overflows");
            assert (!pop || count != 0) else $error("an empty queue of contexts is popped");
        end
`endif
endmodule
