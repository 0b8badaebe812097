"use strict";
// Draws the charts in the reader's colours, and hands out the raw data. Everything it needs stands in the page.
const page = JSON.parse(document.getElementById("page-data").textContent);
const night = matchMedia("(prefers-color-scheme: dark)");

async function draw(id, spec, theme) {
  const place = document.getElementById(id);
  try {
    await vegaEmbed(place, spec, {
      config: page.themes[theme],
      renderer: "svg",
      actions: false,
      ast: true,
      tooltip: { theme },
    });
  } catch (error) {
    place.textContent = `This chart could not be drawn: ${error.message}`;
    place.dataset.failed = "";
  }
}

async function drawAll() {
  const theme = night.matches ? "dark" : "light";
  await Promise.all(Object.entries(page.charts).map(([id, spec]) => draw(id, spec, theme)));
  document.documentElement.dataset.drawn = theme;
}

for (const link of document.querySelectorAll("a[data-file]")) {
  const blob = new Blob([page.files[link.dataset.file]], { type: link.type });
  link.href = URL.createObjectURL(blob);
}

// A button beside each command copies it.
for (const command of document.querySelectorAll(".command")) {
  if (!navigator.clipboard) break;
  const text = command.textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "copy";
  button.setAttribute("aria-label", `copy: ${text}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {
      button.textContent = "not allowed";
    }
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
  command.after(" ", button);
}

// A click on a heading sorts its table by that column: numbers with their units, other text by the alphabet.
const units = { s: 1, ms: 1e-3, "µs": 1e-6, ns: 1e-9, min: 60, h: 3600, kB: 1e3, MB: 1e6, GB: 1e9, "%": 0.01 };
function sortKey(cell) {
  const text = (cell?.childNodes[0]?.textContent ?? "").trim();
  const found = /^(-?[\d,]*\.?\d+(?:e[+-]?\d+)?)\s*([^\d\s]*)/.exec(text);
  return found ? Number(found[1].replaceAll(",", "")) * (units[found[2]] ?? 1) : text;
}
function compareKeys(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
  return one.localeCompare(other);
}
function sortBy(table, place, way) {
  const keyed = [...table.tBodies[0].rows].map((row) => [sortKey(row.cells[place]), row]);
  keyed.sort(([one], [other]) => way * compareKeys(one, other));
  table.tBodies[0].append(...keyed.map(([, row]) => row));
  for (const head of table.tHead.rows[0].cells) head.removeAttribute("aria-sort");
  table.tHead.rows[0].cells[place].setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
}
for (const table of document.querySelectorAll(".table table")) {
  if (table.tBodies[0].rows.length < 2) continue;
  [...table.tHead.rows[0].cells].forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(table, place, head.ariaSort === "ascending" ? -1 : 1));
  });
}

// A table that is wider than the screen says so.
function hint(table) {
  table.classList.toggle("wider", table.scrollWidth > table.clientWidth + 1);
}
const sizes = new ResizeObserver((entries) => entries.forEach((entry) => hint(entry.target)));
for (const table of document.querySelectorAll(".table")) sizes.observe(table);

night.addEventListener("change", drawAll);
drawAll();
