import type { ClientReport } from './client-state';

/** Whether the report ended after a single poll or a single stream. */
export function isBriefReport({ goneAt, hasReturned, lastNamedAt, firstSeenAt }: ClientReport): boolean {
  if (goneAt === null || hasReturned === true) return false;
  // A poll's answer comes after its question: the poll that named the client last was the first one to do so.
  return lastNamedAt === undefined || lastNamedAt <= firstSeenAt;
}
