import { omitEmpty } from '@/app/_ask/query-text';
import { useQuestion } from '@/app/_ask/use-question';
import type { Extent } from '@/app/_hooks/extent';
import type { LoadGrouping } from '@/lib/load/load-question';

export interface LoadQuestion extends Extent {
  readonly by: LoadGrouping;
  /** Empty: all clusters. */
  readonly cluster: string;
  /** Empty: all clients. */
  readonly client: string;
}

export interface SplitChoice {
  /** Empty: not known yet, or no load was reported. */
  readonly cluster: string;
  readonly client: string;
  readonly isUnreported: boolean;
}

/** What the expected split is shown of: the chosen client and cluster, or else those with the most load. */
export function useSplitDefaults(question: LoadQuestion, isShown: boolean): SplitChoice {
  const { from, to, client: chosenClient } = question;
  const busiest = { from, to, limit: 1 };
  const clusters = useQuestion(
    'load/totals',
    { ...busiest, by: 'cluster', ...omitEmpty({ client: chosenClient }) },
    isShown && question.cluster === '' ? {} : { enabled: false },
  ).data;
  const cluster = question.cluster !== '' ? question.cluster : (clusters?.groups[0]?.key.clusterName ?? '');
  const clients = useQuestion(
    'load/totals',
    { ...busiest, by: 'client', cluster },
    isShown && chosenClient === '' && cluster !== '' ? {} : { enabled: false },
  ).data;
  const client = chosenClient !== '' ? chosenClient : (clients?.groups[0]?.key.clientId ?? '');
  const isUnreported = clusters?.groups.length === 0 || clients?.groups.length === 0;
  return { cluster, client, isUnreported: isUnreported && (cluster === '' || client === '') };
}
