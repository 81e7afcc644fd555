/** Where a page of GET history begins: beyond that place of the log. Stays right while new events arrive. */
export function formatHistoryCursor(direction: 'older' | 'newer', seq: number): string {
  return `${direction}-${seq}`;
}
