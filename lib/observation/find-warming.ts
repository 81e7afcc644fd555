import type { Stage } from './resource-state';

interface Version<Time> {
  readonly versionInfo: string;
  readonly lastUpdated: Time | null;
  readonly hash: string | null;
}

/** The version of a resource that warms. */
export function findWarming<Time>(
  row: Version<Time> & {
    readonly stage?: Stage | undefined;
    readonly otherVersions?: readonly (Version<Time> & { readonly stage: Stage })[] | undefined;
  },
): Version<Time> | undefined {
  if (row.stage === 'warming') return row;
  return row.otherVersions?.find(({ stage }) => stage === 'warming');
}
