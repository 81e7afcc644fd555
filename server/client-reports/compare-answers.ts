import { resourceKey } from '@/lib/observation/client-state';
import { compareResourceKeys } from '@/lib/observation/compare-resource-keys';
import type {
  ClientConfigChanged,
  ClientGone,
  NodeInfo,
  ResourceKey,
  ResourceState,
  Side,
} from '@/lib/observation/observation';
import { isSameState } from '@/lib/observation/reconcile';
import type { EpochMs } from '@/lib/xds/units';
import type { ReportedClient } from '../codec/codec';
import { assignClientIds } from './assign-client-ids';

/** What a source told last of one client. */
export interface KnownClient {
  readonly node: NodeInfo;
  readonly scope: string;
  readonly side: Side;
  /** By resourceKey(). */
  readonly rows: ReadonlyMap<string, ResourceState>;
  /** The newest answer did not name it. Its rows are kept: when it returns, the difference to them is told. */
  readonly isGone: boolean;
}

export type KnownClients = ReadonlyMap<string, KnownClient>;

export interface CompareOptions {
  readonly sourceId: string;
  readonly at: EpochMs;
  /** When the answer before was asked for; not there: there was none. */
  readonly previousAt?: EpochMs;
  /** Whose word the source's answers are; 'auto' looks at the statuses. */
  readonly side: Side | 'auto';
}

export interface Comparison {
  readonly observations: readonly (ClientConfigChanged | ClientGone)[];
  readonly next: KnownClients;
  /** Ids of the clients that the answer names. */
  readonly named: readonly string[];
  /** Node ids that several ClientConfigs of the answer share, scope included. */
  readonly duplicates: readonly string[];
}

/** Rows of clients that went are kept for this many of them; the longest gone are forgotten first. */
const goneClientsKept = 1_000;

/**
 * One answer against what was known: pure. Only what is different is told. A client that is named for the first time
 * is told even without resources, since that it lives is news.
 */
export function compareAnswers(
  previous: KnownClients,
  reported: readonly ReportedClient[],
  options: CompareOptions,
): Comparison {
  const { clients, duplicates } = assignClientIds(reported, previous);
  const observations: (ClientConfigChanged | ClientGone)[] = [];
  const named = new Map<string, KnownClient>();
  for (const [clientId, client] of clients) {
    const known = previous.get(clientId);
    const { now, observation } = compareClient(clientId, client, known, options);
    named.set(clientId, now);
    if (observation !== undefined) observations.push(observation);
  }
  const { next, goneNow } = withGoneClients(named, previous);
  for (const [clientId, { side }] of goneNow) observations.push(goneObservation(clientId, side, options));
  return { observations, next, named: [...clients.keys()], duplicates };
}

/** The clients that an answer names, and those that it does not name (any longer) behind them. */
export function withGoneClients(
  named: ReadonlyMap<string, KnownClient>,
  previous: KnownClients,
): { readonly next: KnownClients; readonly goneNow: readonly (readonly [string, KnownClient])[] } {
  const missing = [...previous].filter(([clientId]) => !named.has(clientId));
  const goneBefore = missing.filter(([, { isGone }]) => isGone);
  const goneNow = missing
    .filter(([, { isGone }]) => !isGone)
    .map(([clientId, client]) => [clientId, { ...client, isGone: true }] as const);
  const next = new Map([...named, ...[...goneBefore, ...goneNow].slice(-goneClientsKept)]);
  return { next, goneNow };
}

/** One client alone: rows that are no longer told are removed, and whoever else is known is left out of it. */
export function compareClient(
  clientId: string,
  { node, scope, resources }: ReportedClient,
  known: KnownClient | undefined,
  { sourceId, at, previousAt, side: asked }: CompareOptions,
): { now: KnownClient; observation: ClientConfigChanged | undefined } {
  const side = asked === 'auto' ? (sideOf(resources) ?? known?.side ?? 'client') : asked;
  // The word of another side is another report: nothing of it was told before.
  const before = known?.side === side ? known.rows : new Map<string, ResourceState>();
  const rows = new Map<string, ResourceState>();
  const changed: ResourceState[] = [];
  for (const resource of resources) {
    const key = resourceKey(resource);
    const old = before.get(key);
    const row: ResourceState = { ...resource, changedAt: at };
    if (old !== undefined && isSameState(row, old)) {
      rows.set(key, old);
    } else {
      rows.set(key, row);
      changed.push(row);
    }
  }
  const removed: ResourceKey[] = [];
  for (const [key, { typeUrl, name }] of before) {
    if (!rows.has(key)) removed.push({ typeUrl, name });
  }
  // In one order, whatever order the rows were learnt in.
  removed.sort(compareResourceKeys);
  const now = { node, scope, side, rows, isGone: false };
  const isNews =
    known === undefined ||
    known.isGone ||
    known.side !== side ||
    changed.length > 0 ||
    removed.length > 0 ||
    JSON.stringify(known.node) !== JSON.stringify(node);
  if (!isNews) return { now, observation: undefined };
  const wasTold = known !== undefined && !known.isGone && known.side === side;
  const observation: ClientConfigChanged = {
    kind: 'client-config-changed',
    at,
    vantage: 'csds',
    sourceId,
    clientId,
    side,
    node,
    scope,
    changed,
    removed,
    ...(wasTold && previousAt !== undefined && { previousAt }),
  };
  return { now, observation };
}

/**
 * A client fills client_status, a control plane config_status (the proto: "one of the two"). Rows with neither do not
 * tell.
 */
export function sideOf(resources: ReportedClient['resources']): Side | undefined {
  let side: Side | undefined;
  for (const { clientStatus, configStatus } of resources) {
    if (clientStatus !== 'UNKNOWN') return 'client';
    if (configStatus !== 'UNKNOWN') side = 'control-plane';
  }
  return side;
}

function goneObservation(clientId: string, side: Side, { sourceId, at }: CompareOptions): ClientGone {
  return {
    kind: 'client-gone',
    at,
    vantage: 'csds',
    sourceId,
    clientId,
    side,
    reason: 'the source answers, but names this client no longer',
  };
}
