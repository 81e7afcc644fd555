import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';

/** Of one client there is but one line by client, and localities are its own. */
export const clientLoadChoices = loadGroupingChoices.filter(
  ({ value }) => value !== 'client' && value !== 'client-locality',
);
