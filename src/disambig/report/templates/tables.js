// The page in dark and light, as the system asks for; the library reads the class.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark", dark.matches);
follow();
dark.addEventListener("change", follow);

const made = [];
for (const table of document.querySelectorAll("table.data")) {
  const title = document.getElementById(table.id + "-title").textContent;
  const frame = table.closest(".frame");
  // A table that fits on one page needs no pages.
  const isShort = table.tBodies[0].rows.length <= 10;
  made.push(new DataTable(table, {
    order: [],
    autoWidth: false,
    pageLength: 10,
    lengthMenu: [10, 25, 100, { label: "All", value: -1 }],
    columnDefs: [
      { targets: "num", type: "num" },
      { targets: "text", type: "string" },
    ],
    columnControl: [{ target: 1, content: ["search"] }],
    layout: {
      topStart: isShort ? null : "search",
      topEnd: {
        buttons: [{
          extend: "csvHtml5",
          text: "Save as CSV",
          title: null,
          footer: false,
          filename: table.dataset.name,
          exportOptions: {
            escapeExcelFormula: true,
            // The second row of the header has the filters.
            customizeData: (data) => { data.headerStructure = data.headerStructure.slice(0, 1); },
          },
          attr: { "aria-label": "Save as CSV: " + title },
        }],
      },
      bottomStart: isShort ? null : ["pageLength", "info"],
      bottomEnd: isShort ? null : "paging",
    },
    language: { search: "Search in " + title + ":", lengthMenu: "_MENU_ rows a page" },
  }));
  // The library puts its own box around the table; the frame scrolls only the table itself.
  frame.classList.add("made");
  // Names for those who do not see the column above a box.
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  for (const cell of table.tHead.rows[1].cells) {
    for (const box of cell.querySelectorAll("input, select")) {
      const what = box.tagName === "SELECT" ? "How to filter " : "Filter ";
      box.setAttribute("aria-label", what + names[cell.cellIndex]);
    }
  }
  for (const pages of frame.querySelectorAll("nav")) {
    pages.setAttribute("aria-label", "Pages of " + title);
  }
}
// More rows in print than on a screen.
window.addEventListener("beforeprint", () => made.forEach((table) => table.page.len(50).draw()));
window.addEventListener("afterprint", () => made.forEach((table) => table.page.len(10).draw()));
document.documentElement.dataset.ready = String(made.length);
