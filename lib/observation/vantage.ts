/**
 * The places where observations are made. `dump`: in a file, by another process; `originalVantage` has the vantage of
 * that process. `lab`: by the embedded mesh itself.
 */
export const vantages = [
  'probe',
  'tap',
  'csds',
  'lrs',
  'dump',
  'lab',
  'istiod',
  'envoy-admin',
  'channelz',
  'interop',
] as const;
export type Vantage = (typeof vantages)[number];

/** Vantages of this process: everything that came in no file. */
export const ownVantages: readonly Vantage[] = vantages.filter((vantage) => vantage !== 'dump');

const polled: ReadonlySet<Vantage> = new Set(['csds', 'istiod', 'envoy-admin', 'channelz', 'interop']);

/** Returns true if a source of the vantage reports states at intervals, as opposed to messages of a stream. */
export function isPolledVantage(vantage: Vantage): boolean {
  return polled.has(vantage);
}

/** Returns true if a report of the vantage contains resources. Load reports, channelz and counts of RPCs contain none. */
export function reportsResources(report: {
  readonly vantage: Vantage;
  readonly originalVantage?: Vantage | undefined;
}): boolean {
  const vantage = findOriginalVantage(report);
  return vantage !== 'lrs' && vantage !== 'channelz' && vantage !== 'interop';
}

/** The vantage in the process that made the observation; `dump` if no process recorded it. */
export function findOriginalVantage({
  vantage,
  originalVantage = vantage,
}: {
  readonly vantage: Vantage;
  readonly originalVantage?: Vantage | undefined;
}): Vantage {
  return originalVantage;
}
