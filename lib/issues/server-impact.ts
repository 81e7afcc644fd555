import { inEffect } from '../facts/effect';
import type { ResourceRow } from '../observation/resource-row';
import { findResourceType, formatResourceType, LDS } from '../xds/resource-type';
import { type ClientImpact, impact } from './client-impact';
import type { EffectiveListener } from './impact';
import type { ClientIssueKind, IssueCause } from './issue-record';
import { isWithoutResponse, possibleServer } from './read-issue-causes';

/** Kinds of issues about the connection of a client to its management server. */
const kinds = ['unanswered', 'unreached', 'unreachable'] as const satisfies ClientIssueKind[];

type ServerCause = Pick<IssueCause, 'typeUrl' | 'rule'> & { readonly kind: (typeof kinds)[number] };

export function isOfServer<Cause extends IssueCause>(cause: Cause): cause is Cause & ServerCause {
  return kinds.some((kind) => kind === cause.kind);
}

/** Concludes from the rows of a client what it does to RPCs that nothing new reaches it. */
export function assessServerIssue(
  { kind, typeUrl, rule }: ServerCause,
  rows: readonly ResourceRow[],
  listeners: readonly Pick<EffectiveListener, 'status' | 'listener' | 'missing'>[],
): ClientImpact {
  if (kind === 'unanswered') return assessUnanswered(typeUrl, rows);
  if (rule === possibleServer)
    return impact('unknown', {
      reason: 'channelz does not report which channel of the client leads to its management server',
    });
  const { received, unknown, ownListeners } = countInEffect(rows);
  const first = listeners[0]?.missing[0]?.text;
  if (received > 0) {
    const isIncomplete = listeners.length > 0 && listeners.every(({ status }) => status === 'waiting');
    if (isIncomplete) {
      const { listener = null } = listeners[0] ?? {};
      return impact('all-fail', { listener, reason: first ?? 'no listener has a complete config' });
    }
    return kind === 'unreachable'
      ? impact('frozen', { reason: 'the last accepted config is in effect' })
      : impact('waits', {
          reason: `the ${formatResourceType(typeUrl)} resources without a response are not in effect`,
        });
  }
  if (unknown > 0 || rows.length === 0)
    return impact('unknown', { reason: 'no source reports what the client runs' });
  if (ownListeners > 0)
    return impact('unknown', {
      reason: 'listeners of the bootstrap are in effect, and nothing of the management server',
    });
  return impact('all-fail', { reason: 'no config of the management server is in effect' });
}

/** A control plane waits for the answer to a response. */
function assessUnanswered(typeUrl: string, rows: readonly ResourceRow[]): ClientImpact {
  const { received, unknown } = countInEffect(rows.filter((row) => row.typeUrl === typeUrl));
  if (received > 0) return impact('none', { reason: 'what the client accepted before is in effect' });
  if (unknown > 0 || rows.length === 0)
    return impact('unknown', { reason: 'no source reports what the client accepted' });
  return impact('waits', { reason: `the client has accepted no ${formatResourceType(typeUrl)} resource` });
}

interface Counts {
  /** Resources of a management server of which a payload is in effect. */
  readonly received: number;
  /** Resources of which it is not known what the client runs. */
  readonly unknown: number;
  /** Listeners of the bootstrap. */
  readonly ownListeners: number;
}

function countInEffect(rows: readonly ResourceRow[]): Counts {
  let [received, unknown, ownListeners] = [0, 0, 0];
  for (const row of rows) {
    const { effect, isStatic, side, typeUrl } = row;
    // The process of a client also reports documents about itself.
    if (findResourceType(typeUrl) === undefined) continue;
    const isServed = effect !== null && effect.stage !== 'warming' && effect.stage !== 'draining';
    if (isStatic) ownListeners += typeUrl === LDS.typeUrl && isServed ? 1 : 0;
    else if (isServed) received += 1;
    else if (side !== 'client') unknown += 1;
    else if (!isWithoutResponse(row) && inEffect(row).kind === 'unknown') unknown += 1;
  }
  return { received, unknown, ownListeners };
}
