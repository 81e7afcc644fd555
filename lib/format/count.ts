/** "12 345": a thin space groups thousands, since a comma is a decimal separator in many languages. */
export function formatCount(count: number | string): string {
  const text = String(count);
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
}

/** "1 client", "3 clients". */
export function formatCounted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}
