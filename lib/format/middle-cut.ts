/**
 * Cuts a name in the middle, since xDS names differ at both ends:
 * "xdstp://traffic/...cluster.v3.Cluster/shop-cart" keeps its authority and its last segment.
 * Counts code points, so that no surrogate pair is split.
 */
export function formatMiddleCut(text: string, maxChars: number): string {
  // Code points are at most as many as code units.
  if (text.length <= maxChars) return text;
  const characters = Array.from(text);
  if (characters.length <= maxChars) return text;
  if (maxChars <= 1) return '…';
  const tail = Math.floor((maxChars - 1) / 2);
  const head = maxChars - 1 - tail;
  return `${characters.slice(0, head).join('')}…${tail === 0 ? '' : characters.slice(-tail).join('')}`;
}
