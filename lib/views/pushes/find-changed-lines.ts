interface ChangedLine {
  readonly kind: 'removed' | 'added' | 'same';
  readonly text: string;
}

/** Lines around the change that are shown with it. */
const context = 1;

/**
 * The lines from the first to the last difference of two texts, removed ones first. Enough for a preview: what is equal
 * between two differences is listed on both sides.
 */
export function findChangedLines(before: string, after: string): ChangedLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')];
  const shortest = Math.min(old.length, next.length);
  let head = 0;
  while (head < shortest && old[head] === next[head]) head += 1;
  if (head === old.length && head === next.length) return [];
  let tail = 0;
  while (tail < shortest - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  const lineOf = (kind: ChangedLine['kind']) => (text: string) => ({ kind, text });
  return [
    ...old.slice(Math.max(0, head - context), head).map(lineOf('same')),
    ...old.slice(head, old.length - tail).map(lineOf('removed')),
    ...next.slice(head, next.length - tail).map(lineOf('added')),
    ...next.slice(next.length - tail, next.length - tail + context).map(lineOf('same')),
  ];
}
