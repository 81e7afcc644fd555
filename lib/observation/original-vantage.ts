import type { Vantage } from './observation';

const vantagesByKind = new Map<string, Vantage>([
  ['csds', 'csds'],
  ['envoy-admin', 'csds'],
  ['istiod', 'csds'],
  ['ads', 'probe'],
  ['tap', 'tap'],
  ['lrs', 'lrs'],
  ['lab', 'lab'],
]);

/**
 * How it was observed first. What came in a file is all of vantage "dump", and its source ids tell who saw it, as in
 * "file:yesterday.xdscope#lrs:0.0.0.0:18001"; files in files too. "dump" where that is not reported.
 */
export function originalVantage({
  vantage,
  sourceId,
}: {
  readonly vantage: Vantage;
  readonly sourceId: string;
}): Vantage {
  if (vantage !== 'dump') return vantage;
  return vantagesByKind.get(originalKind(sourceId)) ?? vantage;
}

/** The kind of the source that saw it, as its id begins: "envoy-admin" of "envoy-admin:10.0.0.9:9901". */
export function originalKind(sourceId: string): string {
  let theirs = sourceId;
  while (theirs.startsWith('file:') && theirs.includes('#')) theirs = theirs.slice(theirs.indexOf('#') + 1);
  return theirs.slice(0, theirs.indexOf(':'));
}
