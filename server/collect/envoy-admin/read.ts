import { findWarming } from '@/lib/observation/find-warming';
import type { ResourceState } from '@/lib/observation/resource-state';
import { findClient } from '@/lib/resolve/client-profile';
import { CDS, EDS } from '@/lib/xds/resource-type';
import type { ReportedResource } from '../../codec/codec';
import { CodecError } from '../../codec/codec-error';
import {
  applyEndpointHealth,
  type EndpointHealth,
  isSameHealth,
} from '../../codec/dump-parser/endpoint-health';
import type { ReportProblem } from '../../codec/dump-parser/report-plan';
import { unknownNode } from '../../codec/node-info';
import type { RedactionMarker } from '../../codec/redaction-marker';
import type { Body } from '../../observe';
import type { ReportChanges } from '../poll-diff/apply-changes';
import { compareAnswers } from '../poll-diff/compare-answers';
import { copyBodies } from '../poll-diff/copy-bodies';
import type { KnownClients } from '../poll-diff/known-clients';
import type { AdminDocument } from './admin-document';
import { applyStatistics, clusterStatistic, type NamesOfClusters } from './apply-statistics';
import { findSamples } from './find-samples';
import { applyWaits } from './find-waits';
import type { ConnectionReports } from './host-tracker';
import { type KeptRows, readDocument } from './read-document';
import type { Sample } from './read-statistics';
import { keepRejectedSecrets } from './rejected-secrets';
import type { StatisticsFindings } from './statistics-requests';

export interface AdminAnswer {
  readonly document: AdminDocument;
  readonly bytes: Uint8Array;
}

export interface AnswersRequest {
  readonly answers: readonly AdminAnswer[];
  /** The document was requested, and Envoy does not have it. */
  readonly absent: readonly AdminDocument[];
  /** Every document was requested: what was known before is replaced. */
  readonly isWhole: boolean;
  readonly sourceId: string;
  /** The node id of an Envoy that reports none. */
  readonly target: string;
  readonly at: number;
  /** The time when the previous answers were requested. Absent: there were none. */
  readonly previousAt?: number;
  /** Absent: statistics were not read. */
  readonly statistics?: StatisticsFindings;
  /** They differ from those of the previous request. */
  readonly hasNewStatistics?: boolean;
  /** The secrets that an earlier process of xdscope saw rejected, by key. */
  readonly rejectedSecrets?: ReadonlyMap<string, ResourceState>;
}

export type KeptDocuments = ReadonlyMap<AdminDocument, KeptRows>;

export interface AdminNews extends ReportChanges {
  readonly kind: 'news';
  /** The documents whose answers could not be used. What was known of them is kept. */
  readonly rejected: readonly { readonly document: AdminDocument; readonly reason: string }[];
  /** Parts that could not be read of answers that could. */
  readonly problems: readonly { readonly document: AdminDocument; readonly problem: ReportProblem }[];
  readonly problemCount: number;
  readonly hasNodeId: boolean;
  /** The clusters that warm, by their names in statistics. */
  readonly warmingClusters: readonly string[];
  /** Subscriptions that Envoy would have statistics of if its bootstrap did not limit these. */
  readonly samples: readonly Sample[];
  /** The clusters of the management servers, by their names in statistics. */
  readonly managementClusters: readonly string[];
  /** /clusters reports another health of EDS than when the endpoints were read. */
  readonly isHealthNewer: boolean;
}

/**
 * `incomplete`: the rest of the state is not known here, and every document has to be requested. `counted`: nothing but
 * counts, or listening sockets, has changed.
 */
export type AnswersRead = AdminNews | { readonly kind: 'incomplete' } | { readonly kind: 'counted' };

const problemsReported = 3;
const ofAdminInterface = { client: 'envoy', reason: "the source is Envoy's admin interface" } as const;
const none: ReadonlySet<string> = new Set();
const noHealth: EndpointHealth = new Map();

/**
 * Compares answers of one Envoy with what was known: pure. Documents that were not requested again are unchanged.
 * Throws a CodecError if the config dump is invalid.
 */
export function readAnswers(
  known: KnownClients,
  kept: KeptDocuments,
  request: AnswersRequest,
  marker: RedactionMarker,
): {
  readonly read: AnswersRead;
  readonly next: KnownClients;
  readonly documents: KeptDocuments;
  readonly reports: ConnectionReports;
} {
  const { answers, absent, isWhole, sourceId, target, at, previousAt, statistics } = request;
  let reports: ConnectionReports = {};
  const documents = new Map<AdminDocument, KeptRows>(isWhole ? [] : kept);
  for (const document of absent) documents.delete(document);
  const bodies = new Map<string, Body>();
  const rejected: AdminNews['rejected'][number][] = [];
  for (const { document, bytes } of answers) {
    try {
      const before = isWhole ? undefined : kept.get(document);
      const { bodies: read, hosts, listeners, ...rows } = readDocument(document, bytes, marker, before);
      reports = { ...reports, ...(hosts && { hosts }), ...(listeners && { listeners }) };
      for (const body of read) bodies.set(body.hash, body);
      documents.set(document, rows);
    } catch (error) {
      if (document === 'config_dump' || !(error instanceof CodecError)) throw error;
      rejected.push({ document, reason: error.message });
    }
  }
  const withServer = (read: KeptDocuments): ConnectionReports => {
    const connection = statistics?.server;
    const clusters = read.get('config_dump')?.managementClusters ?? [];
    return { ...reports, ...(connection && { server: { connection, clusters } }) };
  };
  const isCounted = answers.every(
    ({ document }) =>
      document === 'listeners' ||
      (document === 'clusters' && documents.get(document)?.rows === kept.get(document)?.rows),
  );
  if (!isWhole && isCounted && rejected.length + absent.length === 0 && request.hasNewStatistics !== true)
    return { read: { kind: 'counted' }, next: known, documents: kept, reports: withServer(kept) };
  const health = documents.get('clusters')?.health ?? noHealth;
  const isReadNow = answers.some(({ document }) => document === 'config_dump');
  const isHealthNewer = !isReadNow && !isSameHealth(health, kept.get('clusters')?.health ?? noHealth);
  const node = nodeOf(documents);
  const incomplete = { read: { kind: 'incomplete' } as const, next: known, documents: kept, reports: {} };
  const dump = documents.get('config_dump');
  if (dump === undefined) return incomplete;
  if (isReadNow)
    documents.set('config_dump', { ...dump, rows: applyEndpointHealth(dump.rows, bodies, health, marker) });
  // Another Envoy answers: everything that is known belongs to the previous one.
  if (!isWhole && answers.some(({ document }) => isOfAnother(kept.get(document), documents.get(document))))
    return incomplete;
  const names: NamesOfClusters = dump.clusterNames ?? new Map();
  const rows = rowsOf(documents);
  const marked =
    statistics === undefined
      ? rows
      : applyStatistics(rows, { clusters: names, routes: dump.routeNames ?? none }, statistics);
  const [before] = known.values();
  const settled = keepRejectedSecrets(marked, before?.rows ?? request.rejectedSecrets);
  const waits = [...documents.values()].flatMap((document) => document.waits ?? []);
  const resources = applyWaits(settled, waits).map((row) => markInline(row, names));
  const client = {
    node: {
      ...node,
      id: node.id || target,
      ...(findClient(node.userAgentName) === undefined && { evidence: ofAdminInterface }),
    },
    scope: '',
    resources,
    typeVersions: dump.typeVersions,
  };
  const { observations, next, clientIds } = compareAnswers(known, [client], {
    ...{ sourceId, vantage: 'envoy-admin', at, side: 'client' },
    ...(previousAt !== undefined && { previousAt }),
  });
  const problems = [...documents].flatMap(([document, { problems: found }]) =>
    found.map((problem) => ({ document, problem })),
  );
  const read: AdminNews = {
    kind: 'news',
    emissions: observations.map((observation) => ({ observation, bodies: copyBodies(observation, bodies) })),
    clientIds,
    rejected,
    problems: problems.slice(0, problemsReported),
    problemCount: problems.length,
    hasNodeId: node.id !== '',
    warmingClusters: rows
      .filter((row) => row.typeUrl === CDS.typeUrl && findWarming(row) !== undefined)
      .map(({ name }) => clusterStatistic(name, names)),
    samples: dump.hasStatsMatcher ? findSamples(resources, names) : [],
    managementClusters: (dump.managementClusters ?? []).map((name) => clusterStatistic(name, names)),
    isHealthNewer,
  };
  return { read, next, documents, reports: withServer(documents) };
}

/** /server_info has the node as Envoy reports it, in older versions without; the bootstrap has the configured node. */
function nodeOf(documents: KeptDocuments) {
  return documents.get('server_info')?.node ?? documents.get('config_dump')?.node ?? unknownNode;
}

/** Each document is compared with its own predecessor, because documents are requested at different times. */
function isOfAnother(before: KeptRows | undefined, now: KeptRows | undefined): boolean {
  return before?.node?.id !== now?.node?.id && before !== undefined;
}

/** Envoy lists the endpoints of a cluster without EDS like those of EDS; they are a part of the cluster. */
function markInline(row: ReportedResource, names: NamesOfClusters): ReportedResource {
  const isInline = row.typeUrl === EDS.typeUrl && !row.isStatic && names.get(row.name)?.hasEds === false;
  return isInline ? { ...row, isStatic: true } : row;
}

function rowsOf(documents: KeptDocuments): ReportedResource[] {
  return [...documents.values()].flatMap(({ rows }) => rows);
}
