import { bootstrapTypeUrl } from '@/lib/model/bootstrap';
import { parseResource } from '@/lib/model/parse-resource';
import type { NodeInfo } from '@/lib/observation/observation';
import type { TypeVersion } from '@/lib/observation/resource-state';
import { CDS, LDS } from '@/lib/xds/resource-type';
import type { ReportedResource } from '../../codec/codec';
import { CodecError } from '../../codec/codec-error';
import { decodeBody } from '../../codec/decode-body';
import { onceEach, orderDuplicates } from '../../codec/distinct-names';
import { sourceOf } from '../../codec/dump-parser/byte-source';
import { type EndpointHealth, findEndpointHealth } from '../../codec/dump-parser/endpoint-health';
import { JsonView, skipBlanks } from '../../codec/dump-parser/json-view';
import { planReport } from '../../codec/dump-parser/plan-report';
import { type HostReport, mostHosts, readHosts } from '../../codec/dump-parser/read-hosts';
import { type ListenerReport, readListeners } from '../../codec/dump-parser/read-listeners';
import { nodeOf, readReport } from '../../codec/dump-parser/read-report';
import type { PlannedReport, ReportProblem } from '../../codec/dump-parser/report-plan';
import type { RedactionMarker } from '../../codec/redaction-marker';
import { sha256 } from '../../codec/sha256';
import { spanOf } from '../../codec/wire-cursor';
import type { Body } from '../../observe';
import type { AdminDocument } from './admin-document';
import type { NamesOfClusters } from './apply-statistics';
import { hasStatsMatcher } from './find-samples';
import { findClusterWaits, findListenerWaits, type Waits } from './find-waits';
import { type ClusterNames, peekClusterNames, peekDynamicResources, peekRouteNames } from './peek-names';
import { planAdminAnswer, readJson } from './plan-admin-answer';

/** Names of route configurations beyond it are not attributed. */
const maxRouteNames = 20_000;

/** The rows of one answer of Envoy's admin interface. */
interface DocumentRows {
  readonly rows: readonly ReportedResource[];
  /** Every body that the rows name, once. */
  readonly bodies: readonly Body[];
  /** The node in /config_dump (its bootstrap) or /server_info. null: the answer has none. */
  readonly node: NodeInfo | null;
  /** The versions of types whose resources have no version of their own, as in delta ADS of Istio. */
  readonly typeVersions: readonly TypeVersion[];
  /** Absent: the answer does not report it. */
  readonly health?: EndpointHealth;
  /** Parts that could not be read. */
  readonly problems: readonly ReportProblem[];
  /** Absent: the answer has no clusters. */
  readonly clusterNames?: NamesOfClusters;
  /** The names of the route configurations that the listeners in a config dump request. */
  readonly routeNames?: ReadonlySet<string>;
  /** The resources that each warming resource waits for. Absent: the answer does not show it. */
  readonly waits?: Waits;
  /** The clusters of the management servers. Absent: the answer has no bootstrap. */
  readonly managementClusters?: readonly string[];
  /** The bootstrap limits which statistics Envoy has. */
  readonly hasStatsMatcher?: boolean;
  /** The SHA-256 of everything in /clusters but counts. */
  readonly digest?: string;
  /** The hosts in /clusters. */
  readonly hosts?: readonly HostReport[];
  /** The listeners in /listeners. */
  readonly listeners?: readonly ListenerReport[];
}

/** The part of an answer that is kept. */
export type KeptRows = Omit<DocumentRows, 'bodies' | 'hosts' | 'listeners'>;

/**
 * Throws a CodecError if the bytes are not a complete answer, because half a dump would look like removals. `kept` is
 * the part of the previous answer whose rows are returned, without bodies, if nothing but counts has changed since.
 */
export function readDocument(
  document: AdminDocument,
  bytes: Uint8Array,
  marker: RedactionMarker,
  kept?: KeptRows,
): DocumentRows {
  const view = openDocument(bytes);
  if (document === 'clusters') return readClusters(view, marker, kept);
  if (document === 'listeners') return { ...nothing([]), listeners: readListeners(readJson(view)) };
  if (document !== 'config_dump') {
    const read = readAll(planAdminAnswer(document, view), [], marker);
    return document === 'init_dump' ? { ...read, waits: findListenerWaits(view.value()) } : read;
  }
  if (!hasConfigs(view)) throw new CodecError('expected a config dump with "configs", got JSON without');
  const { reports, problems } = planReport(bytes);
  const [report] = reports;
  // The answer of an Envoy that has no dump yet.
  if (report === undefined) return nothing(problems);
  return readAll(report, problems, marker);
}

function readClusters(view: JsonView, marker: RedactionMarker, kept: KeptRows | undefined): DocumentRows {
  let all: readonly unknown[] = [];
  let digest = sha256(Buffer.from('[]'));
  const plan = planAdminAnswer('clusters', view, (statuses, facts) => {
    all = statuses;
    digest = sha256(Buffer.from(JSON.stringify(facts)));
  });
  const { hosts, leftOut } = readHosts(all);
  if (kept?.digest === digest) return { ...kept, bodies: [], hosts };
  const { health, problems } = findEndpointHealth(all);
  const reason = `expected at most ${mostHosts} hosts, got ${mostHosts + leftOut}; the others are not among the connections`;
  const tooMany = leftOut === 0 ? [] : [{ place: 'cluster_statuses', reason }];
  return { ...readAll(plan, [...problems, ...tooMany], marker), health, digest, hosts };
}

function readAll(
  report: PlannedReport,
  planned: readonly ReportProblem[],
  marker: RedactionMarker,
): DocumentRows {
  const rows: ReportedResource[] = [];
  const bodies = new Map<string, Body>();
  const problems = [...planned];
  for (const batch of readReport(report, marker)) {
    for (const row of batch.rows) rows.push(row);
    for (const body of batch.bodies) bodies.set(body.hash, body);
    for (const problem of batch.problems) problems.push(problem);
  }
  const node = report.node === null ? null : nodeOf(report, marker);
  const unique = orderDuplicates(onceEach(rows));
  const bootstrap = [...bodies.values()].find(({ typeUrl }) => typeUrl.endsWith('.Bootstrap'));
  const versioned = new Set(
    unique.flatMap(({ typeUrl, versionInfo }) => (versionInfo === '' ? [] : [typeUrl])),
  );
  const typeVersions = report.typeVersions.filter(({ typeUrl }) => !versioned.has(typeUrl));
  return {
    ...{ rows: unique, bodies: [...bodies.values()], node, typeVersions, problems },
    clusterNames: findClusterNames(unique, bodies),
    routeNames: findRouteNames(bodies),
    waits: findClusterWaits(unique, bodies),
    ...(bootstrap && {
      hasStatsMatcher: hasStatsMatcher(bootstrap.bytes),
      managementClusters: findManagementClusters(bootstrap.bytes),
    }),
  };
}

/** The rest of a bootstrap may be large. */
function findManagementClusters(bootstrap: Uint8Array): readonly string[] {
  const { json } = decodeBody(bootstrapTypeUrl, peekDynamicResources(bootstrap), { asV3: true });
  const model = parseResource(bootstrapTypeUrl, json);
  return model?.kind === 'bootstrap' ? model.managementClusters : [];
}

function findClusterNames(
  rows: readonly ReportedResource[],
  bodies: ReadonlyMap<string, Body>,
): NamesOfClusters {
  const found = new Map<string, ClusterNames>();
  for (const { typeUrl, name, hash } of rows) {
    const body = typeUrl === CDS.typeUrl ? bodies.get(hash ?? '') : undefined;
    const names = body && peekClusterNames(body.bytes);
    if (names && (names.statistics !== '' || names.endpoints !== '' || !names.hasEds)) found.set(name, names);
  }
  return found;
}

function findRouteNames(bodies: ReadonlyMap<string, Body>): Set<string> {
  const found = new Set<string>();
  for (const { typeUrl, bytes } of bodies.values()) {
    if (typeUrl === LDS.typeUrl) for (const name of peekRouteNames(spanOf(bytes))) found.add(name);
    if (found.size >= maxRouteNames) break;
  }
  return found;
}

function nothing(problems: readonly ReportProblem[]): DocumentRows {
  return { rows: [], bodies: [], node: null, typeVersions: [], problems };
}

/** A whole JSON object, with nothing behind it. */
function openDocument(bytes: Uint8Array): JsonView {
  const source = sourceOf(bytes);
  const start = skipBlanks(source, 0);
  const view = new JsonView(source, start);
  if (view.kind !== 'object') throw new CodecError(`expected a JSON object, got ${describe(bytes, start)}`);
  let end: number;
  try {
    end = view.findEnd();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CodecError(`expected a whole JSON document, got ${bytes.length} bytes of one: ${reason}`, {
      cause,
    });
  }
  if (skipBlanks(source, end) < bytes.length) {
    throw new CodecError(`expected one JSON document, got more behind it at byte ${end}`);
  }
  return view;
}

function describe(bytes: Uint8Array, start: number): string {
  if (start >= bytes.length) return 'an empty answer';
  return bytes[start] === 0x3c ? 'a page' : `${bytes.length} bytes of something else`;
}

function hasConfigs(view: JsonView): boolean {
  for (const [key, value] of view.members()) if (key === 'configs' && value.kind === 'list') return true;
  return false;
}
