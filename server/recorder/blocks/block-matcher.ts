import type { BlockMeta } from '../storage/immutable-stores';
import { maxErrorChars, storedKinds, storedVantages } from './block-columns';
import { findSorted, hashText, nameSeed, versionSeed } from './hash-text';
import type { LogBlock } from './log-block';
import type { HistoryFilter } from './log-entry';
import { isRejection } from './log-entry';

/** Returns false if the meta of a block proves that none of its observations match. */
export function mayMatch({ fromAt, toAt, kinds }: BlockMeta, filter: HistoryFilter): boolean {
  if (filter.from !== undefined && toAt < filter.from) return false;
  if (filter.to !== undefined && fromAt > filter.to) return false;
  if (filter.isRejection && (kinds & rejectionMask) === 0) return false;
  return filter.kinds === undefined || (kinds & kindMask(filter.kinds)) !== 0;
}

/**
 * Returns a predicate over the observations of a block, or undefined if none matches. It compares names and versions
 * by hash, and only the stored part of error texts: see isSure().
 */
export function matcherOf(block: LogBlock, filter: HistoryFilter): ((index: number) => boolean) | undefined {
  const { columns } = block;
  const tests: ((index: number) => boolean)[] = [];
  const { from, to } = filter;
  if (from !== undefined) tests.push((index) => (columns.ats[index] ?? 0) >= from);
  if (to !== undefined) tests.push((index) => (columns.ats[index] ?? 0) <= to);
  if (filter.kinds !== undefined) {
    const mask = kindMask(filter.kinds);
    tests.push((index) => ((mask >> (columns.kinds[index] ?? 0)) & 1) === 1);
  }
  if (filter.vantages !== undefined) {
    const wanted = new Set(filter.vantages.map((vantage) => storedVantages.indexOf(vantage)));
    tests.push((index) => wanted.has(columns.vantages[index] ?? 0));
  }
  if (filter.isRejection) {
    tests.push((index) =>
      isRejection(storedKinds[columns.kinds[index] ?? 0], (columns.errors[index] ?? 0) > 0),
    );
  }
  for (const [text, list] of [
    [filter.clientId, columns.clients],
    [filter.streamId, columns.streams],
    [filter.sourceId, columns.sources],
  ] as const) {
    if (text === undefined) continue;
    const wanted = block.numberOf(text);
    if (wanted === undefined) return undefined;
    tests.push((index) => list[index] === wanted);
  }
  const { typeUrls, errorText } = filter;
  if (typeUrls !== undefined) {
    const isWanted = (text: string) => text.split('\u0000').some((typeUrl) => typeUrls.includes(typeUrl));
    const wanted = numbersWhere(block, columns.types, isWanted);
    if (wanted.size === 0) return undefined;
    tests.push((index) => wanted.has(columns.types[index] ?? 0));
  }
  if (errorText !== undefined) {
    const part = errorText.toLowerCase();
    const isWanted = (text: string) => text.toLowerCase().includes(part) || text.length === maxErrorChars;
    const wanted = numbersWhere(block, columns.errors, isWanted);
    if (wanted.size === 0) return undefined;
    tests.push((index) => wanted.has(columns.errors[index] ?? 0));
  }
  for (const term of termsOf(filter)) {
    const holds = termTest(block, term);
    if (holds === undefined) return undefined;
    tests.push(holds);
  }
  return (index) => {
    for (const test of tests) if (!test(index)) return false;
    return true;
  };
}

export function termsOf({ resourceName, version }: HistoryFilter): number[] {
  const terms: number[] = [];
  if (resourceName !== undefined) terms.push(hashText(resourceName, nameSeed));
  if (version !== undefined) terms.push(hashText(version, versionSeed));
  return terms;
}

/** Returns whether a match of matcherOf() is certain; otherwise matchesFilter() decides. */
export function isSure(filter: HistoryFilter): boolean {
  return filter.resourceName === undefined && filter.version === undefined && filter.errorText === undefined;
}

function kindMask(kinds: readonly (typeof storedKinds)[number][]): number {
  return kinds.reduce((mask, kind) => mask | (1 << storedKinds.indexOf(kind)), 0);
}

const rejectionMask = kindMask(storedKinds.filter((kind) => isRejection(kind, true)));

function numbersWhere(
  block: LogBlock,
  column: Uint32Array,
  isWanted: (text: string) => boolean,
): Set<number> {
  const wanted = new Set<number>();
  for (const number of new Set(column)) {
    if (number > 0 && isWanted(block.columns.strings[number] ?? '')) wanted.add(number);
  }
  return wanted;
}

function termTest(block: LogBlock, hash: number): ((index: number) => boolean) | undefined {
  const { hashes, offsets, ids } = block.terms;
  const place = findSorted(hashes, hash);
  if (place === undefined) return undefined;
  return (index) => {
    const end = offsets[index + 1] ?? 0;
    for (let next = offsets[index] ?? 0; next < end; next++) if (ids[next] === place) return true;
    return false;
  };
}
