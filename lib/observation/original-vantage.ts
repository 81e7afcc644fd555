import type { Vantage } from './observation';

const vantagesByKind = new Map<string, Vantage>([
  ['csds', 'csds'],
  ['ads', 'probe'],
  ['tap', 'tap'],
  ['lrs', 'lrs'],
  ['lab', 'lab'],
]);

/**
 * How it was observed first. What came in a file is all of vantage "dump", and its source ids tell who saw it, as in
 * "file:yesterday.xdscope#lrs:0.0.0.0:18001"; files in files too. "dump" where that is not told.
 */
export function originalVantage({
  vantage,
  sourceId,
}: {
  readonly vantage: Vantage;
  readonly sourceId: string;
}): Vantage {
  if (vantage !== 'dump') return vantage;
  let theirs = sourceId;
  while (theirs.startsWith('file:') && theirs.includes('#')) theirs = theirs.slice(theirs.indexOf('#') + 1);
  return vantagesByKind.get(theirs.slice(0, theirs.indexOf(':'))) ?? vantage;
}
