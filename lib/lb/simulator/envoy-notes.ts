import { whyApproximate } from '../envoy/envoy-balancing';
import type { TrafficPriority } from './traffic-cluster';

/** What Envoy does otherwise than the config alone suggests, one sentence each. Of an aggregate, for each leaf cluster. */
export function envoyNotesOf(priorities: readonly TrafficPriority[], isAggregate: boolean): string[] {
  const leaves = [...new Set(priorities.map(({ cluster }) => cluster))];
  const ofNote = new Map<string, string[]>();
  for (const leaf of leaves)
    for (const note of notesOfLeaf(priorities.filter(({ cluster }) => cluster === leaf)))
      ofNote.set(note, [...(ofNote.get(note) ?? []), leaf]);
  const notes = [...ofNote].map(([note, those]) =>
    those.length === leaves.length ? note : `${those.map((leaf) => `cluster "${leaf}"`).join(', ')}: ${note}`,
  );
  return isAggregate
    ? [
        'an aggregate: Envoy divides requests among the priorities of all leaf clusters as in one list, by the panic threshold of the aggregate; the leaf cluster then chooses an endpoint by its own settings',
        ...notes,
      ]
    : notes;
}

function notesOfLeaf(priorities: readonly TrafficPriority[]): string[] {
  const [first] = priorities;
  if (first === undefined) return [];
  const { envoy } = first;
  const notes: string[] = [];
  if (!envoy.isLocalityWeighted && priorities.some(({ localities }) => localities.length > 1))
    notes.push('the cluster has no locality_weighted_lb_config: Envoy ignores the weights of localities');
  const hasWeights = priorities.some(({ localities }) => {
    const weights = localities.flatMap(({ endpoints }) => endpoints.map(({ weight }) => weight));
    return weights.some((weight) => weight !== weights[0]);
  });
  const approximate = whyApproximate(envoy.policy, hasWeights);
  if (approximate !== '') notes.push(approximate);
  const { isHealthChecked, maxEjectionPercent } = envoy.detection;
  if (!isHealthChecked && maxEjectionPercent !== null)
    notes.push(
      'outlier_detection ejects an endpoint after consecutive failures: until then, and for up to a second more, its requests fail',
    );
  return notes;
}
