import type { ConnectionsPage } from '@/lib/views/connections/schema';
import type { FailoverSimulation } from '@/lib/views/failover/schema';
import type { Graph } from '@/lib/views/graph/schema';
import type { IssuePage } from '@/lib/views/issues/schema';
import type { Resolved, ResolvedChain, ResolvedCluster } from '@/lib/views/resolved/schema';
import type { Xdscope } from '../xdscope';
import type { GrpcSituation } from './grpc-situation';
import type { Outcome, Statement, View } from './rows';

/** What the channel of a target has counted so far. */
export interface Counted {
  readonly succeeded: number;
  readonly failed: number;
}

export interface Read {
  readonly statements: readonly (readonly [View, Statement])[];
  readonly counted: Counted | undefined;
  /** What the vantage lacks, as the effective config states it; undefined if it states nothing. */
  readonly lacking: string | undefined;
}

type Named = Pick<GrpcSituation, 'name' | 'clusters'>;

/**
 * What each view states of the RPCs of a target. Issues are left out where RPCs succeed and there is none. `before`: the counts
 * of an earlier read.
 */
export async function readStatements(
  { name, clusters }: Named,
  id: string,
  { measured, before }: { readonly measured: Outcome; readonly before: Counted | undefined },
  { get, post }: Pick<Xdscope, 'get' | 'post'>,
): Promise<Read> {
  const target = `xds:///${name}`;
  const of = `clients/${id}`;
  const resolved = await get<Resolved>(`${of}/resolved?target=${encodeURIComponent(target)}`);
  const statements: [View, Statement][] = [['effective config', stateOfConfig(resolved)]];
  const issues = stateOfIssues(await get<IssuePage>(`issues?client=${encodeURIComponent(id)}`), {
    name,
    clusters,
  });
  if (issues !== 'unknown' || measured !== 'succeeds') statements.push(['issues', issues]);
  const graph = await get<Graph>(`${of}/graph?limit=2000&resolve=${name}`);
  statements.push(['graph', stateOfGraph(graph, name, clusters)]);
  const failovers = clusters.map((cluster) => {
    const body = { client: id, cluster, target, changes: [], seconds: 0 };
    return post<FailoverSimulation>('failover/simulate', body);
  });
  if (clusters.length > 0)
    statements.push(['failover', join((await Promise.all(failovers)).map(stateOfFailover))]);
  const page = await get<ConnectionsPage>(`${of}/connections?limit=1000`);
  const channel = page.channels.find((each) => each.target === target);
  const { figures } = channel ?? {};
  const counted = figures && { succeeded: figures.callsSucceeded, failed: figures.callsFailed };
  if (channel !== undefined) {
    const state = stateOfChannel(channel.state, counted, before);
    const isPart = page.countsConnectedOnly && describeAborts(resolved) !== '';
    statements.push(['connections', isPart && state === 'succeeds' ? 'unknown' : state]);
  }
  return { statements, counted, lacking: resolved.notes.find(isUnmeasured) };
}

/** Joins the statements about the clusters among which RPCs are divided. */
function join(statements: readonly Statement[]): Statement {
  const [first = 'unknown'] = statements;
  if (statements.every((each) => each === first)) return first;
  return statements.includes('unknown') ? 'unknown' : 'some fail';
}

function stateOfConfig({ status, channelFailure, chains, clusters, notes }: Resolved): Statement {
  if (status === 'error' || channelFailure !== undefined) return 'fails';
  if (status !== 'resolved') return 'unknown';
  const [chain] = chains;
  if (chain === undefined) return 'unknown';
  if (chain.failure !== undefined) return 'fails';
  const route = findRoute(chain);
  if (route === undefined) return 'fails';
  const used = route.clusters.filter(({ use }) => use === 'used');
  if (used.length === 0) return route.reason.includes('fails with') ? 'fails' : 'unknown';
  const state = join(used.map(({ name }) => stateOfCluster(clusters.items, name)));
  if (describeAborts({ chains }) !== '' && state === 'succeeds') return 'some fail';
  return state === 'succeeds' && notes.some(isUnmeasured) ? 'unknown' : state;
}

/** What a fault filter does to RPCs; empty if there is none. */
function describeAborts({ chains: [chain] }: Pick<Resolved, 'chains'>): string {
  return chain?.httpFilters.find(({ denied }) => denied !== '')?.denied ?? '';
}

function isUnmeasured(note: string): boolean {
  return note.startsWith('not measured') || note.startsWith('not known');
}

/** The first route that is shown for the RPCs of the suite, and that is not ignored. */
function findRoute({ virtualHosts: [host] }: ResolvedChain) {
  return host?.routes.find(({ use, match }) => use === 'used' && match === 'every path');
}

function stateOfCluster(items: readonly ResolvedCluster[], name: string): Statement {
  const found = items.find((each) => each.name === name);
  if (found === undefined) return 'unknown';
  const { status, use, leafClusters, dropOverloads } = found;
  if (status !== 'ok') return status === 'error' ? 'fails' : 'unknown';
  if (leafClusters.length > 0) {
    const leaves = leafClusters.map((leaf) => stateOfCluster(items, leaf));
    return leaves.find((leaf) => leaf !== 'fails') ?? 'fails';
  }
  if (dropOverloads.some(({ percent = 0 }) => percent > 0)) return 'some fail';
  // A picker has the endpoints that are connected.
  return use.usable > (use.failing ?? 0) ? 'succeeds' : 'unknown';
}

function stateOfIssues({ items }: IssuePage, { name, clusters }: Named): Statement {
  const states = items
    .filter(({ state }) => state === 'open')
    .map(({ title, kind, cause, impact: { level, text } }): Statement => {
      if (kind === 'load-errors') {
        const isOne = title.includes(`xds:///${name} `);
        const step = cause.find((each) => isOne || each.text.startsWith(`xds:///${name}: `));
        const [, failed, all] = /(\d+) of (\d+) completed/.exec(step?.text.replaceAll(',', '') ?? '') ?? [];
        if (failed === undefined) return 'unknown';
        return failed === all || (isOne && text.startsWith('Every RPC')) ? 'fails' : 'some fail';
      }
      if (level === 'frozen') return 'succeeds';
      if (level === 'all-fail') {
        const [, listener = name] = / to (\S+) fails?$/.exec(text) ?? [];
        return listener === name ? 'fails' : 'unknown';
      }
      const isOwn = clusters.some((cluster) => text.includes(` to cluster ${cluster} fail`));
      if (level !== 'some-fail' || !isOwn) return 'unknown';
      return clusters.length > 1 ? 'some fail' : 'fails';
    });
  return states.find((each) => each === 'fails') ?? states.find((each) => each !== 'unknown') ?? 'unknown';
}

/** The mark of the listener by the effective config, and the clusters with what is below them. */
function stateOfGraph(
  { nodes, edges, marks }: Graph,
  listener: string,
  clusters: readonly string[],
): Statement {
  const root = nodes.find(({ kind, name }) => kind === 'listener' && name === listener);
  const mark = root && marks?.[root.id];
  if (mark?.use === 'ignored' || mark?.reason.startsWith('every RPC ')) return 'fails';
  if (mark?.use !== 'used' || mark.reason.includes('may use the earlier one')) return 'unknown';
  const isOwn = ({ id, kind }: Graph['nodes'][number]) => kind === 'route' && marks?.[id]?.use === 'used';
  if (!nodes.some((node) => isOwn(node) && node.name === 'every path')) return 'fails';
  const states = clusters.map((name): Statement => {
    const node = nodes.find((each) => each.kind === 'cluster' && each.name === name);
    const own = node && marks?.[node.id];
    if (node === undefined || own === undefined) return 'unknown';
    if (own.use === 'ignored' || own.use === 'dangling') return 'fails';
    if (isFailing(node)) return 'fails';
    if (own.reason !== '') return 'fails';
    if (node.detail.includes('drops ') || mark.reason.includes(' aborts ')) return 'some fail';
    // The health of EDS does not show that the client can connect.
    const reached = new Set([node.id]);
    for (const id of reached) for (const { source, target } of edges) if (source === id) reached.add(target);
    const isReady = nodes.some(({ id, kind, detail }) => {
      return kind === 'endpoint' && reached.has(id) && detail.includes('READY');
    });
    return own.use === 'used' && isReady ? 'succeeds' : 'unknown';
  });
  return join(states);
}

/** The text of a cluster of which no request can be served does not name a node below. */
function isFailing({ below }: Graph['nodes'][number]): boolean {
  return below?.status === 'UNHEALTHY' && !/^(endpoint|priority|locality|cluster) /.test(below.text);
}

function stateOfFailover({ moments: [now], notes, dropPercent }: FailoverSimulation): Statement {
  if (notes.some((note) => note.startsWith('the whole config of the listener fails'))) return 'fails';
  if (now === undefined) return notes.some((note) => /RPCs .*fail/.test(note)) ? 'fails' : 'unknown';
  const { outcome } = now.grpc;
  if (outcome !== 'served') return outcome === 'failing' ? 'fails' : 'unknown';
  if (notes.some((note) => / aborts \d/.test(note))) return 'some fail';
  if (dropPercent > 0) return dropPercent === 100 ? 'fails' : 'some fail';
  return notes.some(isUnmeasured) ? 'unknown' : 'succeeds';
}

/** By the RPCs that were counted since the read before; a channel that fails counts none in some clients. */
function stateOfChannel(state: string, now: Counted | undefined, before: Counted | undefined): Statement {
  const succeeded = (now?.succeeded ?? 0) - (before?.succeeded ?? 0);
  const failed = (now?.failed ?? 0) - (before?.failed ?? 0);
  if (succeeded + failed === 0) return state === 'TRANSIENT_FAILURE' ? 'fails' : 'unknown';
  if (failed === 0) return 'succeeds';
  return succeeded === 0 ? 'fails' : 'some fail';
}
