import { loadGroupingChoices } from '@/lib/view-model/load/load-choices';

export const clientLoadChoices = loadGroupingChoices.filter(
  ({ value }) => value !== 'client' && value !== 'client-locality',
);
