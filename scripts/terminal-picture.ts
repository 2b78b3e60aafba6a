/**
 * Draws a captured terminal screen as an SVG, colours included: for pictures of real runs in the docs.
 * Use: tmux capture-pane -e -p | node scripts/terminal-picture.ts > docs/quickstart.svg
 */
import { text } from "node:stream/consumers";

const cell = { width: 8.4, height: 19 };
const margin = 16;
const foreground = "#d6deeb";
const colours: Readonly<Record<string, string>> = {
  "31": "#ff6b6b",
  "32": "#7bd88f",
  "33": "#ffd866",
  "34": "#82aaff",
  "35": "#c792ea",
  "36": "#6fd3e8",
  "90": "#7f8c98",
};

type Style = { colour: string; bold: boolean; dim: boolean };
const plain: Style = { colour: foreground, bold: false, dim: false };

const lines = (await text(process.stdin)).trimEnd().split("\n");
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a terminal's style code
const styleCode = /\u001b\[([\d;]*)m/;
const widest = Math.max(...lines.map((line) => line.replaceAll(new RegExp(styleCode, "g"), "").length));
const width = Math.ceil(widest * cell.width + 2 * margin);
const height = Math.ceil(lines.length * cell.height + 2 * margin);

const rows: string[] = [];
let style = plain;
for (const [index, line] of lines.entries()) {
  const spans: string[] = [];
  let column = 0;
  for (const [position, part] of line.split(styleCode).entries()) {
    if (position % 2 === 1) style = changed(style, part);
    else if (part !== "") {
      spans.push(span(part, column, style));
      column += part.length;
    }
  }
  rows.push(`<text y="${margin + (index + 0.75) * cell.height}">${spans.join("")}</text>`);
}

console.log(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>A terminal while jibe runs</title>
<rect width="100%" height="100%" rx="10" fill="#131a24"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" xml:space="preserve">
${rows.join("\n")}
</g>
</svg>`);

function changed(before: Style, codes: string): Style {
  const now = { ...before };
  for (const code of codes.split(";")) {
    if (code === "" || code === "0") Object.assign(now, plain);
    else if (code === "1") now.bold = true;
    else if (code === "2") now.dim = true;
    else if (code === "22") Object.assign(now, { bold: false, dim: false });
    else now.colour = code === "39" ? foreground : (colours[code] ?? now.colour);
  }
  return now;
}

/** The width is stated, so that cells stay in their columns whatever font the reader has. */
function span(part: string, column: number, { colour, bold, dim }: Style): string {
  const escaped = part.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const weight = bold ? ' font-weight="bold"' : "";
  const faded = dim ? ' fill-opacity="0.6"' : "";
  const x = margin + column * cell.width;
  return `<tspan x="${x.toFixed(1)}" textLength="${(part.length * cell.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs" fill="${colour}"${weight}${faded}>${escaped}</tspan>`;
}
