interface Keyed<T> {
  readonly key: string;
  readonly item: T;
  /** The place in the list, from 1. */
  readonly place: number;
}

/** Gives items with equal names distinct keys, which are stable when others are added or removed. */
export function keyed<T>(items: readonly T[], nameOf: (item: T) => string): Keyed<T>[] {
  const times = new Map<string, number>();
  return items.map((item, index) => {
    const name = nameOf(item);
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return { key: `${time} ${name}`, item, place: index + 1 };
  });
}
