import { impact } from '../../issues/client-impact';
import type { IssueCause, IssuePeriod } from '../../issues/issue-record';
import { clientOf, type Profile } from '../../xds/profile';
import type { EpochMs } from '../../xds/units';
import type { ClientFindings } from '../findings/schema';
import type { Tears } from '../resolved/schema';

/** An issue that follows from a client's config and its history, not from one observation. */
export interface Condition {
  readonly cause: IssueCause;
  readonly period: IssuePeriod;
}

type Found = Pick<IssuePeriod, 'from' | 'to' | 'resources' | 'impact'>;
type TearItem = Tears['items'][number];

interface ConditionFacts {
  readonly clientId: string;
  readonly tears: Pick<Tears, 'items' | 'profile'> | undefined;
  readonly findings: Pick<ClientFindings, 'items' | 'notices' | 'profile'> | undefined;
  /** The time at which they were read: a finding has lasted since then at the latest. */
  readonly at: EpochMs;
}

/** Leaves out conditions that change nothing: tears that held nothing back, and findings that a client passes over. */
export function readConditions({ clientId, tears, findings, at }: ConditionFacts): Condition[] {
  const make = (cause: Omit<IssueCause, 'side'>, found: Found): Condition => ({
    cause: { side: 'client', ...cause },
    period: {
      ...{ clientId, ...found, end: found.to === undefined ? undefined : 'repaired' },
      ...{ fromSeq: null, toSeq: null, versionInfo: '', keepsAccepted: null },
    },
  });
  return [
    ...(tears?.items ?? []).flatMap((tear) => conditionOfTear(tear, tears?.profile, make)),
    ...(findings === undefined ? [] : conditionsOfFindings(findings, at, make)),
    ...(findings?.notices ?? []).map((notice) => conditionOfNotice(notice, make)),
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
