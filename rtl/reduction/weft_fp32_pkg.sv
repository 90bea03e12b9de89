// Sum of two binary32 numbers: round to nearest even, subnormals kept. Every NaN result is 0x7fffffff.
package weft_fp32_pkg;
    function automatic logic [31:0] fp32_add(input logic [31:0] a, input logic [31:0] b);
        /* verilator no_inline_task */
        logic [31:0] top;  // the larger by magnitude
        logic [30:0] low;
        logic subtract, lost, round_up, nan, infinite_a, infinite_b;
        logic [7:0] exponent_large, exponent_small, distance;
        logic [26:0] wide_large, wide_small, aligned, normal;  // hidden bit, 23 of fraction, guard, round, sticky
        logic [27:0] total;
        logic [31:0] shifted;
        logic [4:0] zeros, shift;
        logic [8:0] exponent;
        logic [30:0] magnitude;

        nan = a[30:0] > 31'h7f800000 || b[30:0] > 31'h7f800000;
        infinite_a = a[30:0] == 31'h7f800000;
        infinite_b = b[30:0] == 31'h7f800000;
        {top, low} = a[30:0] >= b[30:0] ? {a, b[30:0]} : {b, a[30:0]};
        subtract = a[31] != b[31];
        exponent_large = top[30:23] == 0 ? 8'd1 : top[30:23];
        exponent_small = low[30:23] == 0 ? 8'd1 : low[30:23];
        distance = exponent_large - exponent_small;
        wide_large = {top[30:23] != 0, top[22:0], 3'b000};
        wide_small = {low[30:23] != 0, low[22:0], 3'b000};
        if (distance > 8'd26) begin
            aligned = '0;
            lost = wide_small != 0;
        end else begin
            aligned = wide_small >> distance;
            lost = (aligned << distance) != wide_small;
        end
        total = subtract ? {1'b0, wide_large} - {1'b0, aligned | {26'd0, lost}}
                         : {1'b0, wide_large} + {1'b0, aligned | {26'd0, lost}};

        // Leading zeros by halves.
        shifted = {total[26:0], 5'd0};
        zeros[4] = shifted[31:16] == 0;
        if (zeros[4]) shifted = shifted << 16;
        zeros[3] = shifted[31:24] == 0;
        if (zeros[3]) shifted = shifted << 8;
        zeros[2] = shifted[31:28] == 0;
        if (zeros[2]) shifted = shifted << 4;
        zeros[1] = shifted[31:30] == 0;
        if (zeros[1]) shifted = shifted << 2;
        zeros[0] = !shifted[31];
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

        if (nan || (infinite_a && infinite_b && subtract)) return 32'h7fffffff;
        if (infinite_a) return a;
        if (infinite_b) return b;
        if (total == 0) return {a[31] && b[31], 31'd0};
        if (exponent >= 9'd255) return {top[31], 31'h7f800000};
        return {top[31], magnitude};
    endfunction
endpackage
