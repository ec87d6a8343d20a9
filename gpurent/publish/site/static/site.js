// Draws the charts of a page from the columns in it. No request leaves the page.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("series-data").textContent);
  const points = data.day.map((day, n) => {
    const point = { day, level: data.level[n], level_text: `${data.level[n]} ${data.label[n]}` };
    for (const name of ["reference", "cross_section", "low", "high", "advertised", "traded", "weight"]) {
      point[name] = data[name] ? data[name][n] : null;
    }
    return point;
  });

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  // a day's mark stands at its start; what fills the day reaches half a day to both sides of it
  const halfDay = (day, sign) => Date.parse(`${day}T00:00:00Z`) + sign * 432e5;
  const LEVELS = [1, 2, 3, 4, 5, 6];
  const BREAKS = "break-paths-show-path-domains";
  const NAMES = {
    reference: "Reference",
    cross_section: "Cross-section",
    low: "Interval from",
    high: "Interval to",
    advertised: "Advertised",
    traded: "Traded",
  };

  // days of one level in a row, as one stretch
  function stretches() {
    const found = [];
    for (const { day, level, level_text } of points) {
      const last = found.at(-1);
      const [from, until] = [halfDay(day, -1), halfDay(day, 1)];
      if (last && last.level === level && last.until === from) last.until = until;
      else found.push({ day, from, until, level, level_text });
    }
    return found;
  }

  const x = (hasLabels = true) => ({
    field: "day",
    type: "temporal",
    scale: { type: "utc" },
    title: null,
    axis: { format: "%-d %b", tickCount: 6, labelOverlap: true, grid: false, labels: hasLabels, ticks: hasLabels },
  });
  // an axis spans at least this part of its level, so that noise does not look like a crash
  const LEAST_SPAN = 0.04;
  const TICKS = 5;

  // domain and number format of the price axis of a chart: enough decimals that no two labels read the same
  function axisOf(fields) {
    const values = fields.flatMap((field) => data[field] ?? []).filter((value) => value !== null);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const least = (LEAST_SPAN * (low + high)) / 2;
    const isFlat = high - low < least;
    const room = (isFlat ? (least - (high - low)) / 2 : 0) + Math.max(high - low, least) * 0.05;
    const step = (high - low + 2 * room) / TICKS;
    const decimals = Math.min(Math.max(2, Math.ceil(-Math.log10(step))), 6);
    return { domain: [low - room, high + room], format: `.${decimals}f`, isFlat };
  }

  const price = (field, axis) => ({
    field,
    type: "quantitative",
    title: null,
    scale: { zero: false, nice: false, domain: axis.domain },
    axis: { format: axis.format, tickCount: TICKS, domain: false, ticks: false, minExtent: 34 },
  });
  const dayLine = { field: "day", type: "temporal", title: "Day", format: "%Y-%m-%d", timeUnit: "utcyearmonthdate" };
  const tooltip = (fields) => [
    dayLine,
    ...fields
      .filter((field) => data[field])
      .map((field) => ({ field, type: "quantitative", title: NAMES[field], format: ".4f" })),
    { field: "level_text", type: "nominal", title: "Level" },
  ];
  const line = (field, stroke, axis, more = {}) => ({
    mark: {
      type: "line",
      strokeWidth: 2.4,
      color: colour(stroke),
      invalid: BREAKS,
      point: points.filter((point) => point[field] !== null).length < 3 ? { color: colour(stroke), filled: true, size: 40 } : false,
      ...more,
    },
    encoding: { x: x(), y: price(field, axis) },
  });
  // the nearest day under the pointer
  const near = (field, stroke, axis, fields) => ({
    transform: [{ filter: `datum.${field} !== null` }],
    mark: { type: "point", size: 60, opacity: 0, filled: true, color: colour(stroke) },
    params: [{ name: "near", select: { type: "point", on: "pointerover", nearest: true, clear: "pointerout" } }],
    encoding: {
      x: x(),
      y: price(field, axis),
      opacity: { condition: { param: "near", empty: false, value: 1 }, value: 0 },
      tooltip: tooltip(fields),
    },
  });
  const band = (mark) => ({
    data: { values: stretches() },
    mark: { type: "rect", ...mark },
    encoding: {
      x: { ...x(), field: "from" },
      x2: { field: "until" },
      color: {
        field: "level",
        type: "nominal",
        scale: { domain: LEVELS, range: LEVELS.map((n) => colour(`--level-${n}`)) },
        legend: null,
      },
      tooltip: [
        { field: "level_text", type: "nominal", title: "Level" },
        { ...dayLine, title: "From" },
      ],
    },
  });

  const charts = {
    reference: () => {
      const fields = ["reference", "cross_section", "low", "high"];
      const axis = axisOf(fields);
      const layer = [
        band({ opacity: 0.13, y: { expr: "0" }, y2: { expr: "height" }, tooltip: null }),
        band({ y: { expr: "height - 7" }, y2: { expr: "height" } }),
      ];
      if (data.low && data.high) {
        layer.push({
          mark: { type: "area", color: colour("--accent"), opacity: 0.16, invalid: BREAKS },
          encoding: { x: x(), y: price("low", axis), y2: { field: "high" } },
        });
      }
      const dotted = { strokeDash: [1, 3], strokeCap: "round", strokeWidth: 2 };
      if (data.cross_section) layer.push(line("cross_section", "--cross", axis, dotted));
      layer.push(line("reference", "--accent", axis));
      layer.push(near("reference", "--accent", axis, fields));
      return { height: axis.isFlat ? 130 : 270, layer };
    },
    legs: () => {
      const fields = ["advertised", "traded"];
      const axis = axisOf(fields);
      const layer = [band({ opacity: 0, tooltip: null })]; // the same stretch of time as above
      if (data.advertised) layer.push(line("advertised", "--accent", axis));
      if (data.traded) layer.push(line("traded", "--cross", axis));
      const main = data.advertised ? "advertised" : "traded";
      layer.push(near(main, data.advertised ? "--accent" : "--cross", axis, fields));
      return { height: axis.isFlat ? 110 : 170, layer };
    },
    weight: () => ({
      height: 46,
      layer: [
        band({ opacity: 0, tooltip: null }),
        {
          data: {
            values: points
              .filter((point) => point.weight !== null)
              .map(({ day, weight }) => ({ day, weight, from: halfDay(day, -1), until: halfDay(day, 1) })),
          },
          mark: { type: "rect", color: colour("--cross"), opacity: 0.6, y2: { expr: "height" } },
          encoding: {
            x: { ...x(), field: "from" },
            x2: { field: "until" },
            y: {
              field: "weight",
              type: "quantitative",
              title: null,
              scale: { domain: [0, 1] },
              axis: { format: ".0%", values: [0, 0.5, 1], domain: false, ticks: false, minExtent: 34 },
            },
            tooltip: [dayLine, { field: "weight", type: "quantitative", title: "Weight of traded", format: ".1%" }],
          },
        },
      ],
    }),
  };

  function specification(kind, description) {
    const soft = colour("--soft");
    return {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      description,
      data: { values: points },
      width: "container",
      autosize: { type: "fit-x", contains: "padding" },
      ...charts[kind](),
      config: {
        background: null,
        font: getComputedStyle(document.body).fontFamily,
        view: { stroke: null },
        axis: {
          labelColor: soft,
          gridColor: colour("--rule"),
          domainColor: colour("--rule"),
          tickColor: colour("--rule"),
          labelFontSize: 11,
        },
      },
    };
  }

  async function draw(element) {
    const label = element.getAttribute("aria-label");
    try {
      await vegaEmbed(element, specification(element.dataset.chart, label), { actions: false, renderer: "svg" });
      // one picture with one sentence, not a document of marks to be stepped through; the table has the values
      element.setAttribute("role", "img");
      element.setAttribute("aria-label", label);
      element.dataset.drawn = "yes";
    } catch (error) {
      element.textContent = "The chart could not be drawn; the values are in the table of days.";
      console.error(error);
    }
  }

  // all of them at once: a page has three at most, and whoever prints or photographs it has not scrolled
  const elements = [...document.querySelectorAll(".chart")];
  elements.forEach(draw);

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => elements.forEach(draw));
})();
