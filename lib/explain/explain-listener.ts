import { FieldReader } from '../model/field-reader';
import type { ClusterBySni } from '../model/listener';
import { lbNamespace } from '../model/subset';
import { serverNameOf } from '../requests/filters/request-input';
import { headersOf } from '../requests/request';
import type { ChainConfig } from '../resolve/resolve-listener';
import { chooseByMatcher } from './choose-by-matcher';
import { explainCluster } from './explain-cluster';
import { explainConnection } from './explain-connection';
import { explainRouteConfig } from './explain-virtual-host';
import { chooseFilterChain } from './filter-chain';
import { explainEarlyAnswer } from './http-filters';
import { normaliseRequest } from './normalise-request';
import { findRejection } from './rejected-request';
import type { Branch, StepResource } from './trace';
import { joinCondition, jsonAt, resourceOf, splitAddress, type TraceBuilder } from './trace-builder';

export function explainListener(trace: TraceBuilder): Branch[] {
  const { listener } = trace.config;
  const { error, missing, doubts, kind } = listener;
  const resource = resourceOf(listener.listener);
  const title = `listener ${resource?.name ?? missing[0]?.name ?? ''}`.trim();
  const step = { stage: 'listener', title, resource, path: '' } as const;
  if (resource !== undefined) trace.reached = { listener: resource.name };
  if (resource === undefined || (kind === 'api' && !trace.isEnvoy && error !== '')) {
    const [awaited] = missing;
    const reason = error || awaited?.text || 'the listener is not reported';
    if (error === '') {
      trace.add({ ...step, verdict: 'unknown', reason });
      return [trace.unknown(`${title}: ${reason}`)];
    }
    trace.add({ ...step, verdict: 'not-taken', reason });
    return [trace.failed(reason, trace.isEnvoy ? {} : { grpcCode: 'UNAVAILABLE' })];
  }
  const where = kind === 'api' ? 'an API listener' : `it listens at ${listener.address}`;
  const [doubt] = doubts;
  trace.add({
    ...step,
    verdict: doubt === undefined ? 'taken' : 'depends',
    reason: doubt ?? where,
  });
  const branches = explainContent(trace, resource);
  return doubt === undefined
    ? branches
    : branches.map((branch) => joinCondition(branch, 'the listener serves it', undefined));
}

function explainContent(trace: TraceBuilder, resource: StepResource): Branch[] {
  const { kind, chains } = trace.config.listener;
  const json = trace.config.jsonOf(resource);
  if (json === undefined) return [trace.unknown('the content of the listener is not reported')];
  if (kind === 'api') {
    const [chain] = chains;
    if (chain === undefined) return [trace.unknown('the listener has no connection manager')];
    return explainManager(trace, chain, 'apiListener.apiListener', resource, json);
  }
  return explainChains(trace, json, resource);
}

function explainChains(trace: TraceBuilder, json: unknown, resource: StepResource): Branch[] {
  const body = FieldReader.open(json, []);
  const chains = body.objects('filterChains');
  const { address, chains: configs } = trace.config.listener;
  const paths = configs.map((_, at) => (at < chains.length ? `filterChains[${at}]` : 'defaultFilterChain'));
  const step = (at: number) =>
    ({ stage: 'filter-chain', title: titleOfChain(configs[at], at), resource }) as const;
  const matcher = body.object('filterChainMatcher');
  const listenerAddress = {
    ...splitAddress(address),
    ...additionalPort(body, trace.request.authority),
    inspectsHttp: body
      .objects('listenerFilters')
      .some((each) => each.object('typedConfig')?.messageName().endsWith('.HttpInspector') === true),
  };
  const choice =
    matcher === undefined
      ? chooseFilterChain(chains, listenerAddress, trace.request)
      : chooseByMatcher(matcher, configs.slice(0, chains.length), listenerAddress, trace.request);
  for (const [at, { reason, path }] of choice.others)
    trace.add({
      ...{ ...step(at), verdict: 'not-taken', reason },
      path: matcher !== undefined ? path : path === '' ? (paths[at] ?? '') : `${paths[at]}.${path}`,
    });
  if (choice.kind === 'depends') {
    for (const at of choice.among)
      trace.add({ ...step(at), verdict: 'depends', reason: choice.reason, path: paths[at] ?? '' });
    return [trace.unknown(`which filter chain serves the connection: ${choice.reason}`)];
  }
  const index = choice.kind === 'chosen' ? choice.index : chains.length;
  const chain = configs[index];
  if (chain === undefined)
    return [trace.failed('no filter chain matches the connection, which is closed', { flag: 'NR' })];
  const reason =
    choice.kind === 'none'
      ? 'the default filter chain: no other matches the connection'
      : matcher !== undefined
        ? `filter_chain_matcher chooses it for ${chain.match}`
        : chains.length === 1 && chain.match === ''
          ? 'it matches every connection'
          : 'it matches the connection most specifically';
  const path = paths[index] ?? '';
  trace.add({ ...step(index), verdict: 'taken', reason, path });
  trace.reached = { ...trace.reached, filterChain: titleOfChain(chain, index) };
  if (chain.setsLbMetadata) {
    const doubt = { namespace: lbNamespace, reason: 'a filter sets metadata of the connection' };
    trace.metadata = { ...trace.metadata, doubts: [...trace.metadata.doubts, doubt] };
  }
  return explainConnection(trace, chain, { path, resource }, () =>
    explainFilterChain(trace, chain, json, { path, resource }),
  );
}

function explainFilterChain(
  trace: TraceBuilder,
  chain: ChainConfig,
  json: unknown,
  { path, resource }: { readonly path: string; readonly resource: StepResource },
): Branch[] {
  const tcpClusters = chain.clusterBySni
    ? clustersBySni(trace, chain.clusterBySni)
    : { names: chain.tcpClusters, reason: '' };
  if (tcpClusters === undefined)
    return [trace.unknown('the server name (SNI) of the connection names the cluster, and is not known')];
  if (tcpClusters.names.length > 0)
    return explainTcp(trace, tcpClusters.names, { path, resource, reason: tcpClusters.reason });
  const filters = (jsonAt(json, `${path}.filters`) as readonly unknown[] | undefined) ?? [];
  const at = filters.findIndex((filter) =>
    FieldReader.open(filter, [])
      .object('typedConfig')
      ?.messageName()
      .endsWith('http_connection_manager.v3.HttpConnectionManager'),
  );
  const decides = chain.otherFilters.at(-1)?.name;
  if (at < 0) return [trace.unknown(`filter ${decides ?? '(none)'} decides where the connection goes`)];
  return explainManager(trace, chain, `${path}.filters[${at}].typedConfig`, resource, json);
}

/** The port of the authority, if the listener has an additional address with it. */
function additionalPort(listener: FieldReader, authority: string): { readonly port?: number } {
  const port = Number(/:(\d+)$/.exec(authority)?.[1] ?? 0);
  const ports = listener
    .objects('additionalAddresses')
    .map((each) => each.object('address')?.object('socketAddress')?.number('portValue'));
  return ports.includes(port) ? { port } : {};
}

/** undefined: it is not known which. */
function clustersBySni(trace: TraceBuilder, { filter, format, otherwise }: ClusterBySni) {
  const serverName = serverNameOf(trace);
  if (serverName === '' && otherwise !== undefined)
    return {
      names: otherwise,
      reason: `filter ${filter} names no cluster: the connection has no server name`,
    };
  const name = format.replaceAll('%REQUESTED_SERVER_NAME%', serverName ?? '');
  if (!serverName || name.includes('%')) return undefined;
  const reason = `filter ${filter} names the cluster by the server name (SNI)`;
  return { names: [{ name, weight: 1 }], reason };
}

function explainTcp(
  trace: TraceBuilder,
  clusters: ChainConfig['tcpClusters'],
  { reason, ...place }: { readonly path: string; readonly resource: StepResource; readonly reason: string },
): Branch[] {
  const sum = clusters.reduce((total, { weight }) => total + weight, 0);
  const isOne = clusters.length === 1;
  const targets = clusters.map(({ name: cluster, weight, criteria }) => ({
    ...{ cluster, criteria },
    when: isOne ? '' : `weight ${weight} of ${sum}`,
    ...(!isOne && { percent: (weight / sum) * 100 }),
  }));
  trace.add({
    ...{ stage: 'action', verdict: 'taken', title: 'TCP proxy', ...place },
    reason: reason || 'the connection is forwarded whatever the request is',
  });
  const closed = ({ status: _, text, ...branch }: Branch): Branch => ({
    ...branch,
    text: `the connection is closed: ${text}`,
  });
  return targets
    .flatMap((target) => explainCluster(trace, target, undefined))
    .map((branch) => (branch.kind === 'failed' ? closed(branch) : branch));
}

function explainManager(
  trace: TraceBuilder,
  chain: ChainConfig,
  path: string,
  resource: StepResource,
  json: unknown,
): Branch[] {
  const manager = FieldReader.open(jsonAt(json, path), []);
  const step = { stage: 'connection-manager', title: 'connection manager', resource, path } as const;
  if (trace.isEnvoy) {
    const { port } = splitAddress(trace.config.listener.address);
    const rejection = findRejection(trace.request, manager);
    if (rejection !== undefined) {
      const field = rejection.path === '' ? path : `${path}.${rejection.path}`;
      trace.add({ ...step, path: field, verdict: 'taken', reason: rejection.text });
      return [trace.rejected(rejection.text, rejection.status)];
    }
    const normal = normaliseRequest(manager, trace.request, port, trace.isGrpc);
    if (normal.kind === 'answered') {
      const { status, text, location } = normal;
      const field = normal.path === '' ? path : `${path}.${normal.path}`;
      trace.add({ ...step, path: field, verdict: 'taken', reason: text });
      return explainEarlyAnswer(
        trace,
        manager,
        trace.answered(text, { status, ...(location && { location }) }),
      );
    }
    trace.request = normal.request;
    trace.find = headersOf(normal.request, trace.profile);
    const reason = normal.changes.join('; ') || 'host and path are not changed';
    trace.add({ ...step, verdict: 'taken', reason });
  }
  return explainRouteConfig(trace, chain, manager, path, resource);
}

function titleOfChain(chain: ChainConfig | undefined, index: number): string {
  return `filter chain ${chain?.name || index + 1}`;
}
