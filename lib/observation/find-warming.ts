import type { Stage } from './effect-stage';

interface Version<Time> {
  readonly versionInfo: string;
  readonly lastUpdated: Time | null;
  readonly hash: string | null;
}

export interface WarmingRow<Time> extends Version<Time> {
  readonly stage?: Stage | undefined;
  readonly otherVersions?: readonly (Version<Time> & { readonly stage: Stage })[] | undefined;
}

/** The version of a resource that warms. */
export function findWarming<Time>(row: WarmingRow<Time>): Version<Time> | undefined {
  if (row.stage === 'warming') return row;
  return row.otherVersions?.find(({ stage }) => stage === 'warming');
}
