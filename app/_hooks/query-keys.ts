import type { IdentityKind } from '@/lib/fleet/identity-kinds';
import type { SizeSort } from '@/lib/fleet/size-group';
import type { HistoryParams } from './history-params';

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

export type BodyFormat = 'json' | 'yaml' | 'binary';

/** Keys of the query cache. app/_ask/client-subject.ts has those of what is known about one client. */
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
  resourceBodies: ['body'],
  resourceBody: (hash: string, format: BodyFormat) => ['body', hash, format],
  history: ['history'],
  /** Of all clients: "". */
  historyNewest: (clientId: string) => ['history', 'newest', clientId],
  historyPages: (params: HistoryParams, anchor: string | null) => ['history', 'pages', params, anchor],
  clientStreams: (clientId: string) => ['history', 'streams', clientId],
  historyTimeline: (params: HistoryParams) => ['history', 'timeline', params],
  historyDetail: (seq: number, offset: number) => ['history', 'detail', seq, offset],
} as const satisfies Record<string, readonly unknown[] | ((...parts: never[]) => readonly unknown[])>;
