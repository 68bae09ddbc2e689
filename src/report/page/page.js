/* Sorting by a column's head: falling, rising, the file's order. Without this the tables are just
   as they are. No ampersand and no less-than sign in here: the page is well-formed XML. */
"use strict";
for (const table of document.querySelectorAll(".result table")) {
  const lines = table.classList.contains("lines");
  const units = lines ? [...table.tBodies] : [...(table.tBodies[0] ? table.tBodies[0].rows : [])];
  const home = lines ? table : table.tBodies[0];
  const foot = lines ? table.tFoot : null;
  const key = (unit, column) => {
    const cell = (lines ? unit.rows[0] : unit).cells[column];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim().replace("−", "-");
    const number = parseFloat(text);
    return text === "–" || text === "" ? null : cell.className === "s" || isNaN(number) ? text : number;
  };
  const compare = (a, b) =>
    typeof a === "string" || typeof b === "string"
      ? String(b).localeCompare(String(a), undefined, { numeric: true })
      : b - a;
  for (const head of table.querySelectorAll("th[data-c]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const order = was === "descending" ? "ascending" : was === "ascending" ? "" : "descending";
      for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      if (order) head.setAttribute("aria-sort", order);
      const column = Number(head.dataset.c);
      const rows = units.map((unit, at) => ({ unit, at, key: order ? key(unit, column) : 0 }));
      rows.sort((a, b) => {
        if (a.key === null || b.key === null) {
          return a.key === b.key ? a.at - b.at : a.key === null ? 1 : -1;
        }
        const c = compare(a.key, b.key);
        return (order === "ascending" ? -c : c) || a.at - b.at;
      });
      for (const row of rows) home.insertBefore(row.unit, foot);
    });
  }
}
