import { by } from '../../collections/compare';
import { sortInSteps } from '../../cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import type { ResourceRow } from '../../observation/resource-row';
import { compareTypeUrls, formatResourceType, normaliseTypeUrl } from '../../xds/resource-type';
import { type State, stateRank } from '../../xds/status';
import { buildRowTests } from './resource-filter';
import { comparePlaces, placeOf } from './resource-order';
import type { ResourceQuestion } from './resource-question';
import type { ResourcePage } from './schema';

/** All rows that match a question, in its order, with counts. Pages are parts of it. */
export interface ResourceView
  extends Pick<ResourcePage, 'total' | 'matched' | 'documents' | 'types' | 'statuses'> {
  readonly rows: readonly ResourceRow[];
}

/** `rows` are in the order of buildResourceRows(). */
export function* buildResourceView(
  rows: readonly ResourceRow[],
  question: ResourceQuestion,
): Steps<ResourceView> {
  const { sort } = question;
  const tests = buildRowTests(question);
  // Selected filters are listed even with zero rows, so that they can be deselected.
  const types = new Map<string, number>(question.typeUrls.map((typeUrl) => [normaliseTypeUrl(typeUrl), 0]));
  const statuses = new Map<State, number>(question.statuses.map((status) => [status, 0]));
  const kept: ResourceRow[] = [];
  const documents = { total: 0, matched: 0 };
  let seen = 0;
  for (const row of rows) {
    const ofText = tests.ofText(row);
    const ofType = tests.ofType(row);
    const ofStatus = tests.ofStatus(row);
    count(types, normaliseTypeUrl(row.typeUrl), ofStatus && ofText);
    if (row.state !== null) count(statuses, row.state, ofType && ofText);
    const isMatch = ofType && ofStatus && ofText;
    if (isMatch) kept.push(row);
    if (row.state === null) {
      documents.total += 1;
      if (isMatch) documents.matched += 1;
    }
    seen += 1;
    if (seen % itemsPerStep === 0) yield;
  }
  return {
    rows: sort === null ? kept : yield* sortRows(kept, question),
    total: rows.length,
    matched: kept.length,
    ...(documents.total > 0 && { documents }),
    types: [...types]
      .sort(by(([key]) => key, compareTypeUrls))
      .map(([typeUrl, n]) => ({ typeUrl, service: formatResourceType(typeUrl), count: n })),
    statuses: [...statuses].sort(by(([key]) => stateRank(key))).map(([status, n]) => ({ status, count: n })),
  };
}

function count<K>(counts: Map<K, number>, key: K, isCounted: boolean): void {
  counts.set(key, (counts.get(key) ?? 0) + (isCounted ? 1 : 0));
}

function* sortRows(rows: readonly ResourceRow[], { sort }: ResourceQuestion): Steps<ResourceRow[]> {
  const compare = comparePlaces(sort);
  const placed: { readonly row: ResourceRow; readonly place: ReturnType<typeof placeOf> }[] = [];
  for (const row of rows) {
    placed.push({ row, place: placeOf(row, sort) });
    if (placed.length % itemsPerStep === 0) yield;
  }
  const sorted = yield* sortInSteps(placed, (a, b) => compare(a.place, b.place));
  return sorted.map(({ row }) => row);
}
