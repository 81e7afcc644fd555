import type { FieldReader } from '../model/field-reader';
import type { ChainConfig } from '../resolve/resolve-listener';
import { explainCluster } from './explain-cluster';
import { explainFilters, type FilterStep } from './http-filters';
import { matchRoutes, nameRoute, type RoutesMatched } from './match-routes';
import { findMetadataWriters } from './metadata-writers';
import { decideRoute, settingsOf } from './route-action';
import type { Branch, StepResource } from './trace';
import { resourceOf, type TraceBuilder } from './trace-builder';

export function explainRoutes(
  trace: TraceBuilder,
  chain: ChainConfig,
  host: FieldReader,
  place: { readonly resource: StepResource; readonly path: string },
  of: { readonly manager: FieldReader; readonly managerPath: string },
): Branch[] {
  const routes = host.objects('routes');
  const request = { request: trace.request, find: trace.find, profile: trace.profile };
  const matched = matchRoutes(routes, request, ignoredRoutes(trace, chain, place.path));
  addRoutes(trace, routes, matched, place);
  const reached = trace.reached;
  return matched.candidates.flatMap(({ index, when, percent }) => {
    trace.reached = reached;
    const route = index === undefined ? undefined : routes[index];
    if (index === undefined || route === undefined) {
      const none = trace.noRoute(`none of ${routes.length} routes matches the request`);
      return [{ ...none, when, ...(percent !== undefined && { percent }) }];
    }
    const at = {
      resource: place.resource,
      path: `${place.path === '' ? '' : `${place.path}.`}routes[${index}]`,
    };
    const branches = explainRoute(trace, chain, route, index, host, at, of);
    return branches.map((branch) => joinWhen(trace, branch, when, percent, matched.candidates.length > 1));
  });
}

/** In Envoy, one random number decides fractions and weights, so that their shares cannot be multiplied. */
function joinWhen(
  trace: TraceBuilder,
  branch: Branch,
  when: string,
  percent: number | undefined,
  isFork: boolean,
): Branch {
  if (!isFork) return branch;
  const { percent: own, ...rest } = branch;
  const isDecided = branch.when === '';
  const joined = isDecided
    ? percent
    : percent === undefined || own === undefined || trace.isEnvoy
      ? undefined
      : (percent * own) / 100;
  const text = isDecided ? when : `${when}; ${branch.when}`;
  return { ...rest, when: text, ...(joined !== undefined && { percent: joined }) };
}

/** gRPC drops routes when it reads the resource. */
function ignoredRoutes(trace: TraceBuilder, chain: ChainConfig, path: string): Map<number, string> {
  const ignored = new Map<number, string>();
  if (trace.isEnvoy) return ignored;
  const use = chain.hosts.find((each) => each.path === path)?.use;
  for (const { part, path: at, reason } of use?.ignored ?? []) {
    const index = /\.routes\[(\d+)\]$/.exec(at)?.[1];
    if (part === 'route' && index !== undefined) ignored.set(Number(index), reason);
  }
  return ignored;
}

function addRoutes(
  trace: TraceBuilder,
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
    trace.add({
      stage: 'route',
      verdict: isMatch ? 'taken' : match.verdict === 'depends' ? 'depends' : 'not-taken',
      title: titleOfRoute(routes[index], index),
      reason: isMatch ? 'all its conditions hold' : match.reason,
      resource,
      path: field === '' ? at : `${at}.${field}`,
    });
  }
}

function explainRoute(
  trace: TraceBuilder,
  chain: ChainConfig,
  route: FieldReader,
  index: number,
  host: FieldReader,
  at: { readonly resource: StepResource; readonly path: string },
  { manager, managerPath }: { readonly manager: FieldReader; readonly managerPath: string },
): Branch[] {
  const name = nameRoute(route, index);
  trace.reached = { ...trace.reached, route: name };
  const request = trace.request;
  const filters = explainFilters(manager, chain.httpFilters, {
    ...{ request, find: trace.find, owners: [host, route] },
  });
  addFilters(trace, filters, managerPath);
  const unless = filters.flatMap(({ name: filter, mayAnswer }) => (mayAnswer ? [filter] : []));
  if (unless.length > 0) trace.reached = { ...trace.reached, unless };
  const running = filters.filter(({ verdict }) => verdict !== 'not-taken').map(({ name: filter }) => filter);
  trace.metadataWriters = findMetadataWriters(manager, new Set(running));
  const decision = decideRoute(route, request, trace.find, trace.profile);
  const path = decision.path === '' ? at.path : `${at.path}.${decision.path}`;
  const settings = settingsOf(route, host, manager, { path: request.path, profile: trace.profile });
  trace.add({
    ...{ stage: 'action', title: `action of ${name}`, reason: decision.text, resource: at.resource, path },
    verdict: decision.kind === 'unknown' ? 'unknown' : 'taken',
    ...(settings.length > 0 && { settings }),
  });
  switch (decision.kind) {
    case 'unknown':
      return [trace.unknown(decision.text)];
    case 'failed':
      return [
        trace.failed(
          decision.text,
          trace.isEnvoy ? { status: decision.status, flag: decision.flag } : { grpcCode: 'UNAVAILABLE' },
        ),
      ];
    case 'answered': {
      const { status, location } = decision;
      return [trace.answered(decision.text, { status, ...(location && { location }) })];
    }
    case 'clusters':
      return decision.targets.flatMap((target) => explainCluster(trace, target, route.object('route')));
  }
}

function addFilters(trace: TraceBuilder, filters: readonly FilterStep[], managerPath: string): void {
  const resource = resourceOf(trace.config.listener.listener);
  for (const { name, verdict, reason, path } of filters)
    trace.add({
      ...{ stage: 'http-filter', title: `filter ${name}`, verdict, reason, resource },
      path: `${managerPath}.${path}`,
    });
}

function titleOfRoute(route: FieldReader | undefined, index: number): string {
  const name = route?.string('name') ?? '';
  return name === '' ? `route ${index + 1}` : `route ${index + 1} ${JSON.stringify(name)}`;
}
