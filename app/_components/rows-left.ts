/** Where somebody was in a table. */
export interface RowLeft {
  readonly id: string;
  readonly index: number;
}

const mostKept = 50;
const left = new Map<string, RowLeft>();

/** Of this address, as long as the browser does not load a document anew. `table`: its label. */
export function rememberRow(table: string, row: RowLeft): void {
  const name = nameOf(table);
  left.delete(name);
  left.set(name, row);
  const [oldest] = left.keys();
  if (left.size > mostKept && oldest !== undefined) left.delete(oldest);
}

/**
 * Whoever comes back to an address by Back has the focus nowhere: it belongs on the row that was left. Whoever came by
 * a link or a key has it there.
 */
export function findRowLeft(table: string): RowLeft | undefined {
  return isFocusNowhere() ? left.get(nameOf(table)) : undefined;
}

export function isFocusNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function nameOf(table: string): string {
  return `${table} ${location.pathname}${location.search}`;
}
