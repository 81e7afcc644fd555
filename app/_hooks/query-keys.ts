import type { IdentityKind } from '@/lib/fleet/identity-kinds';
import type { SizeSort } from '@/lib/fleet/size-group';

export const eventLimit = 200;

/** The number of groups that a list shows at first, and adds per click. The server prefetches as many. */
export const nackLimit = 300;

/** A time range as texts of lib/time ("now-15m", "oldest", ISO 8601); an empty `to` is now. extent.ts resolves it. */
export interface Extent {
  readonly from: string;
  readonly to: string;
}

/** The query of GET history; empty values are left out. */
export interface HistoryParams {
  readonly client: string;
  readonly stream: string;
  readonly type: readonly string[];
  readonly kind: readonly string[];
  readonly resource: string;
  readonly version: string;
  readonly error: string;
  /** 'true': only NACKs; empty: every event. */
  readonly rejected: string;
  readonly from: string;
  readonly to: string;
}

/** Lines of the list of clients that one request reads. */
export const fleetLinesPerPage = 100;
export const identityPerPage = 100;

/** The list of the Overview and the count of the navigation. */
export const openIssues: IssueParams = { state: 'open' };

/** Terminated clients are no active issues. */
export const troubledFilter = 'trouble=yes fresh!=gone';
/** All clients in trouble, the worst first. */
export const troubledQuestion: FleetParams = { q: troubledFilter, sort: 'status', group: '', open: [] };

/** Clients with a resource that warms or a response without an answer. */
export const waitingFilter = 'is=waiting fresh!=gone';
export const waitingQuestion: FleetParams = { q: waitingFilter, sort: 'status', group: '', open: [] };

/** The clients of the lab, whose node ids begin with this word. */
export const labClientsQuestion: FleetParams = { q: 'shop fresh=live', sort: 'client', group: '', open: [] };

/** The query of GET nacks; empty values are left out. */
export interface NackParams {
  readonly client?: string;
  readonly type?: string;
  readonly resource?: string;
  readonly q?: string;
  readonly state?: string;
  readonly terminated?: string;
  /** A time range as of an Extent. */
  readonly from?: string;
  readonly to?: string;
}

/** The query of GET issues; empty values are left out. */
export interface IssueParams {
  readonly state?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

/** The query of GET fleet without its window. */
export interface FleetParams {
  readonly q: string;
  /** A leading `-` sorts in descending order. */
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

/** The query of GET sizes; empty values are left out. */
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

/** Keys of the query cache. Those for one client are in app/_ask/client-subject.ts. */
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
  /** The prefix of the windows of the list and of its cohorts; the last part of each key is the query. */
  fleet: ['fleet'],
  fleetPage: (question: FleetParams, offset: number) => ['fleet', 'page', question, offset],
  foundClients: (text: string, limit: number) => ['fleet', 'found', text, limit],
  cohorts: (question: CohortsParams) => ['fleet', 'cohorts', question],
  /** Not below `fleet`, because they are fetched at intervals and not with each change of a client. */
  metadataKeys: ['metadata-keys'],
  sizes: (params: SizesParams) => ['sizes', params],
  identity: (params: IdentityParams) => ['fleet', 'identity', params],
  events: ['events'],
  load: ['load'],
  nacks: ['nacks'],
  /** The prefix of the lists of issues and of each issue. */
  issues: ['issues'],
  issuePage: (params: IssueParams) => ['issues', 'list', params],
  fleetStrip: (extent: Extent, oldestAt: string | null) => ['issues', 'strip', extent, oldestAt],
  issue: (issueId: string) => ['issues', 'issue', issueId],
  nackPage: (params: NackParams, limit: number) => ['nacks', 'list', params, limit],
  nackDetail: (groupId: string) => ['nacks', 'group', groupId],
  nackOf: (clientId: string, typeUrl: string, name: string) => ['nacks', 'of', clientId, typeUrl, name],
  lab: ['lab'],
  labResources: ['lab', 'resources'],
  resourceBodies: ['body'],
  resourceBody: (hash: string, format: BodyFormat) => ['body', hash, format],
  bodyField: (hash: string, format: BodyFormat, field: string) => ['body', hash, format, 'field', field],
  history: ['history'],
  /** An empty id means all clients. */
  historyNewest: (clientId: string) => ['history', 'newest', clientId],
  historyPages: (params: HistoryParams, anchor: string | null) => ['history', 'pages', params, anchor],
  clientStreams: (clientId: string) => ['history', 'streams', clientId],
  historyTimeline: (params: HistoryParams) => ['history', 'timeline', params],
  historyDetail: (seq: number, offset: number) => ['history', 'detail', seq, offset],
} as const satisfies Record<string, readonly unknown[] | ((...parts: never[]) => readonly unknown[])>;
