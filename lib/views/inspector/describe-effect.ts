import { inEffect } from '../../facts/effect';
import { describeDoubt } from '../../observation/describe-doubt';
import { isAckOfRejected, isInDoubt } from '../../observation/effect-stage';
import type { Delivery, Effect, ResourceRow } from '../../observation/resource-row';

/** Returns why there is no answer. */
export function describeNoAnswer({ clientStatus, isStatic, stage }: ResourceRow): string {
  if (isStatic) return 'static: no response carries it';
  if (clientStatus === 'REQUESTED') return 'requested, not sent yet';
  if (stage !== undefined) return 'not known: the admin interface does not report answers';
  return 'not known';
}

/** Returns why no payload is known to be in effect. */
export function describeNoEffect(row: ResourceRow): string {
  if (isAckOfRejected(row)) return 'not known: the client ACKed a payload that it had rejected before';
  if (row.errorState?.mayBeInEffect)
    return 'not known: the client applied a part of a response that it rejected';
  // Above the last accepted body it is stated why.
  if (row.doubt && isInDoubt(row))
    return row.hash === null ? `not known. ${describeDoubt(row, row.doubt)}` : 'not known';
  switch (row.clientStatus) {
    case 'NACKED':
      return describeNone(row);
    case 'REQUESTED':
    case 'DOES_NOT_EXIST':
    case 'TIMEOUT':
      return 'nothing';
    default:
      return describeNone(row);
  }
}

function describeNone(row: ResourceRow): string {
  const effect = inEffect(row);
  return effect.kind === 'none' ? `nothing: ${effect.because}` : 'not known';
}

const stages: Readonly<Record<Effect['stage'], string>> = {
  active: '',
  warming: 'not in use yet: warming',
  draining: 'only for existing connections: draining',
  kept: 'deleted, and kept in use',
};

/** The time follows, as in "not in use yet: warming since 4 min ago". Empty for a resource in use as intended. */
export function describeStage({ stage }: Effect): string {
  return stages[stage];
}

const evidenceTexts: Readonly<Record<Effect['evidence'], string>> = {
  config_dump: 'by config_dump',
  csds: 'by CSDS',
  ack: 'inferred from the ACK',
};

export function describeEvidence({ evidence }: Effect): string {
  return evidenceTexts[evidence];
}

/** "10.0.0.1:18000, authority shop"; with several servers "one of a, b". */
export function describeDelivery({ servers, authority }: Delivery): string {
  const from = servers.length === 1 ? servers[0] : `one of ${servers.join(', ')}`;
  return authority === null ? `${from}` : `${from}, authority ${authority === '' ? '""' : authority}`;
}
