/**
 * The first rows of several tables, as in a URL: "0:100,2:200" begins table 0 at row 100 and table 2 at row 200. A bare
 * number applies to all other tables; without one they begin at 0. Tables are named by the index of their chain, tables
 * of routes also by the index of their virtual host: "0.5:200".
 */
export type TablePages = Readonly<Record<string, number>>;

export const firstPages: TablePages = {};

/** Key of the bare number. */
const everyTable = '';
const mostTables = 100;
const pattern = /^(?:(\d{1,7}(?:\.\d{1,7})?):)?(\d{1,7})$/;

/** Returns undefined if the text has another form, or more than 100 tables. */
export function parseTablePages(text: string): TablePages | undefined {
  const parts = text === '' ? [] : text.split(',', mostTables + 1);
  if (parts.length > mostTables) return undefined;
  const pages: Record<string, number> = {};
  for (const part of parts) {
    const [, table = everyTable, from] = pattern.exec(part) ?? [];
    if (from === undefined) return undefined;
    pages[table] = Number(from);
  }
  return pages;
}

/** Equal pages have equal texts. */
export function formatTablePages(pages: TablePages): string {
  return Object.entries(pages)
    .map(([table, from]) => (table === everyTable ? String(from) : `${table}:${from}`))
    .sort()
    .join(',');
}

export function pageOf(pages: TablePages, table: string): number {
  return pages[table] ?? pages[everyTable] ?? 0;
}

/** Beyond a hundred tables, another table returns to its beginning. */
export function turnPage(pages: TablePages, table: string, from: number): TablePages {
  const { [table]: _, ...others } = pages;
  const isDefault = from === (pages[everyTable] ?? 0);
  const kept = Object.entries(others).slice(isDefault ? 0 : -(mostTables - 1));
  return Object.fromEntries(isDefault ? kept : [...kept, [table, from]]);
}
