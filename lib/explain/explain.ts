import { FieldReader } from '../model/field-reader';
import type { ResourceKey } from '../observation/resource-state';
import type { ChainConfig, ListenerConfig } from '../resolve/resolve-listener';
import type { RouteConfigUse } from '../resolve/resolve-routes';
import { type ClusterEntry, errorOfCluster, statusOfCluster, type UsedResource } from '../resolve/xds-config';
import { clientOf, type Profile } from '../xds/profile';
import { CDS, LDS, RDS } from '../xds/resource-type';
import { chooseHost } from './choose-host';
import { chooseFilterChain } from './filter-chain';
import { explainFilters, type FilterStep } from './http-filters';
import { matchRoutes, nameRoute, type RoutesMatched } from './match-routes';
import { normaliseRequest } from './normalise-request';
import { findPossibleEndpoints } from './possible-endpoints';
import { type ExplainRequest, type FindHeader, headersOf } from './request';
import { type ClusterTarget, decideRoute, settingsOf } from './route-action';
import type { Branch, Outcome, Step, StepResource, Trace } from './trace';

export interface ExplainConfig {
  readonly listener: ListenerConfig;
  /** The proto3 JSON of a resource in use; undefined if it is not known. */
  readonly jsonOf: (key: ResourceKey) => unknown;
  readonly findCluster: (name: string) => ClusterEntry;
}

/** Where a client with this config sends the request, and why: its steps in order, up to the first that decides. */
export function explain(config: ExplainConfig, request: ExplainRequest, profile: Profile): Trace {
  return new Explanation(config, request, profile).run();
}

/** MUTABLE: collects the steps of one request. */
class Explanation {
  readonly #config: ExplainConfig;
  readonly #profile: Profile;
  readonly #isEnvoy: boolean;
  readonly #steps: Step[] = [];
  #request: ExplainRequest;
  #find: FindHeader;
  /** What the outcome has of the steps so far. */
  #reached: Pick<Outcome, 'listener' | 'filterChain' | 'virtualHost' | 'route' | 'cluster' | 'unless'> = {};

  constructor(config: ExplainConfig, request: ExplainRequest, profile: Profile) {
    this.#config = config;
    this.#profile = profile;
    this.#isEnvoy = clientOf(profile) === 'envoy';
    this.#request = request;
    this.#find = headersOf(request, profile);
  }

  run(): Trace {
    return { branches: this.#explainListener(), steps: this.#steps };
  }

  #explainListener(): Branch[] {
    const { listener } = this.#config;
    const { error, missing, doubts, kind } = listener;
    const resource = resourceOf(listener.listener);
    const title = `listener ${resource?.name ?? missing[0]?.name ?? ''}`.trim();
    const step = { stage: 'listener', title, resource, path: '' } as const;
    if (resource !== undefined) this.#reached = { listener: resource.name };
    if (resource === undefined || (kind === 'api' && !this.#isEnvoy && error !== '')) {
      const [awaited] = missing;
      const reason = error || awaited?.text || 'the listener is not reported';
      if (error === '') {
        this.#steps.push({ ...step, verdict: 'unknown', reason });
        return [this.#unknown(`${title}: ${reason}`)];
      }
      this.#steps.push({ ...step, verdict: 'not-taken', reason });
      return [this.#failed(reason, this.#isEnvoy ? {} : { grpcCode: 'UNAVAILABLE' })];
    }
    const where = kind === 'api' ? 'an API listener' : `it listens at ${listener.address}`;
    const [doubt] = doubts;
    this.#steps.push({
      ...step,
      verdict: doubt === undefined ? 'taken' : 'depends',
      reason: doubt ?? where,
    });
    const json = this.#config.jsonOf(resource);
    if (json === undefined) return [this.#unknown('the content of the listener is not reported')];
    if (kind === 'api') {
      const [chain] = listener.chains;
      if (chain === undefined) return [this.#unknown('the listener has no connection manager')];
      return this.#explainManager(chain, 'apiListener.apiListener', resource, json);
    }
    return this.#explainChains(json, resource);
  }

  #explainChains(json: unknown, resource: StepResource): Branch[] {
    const body = FieldReader.open(json, []);
    const chains = body.objects('filterChains');
    const { address, chains: configs } = this.#config.listener;
    const paths = configs.map((_, at) => (at < chains.length ? `filterChains[${at}]` : 'defaultFilterChain'));
    const step = (at: number) =>
      ({ stage: 'filter-chain', title: titleOfChain(configs[at], at), resource }) as const;
    if (body.has('filterChainMatcher')) {
      for (const [at, { match }] of configs.entries())
        this.#steps.push({ ...step(at), verdict: 'depends', reason: match, path: 'filterChainMatcher' });
      return [this.#unknown('filter_chain_matcher chooses the filter chain, which is not evaluated')];
    }
    const choice = chooseFilterChain(chains, splitAddress(address), this.#request);
    for (const [at, { reason, path }] of choice.others)
      this.#steps.push({
        ...{ ...step(at), verdict: 'not-taken', reason },
        path: path === '' ? (paths[at] ?? '') : `${paths[at]}.${path}`,
      });
    if (choice.kind === 'depends') {
      for (const at of choice.among)
        this.#steps.push({ ...step(at), verdict: 'depends', reason: choice.reason, path: paths[at] ?? '' });
      return [this.#unknown(`which filter chain serves the connection: ${choice.reason}`)];
    }
    const index = choice.kind === 'chosen' ? choice.index : chains.length;
    const chain = configs[index];
    if (chain === undefined)
      return [this.#failed('no filter chain matches the connection, which is closed', { flag: 'NR' })];
    const reason =
      choice.kind === 'none'
        ? 'the default filter chain: no other matches the connection'
        : chains.length === 1 && chain.match === ''
          ? 'it matches every connection'
          : 'it matches the connection most specifically';
    const path = paths[index] ?? '';
    this.#steps.push({ ...step(index), verdict: 'taken', reason, path });
    this.#reached = { ...this.#reached, filterChain: titleOfChain(chain, index) };
    const { failure, tcpClusters } = chain;
    if (tcpClusters.length > 0) return this.#explainTcp(tcpClusters, path, resource);
    if (chain.secrets.length > 0 && failure?.by !== undefined && failure.by.typeUrl !== RDS.typeUrl)
      return [this.#failed(failure.text, {})];
    const filters = (jsonAt(json, `${path}.filters`) as readonly unknown[] | undefined) ?? [];
    const at = filters.findIndex((filter) =>
      FieldReader.open(filter, [])
        .object('typedConfig')
        ?.messageName()
        .endsWith('http_connection_manager.v3.HttpConnectionManager'),
    );
    if (at < 0) return [this.#unknown('the filter chain has no connection manager and no TCP proxy')];
    return this.#explainManager(chain, `${path}.filters[${at}].typedConfig`, resource, json);
  }

  #explainTcp(clusters: ChainConfig['tcpClusters'], path: string, resource: StepResource): Branch[] {
    const sum = clusters.reduce((total, { weight }) => total + weight, 0);
    const isOne = clusters.length === 1;
    const targets = clusters.map(({ name: cluster, weight }) => ({
      cluster,
      when: isOne ? '' : `weight ${weight} of ${sum}`,
      ...(!isOne && { percent: (weight / sum) * 100 }),
    }));
    this.#steps.push({
      ...{ stage: 'action', verdict: 'taken', title: 'TCP proxy', resource, path },
      reason: 'the connection is forwarded whatever the request is',
    });
    return targets.flatMap((target) => this.#explainCluster(target, undefined));
  }

  #explainManager(chain: ChainConfig, path: string, resource: StepResource, json: unknown): Branch[] {
    const manager = FieldReader.open(jsonAt(json, path), []);
    const step = { stage: 'connection-manager', title: 'connection manager', resource, path } as const;
    if (this.#isEnvoy) {
      const { port } = splitAddress(this.#config.listener.address);
      const normal = normaliseRequest(manager, this.#request, port);
      if (normal.kind === 'answered') {
        const { status, text, location } = normal;
        const field = normal.path === '' ? path : `${path}.${normal.path}`;
        this.#steps.push({ ...step, path: field, verdict: 'taken', reason: text });
        return [this.#answered(text, { status, ...(location && { location }) })];
      }
      this.#request = normal.request;
      this.#find = headersOf(normal.request, this.#profile);
      const reason = normal.changes.join('; ') || 'host and path are not changed';
      this.#steps.push({ ...step, verdict: 'taken', reason });
    }
    return this.#explainRouteConfig(chain, manager, path, resource);
  }

  #explainRouteConfig(chain: ChainConfig, manager: FieldReader, path: string, owner: StepResource): Branch[] {
    const step = (use: RouteConfigUse) =>
      ({
        stage: 'route-config',
        title: `route configuration ${use.name || '(inline)'}`,
        resource: use.source === 'inline' ? owner : (resourceOf(use.resource) ?? rdsKey(use.name)),
        path: use.source === 'inline' ? `${path}.routeConfig` : '',
      }) as const;
    const [use, ...more] = chain.routeConfigs;
    if (use?.source === 'scoped' || more.length > 0) {
      for (const each of chain.routeConfigs)
        this.#steps.push({ ...step(each), verdict: 'depends', reason: `it serves the scope ${each.scope}` });
      return [this.#unknown('scoped routes: the scope of the request is not evaluated')];
    }
    if (use === undefined) return [this.#unknown('the connection manager has no routes')];
    const [missing] = use.missing;
    if (missing !== undefined) {
      this.#steps.push({ ...step(use), verdict: 'unknown', reason: missing.text });
      return [this.#unknown(`route configuration ${use.name}: ${missing.text}`)];
    }
    if (use.table === null) {
      const reason = use.error || 'it is not known';
      this.#steps.push({ ...step(use), verdict: 'not-taken', reason });
      return [this.#noRoute(reason)];
    }
    const from = use.source === 'inline' ? 'it is inline in the listener' : 'the listener names it (RDS)';
    this.#steps.push({ ...step(use), verdict: 'taken', reason: use.resource?.note || from });
    const table = use.source === 'inline' ? manager.object('routeConfig') : this.#openResource(use.resource);
    if (table === undefined) return [this.#unknown('the content of the route configuration is not reported')];
    return this.#explainHost(chain, use, table, manager, step(use).resource, path);
  }

  #explainHost(
    chain: ChainConfig,
    use: RouteConfigUse,
    table: FieldReader,
    manager: FieldReader,
    resource: StepResource,
    managerPath: string,
  ): Branch[] {
    const { authority } = this.#config.listener;
    const request = this.#request;
    const choice = chooseHost({
      ...{ hosts: use.hosts, table, request, find: this.#find, profile: this.#profile },
      ...(!this.#isEnvoy && { authority }),
    });
    const step = { stage: 'virtual-host', title: 'virtual host', resource, path: '' } as const;
    if (choice.kind === 'depends') {
      this.#steps.push({ ...step, verdict: 'depends', reason: choice.reason });
      return [this.#unknown(choice.reason)];
    }
    if (choice.kind === 'none') {
      if (use.table?.vhds === true) {
        const reason = `${choice.reason}; it can be requested on demand (VHDS)`;
        this.#steps.push({ ...step, verdict: 'unknown', reason });
        return [this.#unknown(reason)];
      }
      this.#steps.push({ ...step, verdict: 'not-taken', reason: choice.reason });
      return [this.#noRoute(choice.reason)];
    }
    const { host: found, reason, next } = choice;
    const own = (host: typeof found): StepResource =>
      host.resource.name === resource.name && host.resource.typeUrl === resource.typeUrl
        ? resource
        : host.resource;
    if (next !== undefined)
      this.#steps.push({
        ...{ ...step, verdict: 'not-taken', title: `virtual host ${next.host.host.name}` },
        ...{ reason: next.reason, resource: own(next.host), path: next.host.path },
      });
    const place = { resource: own(found), path: found.path };
    this.#steps.push({
      ...{ ...step, ...place, verdict: 'taken', title: `virtual host ${found.host.name}`, reason },
    });
    this.#reached = { ...this.#reached, virtualHost: found.host.name };
    const body = jsonAt(this.#config.jsonOf(found.resource), found.path);
    if (body === undefined) return [this.#unknown('the content of the virtual host is not reported')];
    const host = FieldReader.open(body, []);
    if (this.#isEnvoy && request.scheme === 'http') {
      const requirement = host.enumName('requireTls', 'NONE');
      const isExternal = requirement === 'EXTERNAL_ONLY';
      if (requirement === 'ALL' || isExternal) {
        const location = `https://${request.authority}${request.path}`;
        const text = `requests without TLS are redirected to ${location} (require_tls)`;
        const path = `${found.path}.requireTls`;
        this.#steps.push({
          ...{ stage: 'action', title: 'redirect to HTTPS', resource: place.resource, path, reason: text },
          verdict: isExternal ? 'depends' : 'taken',
        });
        if (isExternal)
          return [this.#unknown('it depends on whether the request is internal (require_tls EXTERNAL_ONLY)')];
        return [this.#answered(text, { status: 301, location })];
      }
    }
    if (host.has('matcher')) {
      this.#steps.push({
        ...{ stage: 'route', verdict: 'unknown', title: 'matcher tree', resource: place.resource },
        ...{
          path: `${found.path}.matcher`,
          reason: 'a matcher tree chooses the route, which is not evaluated',
        },
      });
      return [this.#unknown('a matcher tree chooses the route, which is not evaluated')];
    }
    return this.#explainRoutes(chain, host, place, { manager, managerPath });
  }

  #explainRoutes(
    chain: ChainConfig,
    host: FieldReader,
    place: { readonly resource: StepResource; readonly path: string },
    of: { readonly manager: FieldReader; readonly managerPath: string },
  ): Branch[] {
    const routes = host.objects('routes');
    const request = { request: this.#request, find: this.#find, profile: this.#profile };
    const matched = matchRoutes(routes, request, this.#ignoredRoutes(chain, place.path));
    this.#addRoutes(routes, matched, place);
    const reached = this.#reached;
    return matched.candidates.flatMap(({ index, when, percent }) => {
      this.#reached = reached;
      const route = index === undefined ? undefined : routes[index];
      if (index === undefined || route === undefined) {
        const none = this.#noRoute(`none of ${routes.length} routes matches the request`);
        return [{ ...none, when, ...(percent !== undefined && { percent }) }];
      }
      const at = {
        resource: place.resource,
        path: `${place.path === '' ? '' : `${place.path}.`}routes[${index}]`,
      };
      const branches = this.#explainRoute(chain, route, index, host, at, of);
      return branches.map((branch) => this.#joinWhen(branch, when, percent, matched.candidates.length > 1));
    });
  }

  /** In Envoy, one random number decides fractions and weights, so that their shares cannot be multiplied. */
  #joinWhen(branch: Branch, when: string, percent: number | undefined, isFork: boolean): Branch {
    if (!isFork) return branch;
    const { percent: own, ...rest } = branch;
    const isDecided = branch.when === '';
    const joined = isDecided
      ? percent
      : percent === undefined || own === undefined || this.#isEnvoy
        ? undefined
        : (percent * own) / 100;
    const text = isDecided ? when : `${when}; ${branch.when}`;
    return { ...rest, when: text, ...(joined !== undefined && { percent: joined }) };
  }

  /** gRPC drops routes when it reads the resource. */
  #ignoredRoutes(chain: ChainConfig, path: string): Map<number, string> {
    const ignored = new Map<number, string>();
    if (this.#isEnvoy) return ignored;
    const use = chain.hosts.find((each) => each.path === path)?.use;
    for (const { part, path: at, reason } of use?.ignored ?? []) {
      const index = /\.routes\[(\d+)\]$/.exec(at)?.[1];
      if (part === 'route' && index !== undefined) ignored.set(Number(index), reason);
    }
    return ignored;
  }

  #addRoutes(
    routes: readonly FieldReader[],
    { considered }: RoutesMatched,
    { resource, path }: { readonly resource: StepResource; readonly path: string },
  ): void {
    const before = path === '' ? '' : `${path}.`;
    // There may be thousands of them: each is one object literal, which is made without copies.
    for (const { index, match } of considered) {
      const at = `${before}routes[${index}]`;
      const isMatch = match.verdict === 'match';
      const field = isMatch ? '' : match.path;
      this.#steps.push({
        stage: 'route',
        verdict: isMatch ? 'taken' : match.verdict === 'depends' ? 'depends' : 'not-taken',
        title: titleOfRoute(routes[index], index),
        reason: isMatch ? 'all its conditions hold' : match.reason,
        resource,
        path: field === '' ? at : `${at}.${field}`,
      });
    }
  }

  #explainRoute(
    chain: ChainConfig,
    route: FieldReader,
    index: number,
    host: FieldReader,
    at: { readonly resource: StepResource; readonly path: string },
    { manager, managerPath }: { readonly manager: FieldReader; readonly managerPath: string },
  ): Branch[] {
    const name = nameRoute(route, index);
    this.#reached = { ...this.#reached, route: name };
    const request = this.#request;
    const filters = explainFilters(manager, chain.httpFilters, {
      ...{ request, find: this.#find, owners: [host, route] },
    });
    this.#addFilters(filters, managerPath);
    const unless = filters.flatMap(({ name: filter, mayAnswer }) => (mayAnswer ? [filter] : []));
    if (unless.length > 0) this.#reached = { ...this.#reached, unless };
    const decision = decideRoute(route, request, this.#find, this.#profile);
    const path = decision.path === '' ? at.path : `${at.path}.${decision.path}`;
    const settings = settingsOf(route, host, manager, { path: request.path, profile: this.#profile });
    this.#steps.push({
      ...{ stage: 'action', title: `action of ${name}`, reason: decision.text, resource: at.resource, path },
      verdict: decision.kind === 'unknown' ? 'unknown' : 'taken',
      ...(settings.length > 0 && { settings }),
    });
    switch (decision.kind) {
      case 'unknown':
        return [this.#unknown(decision.text)];
      case 'failed':
        return [
          this.#failed(
            decision.text,
            this.#isEnvoy ? { status: decision.status, flag: decision.flag } : { grpcCode: 'UNAVAILABLE' },
          ),
        ];
      case 'answered': {
        const { status, location } = decision;
        return [this.#answered(decision.text, { status, ...(location && { location }) })];
      }
      case 'clusters':
        return decision.targets.flatMap((target) => this.#explainCluster(target, route.object('route')));
    }
  }

  #addFilters(filters: readonly FilterStep[], managerPath: string): void {
    const resource = resourceOf(this.#config.listener.listener);
    for (const { name, verdict, reason, path } of filters)
      this.#steps.push({
        ...{ stage: 'http-filter', title: `filter ${name}`, verdict, reason, resource },
        path: `${managerPath}.${path}`,
      });
  }

  #explainCluster(target: ClusterTarget, action: FieldReader | undefined): Branch[] {
    const { cluster, when, percent } = target;
    this.#reached = { ...this.#reached, cluster };
    const share = percent === undefined ? {} : { percent };
    const with_ = (branch: Branch): Branch => ({ ...branch, when, ...share });
    const entry = this.#config.findCluster(cluster);
    const title = `cluster ${cluster}`;
    const config = entry.config?.ok === true ? entry.config.value : undefined;
    const resource = resourceOf(config?.resource) ?? { typeUrl: CDS.typeUrl, name: cluster };
    const step = { stage: 'cluster', title, resource, path: '' } as const;
    const status = statusOfCluster(entry);
    if (status === 'error') return [with_(this.#failCluster(entry, step, action))];
    const how = target.when === '' ? '' : `${target.when}`;
    if (status !== 'ok') {
      const reason =
        entry.missing[0]?.text ?? config?.notModelled ?? 'it is not known whether the client runs it';
      this.#steps.push({ ...step, verdict: 'unknown', reason });
      if (config === undefined) return [with_(this.#unknown(`${title}: ${reason}`))];
    } else this.#steps.push({ ...step, verdict: percent === undefined ? 'taken' : 'depends', reason: how });
    const { endpoints, notes } = findPossibleEndpoints(cluster, this.#profile, {
      findCluster: this.#config.findCluster,
    });
    if (status !== 'ok') return [with_(this.#unknown(`${title}: ${this.#steps.at(-1)?.reason ?? ''}`))];
    const only = endpoints.length === 1 ? endpoints[0] : undefined;
    this.#steps.push({
      ...{ stage: 'endpoints', resource, path: '' },
      title: only === undefined ? `${endpoints.length} endpoints` : `endpoint ${only.address}`,
      verdict: endpoints.length === 0 ? 'unknown' : only === undefined ? 'depends' : 'taken',
      reason: [
        ...(endpoints.length > 1 ? ['the LB policy of the cluster chooses one of them'] : []),
        ...notes,
      ].join('; '),
    });
    return [
      with_({
        ...{ kind: 'forwarded', when: '', ...this.#reached, endpoints },
        text: `forwarded to cluster ${cluster}`,
      }),
    ];
  }

  #failCluster(
    entry: ClusterEntry,
    step: Pick<Step, 'stage' | 'title' | 'resource' | 'path'>,
    action: FieldReader | undefined,
  ): Branch {
    const reason = errorOfCluster(entry);
    const isAbsent = entry.config?.ok === false && entry.config.why === 'absent';
    this.#steps.push({ ...step, verdict: 'not-taken', reason });
    if (!this.#isEnvoy) return this.#failed(reason, { grpcCode: 'UNAVAILABLE' });
    if (!isAbsent) return this.#failed(reason, { status: 503, flag: flagOf(entry) });
    const code = action?.enumName('clusterNotFoundResponseCode', 'SERVICE_UNAVAILABLE');
    const status = { NOT_FOUND: 404, INTERNAL_SERVER_ERROR: 500 }[code ?? ''] ?? 503;
    return this.#failed(reason, { status, flag: 'NC' });
  }

  #openResource(used: UsedResource | undefined): FieldReader | undefined {
    const json = used === undefined ? undefined : this.#config.jsonOf(used);
    return json === undefined ? undefined : FieldReader.open(json, []);
  }

  #noRoute(text: string): Branch {
    return this.#failed(text, this.#isEnvoy ? { status: 404, flag: 'NR' } : { grpcCode: 'UNAVAILABLE' });
  }

  #failed(text: string, answer: Pick<Outcome, 'status' | 'grpcCode' | 'flag'>): Branch {
    return { kind: 'failed', when: '', text, ...answer, ...this.#reached };
  }

  #answered(text: string, answer: Pick<Outcome, 'status' | 'location'>): Branch {
    return { kind: 'answered', when: '', text, ...answer, ...this.#reached };
  }

  #unknown(text: string): Branch {
    return { kind: 'unknown', when: '', text, ...this.#reached };
  }
}

/** UH: no healthy upstream host. */
function flagOf({ config }: ClusterEntry): string {
  const children = config?.ok === true ? config.value.children : undefined;
  const isEmpty = (children?.kind === 'endpoints' || children?.kind === 'dns') && children.use.usable === 0;
  return isEmpty ? 'UH' : 'UF';
}

function resourceOf(used: UsedResource | undefined): StepResource | undefined {
  if (used === undefined) return undefined;
  const { typeUrl, name, versionInfo, hash } = used;
  return { typeUrl, name, versionInfo, ...(hash !== undefined && { hash }) };
}

function rdsKey(name: string): StepResource {
  return { typeUrl: name === '' ? LDS.typeUrl : RDS.typeUrl, name };
}

function titleOfChain(chain: ChainConfig | undefined, index: number): string {
  return `filter chain ${chain?.name || index + 1}`;
}

function titleOfRoute(route: FieldReader | undefined, index: number): string {
  const name = route?.string('name') ?? '';
  return name === '' ? `route ${index + 1}` : `route ${index + 1} ${JSON.stringify(name)}`;
}

function splitAddress(address: string): { address: string; port: number | undefined } {
  const [, host = address, port] = /^(.*):(\d+)$/.exec(address) ?? [];
  return { address: host.replace(/^\[(.*)\]$/, '$1'), port: port === undefined ? undefined : Number(port) };
}

/** Returns the value at a path such as "filterChains[0].filters[1].typedConfig"; the whole value for ''. */
function jsonAt(json: unknown, path: string): unknown {
  let value = json;
  for (const [key] of path.matchAll(/[^.[\]]+/g)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
