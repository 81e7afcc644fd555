import type { EndpointCondition } from './endpoint-condition';

/** The target of a change. An absent member matches everything; `priority` is an index in the order of the cluster. */
export interface ChangeTarget {
  readonly priority?: number | undefined;
  /** Formatted, as in "eu / eu-1". */
  readonly locality?: string | undefined;
  readonly address?: string | undefined;
}

/** Maximum number of changes in one simulation. */
export const maxChanges = 200;

export type Change =
  | {
      readonly kind: 'condition';
      readonly at: number;
      readonly target: ChangeTarget;
      readonly to: EndpointCondition;
    }
  | { readonly kind: 'weight'; readonly at: number; readonly target: ChangeTarget; readonly weight: number }
  /** Sets the overprovisioning factor, in per cent. */
  | { readonly kind: 'factor'; readonly at: number; readonly percent: number };

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
