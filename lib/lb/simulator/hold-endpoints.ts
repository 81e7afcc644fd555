import { holdsEndpoints } from '../../resolve/endpoint-use';
import { conditionCode } from './endpoint-condition';
import { type EndpointTable, endpointsOfLocality, localitiesOfPriority } from './endpoint-table';
import { asGrpc, type SimulatorState } from './simulator-state';

export function holdEndpoints(
  table: EndpointTable,
  before: SimulatorState,
  after: SimulatorState,
): SimulatorState['held'] {
  const { priorities, profile } = table.cluster;
  if (!holdsEndpoints(profile)) return null;
  const used = asGrpc(before);
  const held = { conditions: after.conditions.slice(), weights: [...after.weights] };
  let isHeld = false;
  for (const leaf of new Set(priorities.map(({ cluster }) => cluster))) {
    const own = localitiesOfLeaf(table, leaf);
    const isUsable = (state: SimulatorState): boolean => own.some((at) => hasUsable(table, state, at));
    if (isUsable(after) || !isUsable(used)) continue;
    isHeld = true;
    for (const locality of own) {
      const [from, end] = endpointsOfLocality(table, locality);
      held.conditions.set(used.conditions.subarray(from, end), from);
      held.weights[locality] = used.weights[locality];
    }
  }
  return isHeld ? held : null;
}

function localitiesOfLeaf(table: EndpointTable, leaf: string): number[] {
  return table.cluster.priorities.flatMap(({ cluster }, priority) => {
    const [first, last] = localitiesOfPriority(table, priority);
    return cluster === leaf ? Array.from({ length: last - first }, (_, at) => first + at) : [];
  });
}

function hasUsable(table: EndpointTable, { conditions, weights }: SimulatorState, locality: number): boolean {
  if (!weights[locality]) return false;
  const { healthy, slow, dead } = conditionCode;
  const [from, end] = endpointsOfLocality(table, locality);
  return conditions.subarray(from, end).some((code) => code === healthy || code === slow || code === dead);
}
