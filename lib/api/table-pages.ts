/**
 * Where each of several tables begins, as a URL writes it: "0:100,2:200" has table 0 begin at its row 100 and table 2 at
 * 200. A bare number is for every table that is not named; without one they begin at 0. Tables are named by the place
 * of their chain, routes by that of their virtual host in it, too: "0.5:200".
 */
export type TablePages = Readonly<Record<string, number>>;

export const firstPages: TablePages = {};

/** Key of the bare number. */
const everyTable = '';
const mostTables = 100;
const pattern = /^(?:(\d{1,7}(?:\.\d{1,7})?):)?(\d{1,7})$/;

/** undefined: not written so, or more than 100 tables. */
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

/** The same text for the same pages. */
export function formatTablePages(pages: TablePages): string {
  return Object.entries(pages)
    .map(([table, from]) => (table === everyTable ? String(from) : `${table}:${from}`))
    .sort()
    .join(',');
}

export function pageOf(pages: TablePages, table: string): number {
  return pages[table] ?? pages[everyTable] ?? 0;
}

/** Beyond a hundred tables one of the others begins anew. */
export function turnPage(pages: TablePages, table: string, from: number): TablePages {
  const { [table]: _, ...others } = pages;
  const isDefault = from === (pages[everyTable] ?? 0);
  const kept = Object.entries(others).slice(isDefault ? 0 : -(mostTables - 1));
  return Object.fromEntries(isDefault ? kept : [...kept, [table, from]]);
}
