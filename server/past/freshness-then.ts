import type { FreshnessOf } from '@/lib/view-model/client/choose-report';

/** As things were then: a report that had ended counts less than one that had not. */
export const freshnessThen: FreshnessOf = ({ goneAt, goneReason }) => ({
  freshness: goneAt === null ? 'live' : 'gone',
  reason: goneReason,
  lastSeenAt: null,
});
