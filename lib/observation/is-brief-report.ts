import type { ClientReport } from './client-state';

/** Returns true if the report ended after a single poll or a single stream. */
export function isBriefReport({ goneAt, hasReturned, lastNamedAt, firstSeenAt }: ClientReport): boolean {
  if (goneAt === null || hasReturned === true) return false;
  // Equal times mean that the first poll that named the client was also the last one.
  return lastNamedAt === undefined || lastNamedAt <= firstSeenAt;
}
