import type { FreshnessOf } from '@/lib/views/client/choose-report';

/** A report that had ended by then is less fresh than one that had not. */
export const freshnessThen: FreshnessOf = ({ goneAt, goneReason }) => ({
  freshness: goneAt === null ? 'live' : 'gone',
  reason: goneReason,
  lastSeenAt: undefined,
});
