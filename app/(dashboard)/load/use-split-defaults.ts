import { type LoadParams, useLoadTotals } from '../../_hooks/load-queries';

export interface SplitChoice {
  /** Empty: not known yet, or no load was reported. */
  readonly cluster: string;
  readonly client: string;
  readonly isUnreported: boolean;
}

/** What the expected split is shown of: the chosen client and cluster, or else those with the most load. */
export function useSplitDefaults(question: LoadParams, isShown: boolean): SplitChoice {
  const busiest = { limit: 1 };
  const clusters = useLoadTotals(
    { ...question, ...busiest, by: 'cluster', cluster: '' },
    isShown && question.cluster === '',
  ).data;
  const cluster = question.cluster !== '' ? question.cluster : (clusters?.groups[0]?.key.clusterName ?? '');
  const clients = useLoadTotals(
    { ...question, ...busiest, by: 'client', client: '', cluster },
    isShown && question.client === '' && cluster !== '',
  ).data;
  const client = question.client !== '' ? question.client : (clients?.groups[0]?.key.clientId ?? '');
  const isUnreported = clusters?.groups.length === 0 || clients?.groups.length === 0;
  return { cluster, client, isUnreported: isUnreported && (cluster === '' || client === '') };
}
