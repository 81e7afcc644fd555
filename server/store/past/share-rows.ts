import { isDeepStrictEqual } from 'node:util';
import { itemsPerStep, type Steps } from '@/lib/cooperative/steps';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type { ResourceRow } from '@/lib/observation/resource-row';

/**
 * Returns the rows with those that are equal in `known` replaced by the same objects, so that only differences are sent
 * for a graph of the next time. Both lists must be in the order of buildResourceRows().
 */
export function* shareRows(
  known: readonly ResourceRow[],
  rows: readonly ResourceRow[],
): Steps<ResourceRow[]> {
  const shared: ResourceRow[] = [];
  let at = 0;
  for (const row of rows) {
    let old = known[at];
    while (old !== undefined && compareResourceKeys(old, row) < 0) old = known[++at];
    shared.push(old !== undefined && isSameRow(old, row) ? old : row);
    if (shared.length % itemsPerStep === 0) yield;
  }
  return shared;
}

function isSameRow(a: ResourceRow, b: ResourceRow): boolean {
  return (
    a === b ||
    (a.changedAt === b.changedAt &&
      a.hash === b.hash &&
      a.versionInfo === b.versionInfo &&
      a.state === b.state &&
      a.configStatus === b.configStatus &&
      isDeepStrictEqual(a, b))
  );
}
