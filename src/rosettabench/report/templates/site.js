"use strict";
// Filters: everything with data-day is shown if it has the chosen workload, framework, machine and days. The choice
// stands in the address after #, so that it can be sent to somebody.
const bar = document.querySelector(".filters");
const fields = bar ? [...bar.querySelectorAll("[name]")] : [];
const items = [...document.querySelectorAll("[data-day]")];
const groups = [...document.querySelectorAll("[data-group]")];

function matches(item) {
  return fields.every((field) => {
    if (!field.value) return true;
    if (field.name === "from") return item.dataset.day >= field.value;
    if (field.name === "to") return item.dataset.day <= field.value;
    return (item.dataset[field.name] ?? "").split("\n").includes(field.value);
  });
}
function apply() {
  let shown = 0;
  for (const item of items) {
    item.hidden = !matches(item);
    shown += item.hidden ? 0 : 1;
  }
  for (const group of groups) group.hidden = !group.querySelector("[data-day]:not([hidden])");
  bar.querySelector("output").textContent = `${shown} of ${items.length} shown`;
  const chosen = new URLSearchParams(fields.filter((field) => field.value).map((field) => [field.name, field.value]));
  if (location.hash.includes("=") || `${chosen}`) history.replaceState(null, "", `#${chosen}`);
}
if (bar) {
  const chosen = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  for (const field of fields) {
    const value = chosen.get(field.name) ?? "";
    field.value = value;
    if (field.value !== value) field.value = "";
    field.addEventListener("input", apply);
  }
  bar.querySelector("button").addEventListener("click", () => {
    for (const field of fields) field.value = "";
    apply();
  });
  bar.hidden = false;
  apply();
}
