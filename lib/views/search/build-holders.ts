import { by, byDescending, inTurn } from '../../collections/compare';
import { sortInSteps } from '../../cooperative/sort-in-steps';
import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { holds, isSince } from '../../filter/match-filter';
import { type Filter, parseFilter } from '../../filter/parse-filter';
import { compareNames } from '../../format/compare-names';
import { type ClientState, resourceKey } from '../../observation/client-state';
import type { ResourceKey } from '../../observation/resource-state';
import { formatResourceType } from '../../xds/resource-type';
import { type State, stateRank } from '../../xds/status';
import type { EpochMs } from '../../xds/units';
import { resourceRowFinder } from '../client/build-resource-rows';
import { chooseReport, compareFreshness, type FreshnessOf } from '../client/choose-report';
import { isHeld } from '../client/is-held';
import { isImportedClient } from '../client/is-imported-client';
import type { Holder, HoldersAnswer } from './schema';
import { holdersGrammar } from './search-grammar';

interface HoldersQuestion extends ResourceKey {
  readonly q: string;
  readonly offset: number;
  readonly limit: number;
}

interface HoldersInput {
  readonly clients: Iterable<ClientState>;
  readonly freshnessOf: FreshnessOf;
  readonly now: EpochMs;
}

type HoldersFilter = Filter<keyof typeof holdersGrammar.fields>;
const mostContents = 20;

/** The clients that have a resource, in any state, with its row at each of them. */
export function* buildHolders(
  { clients, freshnessOf, now }: HoldersInput,
  { typeUrl, name, q, offset, limit }: HoldersQuestion,
): Steps<HoldersAnswer> {
  const key = resourceKey({ typeUrl, name });
  const all: Holder[] = [];
  let visited = 0;
  for (const client of clients) {
    visited += 1;
    if (visited % itemsPerStep === 0) yield;
    if (![...client.reports.values()].some(({ resources }) => resources.has(key))) continue;
    const holder = buildHolder(client, { typeUrl, name }, freshnessOf);
    if (holder === undefined) continue;
    all.push(holder);
    if (all.length % 64 === 0) yield;
  }
  const clientsOnly = all.filter(({ isProbe }) => !isProbe);
  const filter = parseFilter(q, holdersGrammar, now);
  const matching = all.filter((each) => matches(each, filter));
  const sorted = yield* sortInSteps(
    matching,
    (a, b) =>
      Number(a.isProbe) - Number(b.isProbe) ||
      rankOf(a.state) - rankOf(b.state) ||
      compareNames(a.nodeId, b.nodeId) ||
      compareNames(a.scope, b.scope) ||
      (a.clientId < b.clientId ? -1 : 1),
  );
  return {
    ...{ typeUrl, service: formatResourceType(typeUrl), name },
    items: sorted.slice(offset, offset + limit),
    offset,
    clients: clientsOnly.length,
    holders: clientsOnly.filter((each) => each.isHeld).length,
    probes: all.length - clientsOnly.length,
    matched: matching.length,
    states: countBy(clientsOnly, ({ state }) => state)
      .map(([state, count]) => ({ state, count }))
      .sort(by((each) => stateRank(each.state))),
    contents: countBy(clientsOnly, ({ hash }) => hash)
      .map(([hash, count]) => ({ hash, clients: count }))
      .sort(
        inTurn(
          byDescending(({ clients }) => clients),
          by(({ hash }) => hash),
        ),
      )
      .slice(0, mostContents),
    problems: [...filter.problems],
  };
}

function rankOf(state: State | undefined): number {
  return state === undefined ? Number.POSITIVE_INFINITY : stateRank(state);
}

function countBy<K extends string>(
  holders: readonly Holder[],
  keyOf: (holder: Holder) => K | undefined,
): [key: K, count: number][] {
  const counts = new Map<K, number>();
  for (const holder of holders) {
    const key = keyOf(holder);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts];
}

function buildHolder(client: ClientState, key: ResourceKey, freshnessOf: FreshnessOf): Holder | undefined {
  const row = resourceRowFinder(client, freshnessOf)(key);
  if (row === undefined) return undefined;
  return {
    clientId: client.clientId,
    nodeId: client.node.id,
    scope: client.scope,
    isProbe: [...client.reports.values()].some(({ vantage }) => vantage === 'probe'),
    freshness: freshnessOfClient(client, freshnessOf),
    state: row.state ?? undefined,
    isHeld: isHeld(row, row.side === 'client'),
    versionInfo: row.versionInfo,
    hash: row.hash ?? undefined,
    sizeBytes: row.sizeBytes ?? undefined,
    inEffectSince: row.effect?.since ?? undefined,
    changedAt: row.changedAt,
    configStatus: row.configStatus,
    error: row.errorState?.details ?? '',
  };
}

/** Returns the freshness of the freshest report of the client, or of its control plane. */
function freshnessOfClient(client: ClientState, freshnessOf: FreshnessOf): Holder['freshness'] {
  if (isImportedClient({ reports: [...client.reports.values()] })) return 'file';
  const freshnesses = (['client', 'control-plane'] as const).flatMap((side) => {
    const report = chooseReport(client, side, freshnessOf);
    return report === undefined ? [] : [freshnessOf(report, client.clientId).freshness];
  });
  return freshnesses.sort(compareFreshness)[0] ?? 'gone';
}

function matches(holder: Holder, { words, conditions }: HoldersFilter): boolean {
  const text = `${holder.nodeId}\n${holder.scope}`.toLowerCase();
  if (!words.every((word) => text.includes(word))) return false;
  return conditions.every((condition) => {
    const { field } = condition;
    if (field === 'since') return isSince(condition, holder.changedAt);
    return holds(condition, [
      textOfField(holder, field as Exclude<keyof typeof holdersGrammar.fields, 'since'>),
    ]);
  });
}

function textOfField(holder: Holder, field: Exclude<keyof typeof holdersGrammar.fields, 'since'>): string {
  switch (field) {
    case 'node':
      return holder.nodeId;
    case 'scope':
      return holder.scope;
    case 'status':
      return holder.state ?? '';
    case 'version':
      return holder.versionInfo;
    case 'hash':
      return holder.hash ?? '';
    case 'error':
      return holder.error;
  }
}
