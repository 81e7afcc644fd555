import type { EffectOf, RowOf } from '../../observation/resource-row';

/** Why there is no answer. */
export function describeNoAnswer({ clientStatus, isStatic, stage }: RowOf<unknown>): string {
  if (isStatic) return 'static: no response carries it';
  if (clientStatus === 'REQUESTED') return 'requested, not sent yet';
  if (stage !== undefined) return 'not known: the admin interface does not report answers';
  return 'not known';
}

const stages: Readonly<Record<EffectOf<unknown>['stage'], string>> = {
  active: '',
  warming: 'warming: not in use yet',
  draining: 'draining: existing connections may finish',
  kept: 'deleted, and kept in use',
};

/** Empty for a resource that is in use as intended. */
export function describeStage({ stage }: EffectOf<unknown>): string {
  return stages[stage];
}

const evidenceTexts: Readonly<Record<EffectOf<unknown>['evidence'], string>> = {
  config_dump: 'by config_dump',
  csds: 'by CSDS',
  ack: 'inferred from the ACK',
};

export function describeEvidence({ evidence }: EffectOf<unknown>): string {
  return evidenceTexts[evidence];
}
