// Draws a chart of each series from the data in the page. No request leaves the page.
"use strict";

(() => {
  const data = new Map(
    JSON.parse(document.getElementById("series-data").textContent).map((one) => [one.anchor, one]),
  );

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const nextDay = (day) => new Date(Date.parse(`${day}T00:00:00Z`) + 864e5).toISOString().slice(0, 10);

  // days of one level in a row, as one stretch of the ribbon
  function stretches(points) {
    const found = [];
    for (const { day, level, level_text } of points) {
      const last = found.at(-1);
      if (last && last.level === level && last.until === day) last.until = nextDay(day);
      else found.push({ day, level, level_text, until: nextDay(day) });
    }
    return found;
  }

  function specification(series) {
    const points = series.points.map((point) => ({ ...point, level_text: `${point.level} ${point.label}` }));
    const soft = colour("--soft");
    const x = {
      field: "day",
      type: "temporal",
      scale: { type: "utc" },
      title: null,
      axis: { format: "%-d %b", tickCount: 5, labelOverlap: true, grid: false },
    };
    const tooltip = [
      { field: "day", type: "temporal", title: "Day", format: "%Y-%m-%d", timeUnit: "utcyearmonthdate" },
      { field: "reference", type: "quantitative", title: "Reference", format: ".4f" },
      { field: "cross_section", type: "quantitative", title: "Cross-section", format: ".4f" },
      { field: "level_text", type: "nominal", title: "Level" },
    ];
    const price = (field) => ({
      field,
      type: "quantitative",
      title: null,
      scale: { zero: false, nice: true, padding: 10 },
      axis: { format: ".2f", tickCount: 4, domain: false, ticks: false },
    });
    return {
      $schema: "https://vega.github.io/schema/vega-lite/v6.json",
      description: series.description,
      data: { values: points },
      width: "container",
      height: 200,
      autosize: { type: "fit-x", contains: "padding" },
      layer: [
        {
          data: { values: stretches(points) },
          mark: { type: "rect", y: { expr: "height - 7" }, y2: { expr: "height" } },
          encoding: {
            x,
            x2: { field: "until" },
            color: {
              field: "level",
              type: "nominal",
              scale: { domain: [1, 2, 3, 4, 5, 6], range: [1, 2, 3, 4, 5, 6].map((n) => colour(`--level-${n}`)) },
              legend: null,
            },
            tooltip: [
              { field: "level_text", type: "nominal", title: "Level" },
              { field: "day", type: "temporal", title: "From", format: "%Y-%m-%d", timeUnit: "utcyearmonthdate" },
            ],
          },
        },
        {
          mark: { type: "line", strokeDash: [1, 3], strokeCap: "round", strokeWidth: 2, color: colour("--cross"), invalid: "break-paths-show-path-domains" },
          encoding: { x, y: price("cross_section") },
        },
        {
          mark: { type: "line", strokeWidth: 2.4, color: colour("--accent"), invalid: "break-paths-show-path-domains", point: points.length < 3 ? { color: colour("--accent"), filled: true, size: 40 } : false },
          encoding: { x, y: price("reference") },
        },
        {
          transform: [{ filter: "datum.reference !== null" }],
          mark: { type: "point", size: 60, opacity: 0, filled: true, color: colour("--accent") },
          params: [{ name: "near", select: { type: "point", on: "pointerover", nearest: true, clear: "pointerout" } }],
          encoding: {
            x,
            y: price("reference"),
            opacity: { condition: { param: "near", empty: false, value: 1 }, value: 0 },
            tooltip,
          },
        },
      ],
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
    const series = data.get(element.dataset.series);
    try {
      await vegaEmbed(element, specification(series), { actions: false, renderer: "svg" });
      element.dataset.drawn = "yes";
    } catch (error) {
      element.textContent = "The chart could not be drawn; the values are in the table below.";
      console.error(error);
    }
  }

  const elements = [...document.querySelectorAll(".chart")];
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((one) => one.isIntersecting)) {
        observer.unobserve(entry.target);
        draw(entry.target);
      }
    },
    { rootMargin: "600px" },
  );
  elements.forEach((element) => observer.observe(element));

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    elements.filter((element) => element.dataset.drawn).forEach(draw);
  });
  addEventListener("beforeprint", () => {
    elements.filter((element) => !element.dataset.drawn).forEach(draw);
  });
})();
