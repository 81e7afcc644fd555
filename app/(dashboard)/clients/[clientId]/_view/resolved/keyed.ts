export interface Keyed<T> {
  readonly key: string;
  readonly item: T;
  /** From 1. */
  readonly place: number;
}

/** Items of which several may have one name, each with a key of its own that stays when others come and go. */
export function keyed<T>(items: readonly T[], nameOf: (item: T) => string): Keyed<T>[] {
  const times = new Map<string, number>();
  return items.map((item, index) => {
    const name = nameOf(item);
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return { key: `${time} ${name}`, item, place: index + 1 };
  });
}
