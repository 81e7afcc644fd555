import { formatCounted } from '../../format/count';
import { conditionOfHealth, type EndpointCondition } from '../../lb/simulator/endpoint-condition';
import { chooseByRank, fairShares } from './fair-shares';
import type { FailoverMoment, FailoverSimulation } from './schema';

export interface FlowNode {
  /** Unique, and stable between moments. */
  readonly key: string;
  readonly kind: 'requests' | 'priority' | 'locality' | 'endpoint' | 'rest' | 'waiting' | 'failing';
  readonly label: string;
  /** Shown beside the label; may be empty. */
  readonly detail: string;
  /** The share of all requests that are not dropped, 0 to 1. */
  readonly load: number;
  /** Set for endpoints. */
  readonly condition?: EndpointCondition | undefined;
  readonly children: readonly FlowNode[];
}

export type FlowSide = 'grpc' | 'envoy';

/** The largest number of localities, which priorities share evenly. The others are summed up. */
const localitiesDrawn = 24;
/** The requests go there, as drawn; and as measured, none succeeded. */
const everyRequestFails = 'every request failed';
/** If there are more endpoints, none is drawn. */
const endpointsDrawn = 48;

/**
 * Builds requests -> priorities -> localities -> endpoints. Requests that are not served are beside the priorities. Where routes of
 * an Envoy send failed requests again, these are attempts: fewer requests fail.
 */
export function buildFlow(
  { priorities, retriedOn }: Pick<FailoverSimulation, 'priorities' | 'retriedOn'>,
  moment: FailoverMoment,
  side: FlowSide,
): FlowNode {
  const areAttempts = side === 'envoy' && retriedOn.length > 0;
  const of = moment[side];
  const shares = fairShares(
    priorities.map(({ localities }) => localities.length),
    localitiesDrawn,
  );
  const hasEndpoints =
    priorities.reduce((all, { endpointsTotal }) => all + endpointsTotal, 0) <= endpointsDrawn;
  const children = priorities.map((priority, p): FlowNode => {
    const key = `P${p}`;
    const load = of.priorities[p]?.load ?? 0;
    const numbered = priority.localities.map((locality, l) => ({ locality, l }));
    const drawn = chooseByRank(numbered, shares[p] ?? 0, ({ l }) =>
      isChanged(priority, moment, p, l) ? 0 : 1,
    );
    const localities = drawn.map(({ locality, l }): FlowNode => {
      const own = of.localities[p]?.[l] ?? 0;
      const listed = hasEndpoints ? locality.endpoints : [];
      const endpoints = listed.map(
        ({ address, failure }, e): FlowNode => ({
          ...node(`${key}/${l}/${e}`, 'endpoint', address, of.endpoints[p]?.[l]?.[e] ?? 0),
          detail: failure === 'requests' ? everyRequestFails : '',
          condition: moment.conditions[p]?.[l]?.[e],
        }),
      );
      const more = locality.endpointsTotal - endpoints.length;
      const rest = hasEndpoints ? restOf(`${key}/${l}`, more, 'endpoint', own - sum(endpoints)) : [];
      const weight = moment.weights[p]?.[l] ?? null;
      const weighed = [
        ...(locality.isFailing ? [everyRequestFails] : []),
        weight === null ? 'no weight' : `weight ${weight}`,
      ].join(', ');
      return {
        ...node(`${key}/${l}`, 'locality', locality.name, own),
        detail: hasEndpoints ? weighed : `${weighed}, ${formatCounted(locality.endpointsTotal, 'endpoint')}`,
        children: [...endpoints, ...rest],
      };
    });
    const more = priority.localitiesTotal - localities.length;
    const rest = restOf(key, more, 'locality', load - sum(localities));
    return {
      ...node(key, 'priority', priority.name, load),
      detail: stateOf(moment, side, p),
      children: [...localities, ...rest],
    };
  });
  const unserved = 1 - sum(children);
  const isWaiting = side === 'grpc' && moment.grpc.outcome === 'waiting';
  const kind = isWaiting ? 'waiting' : 'failing';
  const label = areAttempts ? 'failing attempts' : kind;
  const detail = areAttempts ? 'routes send them again' : '';
  const sink = unserved < 1e-4 ? [] : [{ ...node(kind, kind, label, unserved), detail }];
  const root = node('requests', 'requests', areAttempts ? 'attempts' : 'requests', 1);
  return { ...root, children: [...children, ...sink] };
}

function isChanged(
  { localities }: FailoverSimulation['priorities'][number],
  moment: FailoverMoment,
  priority: number,
  place: number,
): boolean {
  const locality = localities[place];
  if (locality === undefined) return false;
  if ((moment.weights[priority]?.[place] ?? undefined) !== locality.weight) return true;
  const conditions = moment.conditions[priority]?.[place] ?? [];
  return locality.endpoints.some(({ health }, at) => conditions[at] !== conditionOfHealth(health));
}

function node(key: string, kind: FlowNode['kind'], label: string, load: number): FlowNode {
  return { key, kind, label, detail: '', load, children: [] };
}

function restOf(key: string, count: number, what: 'endpoint' | 'locality', load: number): FlowNode[] {
  if (count <= 0) return [];
  const words = what === 'endpoint' ? 'endpoints' : 'localities';
  return [node(`${key}/rest`, 'rest', `${count} more ${count === 1 ? what : words}`, Math.max(0, load))];
}

function stateOf(moment: FailoverMoment, side: FlowSide, priority: number): string {
  if (side === 'envoy') {
    const reported = moment.envoy.priorities[priority];
    if (reported === undefined) return '';
    const available = Math.min(100, reported.healthyAvailability + reported.degradedAvailability);
    return reported.isPanic ? 'panic' : `${available}% available`;
  }
  const reported = moment.grpc.priorities[priority];
  if (reported === undefined || reported.state === undefined) return 'not tried';
  return reported.state === 'TRANSIENT_FAILURE' ? 'FAILED' : reported.state;
}

function sum(nodes: readonly FlowNode[]): number {
  return nodes.reduce((all, { load }) => all + load, 0);
}
