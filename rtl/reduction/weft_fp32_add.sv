// Sum of two binary32 numbers: round to nearest even, subnormals kept. Every NaN result is 0x7fffffff.
// Combinational.
module weft_fp32_add (
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] sum
);
    logic [31:0] top;  // the larger by magnitude
    logic [30:0] low;
    logic subtract;
    logic [7:0] exponent_large, exponent_small, distance;
    logic [26:0] wide_large, wide_small, aligned;  // hidden bit, 23 of fraction, guard, round, sticky
    logic lost;
    logic [27:0] total;
    logic [4:0] zeros, shift;
    logic [8:0] exponent;
    logic [26:0] normal;
    logic round_up;
    logic [30:0] magnitude;

    assign {top, low} = a[30:0] >= b[30:0] ? {a, b[30:0]} : {b, a[30:0]};
    assign subtract = a[31] != b[31];
    assign exponent_large = top[30:23] == 0 ? 8'd1 : top[30:23];
    assign exponent_small = low[30:23] == 0 ? 8'd1 : low[30:23];
    assign distance = exponent_large - exponent_small;
    assign wide_large = {top[30:23] != 0, top[22:0], 3'b000};
    assign wide_small = {low[30:23] != 0, low[22:0], 3'b000};

    always_comb begin
        if (distance > 8'd26) begin
            aligned = '0;
            lost = wide_small != 0;
        end else begin
            aligned = wide_small >> distance;
            lost = (aligned << distance) != wide_small;
        end
    end

    assign total = subtract ? {1'b0, wide_large} - {1'b0, aligned | {26'd0, lost}}
                            : {1'b0, wide_large} + {1'b0, aligned | {26'd0, lost}};

    always_comb begin
        zeros = 5'd0;
        for (int i = 0; i <= 26; i++)
            if (total[i]) zeros = 5'd26 - i[4:0];
        // A result below the smallest normal number keeps its exponent at 1 and loses its hidden bit.
        shift = {3'd0, zeros} >= exponent_large ? exponent_large[4:0] - 5'd1 : zeros;
        if (total[27]) begin
            normal = {total[27:2], total[1] | total[0]};
            exponent = {1'b0, exponent_large} + 9'd1;
        end else begin
            normal = total[26:0] << shift;
            exponent = {1'b0, exponent_large} - {4'd0, shift};
        end
        if (!normal[26]) exponent = 9'd0;
        round_up = normal[2] && (normal[1] || normal[0] || normal[3]);
        magnitude = {exponent[7:0], normal[25:3]} + {30'd0, round_up};
    end

    logic nan_a, nan_b, infinite_a, infinite_b;
    assign nan_a = a[30:0] > 31'h7f800000;
    assign nan_b = b[30:0] > 31'h7f800000;
    assign infinite_a = a[30:0] == 31'h7f800000;
    assign infinite_b = b[30:0] == 31'h7f800000;

    always_comb begin
        if (nan_a || nan_b || (infinite_a && infinite_b && subtract)) sum = 32'h7fffffff;
        else if (infinite_a) sum = a;
        else if (infinite_b) sum = b;
        else if (total == 0) sum = {a[31] && b[31], 31'd0};
        else if (exponent >= 9'd255) sum = {top[31], 31'h7f800000};
        else sum = {top[31], magnitude};
    end
endmodule
