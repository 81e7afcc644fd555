/** The position in the log beyond which a page of GET history begins. It stays valid while new events arrive. */
export function formatHistoryCursor(direction: 'older' | 'newer', seq: number): string {
  return `${direction}-${seq}`;
}
