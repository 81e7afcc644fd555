import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';

/** Groupings that are useful for a single client. */
export const clientLoadChoices = loadGroupingChoices.filter(
  ({ value }) => value !== 'client' && value !== 'client-locality',
);
