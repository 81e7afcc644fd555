import { impact } from '../../issues/client-impact';
import type { IssueCause, IssuePeriod } from '../../issues/issue-record';
import type { Connection } from '../../observation/connection';
import { clientOf, type Profile } from '../../xds/profile';
import { CDS, EDS, LDS } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import type { ClientFindings } from '../findings/schema';
import type { Resolved } from '../resolved/schema';
import type { Tears } from '../resolved/tears-schema';
import { hasOnlyClusterRoutes, trafficOf } from '../resolved/traffic-of-config';
import { noHostInSubset, noUsableHost } from './describe-issue-kind';
import { unusableSince } from './unusable-since';

/** An issue that follows from a client's config and its history, not from one observation. */
export interface Condition {
  readonly cause: IssueCause;
  readonly period: IssuePeriod;
}

type Found = Pick<IssuePeriod, 'from' | 'to' | 'resources' | 'impact'>;
type TearItem = Tears['items'][number];

interface ConditionFacts {
  readonly clientId: string;
  readonly tears?: Pick<Tears, 'items' | 'profile'> | undefined;
  readonly findings?: Pick<ClientFindings, 'items' | 'notices' | 'profile'> | undefined;
  /** The effective config from each of its listeners. */
  readonly listeners?: readonly Resolved[];
  /** What the client reports of its connections, hosts among them. */
  readonly connections?: readonly Connection[] | undefined;
  /** The time at which they were read: a finding has lasted since then at the latest. */
  readonly at: EpochMs;
  /** True if only documents report the client. */
  readonly isOfDocument?: boolean;
}

/** Leaves out conditions that change nothing: tears that held nothing back, and findings that a client passes over. */
export function readConditions(facts: ConditionFacts): Condition[] {
  const { clientId, tears, findings, listeners = [], connections = [], at, isOfDocument = false } = facts;
  const make = (cause: Omit<IssueCause, 'side'>, found: Found): Condition => ({
    cause: { side: 'client', ...cause },
    period: {
      ...{ clientId, ...found, end: found.to === undefined ? undefined : 'repaired' },
      ...{ fromSeq: null, toSeq: null, versionInfo: '', keepsAccepted: null },
      ...(isOfDocument ? { isOfDocument } : {}),
    },
  });
  return [
    ...(tears?.items ?? []).flatMap((tear) => conditionOfTear(tear, tears?.profile, make)),
    ...(findings === undefined ? [] : conditionsOfFindings(findings, at, make)),
    ...(findings?.notices ?? []).map((notice) => conditionOfNotice(notice, make)),
    ...listeners.flatMap((listener) => conditionsOfListener(listener, connections, at, make)),
  ];
}

type Make = (cause: Omit<IssueCause, 'side'>, found: Found) => Condition;

/** Envoy does not follow gRFC A74. */
function conditionOfTear(
  { kind: rule, resources, fromAt, toAt, rejection, preA74, a74 }: TearItem,
  profile: Profile | undefined,
  make: Make,
): Condition[] {
  const [missing] = resources;
  const isEnvoy = profile !== undefined && clientOf(profile) === 'envoy';
  const effect = isEnvoy || a74.outcome === 'nothing' ? preA74 : a74;
  if (missing === undefined || effect.outcome === 'nothing') return [];
  const { typeUrl, name } = missing;
  const cause = { kind: 'tear', rule, typeUrl, name, text: rejection } as const;
  const found = { from: fromAt, to: toAt, resources: resources.length };
  if (toAt === undefined) return [make(cause, found)];
  // The effective config no longer shows what one that has ended did.
  const level = effect.outcome === 'fails' ? 'some-fail' : 'waits';
  return [make(cause, { ...found, impact: impact(level, { cluster: name, reason: effect.text }) })];
}

function conditionsOfFindings(
  { items, profile }: Pick<ClientFindings, 'items' | 'profile'>,
  at: EpochMs,
  make: Make,
): Condition[] {
  return items.flatMap(({ typeUrl, name, role, isRejected, findings }) => {
    const isReceived = role === 'client' || role === 'unanswered';
    return findings.flatMap(({ ruleId: rule, message: text, reactions }) => {
      const level = levels[reactions[profile]];
      if (level === undefined || isRejected || !isReceived) return [];
      const known = impact(level, { listener: level === 'all-fail' ? name : null, reason: text });
      const cause = { kind: 'finding', rule, typeUrl, name, text } as const;
      return [make(cause, { from: at, to: undefined, resources: 1, impact: known })];
    });
  });
}

/**
 * The levels by the reaction of a client that does not reject the resource; a reaction without a level leaves RPCs as
 * they are.
 */
const levels: Readonly<Record<string, 'all-fail' | 'frozen'>> = {
  crash: 'all-fail',
  'not serving': 'all-fail',
  'no answer': 'frozen',
};

/** What fails by the config in effect; a config that is not known in full is left out, and so is one that is awaited, unless nothing serves until then. */
function conditionsOfListener(
  resolved: Resolved,
  connections: readonly Connection[],
  at: EpochMs,
  make: Make,
): Condition[] {
  const { status, start, error, missing, chains, clusters } = resolved;
  if (start === undefined || status === 'unknown') return [];
  const { listener } = start;
  const traffic = trafficOf(resolved);
  const found = { from: at, to: undefined, resources: 1 };
  if (status === 'waiting') {
    // A listener that warms and has an active version is not missing.
    const warming = missing.find(({ typeUrl, why }) => typeUrl === LDS.typeUrl && why === 'warming');
    if (warming === undefined) return [];
    const { typeUrl, text, since = at } = warming;
    const known = impact('all-fail', { listener, reason: text, ...traffic });
    const cause = { kind: 'unserved', typeUrl, name: listener, text } as const;
    return [make(cause, { ...found, from: Math.min(at, since), impact: known })];
  }
  const failing = chains.filter(({ failure }) => failure !== undefined);
  const noticed = failing.filter(({ failure }) => failure?.isUnmatched !== true);
  if (status === 'error') {
    const cause = { kind: 'unserved', typeUrl: LDS.typeUrl, name: listener, text: error } as const;
    const known = impact('all-fail', { listener, reason: error, ...traffic });
    return [make({ ...cause, explainedBy: failing[0]?.failure?.by }, { ...found, impact: known })];
  }
  return [
    ...noticed.map(({ name, match, failure }) => {
      const text = failure?.text ?? '';
      const chain = name || match;
      const cause = { kind: 'unserved', typeUrl: LDS.typeUrl, name: listener, rule: chain, text } as const;
      const known = impact('some-fail', { listener, chain, reason: text, ...traffic });
      return make({ ...cause, explainedBy: failure?.by }, { ...found, impact: known });
    }),
    ...clusters.items
      .filter(({ status, subsets }) => status === 'error' || subsets?.some(isFailing))
      .flatMap((cluster) => {
        const { name, serviceName, use, subsets = [] } = cluster;
        const isPartial = cluster.status !== 'error';
        const text = isPartial
          ? subsets.flatMap((each) => (isFailing(each) ? `${each.requests}: ${each.text}` : [])).join('; ')
          : cluster.error;
        // The issue about the errors in load reports states it.
        if (use.failingLoad !== undefined) return [];
        const hosts = connections.filter(({ kind, cluster }) => kind === 'host' && cluster === name);
        // Hosts that answer each request with an error: the issue about the counted errors states it.
        if (use.usable > 0 && hosts.length > 0 && !hosts.some(({ state }) => state === 'CONNECT_FAILURE'))
          return [];
        const isUsable = use.endpoints === 0 || use.usable > 0;
        const isBySubset = isPartial || (subsets.length > 0 && subsets.every(isFailing));
        const rule = isUsable ? (isBySubset ? { rule: noHostInSubset } : {}) : { rule: noUsableHost };
        const { ok, waiting, unknown } = clusters.byStatus;
        const isAll = ok + waiting + unknown === 0 && hasOnlyClusterRoutes(resolved);
        const about = { listener, cluster: name, reason: text, ...trafficOf(resolved, cluster) };
        const known = isPartial
          ? impact('some-fail', { ...about, isPartial })
          : impact(isAll ? 'all-fail' : 'some-fail', about);
        const explainedBy = serviceName === '' ? undefined : { typeUrl: EDS.typeUrl, name: serviceName };
        const cause = { kind: 'unserved', typeUrl: CDS.typeUrl, name, text, explainedBy, ...rule } as const;
        return [make(cause, { ...found, from: Math.min(at, unusableSince(hosts) ?? at), impact: known })];
      }),
  ];
}

function isFailing({ status }: { readonly status: string }): boolean {
  return status === 'error';
}

function conditionOfNotice(
  { id: rule, title: text, since, resources, total, effect, statement }: ClientFindings['notices'][number],
  make: Make,
): Condition {
  const [first] = resources;
  const name = total === 1 ? (first?.name ?? '') : '';
  const cause = { kind: 'notice', rule, text, typeUrl: first?.typeUrl ?? '', name } as const;
  const found = { from: since, to: undefined, resources: total };
  if (effect === 'unused') return make(cause, found);
  const known =
    effect === 'frozen'
      ? impact('frozen', { reason: statement })
      : impact('none', { reason: 'messages are repeated, and no RPC fails because of it' });
  return make(cause, { ...found, impact: known });
}
