import type * as z from 'zod';
import type { node, side } from './field-schemas';
import type { declaredSource, observation } from './observation-schemas';
import type { ReadonlyDeep } from './readonly-deep';

export type { Locality } from './locality';
export type { Vantage } from './vantage';

export type Side = z.infer<typeof side>;
export type ClientEvidence = NonNullable<NodeInfo['evidence']>;
export type NodeInfo = ReadonlyDeep<z.infer<typeof node>>;
export type DeclaredSource = ReadonlyDeep<z.infer<typeof declaredSource>>;

export type Observation = ReadonlyDeep<z.infer<typeof observation>>;
export type Recorded<T extends Observation = Observation> = T & { readonly seq: number };

type OfKind<Kind extends Observation['kind']> = Extract<Observation, { readonly kind: Kind }>;
export type SourceDeclared = OfKind<'source-declared'>;
export type ClientConfigChanged = OfKind<'client-config-changed'>;
export type ClientGone = OfKind<'client-gone'>;
export type StreamOpened = OfKind<'stream-opened'>;
export type AckSent = OfKind<'ack-sent'>;
export type NackSent = OfKind<'nack-sent'>;
export type LoadReported = OfKind<'load-reported'>;
export type ConnectionsChanged = OfKind<'connections-changed'>;

export type Problem = OfKind<'source-down'>['problem'];
export type ReceivedResource = OfKind<'response-received'>['resources'][number];
/** 64-bit counters travel as decimal strings: they may exceed 2^53. */
export type Uint64 = string;
export type ClusterLoad = LoadReported['clusters'][number];
export type LocalityLoad = ClusterLoad['localities'][number];
export type EndpointLoad = NonNullable<LocalityLoad['endpoints']>[number];
export type LoadMetric = NonNullable<LocalityLoad['metrics']>[number];
