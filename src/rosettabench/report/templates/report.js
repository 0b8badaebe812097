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

night.addEventListener("change", drawAll);
drawAll();
