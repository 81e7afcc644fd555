import type * as z from 'zod';
import type { ReadonlyDeep } from '../../observation/readonly-deep';
import type { failoverChange } from './change-schema';
import type { EndpointCondition } from './endpoint-condition';

/** Maximum number of changes in one simulation. */
export const maxChanges = 200;

export type Change = ReadonlyDeep<z.infer<typeof failoverChange>>;
export type ChangeTarget = Extract<Change, { readonly kind: 'weight' }>['target'];

/** A text such as "P0, eu / eu-1: dead", without the time. */
export function describeChange(change: Change, priorityNames: readonly string[]): string {
  if (change.kind === 'factor') return `the overprovisioning factor is ${change.percent}% now`;
  const { priority, locality, address } = change.target;
  const reported = [
    priority === undefined ? '' : (priorityNames[priority] ?? `P${priority}`),
    locality,
    address,
  ];
  const name = reported.filter((part) => part !== undefined && part !== '').join(', ') || 'everything';
  if (change.kind === 'weight') return `${name}: weight ${change.weight} now`;
  return `${name}: ${conditionTexts[change.to]}`;
}

const conditionTexts: Readonly<Record<EndpointCondition, string>> = {
  healthy: 'healthy now',
  degraded: 'EDS reports DEGRADED',
  draining: 'EDS reports DRAINING',
  unhealthy: 'EDS reports UNHEALTHY',
  slow: 'connections are lost, and new ones are slow',
  dead: 'connections are lost, and new ones are rejected',
};
