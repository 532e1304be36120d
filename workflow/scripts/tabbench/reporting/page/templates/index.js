"use strict";

// A number in front of the rest of a cell: "−0.031 ± 0.010", "1,056", "12.5%"; else null.
function number(text) {
  const found = text.replaceAll("−", "-").replaceAll(",", "").match(/^[+-]?\d+(\.\d+)?/);
  return found ? Number(found[0]) : null;
}

function compare(a, b) {
  const [x, y] = [number(a), number(b)];
  if (x !== null && y !== null) return x - y;
  if (x !== null || y !== null) return x === null ? 1 : -1;
  return a.localeCompare(b);
}

function filterable(figure) {
  const input = figure.querySelector("input");
  const output = figure.querySelector("output");
  const rows = [...figure.querySelectorAll("tbody tr")];
  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    output.textContent = words.length ? `${shown} of ${rows.length} rows` : "";
  }
  input.addEventListener("input", show);
  figure.querySelector(".tools").hidden = false;
}

// Clicks on a heading sort up, down, and back into the first order.
function sortable(table) {
  const body = table.tBodies[0];
  const first = [...body.rows];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.title = "Sort by this column";
    heading.append(button);
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      const order = next[heading.getAttribute("aria-sort") ?? "none"];
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      const rows = [...first];
      if (order !== "none") {
        heading.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const text = (row) => row.cells[column].textContent.trim();
        rows.sort((a, b) => sign * compare(text(a), text(b)));
      }
      body.append(...rows);
    });
  });
}

document.querySelectorAll("figure.filterable").forEach(filterable);
document.querySelectorAll("table.sortable").forEach(sortable);
