import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';

/** Of one client there is but one line by client. */
export const clientLoadChoices = loadGroupingChoices.filter(({ value }) => value !== 'client');
