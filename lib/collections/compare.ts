type Compare<T> = (a: T, b: T) => number;
type Key = string | number | boolean;

/** Numbers by size, texts by their code units, false before true. */
export function ascending(a: Key, b: Key): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function by<T>(keyOf: (item: T) => Key): Compare<T>;
export function by<T, K>(keyOf: (item: T) => K, compare: Compare<K>): Compare<T>;
export function by<T, K extends Key>(keyOf: (item: T) => K, compare: Compare<K> = ascending): Compare<T> {
  return (a, b) => compare(keyOf(a), keyOf(b));
}

export function byDescending<T>(keyOf: (item: T) => Key): Compare<T> {
  return (a, b) => ascending(keyOf(b), keyOf(a));
}

/** The first comparison that distinguishes two items decides. */
export function inTurn<T>(...compares: readonly Compare<T>[]): Compare<T> {
  return (a, b) => {
    for (const compare of compares) {
      const order = compare(a, b);
      if (order !== 0) return order;
    }
    return 0;
  };
}
