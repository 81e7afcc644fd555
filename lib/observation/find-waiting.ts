import type { State } from '../xds/status';
import { findWarming, type WarmingRow } from './find-warming';
import type { ResourceKey } from './resource-state';

export const waitingStates = ['WARMING', 'NO_ANSWER'] as const satisfies readonly State[];

/** A resource that waits: WARMING for other resources, NO_ANSWER for the answer of the client. */
export interface Waiting<Time> {
  readonly state: (typeof waitingStates)[number];
  /** The version that warms, or that was sent. */
  readonly versionInfo: string;
  readonly since: Time;
  /** Set for WARMING only; empty: not reported. */
  readonly waitsFor: readonly ResourceKey[];
}

interface Row<Time> extends WarmingRow<Time> {
  readonly waitsFor?: readonly ResourceKey[] | undefined;
  readonly unanswered?: { readonly versionInfo: string; readonly at: Time } | undefined;
  readonly changedAt: Time;
}

/** Empty for most resources. `state`: the state of the row, which is worse than WARMING if the version was rejected. */
export function findWaiting<Time>(row: Row<Time>, state: State | null): Waiting<Time>[] {
  const { unanswered, waitsFor = [], changedAt } = row;
  const warming = state === 'WARMING' ? findWarming(row) : undefined;
  return [
    ...(warming === undefined
      ? []
      : [
          {
            state: 'WARMING' as const,
            versionInfo: warming.versionInfo,
            since: warming.lastUpdated ?? changedAt,
            waitsFor,
          },
        ]),
    ...(unanswered === undefined
      ? []
      : [
          {
            state: 'NO_ANSWER' as const,
            versionInfo: unanswered.versionInfo,
            since: unanswered.at,
            waitsFor: [],
          },
        ]),
  ];
}
