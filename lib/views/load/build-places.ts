import { compareNames } from '../../format/compare-names';
import { formatLocality } from '../../format/locality';
import type { Locality } from '../../observation/observation';
import type { LoadTotalsAnswer } from './schema';

interface LoadPlaces {
  /** null for clients without a locality. */
  readonly sources: readonly (Locality | null)[];
  readonly targets: readonly Locality[];
  /** The cells by source and target; null if nothing is reported. */
  readonly cells: readonly (readonly (LoadPlaceCell | null)[])[];
}

interface LoadPlaceCell {
  /** Completed requests, as decimal digits. */
  readonly requests: string;
  readonly failed: string;
  /** The share of the requests from the source, 0 to 1. */
  readonly share: number;
}

export function buildPlaces({ groups }: Pick<LoadTotalsAnswer, 'groups'>): LoadPlaces {
  const sources = new Map<string, Locality | null>();
  const targets = new Map<string, Locality>();
  const requests = new Map<string, { readonly all: bigint; readonly failed: bigint }>();
  const sums = new Map<string, bigint>();
  for (const { key, totals } of groups) {
    const { sourceLocality, locality } = key;
    if (sourceLocality === undefined || locality === undefined) continue;
    const [source, target] = [formatLocality(sourceLocality), formatLocality(locality)];
    sources.set(source, sourceLocality);
    targets.set(target, locality);
    const failed = BigInt(totals.errors);
    const all = BigInt(totals.successful) + failed;
    requests.set(JSON.stringify([source, target]), { all, failed });
    sums.set(source, (sums.get(source) ?? 0n) + all);
  }
  const sourceNames = [...sources.keys()].sort(compareNames);
  const targetNames = [...targets.keys()].sort(compareNames);
  return {
    sources: sourceNames.map((name) => sources.get(name) ?? null),
    targets: targetNames.flatMap((name) => targets.get(name) ?? []),
    cells: sourceNames.map((source) =>
      targetNames.map((target) => {
        const reported = requests.get(JSON.stringify([source, target]));
        if (reported === undefined) return null;
        const sum = sums.get(source) ?? 0n;
        const share = sum === 0n ? 0 : Number(reported.all) / Number(sum);
        return { requests: String(reported.all), failed: String(reported.failed), share };
      }),
    ),
  };
}
