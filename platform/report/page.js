// What a page does beyond showing itself: tables sort and filter, a click on a part of a picture pins its numbers, and with d3
// pictures zoom. Nothing here fetches anything.
(function () {
  "use strict";
  var each = function (selector, root, action) { Array.prototype.forEach.call((root || document).querySelectorAll(selector), action); };

  each("th[data-sorts]", null, function (head) {
    head.tabIndex = 0;
    head.title = "sorts the table";
    var sort = function () {
      var table = head.closest("table"), body = table.tBodies[0], column = head.cellIndex;
      var down = head.getAttribute("aria-sort") !== "descending";
      each("th", table, function (other) { other.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      var value = function (row) {
        var cell = row.cells[column], exact = cell.getAttribute("data-v");
        return exact === null ? cell.textContent : Number(exact);
      };
      Array.prototype.slice.call(body.rows).sort(function (a, b) {
        var x = value(a), y = value(b), order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
        return down ? -order : order;
      }).forEach(function (row) { body.appendChild(row); });
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", function (event) { if (event.key === "Enter") sort(); });
  });

  each("input[data-filters]", null, function (input) {
    input.parentNode.hidden = false;
    input.addEventListener("input", function () {
      var wanted = input.value.toLowerCase();
      each("#" + input.getAttribute("data-filters") + " tbody tr", null, function (row) {
        row.hidden = wanted !== "" && row.textContent.toLowerCase().indexOf(wanted) < 0;
      });
    });
  });

  var panel = document.getElementById("detail"), chosen = null;
  var choose = function (item) {
    if (chosen) chosen.classList.remove("chosen");
    chosen = item;
    panel.hidden = !item;
    if (!item) return;
    item.classList.add("chosen");
    panel.textContent = item.querySelector("title").textContent;
  };
  document.addEventListener("click", function (event) {
    var item = event.target.closest ? event.target.closest(".item") : null;
    if (item && item.querySelector("title")) choose(item); else if (!event.target.closest("#detail")) choose(null);
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") choose(null); });

  if (typeof d3 === "undefined" || !d3.behavior) return;

  // The wheel zooms with Ctrl or Shift held, so that it scrolls the page otherwise.
  var quiet_wheel = function (picture) {
    ["wheel.zoom", "mousewheel.zoom", "MozMousePixelScroll.zoom"].forEach(function (name) {
      var zoom = picture.on(name);
      if (!zoom) return;
      picture.on(name, function () { if (d3.event.ctrlKey || d3.event.shiftKey) zoom.apply(this, arguments); });
    });
    picture.on("dblclick.zoom", null);
  };
  var buttons = function (node, zoom, apply, reset) {
    var tools = document.createElement("div");
    tools.className = "tools";
    [["+", 1.6], ["\u2212", 1 / 1.6]].forEach(function (pair) {
      var button = document.createElement("button");
      button.textContent = pair[0];
      button.setAttribute("aria-label", pair[1] > 1 ? "zoom in" : "zoom out");
      button.addEventListener("click", function () { apply(pair[1]); });
      tools.appendChild(button);
    });
    var all = document.createElement("button");
    all.textContent = "all";
    all.addEventListener("click", reset);
    tools.appendChild(all);
    var words = document.createElement("span");
    words.className = "dim";
    words.textContent = "Ctrl + wheel zooms, drag moves, a click shows numbers";
    tools.appendChild(words);
    node.parentNode.insertBefore(tools, node);
  };

  each("svg.graph", null, function (node) {
    var picture = d3.select(node), inside = picture.select(".zoomable"), size = node.viewBox.baseVal;
    var zoom = d3.behavior.zoom().scaleExtent([1, 40]);
    var draw = function () { inside.attr("transform", "translate(" + zoom.translate() + ")scale(" + zoom.scale() + ")"); };
    picture.call(zoom.on("zoom", draw));
    quiet_wheel(picture);
    buttons(node, zoom, function (factor) {
      var old = zoom.scale(), scale = Math.min(40, Math.max(1, old * factor)), at = zoom.translate(), mid = [size.width / 2, size.height / 2];
      zoom.scale(scale).translate([mid[0] - (mid[0] - at[0]) * scale / old, mid[1] - (mid[1] - at[1]) * scale / old]);
      draw();
    }, function () { zoom.scale(1).translate([0, 0]); draw(); });
  });

  // Time runs from left to right in an inner picture, whose view is what zooming changes; the axis is drawn anew.
  each("svg.timed", null, function (node) {
    var picture = d3.select(node), inside = node.querySelector("svg.inside"), box = inside.viewBox.baseVal, end = box.width, height = box.height;
    var left = Number(inside.getAttribute("x")), wide = Number(inside.getAttribute("width"));
    var axis = picture.select(".axis");
    var x = d3.scale.linear().domain([0, end]).range([left, left + wide]);
    var zoom = d3.behavior.zoom().x(x).scaleExtent([1, 2000]);
    var draw = function () {
      var from = x.domain()[0], to = x.domain()[1], width = to - from;
      // d3 counts from the domain that it was given: one that was pushed back becomes the new start.
      if (from < 0 || to > end || width > end) {
        width = Math.min(width, end);
        from = Math.max(0, Math.min(from, end - width));
        to = from + width;
        x.domain([from, to]);
        zoom.x(x).scaleExtent([width / end, 2000 * width / end]);
      }
      inside.setAttribute("viewBox", from + " 0 " + (to - from) + " " + height);
      axis.selectAll("*").remove();
      x.ticks(8).forEach(function (tick) {
        axis.append("text").attr("x", x(tick)).attr("y", 12).attr("text-anchor", "middle").text(Number(tick.toPrecision(9)) + " us");
        axis.append("path").attr("class", "grid").attr("d", "M" + x(tick) + " 16v6");
      });
    };
    picture.call(zoom.on("zoom", draw));
    quiet_wheel(picture);
    buttons(node, zoom, function (factor) {
      var from = x.domain()[0], to = x.domain()[1], mid = (from + to) / 2, half = Math.min(end, Math.max(end / 2000, (to - from) / factor)) / 2;
      from = Math.max(0, Math.min(mid - half, end - 2 * half));
      x.domain([from, from + 2 * half]);
      zoom.x(x).scaleExtent([2 * half / end, 4000 * half / end]);
      draw();
    }, function () { x.domain([0, end]); zoom.x(x).scaleExtent([1, 2000]); draw(); });
  });
}());
