import { FieldReader } from '../model/field-reader';
import { remoteAddressOf } from '../requests/filters/filter-decision';
import { readHeaderInput } from '../requests/filters/request-input';
import { isInRange } from '../requests/input-matchers';
import { evaluateMatcher } from '../requests/matcher-tree';
import type { ChainConfig } from '../resolve/resolve-listener';
import type { RouteConfigUse } from '../resolve/resolve-routes';
import { LDS, RDS } from '../xds/resource-type';
import { chooseHost } from './choose-host';
import { explainRoutes } from './explain-routes';
import { explainFilters } from './http-filters';
import { addressOf } from './route-action';
import { readScopeKey } from './scope-key';
import type { Branch, StepResource } from './trace';
import { jsonAt, resourceOf, type TraceBuilder } from './trace-builder';
import { explainUpgrade, findUpgradeProblem } from './upgrade';

export function explainRouteConfig(
  trace: TraceBuilder,
  chain: ChainConfig,
  manager: FieldReader,
  path: string,
  owner: StepResource,
): Branch[] {
  const step = ({ inline, name, resource }: RouteConfigUse) =>
    ({
      stage: 'route-config',
      title: `route configuration ${name || '(inline)'}`,
      resource:
        inline === undefined ? (resourceOf(resource) ?? rdsKey(name)) : placeOf(inline.resource, owner),
      path: inline?.path ?? '',
    }) as const;
  const scoped = manager.object('scopedRoutes');
  let [use] = chain.routeConfigs;
  if (scoped !== undefined) {
    const scope = readScopeKey(scoped, trace.find);
    if (scope.kind === 'unknown') {
      for (const each of chain.routeConfigs)
        trace.add({ ...step(each), verdict: 'depends', reason: `it serves the scope ${each.scope}` });
      return [trace.unknown(`scoped routes: ${scope.reason}`)];
    }
    const key = scope.kind === 'key' ? scope.key : undefined;
    use = chain.routeConfigs.find(
      ({ scopeKey }) => key !== undefined && JSON.stringify(scopeKey) === JSON.stringify(key),
    );
    const requested =
      scope.kind === 'key' ? `the request has the scope ${scope.key.join(', ')}` : scope.reason;
    for (const each of chain.routeConfigs)
      if (each !== use)
        trace.add({
          ...{ ...step(each), verdict: 'not-taken' },
          reason: `it serves the scope ${each.scope}; ${requested}`,
        });
    if (use === undefined)
      return explainFilters(trace, chain, { manager, managerPath: path }, { owners: [] }, () => [
        trace.noRoute(`scoped routes: no scope is chosen: ${requested}`),
      ]);
    if (use.isOnDemand && use.table === null) {
      const reason = 'the scope is on_demand: its route configuration is requested with the first request';
      trace.add({ ...step(use), verdict: 'unknown', reason });
      return [trace.unknown(reason)];
    }
  } else if (chain.routeConfigs.length > 1)
    return [trace.unknown('the filter chain has more than one connection manager')];
  if (use === undefined) return [trace.unknown('the connection manager has no routes')];
  const [missing] = use.missing;
  if (missing !== undefined) {
    trace.add({ ...step(use), verdict: 'unknown', reason: missing.text });
    return [trace.unknown(`route configuration ${use.name}: ${missing.text}`)];
  }
  if (use.table === null) {
    const reason = use.error || 'it is not known';
    trace.add({ ...step(use), verdict: 'not-taken', reason });
    return explainFilters(trace, chain, { manager, managerPath: path }, { owners: [] }, () => [
      trace.noRoute(reason),
    ]);
  }
  const from =
    use.source === 'scoped'
      ? `it serves the scope ${use.scope}, which the request has`
      : use.source === 'inline'
        ? 'it is inline in the listener'
        : 'the listener names it (RDS)';
  trace.add({ ...step(use), verdict: 'taken', reason: use.resource?.note || from });
  const json = use.inline && jsonAt(trace.config.jsonOf(use.inline.resource), use.inline.path);
  const table = json === undefined ? trace.openResource(use.resource) : FieldReader.open(json, []);
  if (table === undefined) return [trace.unknown('the content of the route configuration is not reported')];
  return explainHost(trace, chain, use, table, manager, step(use).resource, path);
}

/** The route of require_tls, which has no metadata and no configs of filters. */
const redirectToTls = FieldReader.open({ match: {}, redirect: { httpsRedirect: true } }, []);

function explainHost(
  trace: TraceBuilder,
  chain: ChainConfig,
  use: RouteConfigUse,
  table: FieldReader,
  manager: FieldReader,
  resource: StepResource,
  managerPath: string,
): Branch[] {
  const { authority } = trace.config.listener;
  const request = trace.request;
  const choice = chooseHost({
    ...{ hosts: use.hosts, table, request, find: trace.find, profile: trace.profile },
    ...(!trace.isEnvoy && { authority }),
  });
  const of = { manager, managerPath, table };
  // Filters see a request without a route, too.
  const filterFirst = (reach: () => Branch[], owners: readonly FieldReader[] = []): Branch[] =>
    explainFilters(trace, chain, of, { owners }, reach);
  const step = { stage: 'virtual-host', title: 'virtual host', resource, path: '' } as const;
  if (choice.kind === 'depends') {
    trace.add({ ...step, verdict: 'depends', reason: choice.reason });
    return [trace.unknown(choice.reason)];
  }
  if (choice.kind === 'none') {
    if (use.table?.vhds === true) {
      const reason = `${choice.reason}; it can be requested on demand (VHDS)`;
      trace.add({ ...step, verdict: 'unknown', reason });
      return [trace.unknown(reason)];
    }
    trace.add({ ...step, verdict: 'not-taken', reason: choice.reason });
    return filterFirst(() => [trace.noRoute(choice.reason)]);
  }
  const { host: found, reason, next } = choice;
  const own = (host: typeof found): StepResource => placeOf(host.resource, resource);
  if (next !== undefined)
    trace.add({
      ...{ ...step, verdict: 'not-taken', title: `virtual host ${next.host.host.name}` },
      ...{ reason: next.reason, resource: own(next.host), path: next.host.path },
    });
  const place = { resource: own(found), path: found.path };
  trace.add({
    ...{ ...step, ...place, verdict: 'taken', title: `virtual host ${found.host.name}`, reason },
  });
  trace.reached = { ...trace.reached, virtualHost: found.host.name };
  const body = jsonAt(trace.config.jsonOf(found.resource), found.path);
  if (body === undefined) return [trace.unknown('the content of the virtual host is not reported')];
  const host = FieldReader.open(body, []);
  if (trace.isEnvoy && request.scheme === 'http') {
    const requirement = host.enumName('requireTls', 'NONE');
    const isExternal = requirement === 'EXTERNAL_ONLY' ? isOfExternalCaller(trace, manager) : undefined;
    const isOpen = requirement === 'EXTERNAL_ONLY' && isExternal === undefined;
    if (requirement === 'ALL' || isExternal || isOpen) {
      const { location } = addressOf({ ...request, scheme: 'https' });
      const text = `requests without TLS are redirected to ${location ?? 'HTTPS'} (require_tls)`;
      const path = `${found.path}.requireTls`;
      const upgrade = findUpgradeProblem(request, redirectToTls, manager);
      if (upgrade !== undefined && !isOpen)
        return explainUpgrade(trace, upgrade, { resource: place.resource, path });
      return filterFirst(() => {
        trace.add({
          ...{ stage: 'action', title: 'redirect to HTTPS', resource: place.resource, path, reason: text },
          verdict: isOpen ? 'depends' : 'taken',
        });
        return isOpen
          ? [trace.unknown('it depends on whether the request is internal (require_tls EXTERNAL_ONLY)')]
          : [trace.answered(text, { status: 301, ...(location && { location }) })];
      }, [redirectToTls]);
    }
  }
  const matcher = host.object('matcher');
  if (matcher !== undefined) return explainMatcher(trace, chain, { host, matcher, place, filterFirst }, of);
  return explainRoutes(trace, chain, host, place, of);
}

/**
 * undefined: not known. A caller is internal if its address is, which counts if it is the only one that is known: that of the connection
 * with use_remote_address, or the one in x-forwarded-for. Measured with Envoy 1.36.2 and 1.40.0: without internal_address_config, no
 * address is internal.
 */
function isOfExternalCaller({ request, profile }: TraceBuilder, manager: FieldReader): boolean | undefined {
  const internal = manager.object('internalAddressConfig');
  if (internal === undefined) return true;
  const remote = remoteAddressOf({ manager, request, profile });
  if (remote.kind === 'depends') return undefined;
  const forwarded = request.headers.flatMap(([name, value]) =>
    name.toLowerCase() === 'x-forwarded-for' ? value.split(',') : [],
  );
  if (forwarded.length !== (manager.boolean('useRemoteAddress') ? 0 : 1)) return true;
  const { address } = remote;
  return address === undefined
    ? undefined
    : !internal.objects('cidrRanges').some((range) => isInRange(range, address));
}

/** "matcher: a match tree to use when resolving route actions for incoming requests. routes should not be used." */
function explainMatcher(
  trace: TraceBuilder,
  chain: ChainConfig,
  of: {
    readonly host: FieldReader;
    readonly matcher: FieldReader;
    readonly place: { readonly resource: StepResource; readonly path: string };
    /** Applies the HTTP filters before what they can answer in place of. */
    readonly filterFirst: (reach: () => Branch[]) => Branch[];
  },
  manager: Parameters<typeof explainRoutes>[4],
): Branch[] {
  const { resource, path } = of.place;
  const at = `${path === '' ? '' : `${path}.`}matcher`;
  const step = { stage: 'route', title: 'matcher tree', resource } as const;
  if (!trace.isEnvoy) {
    const reason = 'a matcher tree chooses the route, which is not evaluated for gRPC clients';
    trace.add({ ...step, verdict: 'unknown', path: at, reason });
    return [trace.unknown(reason)];
  }
  const { result, inputs } = evaluateMatcher(of.matcher, (input) => readHeaderInput(input, trace.find));
  const values = inputs.length === 0 ? 'the request' : `the request has ${inputs.join(', ')}`;
  if (result.kind === 'unknown') {
    const reason = `the matcher tree chooses the route: ${result.reason}`;
    trace.add({ ...step, verdict: 'unknown', path: `${at}.${result.path}`, reason: result.reason });
    return [trace.unknown(reason)];
  }
  if (result.kind === 'none') {
    const reason = `the matcher tree has no action for it: ${values}`;
    trace.add({ ...step, verdict: 'not-taken', path: at, reason });
    return of.filterFirst(() => [trace.noRoute('no action of the matcher tree applies to the request')]);
  }
  const config = result.action.object('typedConfig');
  const type = config?.messageName() ?? '';
  const isList = type === 'envoy.config.route.v3.RouteList';
  const actionPath = `${at}.${result.path}.typedConfig`;
  if (config === undefined || (!isList && type !== 'envoy.config.route.v3.Route')) {
    const reason = `the action ${type || 'without a config'} of the matcher tree is not evaluated`;
    trace.add({ ...step, verdict: 'unknown', path: actionPath, reason });
    return [trace.unknown(reason)];
  }
  const routes = isList ? config.objects('routes').map(({ json }) => json) : [config.json];
  trace.add({ ...step, verdict: 'taken', path: actionPath, reason: values });
  const host = FieldReader.open({ ...of.host.json, routes }, []);
  return explainRoutes(trace, chain, host, { resource, path: actionPath }, manager);
}

/** The owner has its version and hash. */
function placeOf(resource: StepResource, owner: StepResource): StepResource {
  return resource.name === owner.name && resource.typeUrl === owner.typeUrl ? owner : resource;
}

function rdsKey(name: string): StepResource {
  return { typeUrl: name === '' ? LDS.typeUrl : RDS.typeUrl, name };
}
