import type { FieldReader } from '../model/field-reader';
import { ignoredRoutesOf } from '../resolve/host-use';
import type { ChainConfig } from '../resolve/resolve-listener';
import { explainCluster } from './explain-cluster';
import { explainFilters, type ManagerPlace } from './http-filters';
import { matchRoutes, nameRoute, type RoutesMatched } from './match-routes';
import { decideRoute, settingsOf } from './route-action';
import type { Branch, StepResource } from './trace';
import { joinCondition, type TraceBuilder } from './trace-builder';
import { explainUpgrade, findUpgradeProblem } from './upgrade';

interface RoutePlace {
  readonly resource: StepResource;
  readonly path: string;
}

export function explainRoutes(
  trace: TraceBuilder,
  chain: ChainConfig,
  host: FieldReader,
  place: { readonly resource: StepResource; readonly path: string },
  of: ManagerPlace,
): Branch[] {
  const routes = host.objects('routes');
  const { request: own, find, profile, metadata } = trace;
  const request = { request: own, find, profile, metadata };
  const matched = matchRoutes(routes, request, ignoredRoutes(trace, chain, place.path));
  addRoutes(trace, routes, matched, place);
  const reached = trace.reached;
  return matched.candidates.flatMap(({ index, when, percent }) => {
    trace.reached = reached;
    const route = index === undefined ? undefined : routes[index];
    if (index === undefined || route === undefined) {
      const branches = explainFilters(trace, chain, of, { owners: [] }, () => [
        trace.noRoute(`none of ${routes.length} routes matches the request`),
      ]);
      return branches.map((branch) => joinWhen(trace, branch, when, percent, matched.candidates.length > 1));
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
  return joinCondition(branch, when, branch.when !== '' && trace.isEnvoy ? undefined : percent);
}

/** gRPC drops routes when it reads the resource. */
function ignoredRoutes(trace: TraceBuilder, chain: ChainConfig, path: string): Map<number, string> {
  const host = trace.isEnvoy ? undefined : chain.hosts.find((each) => each.path === path);
  return host === undefined ? new Map() : ignoredRoutesOf(host.use, path);
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
  at: RoutePlace,
  of: ManagerPlace,
): Branch[] {
  const name = nameRoute(route, index);
  trace.reached = { ...trace.reached, route: name };
  const { request } = trace;
  const upgrade = trace.isEnvoy ? findUpgradeProblem(request, route, of.manager) : undefined;
  if (upgrade !== undefined) return explainUpgrade(trace, upgrade, at);
  const decision = decideRoute(route, request, trace.find, trace.profile);
  const path = decision.path === '' ? at.path : `${at.path}.${decision.path}`;
  const settings = settingsOf(route, host, of.manager, { path: request.path, profile: trace.profile });
  const addAction = (): void =>
    trace.add({
      ...{ stage: 'action', title: `action of ${name}`, reason: decision.text, resource: at.resource, path },
      verdict: decision.kind === 'unknown' ? 'unknown' : 'taken',
      ...(settings.length > 0 && { settings }),
    });
  const owners = [route, host, ...(of.table === undefined ? [] : [of.table])];
  const targets = decision.kind === 'clusters' ? decision.targets : [];
  if (targets.some(({ owner }) => owner?.has('typedPerFilterConfig'))) {
    addAction();
    const reached = trace.reached;
    return targets.flatMap((target) => {
      trace.reached = reached;
      const { owner, cluster, when, percent } = target;
      const scope = { owners: [...(owner === undefined ? [] : [owner]), ...owners], cluster };
      const suffix = targets.length === 1 ? '' : `, for cluster ${cluster}`;
      const behind = () =>
        explainCluster(trace, { ...target, when: '', percent: undefined }, route.object('route'), of.manager);
      const branches = explainFilters(trace, chain, of, { ...scope, suffix }, behind);
      return branches.map((branch) => joinCondition(branch, when, percent));
    });
  }
  const cluster = targets.length === 1 ? targets[0]?.cluster : undefined;
  return explainFilters(trace, chain, of, { owners, cluster }, () => {
    addAction();
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
        return targets.flatMap((target) => explainCluster(trace, target, route.object('route'), of.manager));
    }
  });
}

function titleOfRoute(route: FieldReader | undefined, index: number): string {
  const name = route?.string('name') ?? '';
  return name === '' ? `route ${index + 1}` : `route ${index + 1} ${JSON.stringify(name)}`;
}
