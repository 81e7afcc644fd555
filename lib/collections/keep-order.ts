/**
 * The items in the order in which those that are known were `before`. A new item follows the one that it follows in `items`.
 * Returns `items` itself if that is its order.
 */
export function keepOrder<T extends { readonly id: string }>(
  before: readonly { readonly id: string }[],
  items: readonly T[],
): readonly T[] {
  const known = new Set(before.map(({ id }) => id));
  /** Each known item with the new ones after it, by its ID; those before all known items are under "". */
  const runs = new Map<string, T[]>();
  let run: T[] = [];
  runs.set('', run);
  for (const item of items) {
    if (known.has(item.id)) {
      run = [];
      runs.set(item.id, run);
    }
    run.push(item);
  }
  const kept = ['', ...known].flatMap((id) => runs.get(id) ?? []);
  return kept.every((item, index) => item === items[index]) ? items : kept;
}
