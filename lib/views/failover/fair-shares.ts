import { by, inTurn } from '../../collections/compare';
/** Splits `all` evenly. A share is not larger than wanted; the rest goes to the others. In the order of `wanted`. */
export function fairShares(wanted: readonly number[], all: number): number[] {
  const shares = wanted.map(() => 0);
  const order = wanted.map((want, at) => ({ want, at })).sort(by(({ want }) => want));
  let left = all;
  order.forEach(({ want, at }, place) => {
    const share = Math.min(want, Math.floor(left / (order.length - place)));
    shares[at] = share;
    left -= share;
  });
  return shares;
}

/** Chooses `count` items of the lowest rank, in the order of the items. */
export function chooseByRank<T>(items: readonly T[], count: number, rankOf: (item: T) => number): T[] {
  if (items.length <= count) return [...items];
  const ranked = items.map((item, at) => ({ item, at, rank: rankOf(item) }));
  const chosen = ranked
    .sort(
      inTurn(
        by(({ rank }) => rank),
        by(({ at }) => at),
      ),
    )
    .slice(0, count);
  return chosen.sort(by(({ at }) => at)).map(({ item }) => item);
}
