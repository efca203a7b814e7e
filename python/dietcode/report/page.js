"use strict";
// Sorts a table by the column whose button is pressed, and moves from cell to cell
// with the arrow keys, Home and End.
(() => {
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return "key" in cell.dataset ? Number(cell.dataset.key) : cell.textContent;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number"
      ? (a === b ? 0 : a - b)
      : String(a).localeCompare(String(b), "en", { numeric: true });

  function sort(table, head) {
    const descending = head.getAttribute("aria-sort") === "ascending";
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(row, head.cellIndex), row]);
    rows.sort((a, b) => (descending ? compare(b[0], a[0]) : compare(a[0], b[0])));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...rows.map(([, row]) => row));
  }

  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  function target(table, cell, key) {
    const row = cell.parentNode;
    if (key === "Home") return row.cells[0];
    if (key === "End") return row.cells[row.cells.length - 1];
    const [down, right] = moves[key];
    const next = table.rows[row.rowIndex + down];
    return next && next.cells[cell.cellIndex + right];
  }

  function move(table, event) {
    if (!(event.key in moves || event.key === "Home" || event.key === "End")) return;
    const cell = event.target.closest("td, th");
    const next = cell && target(table, cell, event.key);
    if (!next) return;
    event.preventDefault();
    for (const old of table.querySelectorAll("td[tabindex]")) old.removeAttribute("tabindex");
    const place = next.querySelector("button") || next;
    if (place === next) place.tabIndex = 0;
    place.focus();
  }

  for (const table of document.querySelectorAll("table")) {
    for (const head of table.tHead.rows[0].cells)
      head.firstElementChild.addEventListener("click", () => sort(table, head));
    table.addEventListener("keydown", (event) => move(table, event));
    const region = table.parentNode;
    region.addEventListener("keydown", (event) => {
      if (event.target !== region || event.key !== "ArrowDown") return;
      event.preventDefault();
      table.querySelector("th button").focus();
    });
  }
})();
