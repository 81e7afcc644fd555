import type { ResourceKey } from '../observation/resource-state';

export const stages = [
  'listener',
  'filter-chain',
  'connection-manager',
  'route-config',
  'virtual-host',
  'route',
  'http-filter',
  'action',
  'cluster',
  'endpoints',
] as const;
export type Stage = (typeof stages)[number];

export const verdicts = ['taken', 'not-taken', 'depends', 'unknown'] as const;
/** `depends`: on something that is not in the request, as the reason states. `unknown`: the config is not known. */
export type Verdict = (typeof verdicts)[number];

/** The resource that decides a step, as far as it is reported. */
export interface StepResource extends ResourceKey {
  readonly versionInfo?: string | undefined;
  readonly hash?: string | undefined;
}

export interface Step {
  readonly stage: Stage;
  readonly verdict: Verdict;
  /** What is considered, as in `route 3 "api"`. */
  readonly title: string;
  /** Why, as the part of a sentence; empty if the title says it. */
  readonly reason: string;
  readonly resource?: StepResource | undefined;
  /** The field of the resource, such as "virtualHosts[0].routes[2].match.headers[0]"; empty for the whole. */
  readonly path: string;
  /** What applies to the request because of the step: the timeout, rewrites, retries. */
  readonly settings?: readonly Setting[];
}

export interface Setting {
  readonly name: string;
  readonly value: string;
}

export interface PossibleEndpoint {
  readonly address: string;
  readonly priority: string;
  readonly locality: string;
  /** The share of the requests to the cluster; absent if it is not known. */
  readonly percent?: number;
}

/** What the caller gets. Absent parts are not reached or not known. */
export interface Outcome {
  /** `forwarded`: to an endpoint, which answers. */
  readonly kind: 'forwarded' | 'answered' | 'failed' | 'unknown';
  /** The answer of the client itself, as a part of a sentence. */
  readonly text: string;
  readonly status?: number;
  readonly grpcCode?: string;
  /** The response flag of Envoy, such as "NR". */
  readonly flag?: string;
  readonly location?: string;
  readonly listener?: string;
  readonly filterChain?: string;
  readonly virtualHost?: string;
  /** The name of the route; if it has none, its place, such as "route 3". */
  readonly route?: string;
  readonly cluster?: string;
  readonly endpoints?: readonly PossibleEndpoint[];
  /** Set if the zone of the client decides among the endpoints. */
  readonly isByZone?: true;
  /** Set if the hash of the request decides among the endpoints, by their addresses. */
  readonly isByHash?: true;
  /** The HTTP filter that answers in place of an endpoint, or may do so; absent: none. */
  readonly filter?: string;
  /** Set if an external service lets the filter answer. */
  readonly isService?: true;
}

/** One of the ways that the request may take. */
export interface Branch extends Outcome {
  /** On what it depends, as the part of a sentence; empty if there is no other branch. */
  readonly when: string;
  /** The share of requests that take it, if every input is known. */
  readonly percent?: number;
}

export interface Trace {
  readonly steps: readonly Step[];
  /** At least one. */
  readonly branches: readonly Branch[];
}
