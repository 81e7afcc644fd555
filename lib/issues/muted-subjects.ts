import type { IssueAt } from './issue-at';

/**
 * The keys of what a mute of the issue covers: its clients at that time, so that one that has it later opens it again. A known
 * bug is that of a release, whichever clients run it.
 */
export function mutedSubjects({ record: { id, cause }, periods }: IssueAt): string[] {
  return cause.kind === 'notice' ? [id] : periods.map(({ clientId }) => `${id} ${clientId}`);
}
