import type { ReferenceListKind } from '@/lib/api/resolved';
import type { ResourceQuestion } from '@/lib/view-model/client-resources/resource-question';
import type { IdentityKind } from '@/lib/view-model/fleet/identity-kinds';
import type { SizeSort } from '@/lib/view-model/sizes/size-sorts';
import type { HistoryParams } from './history-queries';

/** How the neighbourhood that a graph shows is chosen; all of it lives in the URL. */
export interface GraphParams {
  readonly limit?: number;
  /** Ids of aggregates that are opened. */
  readonly expand?: readonly string[];
  readonly focus?: string;
  readonly find?: string;
  /** Marks the nodes by the resolved config of a listener. */
  readonly resolve?: Pick<ResolvedParams, 'listener' | 'profile' | 'errors'>;
}

/** The question that GET .../resolved answers, in its words; what is empty or left out is the server's to choose. */
export interface ResolvedParams {
  /** Not both. */
  readonly target?: string;
  readonly listener?: string;
  readonly profile?: string;
  readonly errors?: string;
  /** Of the clusters. */
  readonly offset?: number;
  readonly limit?: number;
  readonly find?: string;
  readonly status?: string;
  readonly cluster?: string;
  readonly endpoints?: number;
  /** As formatTablePages() writes them. */
  readonly hostsFrom?: string;
  readonly routesFrom?: string;
  /** Of the listeners to begin with. */
  readonly starts?: string;
}

/** The question that GET .../findings answers, in its words; what is empty or left out is not said. */
export interface FindingsParams {
  readonly profile?: string;
  readonly rule?: string;
  readonly only?: string;
  readonly typeUrl?: string;
  readonly name?: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** The question that GET .../changes answers, in its words; `to` "": now. */
export interface ChangesParams {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly content: 'all' | 'other';
  readonly offset: number;
  readonly limit: number;
}

export interface ReferencesParams {
  readonly kind: ReferenceListKind;
  readonly offset: number;
  readonly limit: number;
}

/** The question that GET nacks answers, in its words; what is empty or left out is not said. */
export interface NackParams {
  readonly client?: string;
  readonly type?: string;
  readonly resource?: string;
  readonly text?: string;
  readonly state?: string;
  readonly from?: string;
  readonly to?: string;
}

/** The question that GET fleet answers, in its words, without the window. */
export interface FleetParams {
  readonly q: string;
  /** `-` before it: from the biggest down. */
  readonly sort: string;
  /** "": not grouped. */
  readonly group: string;
  readonly open: readonly string[];
}

export interface CohortsParams {
  /** "": all types together. */
  readonly type: string;
  readonly q: string;
}

/** The question that GET sizes answers; what is empty is not said. */
export interface SizesParams {
  readonly client: string;
  readonly type: string;
  readonly name: string;
  readonly filter: string;
  readonly group: string;
  readonly sort: SizeSort;
}

export interface IdentityParams {
  readonly kind: IdentityKind;
  readonly q: string;
  readonly offset: number;
}

/** The question that GET .../truth answers, in its words; what is empty is not said. */
export interface TruthParams {
  readonly only: 'all' | 'differs';
  readonly q: string;
  readonly offset: number;
  /** A moment of the past; empty: now. */
  readonly at: string;
  /** Of one resource alone. */
  readonly type?: string;
  readonly name?: string;
}

export type BodyFormat = 'json' | 'yaml' | 'binary';

/**
 * The query cache's keys. All that belongs to one client begins with ['client', id], so that a change of the client
 * reaches all of it.
 */
export const queryKeys = {
  health: ['health'],
  pins: ['pins'],
  replays: ['replays'],
  imports: ['imports'],
  importProblems: (id: string, page: number) => ['import-problems', id, page],
  exportEstimate: (query: string) => ['export-estimate', query] as const,
  sources: ['sources'],
  credentials: ['credentials'],
  descriptorSets: ['descriptor-sets'],
  /** Windows of the list, and its cohorts; the last part of each key is the question. */
  fleet: ['fleet'],
  fleetPage: (question: FleetParams, offset: number) => ['fleet', 'page', question, offset],
  /** Those that a text finds, and how many there are. */
  foundClients: (text: string, limit: number) => ['fleet', 'found', text, limit],
  cohorts: (question: CohortsParams) => ['fleet', 'cohorts', question],
  /** Not below `fleet`: they are asked for now and then, not with each client that changes. */
  metadataKeys: ['metadata-keys'],
  sizes: (params: SizesParams) => ['sizes', params],
  identity: (params: IdentityParams) => ['fleet', 'identity', params],
  divergences: ['divergences'],
  events: ['events'],
  load: ['load'],
  nacks: ['nacks'],
  nackPage: (params: NackParams, limit: number) => ['nacks', 'list', params, limit],
  nackDetail: (groupId: string) => ['nacks', 'group', groupId],
  nackOf: (clientId: string, typeUrl: string, name: string) => ['nacks', 'of', clientId, typeUrl, name],
  lab: ['lab'],
  labResources: ['lab', 'resources'],
  client: (clientId: string) => ['client', clientId],
  clientDetail: (clientId: string) => ['client', clientId, 'detail'],
  clientResources: (clientId: string) => ['client', clientId, 'resources'],
  /** Of every question about them; the last part of each key is the question. */
  clientAllResourcePages: (clientId: string) => ['client', clientId, 'resources', 'pages'],
  clientResourcePages: (clientId: string, question: ResourceQuestion) => [
    'client',
    clientId,
    'resources',
    'pages',
    question,
  ],
  clientResourceCounts: (clientId: string) => ['client', clientId, 'resources', 'counts'],
  clientGraphs: (clientId: string) => ['client', clientId, 'graph'],
  clientGraph: (clientId: string, params: GraphParams) => ['client', clientId, 'graph', params],
  clientResolveds: (clientId: string) => ['client', clientId, 'resolved'],
  clientResolved: (clientId: string, params: ResolvedParams) => ['client', clientId, 'resolved', params],
  clientTears: (clientId: string) => ['client', clientId, 'tears'],
  clientFindings: (clientId: string) => ['client', clientId, 'findings'],
  clientReferences: (clientId: string) => ['client', clientId, 'references'],
  /** LB policies, simulations, and which priority carried traffic when. */
  clientTraffic: (clientId: string) => ['client', clientId, 'traffic'],
  clientLoad: (clientId: string) => ['client', clientId, 'load'],
  clientTruths: (clientId: string) => ['client', clientId, 'truth'],
  clientTruth: (clientId: string, params: TruthParams) => ['client', clientId, 'truth', params],
  clientLinks: (clientId: string) => ['client', clientId, 'links'],
  resourceLinks: (clientId: string, typeUrl: string, name: string) => [
    'client',
    clientId,
    'links',
    typeUrl,
    name,
  ],
  resourceBodies: ['body'],
  resourceBody: (hash: string, format: BodyFormat) => ['body', hash, format],
  history: ['history'],
  /** Of all clients: "". */
  historyNewest: (clientId: string) => ['history', 'newest', clientId],
  historyPages: (params: HistoryParams, anchor: string | null) => ['history', 'pages', params, anchor],
  clientStreams: (clientId: string) => ['history', 'streams', clientId],
  historyTimeline: (params: HistoryParams) => ['history', 'timeline', params],
  historyDetail: (seq: number, offset: number) => ['history', 'detail', seq, offset],
  permalink: (id: string) => ['permalink', id],
} as const satisfies Record<string, readonly unknown[] | ((...parts: never[]) => readonly unknown[])>;
