import type { EffectLine } from './list-effect';
import type { EffectChange } from './schema';

/** The parts of an effective config whose text differs, in their order after the change. Removed ones follow. */
export function compareEffect(before: readonly EffectLine[], after: readonly EffectLine[]): EffectChange[] {
  const known = keyed(before);
  const changes: EffectChange[] = [];
  for (const [key, { what, at, text }] of keyed(after)) {
    const earlier = known.get(key);
    known.delete(key);
    if (earlier?.text === text) continue;
    changes.push({ what, at, ...(earlier && { before: earlier.text }), after: text });
  }
  for (const { what, at, text } of known.values()) changes.push({ what, at, before: text });
  return changes;
}

/** Routes with equal matches are numbered. */
function keyed(lines: readonly EffectLine[]): Map<string, EffectLine> {
  const found = new Map<string, EffectLine>();
  for (const line of lines) {
    let key = `${line.what} ${line.at}`;
    for (let copy = 2; found.has(key); copy++) key = `${line.what} ${line.at} ${copy}`;
    found.set(key, line);
  }
  return found;
}
