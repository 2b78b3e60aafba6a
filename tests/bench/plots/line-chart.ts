import type { Axis } from "./axis.ts";

/** How a line looks: one of ours, one of another's, or a limit. */
export type LineStyle = "ours" | "ours-other" | "theirs" | "theirs-tuned" | "limit";

export interface Line {
  readonly name: string;
  readonly style: LineStyle;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** One diagram of a chart. */
export interface Panel {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly xLabel: string;
  readonly lines: readonly Line[];
}

const panelSize = { width: 440, height: 340 };
const plot = { left: 62, top: 74, right: 30, bottom: 46 };
const titleHeight = 40;

// The chart has a ground of its own, so that it can be read on any page; it follows the reader's choice of light or dark.
const style = `
  .ground { fill: #ffffff; stroke: #d0d7de }
  text { font-family: -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 12px; fill: #424a53 }
  .title { font-size: 16px; font-weight: 600; fill: #1f2328 }
  .panel { font-size: 13px; font-weight: 600; fill: #1f2328 }
  .grid { stroke: #d8dee4; stroke-width: 1 }
  .axis { stroke: #8c959f; stroke-width: 1 }
  path { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round }
  .ours { stroke: #0969da } .ours-other { stroke: #8250df } .theirs { stroke: #cf222e } .theirs-tuned { stroke: #bc4c00 } .limit { stroke: #6e7781 }
  path.theirs-tuned { stroke-dasharray: 7 5 } path.limit { stroke-dasharray: 2 5 }
  circle.ours { fill: #0969da } circle.ours-other { fill: #8250df } circle.theirs { fill: #cf222e } circle.theirs-tuned { fill: #bc4c00 } circle.limit { fill: #6e7781 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; stroke: #30363d }
    text { fill: #adbac7 } .title, .panel { fill: #e6edf3 }
    .grid { stroke: #262c34 } .axis { stroke: #6e7681 }
    .ours { stroke: #58a6ff } .ours-other { stroke: #bc8cff } .theirs { stroke: #ff7b72 } .theirs-tuned { stroke: #f0883e } .limit { stroke: #8b949e }
    circle.ours { fill: #58a6ff } circle.ours-other { fill: #bc8cff } circle.theirs { fill: #ff7b72 } circle.theirs-tuned { fill: #f0883e } circle.limit { fill: #8b949e }
  }
`;

/** Diagrams side by side under one title, as a picture that needs nothing but itself. */
export function lineChart(title: string, panels: readonly Panel[]): string {
  const width = panelSize.width * panels.length;
  const height = panelSize.height + titleHeight;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${style}</style>`,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<text class="title" x="20" y="28">${escaped(title)}</text>`,
    ...panels.map((panel, index) => panelAt(panel, index * panelSize.width)),
    "</svg>",
    "",
  ].join("\n");
}

function panelAt(panel: Panel, left: number): string {
  const area = {
    width: panelSize.width - plot.left - plot.right,
    height: panelSize.height - plot.top - plot.bottom,
  };
  const x = (value: number) => round(plot.left + panel.x.place(value) * area.width);
  const y = (value: number) => round(plot.top + (1 - panel.y.place(value)) * area.height);
  const [bottom, right] = [plot.top + area.height, plot.left + area.width];
  const lines = [
    `<g transform="translate(${left} ${titleHeight})">`,
    `<text class="panel" x="20" y="18">${escaped(panel.title)}</text>`,
    ...legend(panel.lines),
    ...panel.y.ticks.flatMap(({ value, label }) => [
      `<line class="grid" x1="${plot.left}" y1="${y(value)}" x2="${right}" y2="${y(value)}"/>`,
      `<text x="${plot.left - 8}" y="${y(value) + 4}" text-anchor="end">${escaped(label)}</text>`,
    ]),
    ...panel.x.ticks.flatMap(({ value, label }) => [
      `<line class="grid" x1="${x(value)}" y1="${plot.top}" x2="${x(value)}" y2="${bottom}"/>`,
      `<text x="${x(value)}" y="${bottom + 17}" text-anchor="middle">${escaped(label)}</text>`,
    ]),
    `<line class="axis" x1="${plot.left}" y1="${bottom}" x2="${right}" y2="${bottom}"/>`,
    `<text x="${plot.left + area.width / 2}" y="${bottom + 36}" text-anchor="middle">${escaped(panel.xLabel)}</text>`,
    ...panel.lines.map(({ style: look, points }) => {
      const marks = points.map(([px, py]) => `<circle class="${look}" cx="${x(px)}" cy="${y(py)}" r="3.2"/>`).join("");
      return `<path class="${look}" d="${points.map(([px, py], at) => `${at === 0 ? "M" : "L"}${x(px)} ${y(py)}`).join(" ")}"/>${marks}`;
    }),
    "</g>",
  ];
  return lines.join("\n");
}

/** Names above the diagram, each behind a piece of its line, two rows at the most. */
function legend(lines: readonly Line[]): readonly string[] {
  const perRow = Math.max(2, Math.ceil(lines.length / 2));
  return lines.map(({ name, style: look }, index) => {
    const place = { x: 20 + (index % perRow) * (perRow > 2 ? 140 : 180), y: 36 + Math.floor(index / perRow) * 18 };
    return `<path class="${look}" d="M${place.x} ${place.y} h24"/><text x="${place.x + 31}" y="${place.y + 4}">${escaped(name)}</text>`;
  });
}

const round = (value: number) => Math.round(value * 10) / 10;

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
