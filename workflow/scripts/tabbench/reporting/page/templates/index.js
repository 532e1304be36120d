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

function pointed(hash) {
  return document.getElementById(decodeURIComponent(hash.slice(1)));
}

// Contents shrink to what holds all words: a chapter's own sentences, a table, a figure's caption.
function searchable(nav) {
  const input = nav.querySelector("input");
  const output = nav.querySelector("output");
  const entries = [...nav.querySelectorAll("li")].map((item) => {
    const target = pointed(item.querySelector("a").hash);
    const inside = item.querySelector("ul") ? target.querySelectorAll(":scope > h3, :scope > p") : [target];
    return { item, text: [...inside].map((one) => one.textContent).join(" ").toLowerCase() };
  });
  function show() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { item, text } of [...entries].reverse()) {
      const matches = words.every((word) => text.includes(word));
      const within = [...item.querySelectorAll("li")].some((one) => !one.hidden);
      item.hidden = words.length > 0 && !matches && !within;
      found += matches ? 1 : 0;
    }
    nav.classList.toggle("searched", words.length > 0);
    output.textContent = words.length ? `${found} found` : "";
  }
  input.addEventListener("input", show);
  nav.querySelector(".find").hidden = false;
  nav.classList.add("short");
}

// What an address points to is opened; so is everything for the printer.
function reveal() {
  const target = pointed(location.hash);
  if (!target) return;
  for (let node = target.querySelector(":scope > .fold") ?? target; node; node = node.parentElement)
    if (node.tagName === "DETAILS") node.open = true;
  target.scrollIntoView();
}

function printable() {
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of folded) one.open = false;
  });
}

document.querySelectorAll("nav").forEach((nav) => nav.querySelector(".find") && searchable(nav));
if (!matchMedia("(min-width: 75rem)").matches) document.querySelectorAll(".contents").forEach((one) => (one.open = false));
addEventListener("hashchange", reveal);
// A second click on the same link changes no address.
addEventListener("click", (event) => event.target.closest("a[href^='#']") && setTimeout(reveal));
reveal();
printable();
document.querySelectorAll("figure.filterable").forEach(filterable);
document.querySelectorAll("table.sortable").forEach(sortable);
