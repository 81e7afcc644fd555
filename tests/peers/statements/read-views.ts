import type { ConnectionsPage } from '@/lib/views/connections/schema';
import type { Explanation } from '@/lib/views/explain/schema';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import type { Validation } from '@/lib/views/findings/schema';
import type { Graph } from '@/lib/views/graph/schema';
import type { IssuePage } from '@/lib/views/issues/schema';
import type { Resolved } from '@/lib/views/resolved/schema';
import type { Xdscope } from '../xdscope';
import { explained, join, stateOfConfig, stateOfExplanation, whyUnknown } from './read-config';
import type { Outcome, Row, Statement, View } from './rows';
import type { Request, Response } from './situation';

/** What was measured of a request. */
export interface Measured {
  readonly outcome: Outcome;
  /** With the first requests. */
  readonly outcomeOfAll: Outcome;
  /** Another request to the same hosts had another outcome. */
  readonly sharesHosts?: boolean;
  /** The connections before it was sent. Absent: it is among the first that the client was sent. */
  readonly before?: ConnectionsPage;
}

type Stated = Pick<Row, 'view' | 'stated' | 'measured' | 'lacking'>;

/**
 * What each view states of a request of a client, beside what was measured. A view is left out where it states nothing of such
 * requests: a graph and a failover of one that no cluster serves, the list of issues of one that succeeds
 * or that no cluster is to serve. Where the config does not show how requests end, what a view states of the counted ones is read.
 */
export async function statementsOf(
  request: Request,
  id: string,
  { outcome, outcomeOfAll, before, sharesHosts = false }: Measured,
  { get, post }: Pick<Xdscope, 'get' | 'post'>,
): Promise<Stated[]> {
  const { listener, clusters } = request;
  const resolved = await get<Resolved>(`clients/${id}/resolved?listener=${listener}`);
  const issues = stateOfIssues(await get<IssuePage>(`issues?client=${encodeURIComponent(id)}`), request);
  const isListed = (outcome !== 'succeeds' && clusters !== undefined) || issues.statement !== 'unknown';
  const lacking = whyUnknown(resolved, request);
  // The caller verifies the certificate, and the proxy serves each one that does not.
  if (request.authority !== undefined)
    return [{ view: 'issues', stated: issues.statement, measured: outcome }];
  const rows: Stated[] = [];
  const add = (view: View, stated: Statement | undefined, texts: readonly string[] = []): void => {
    // Counters are of a cluster, and not of the host that a request names.
    const counted = stated === 'unknown' && !request.namesHost ? stateByTexts(texts) : 'unknown';
    if (counted !== 'unknown') rows.push({ view, stated: counted, measured: outcomeOfAll });
    else if (stated !== undefined)
      rows.push({ view, stated, measured: outcome, ...(stated === 'unknown' && lacking && { lacking }) });
  };
  const ofClusters = resolved.clusters.items.filter(({ name }) => clusters?.includes(name));
  if (!request.isOfExplain)
    add(
      'effective config',
      stateOfConfig(resolved, request),
      ofClusters.map(({ measured }) => measured?.text ?? ''),
    );
  if (isListed && !issues.isCounted) add('issues', issues.statement);
  if (isListed && issues.isCounted)
    rows.push({
      view: 'issues',
      stated: issues.statement,
      measured: outcomeOfAll,
      ...(issues.statement === 'unknown' && lacking && { lacking }),
    });
  const isOverTcp = request.isRedis || resolved.chains.some(({ routeConfigs }) => routeConfigs.length === 0);
  if (!isOverTcp)
    add(
      'explain',
      stateOfExplanation(
        await post<Explanation>(`clients/${id}/explain`, explained(request)),
        resolved,
        request,
      ),
    );
  if (clusters === undefined || request.isOfExplain) return rows;
  const graph = await get<Graph>(`clients/${id}/graph?limit=2000`);
  const isOf = ({ kind, name }: Graph['nodes'][number]) => kind === 'cluster' && clusters.includes(name);
  add(
    'graph',
    join(
      clusters.map(
        (cluster) => stateOfSubsetInGraph(graph, request) ?? stateOfGraph(graph, listener, cluster),
      ),
    ),
    graph.nodes.filter(isOf).map(({ below }) => below?.text ?? ''),
  );
  const simulations = await Promise.all(
    clusters.map(async (cluster) => {
      const body = { client: id, cluster, listener, changes: [], seconds: 0 };
      const all = await post<FailoverSimulation>('failover/simulate', body);
      const kinds = all.requests?.items ?? [];
      const own = kinds.find(({ text }) => text.startsWith(`requests ${request.metadata} (`));
      return own === undefined
        ? all
        : post<FailoverSimulation>('failover/simulate', { ...body, requests: own.id });
    }),
  );
  add(
    'failover',
    join(simulations.map(stateOfFailover)),
    simulations.map(({ notes }) => notes.find((note) => countedText.test(note)) ?? ''),
  );
  const page = await get<ConnectionsPage>(`clients/${id}/connections?${allConnections}`);
  // The hosts that other requests named, or whose subset they want, are in the same cluster.
  if (!request.namesHost && !sharesHosts && simulations.every(({ requests }) => requests === undefined))
    add(
      'connections',
      join(clusters.map((cluster) => stateOfConnections(page, before, { cluster, isOverTcp }))),
    );
  return rows;
}

export const allConnections = 'only=all&limit=1000';
const countedText = /(none|[\d,]+) of ([\d,]+) completed requests .* failed, by /;

/** What is counted of the requests to each cluster. */
function stateByTexts(texts: readonly string[]): Statement {
  return join(
    texts.map((text): Statement => {
      const [, failed, completed] = countedText.exec(text) ?? [];
      if (failed === undefined) return 'unknown';
      if (failed === 'none') return 'succeeds';
      return failed === completed ? 'fails' : 'some fail';
    }),
  );
}

/** `isCounted`: the statement is about all requests that were counted. */
interface OfIssues {
  readonly statement: Statement;
  readonly isCounted: boolean;
}

export function stateOfIssues(
  { items }: IssuePage,
  { listener, clusters = [], authority }: Request,
): OfIssues {
  const isOfCertificate = items.some(
    ({ impact: { level, text } }) =>
      level === 'tls-fails' && text.includes(` of listener ${listener} fail where`),
  );
  if (authority !== undefined) return { statement: isOfCertificate ? 'fails' : 'unknown', isCounted: false };
  const isOfAll = items.some(
    ({ kind, impact: { level, text } }) =>
      kind !== 'load-errors' && level === 'all-fail' && text.includes(` to ${listener} fail`),
  );
  if (isOfAll) return { statement: 'fails', isCounted: false };
  const ofConfig = clusters.map((cluster) => stateByConfig(items, cluster));
  if (ofConfig.every((each) => each === 'fails') && ofConfig.length > 0)
    return { statement: 'fails', isCounted: false };
  const counted = clusters.map((cluster) => stateByCounts(items, cluster));
  const statement = join(counted);
  // The list is about clusters whose requests fail: others of the route have no issue.
  const isPartOf = statement === 'unknown' && [...ofConfig, ...counted].some((each) => each !== 'unknown');
  return { statement: isPartOf ? 'some fail' : statement, isCounted: true };
}

function stateByConfig(items: IssuePage['items'], cluster: string): Statement {
  const isFailing = items.some(
    ({ kind, impact: { level, text } }) =>
      kind !== 'load-errors' &&
      level === 'some-fail' &&
      text.includes(` to cluster ${cluster} fail`) &&
      // Which of them fail, the subset decides that a route wants.
      !text.startsWith('Some '),
  );
  return isFailing ? 'fails' : 'unknown';
}

/** "12 of 20 completed requests" or "12 of 20 attempts to connect", after the name of the cluster if the issue is about several. */
function stateByCounts(items: IssuePage['items'], cluster: string): Statement {
  for (const { title, kind, cause } of items) {
    if (kind !== 'load-errors') continue;
    const isOwn = title.includes(` ${cluster} `);
    for (const { text } of cause) {
      const counts = /(\d+) of (\d+) (?:completed requests|attempts to connect)/.exec(text);
      if (counts !== null && (isOwn || text.startsWith(`${cluster}: `)))
        return counts[1] === counts[2] ? 'fails' : 'some fail';
    }
  }
  return 'unknown';
}

/**
 * Where the graph leads from a listener, the marks of the endpoints of the cluster, and the sentence beside its own mark.
 * undefined: the route names no cluster, or some of the endpoints fail, and the outcome depends on how requests are divided.
 */
function stateOfGraph({ nodes, edges }: Graph, listener: string, cluster: string): Statement | undefined {
  const reach = (from: string): Set<string> => {
    const reached = new Set([from]);
    for (const id of reached) for (const { source, target } of edges) if (source === id) reached.add(target);
    return reached;
  };
  const find = (kind: string, name: string) => nodes.find((each) => each.kind === kind && each.name === name);
  // A file can lack listeners.
  if (nodes.every(({ kind }) => kind !== 'listener')) return 'unknown';
  const ofListener = reach(find('listener', listener)?.id ?? '');
  if (nodes.some(({ id, detail }) => ofListener.has(id) && detail.includes('cluster named by')))
    return undefined;
  const rejected = nodes.filter(
    ({ kind, detail }) => kind === 'secret' && detail.includes('nothing in effect'),
  );
  if (rejected.some(({ id }) => ofListener.has(id))) return 'fails';
  const node = find('cluster', cluster);
  // What leads from a listener of another protocol to a cluster is not drawn.
  if (ofListener.size === 1 && find('listener', listener)?.status === 'ACTIVE') return 'unknown';
  const from = find('listener', listener);
  if (from?.status === 'DRAINING') return 'fails';
  if (from?.detail.includes('bind_to_port false')) return 'unknown';
  if (from?.below?.text.startsWith('no connection matches')) return 'fails';
  // Nothing of the config leads from the listener to the cluster.
  if (node === undefined || !ofListener.has(node.id) || node.status === 'MISSING') return 'fails';
  if (node.detail.includes('nothing in effect')) return 'fails';
  const { below } = node;
  if (below?.status === 'UNHEALTHY' && /^(no |every request )/.test(below.text)) return 'fails';
  if (below !== undefined && countedText.test(below.text)) return 'unknown';
  if (/original destination|forward_proxy|auto_san_validation/.test(node.detail)) return 'unknown';
  if (below?.text.includes('circuit breaker') && below.status === 'DEGRADED') return 'unknown';
  if (below?.text.includes('panic') || node.detail.includes('chosen by lb_subset_config')) return 'unknown';
  const reached = reach(node.id);
  const hosts = nodes.filter(({ id, kind }) => kind === 'endpoint' && reached.has(id));
  const usable = hosts.filter(({ status }) => status !== 'UNHEALTHY' && status !== 'DRAINING');
  if (hosts.some(({ detail }) => /CONNECT_FAILURE|every request has failed/.test(detail))) return undefined;
  const localities = nodes.filter(({ id, kind }) => kind === 'locality' && reached.has(id));
  if (localities.some(({ detail }) => detail.startsWith('every request '))) return 'some fail';
  if (usable.length === 0 || usable.some(({ detail }) => detail.includes('connections not reported')))
    return 'unknown';
  return usable.every(({ status }) => status === 'HEALTHY' || status === 'DEGRADED') ? 'succeeds' : 'unknown';
}

/** What is stated at the route of a request, or at the listener of a TCP proxy; undefined: all hosts are used. */
function stateOfSubsetInGraph(
  { nodes }: Graph,
  { listener, path, metadata }: Request,
): Statement | undefined {
  if (metadata === undefined) return undefined;
  const route = nodes.find(({ kind, name }) => kind === 'route' && name === `prefix ${path}`);
  const { detail = '', below } =
    route ?? nodes.find(({ kind, name }) => kind === 'listener' && name === listener) ?? {};
  if (below?.text.startsWith('no host')) return 'fails';
  const [, others] = /subset of \S+: \d+ endpoints?(,.*)?/.exec(detail) ?? [];
  return others === undefined && detail.includes('subset of') ? 'succeeds' : undefined;
}

/** undefined: the cluster is no part of the effective config. */
function stateOfFailover({
  cluster,
  dropPercent,
  priorities,
  moments: [now],
  notes,
  envoyNotes,
}: FailoverSimulation): Statement | undefined {
  if (notes.some((note) => note.includes('the whole config of the listener fails'))) return 'fails';
  if (notes.some((note) => note.includes('answered with 503'))) return 'fails';
  if (dropPercent === 100) return 'fails';
  if (notes.some((note) => note.startsWith('not known: '))) return 'unknown';
  if (now === undefined) return cluster === undefined ? undefined : 'unknown';
  const byLoad = notes.find((note) =>
    /^every request .*by (?:load reports|the counters of Envoy)$/.test(note),
  );
  if (byLoad !== undefined) return byLoad.includes(' to locality ') ? 'some fail' : 'fails';
  if (now.envoy.failing === 1) return 'fails';
  if (now.envoy.toUnhealthy > 0) return 'unknown';
  const failing = envoyNotes.flatMap((note) => /^every request to (\d+) endpoint/.exec(note)?.[1] ?? []);
  if (failing.length > 0) {
    const all = priorities.reduce((sum, { endpointsTotal }) => sum + endpointsTotal, 0);
    return failing.length === 1 && Number(failing[0]) === all ? 'fails' : 'unknown';
  }
  if (
    now.envoy.failing > 0 &&
    envoyNotes.some((note) => note.startsWith('routes send failed requests again'))
  )
    return 'unknown';
  if (now.envoy.failing > 0) return 'some fail';
  return notes.some((note) => note.startsWith('not measured')) ? 'unknown' : 'succeeds';
}

/**
 * What hosts answered since `before`. undefined: no host was called, or the outcome depends on how requests are divided among
 * hosts, and on retries.
 */
function stateOfConnections(
  { endpoints: { items } }: ConnectionsPage,
  before: ConnectionsPage | undefined,
  { cluster, isOverTcp = false }: { readonly cluster: string; readonly isOverTcp?: boolean | undefined },
): Statement | undefined {
  const states = items.flatMap(({ id, cluster: of, connection }): Statement[] => {
    if (of !== cluster || connection === undefined) return [];
    if (connection.state === 'CONNECT_FAILURE') return ['fails'];
    const then = before?.endpoints.items.find((each) => each.id === id)?.connection?.figures;
    const grown = (count: 'callsStarted' | 'callsFailed' | 'callsSucceeded'): number =>
      (connection.figures?.[count] ?? 0) - (then?.[count] ?? 0);
    const { failedConnections = 0 } = connection.figures?.ofHost ?? {};
    const hasFailed = (failedConnections ?? 0) > (then?.ofHost?.failedConnections ?? 0);
    if (grown('callsStarted') === 0) return hasFailed ? ['fails'] : [];
    // Of a connection that carries no HTTP, Envoy counts that it was opened.
    if (isOverTcp) return [hasFailed ? 'some fail' : 'succeeds'];
    if (grown('callsFailed') === 0) return grown('callsSucceeded') === 0 ? ['unknown'] : ['succeeds'];
    return [grown('callsSucceeded') === 0 ? 'fails' : 'some fail'];
  });
  const stated = join(states);
  return states.length === 0 || (stated === 'some fail' && states.includes('succeeds')) ? undefined : stated;
}

const verdictsOf: Partial<Record<Validation['verdict'], Statement>> = { ACK: 'accepted', NACK: 'rejected' };

/** What `validate` states of a response to an Envoy; undefined if it has no resource. */
export async function verdictOf(
  response: Response,
  { post }: Pick<Xdscope, 'post'>,
): Promise<Statement | undefined> {
  if (response.resources.length === 0) return undefined;
  const { verdict } = await post<Validation>('validate?profile=envoy', response);
  return verdictsOf[verdict] ?? 'unknown';
}
