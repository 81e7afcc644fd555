import { FieldReader } from '../model/field-reader';
import { type MetadataDoubt, metadataDoubtOf } from '../model/metadata-doubt';
import { decideCors } from '../requests/filters/cors';
import { decideApiKeyAuth, decideBasicAuth, decideCsrf } from '../requests/filters/credentials';
import { chooseFilter, isExtensionWithMatcher } from '../requests/filters/extension-with-matcher';
import { decideFault } from '../requests/filters/fault';
import {
  type EvaluateFilter,
  type FilterDecision,
  type FilterRequest,
  passes,
} from '../requests/filters/filter-decision';
import { decideHealthCheck, findFork, whyChangesAnswers } from '../requests/filters/forks';
import { decideHeaderMutation } from '../requests/filters/header-changes';
import { decideJwt } from '../requests/filters/jwt-authn';
import { decideLocalRateLimit } from '../requests/filters/local-ratelimit';
import { decideHeaderToMetadata, decideSetMetadata } from '../requests/filters/metadata-changes';
import { decideRbac } from '../requests/filters/rbac';
import { findService } from '../requests/filters/services';
import type { FilterUse } from '../resolve/http-filters';
import type { ChainConfig } from '../resolve/resolve-listener';
import { whyCallsFail } from '../resolve/xds-config';
import { clientOf } from '../xds/profile';
import { ECDS } from '../xds/resource-type';
import type { Branch, Verdict } from './trace';
import { joinCondition, multiplyShares, resourceOf, splitAddress, type TraceBuilder } from './trace-builder';

/** The connection manager, and its place in the listener. */
export interface ManagerPlace {
  readonly manager: FieldReader;
  readonly managerPath: string;
  /** The route configuration in use, which may have configs of filters. Absent: none is. */
  readonly table?: FieldReader;
}

/** Where a request is when the filters are called. */
interface FilterScope {
  /** What has a `typed_per_filter_config`, from the most specific: weighted cluster, route, virtual host, route configuration. */
  readonly owners: readonly FieldReader[];
  /** The cluster that is chosen, if there is only one. */
  readonly cluster?: string | undefined;
  /** Appended to the titles of the steps. */
  readonly suffix?: string;
}

/**
 * "HTTP filters are called in the order of the list". Each may answer; a request that passes all of them reaches `reach`.
 * Returns the branches in which it passes first.
 */
export function explainFilters(
  trace: TraceBuilder,
  chain: ChainConfig,
  { manager, managerPath }: ManagerPlace,
  scope: FilterScope,
  reach: () => readonly Branch[],
): Branch[] {
  const { find, metadata } = trace;
  const restore = (): void => void Object.assign(trace, { find, metadata });
  const answers: Branch[] = [];
  const forks: string[] = [];
  let left: number | undefined = 100;
  const join = (branch: Branch): Branch =>
    forks.length === 0 ? branch : joinCondition(branch, describePassed(forks), left);
  const all = manager.objects('httpFilters');
  for (const [index, filter] of all.entries()) {
    const name = filter.string('name');
    const found = decideFilter(trace, manager, filter, chain.httpFilters[index], scope);
    trace.add({
      ...{ stage: 'http-filter', title: `filter ${name}${scope.suffix ?? ''}` },
      ...{ verdict: found.verdict, reason: found.decision.reason },
      ...{
        resource: resourceOf(trace.config.listener.listener),
        path: `${managerPath}.httpFilters[${index}]`,
      },
    });
    const { decision } = found;
    trace.metadata = { ...trace.metadata, doubts: [...trace.metadata.doubts, ...found.doubts] };
    if (decision.kind === 'passes') {
      trace.find = decision.find ?? trace.find;
      trace.metadata = decision.metadata ?? trace.metadata;
      continue;
    }
    const answer = answerBranch(trace, name, decision);
    if (decision.kind === 'answers') {
      restore();
      const behind = all.slice(index + 1).filter((each) => whyDisabled(each, scope.owners) === undefined);
      return [...passAnswer(trace, behind, answer).map(join), ...answers];
    }
    // Each filter draws its own random number, so that shares can be multiplied.
    const { percent } = decision;
    answers.push(
      join(
        joinCondition(
          answer,
          `filter ${name} ${decision.answer === undefined ? 'answers or changes it' : 'answers'}`,
          percent,
        ),
      ),
    );
    forks.push(name);
    left = percent === undefined ? undefined : multiplyShares(left, 100 - percent);
  }
  const reached = reach().map(join);
  restore();
  return [...reached, ...answers];
}

function describePassed(forks: readonly string[]): string {
  return forks.length === 1
    ? `filter ${forks[0]} lets it pass unchanged`
    : `filters ${forks.join(', ')} let it pass unchanged`;
}

function answerBranch(
  trace: TraceBuilder,
  filter: string,
  decision: Exclude<FilterDecision, { readonly kind: 'passes' }>,
): Branch {
  const text = `filter ${filter}: ${decision.reason}`;
  const { answer } = decision;
  const ofService = decision.kind === 'depends' && decision.isService && ({ isService: true } as const);
  if (answer === undefined) return { ...trace.unknown(text), filter, ...ofService };
  const { status } = answer;
  // A preflight request is answered as it is, also if it is a gRPC request.
  const isSuccess = status !== undefined && status < 400 && answer.flag === undefined;
  const branch = isSuccess
    ? { ...trace.unknown(text), kind: 'answered' as const, status }
    : trace.failed(text, answer);
  return { ...branch, filter, ...ofService };
}

const evaluators: Readonly<Record<string, EvaluateFilter>> = {
  api_key_auth: decideApiKeyAuth,
  basic_auth: decideBasicAuth,
  cors: decideCors,
  csrf: decideCsrf,
  fault: decideFault,
  header_mutation: decideHeaderMutation,
  health_check: decideHealthCheck,
  header_to_metadata: decideHeaderToMetadata,
  jwt_authn: decideJwt,
  local_ratelimit: decideLocalRateLimit,
  rbac: decideRbac,
  set_metadata: decideSetMetadata,
  router: decideRouter,
};

function decideRouter({ owners, profile }: FilterRequest): FilterDecision {
  if (clientOf(profile) !== 'envoy' || owners.some((owner) => owner.has('route')))
    return passes('it forwards the request');
  return passes(
    `it answers itself: ${owners.length === 0 ? 'there is no route' : 'the route names no cluster'}`,
  );
}

/** Filters that answer no request that has no body, and change nothing by which later filters or routes match. */
const isKnown =
  /^(buffer|compressor|decompressor|grpc_stats|grpc_web|grpc_http1_bridge|stateful_session|bandwidth_limit|tap|on_demand|geoip|custom_response|upstream_codec|gcp_authn|alpn|peer_metadata)$/;

interface Decided {
  readonly verdict: Verdict;
  readonly decision: FilterDecision;
  /** What the filter may write into the dynamic metadata. */
  readonly doubts: readonly MetadataDoubt[];
}

function decideFilter(
  trace: TraceBuilder,
  manager: FieldReader,
  filter: FieldReader,
  use: FilterUse | undefined,
  scope: FilterScope,
): Decided {
  const { owners, cluster } = scope;
  const skip = (reason: string): Decided => ({
    ...{ verdict: 'not-taken', decision: passes(reason), doubts: [] },
  });
  if (use !== undefined && use.ignoredBecause !== '') return skip(use.ignoredBecause);
  const disabled = whyDisabled(filter, owners);
  if (disabled !== undefined) return skip(disabled);
  const found = overridesOf(filter, owners);
  const discovery = filter.object('configDiscovery');
  if (discovery !== undefined) {
    const reason = 'no config of it is in effect (ECDS)';
    if (use?.discovered === 'none')
      return { verdict: 'taken', doubts: [], decision: { kind: 'answers', reason, answer: { status: 500 } } };
    const typedConfig =
      use?.discovered === 'default'
        ? discovery.object('defaultConfig')?.json
        : discoveredConfig(trace, filter);
    if (use?.discovered !== undefined && typedConfig !== undefined) {
      const { configDiscovery: _, ...own } = filter.json;
      return decideFilter(trace, manager, FieldReader.open({ ...own, typedConfig }, []), use, scope);
    }
    return {
      ...{ verdict: 'depends', doubts: metadataDoubtOf(filter) },
      decision: { kind: 'depends', reason: 'its config is discovered (ECDS)' },
    };
  }
  const { address, port } = splitAddress(trace.config.listener.address);
  const isAnyAddress = address === '' || address === '0.0.0.0' || address === '::';
  const { connection } = trace.request;
  const of: FilterRequest = {
    ...{ request: trace.request, find: trace.find, profile: trace.profile, metadata: trace.metadata },
    ...{ config: filter.object('typedConfig') ?? FieldReader.open({}, []), owners, manager, cluster },
    whyFails: (name) => (trace.isEnvoy ? whyCallsFail(trace.config.findCluster(name)) : ''),
    overrides: found.flatMap((each) => (isWrapper(each) ? (each.object('config') ?? []) : each)),
    destination: {
      address: connection?.destinationAddress ?? (isAnyAddress ? undefined : address),
      port: connection?.destinationPort ?? port,
    },
  };
  if (!isExtensionWithMatcher(of.config)) return evaluateFilter(filter, of);
  const chosen = chooseFilter(of);
  if ('kind' in chosen)
    return chosen.kind === 'passes'
      ? skip(chosen.reason)
      : { verdict: 'depends', decision: chosen, doubts: metadataDoubtOf(filter) };
  const config = chosen.object('typedConfig') ?? FieldReader.open({}, []);
  // Its config for a route is another matcher.
  return evaluateFilter(chosen, { ...of, config, overrides: [] });
}

function discoveredConfig(trace: TraceBuilder, filter: FieldReader) {
  const json = trace.config.jsonOf({ typeUrl: ECDS.typeUrl, name: filter.string('name') });
  return json === undefined ? undefined : FieldReader.open(json, []).object('typedConfig')?.json;
}

/** `filter`: an HttpFilter or a TypedExtensionConfig. */
function evaluateFilter(filter: FieldReader, of: FilterRequest): Decided {
  const kind = kindOf(filter);
  const doubts = metadataDoubtOf(filter);
  const evaluate = evaluators[kind] ?? findService(kind) ?? findFork(kind);
  if (evaluate === undefined) {
    if (isKnown.test(kind)) return { verdict: 'taken', decision: passes(''), doubts };
    const type = filter.object('typedConfig')?.messageName() || 'its type';
    return { verdict: 'unknown', decision: { kind: 'depends', reason: `${type} is not evaluated` }, doubts };
  }
  const decision = evaluate(of);
  return { verdict: decision.kind === 'depends' ? 'depends' : 'taken', decision, doubts };
}

function overridesOf(filter: FieldReader, owners: readonly FieldReader[]): FieldReader[] {
  const name = filter.string('name');
  return owners.flatMap((owner) => owner.object('typedPerFilterConfig')?.object(name) ?? []);
}

function whyDisabled(filter: FieldReader, owners: readonly FieldReader[]): string | undefined {
  const [nearest] = overridesOf(filter, owners);
  if (isWrapper(nearest) && nearest?.boolean('disabled'))
    return 'it is disabled here (typed_per_filter_config)';
  return filter.boolean('disabled') && nearest === undefined
    ? 'it is disabled, and nothing here enables it'
    : undefined;
}

/** As in "ext_authz"; a filter without a config is found by its name. */
function kindOf(filter: FieldReader): string {
  const type = filter.object('typedConfig')?.messageName() ?? filter.string('name');
  return /^envoy\.(?:extensions\.)?filters\.http\.(\w+)/.exec(type)?.[1] ?? '';
}

/** The connection manager answers before a filter sees the request, and before a route can disable a filter. */
export function explainEarlyAnswer(trace: TraceBuilder, manager: FieldReader, answer: Branch): Branch[] {
  return passAnswer(trace, manager.objects('httpFilters'), answer);
}

/** Some filters see an answer of Envoy itself also if they have not seen the request. */
function passAnswer(trace: TraceBuilder, filters: readonly FieldReader[], answer: Branch): Branch[] {
  for (const filter of filters) {
    const reason = trace.isEnvoy ? whyChangesAnswers(kindOf(filter)) : undefined;
    if (reason === undefined) continue;
    const name = filter.string('name');
    const unknown = trace.unknown(`filter ${name} sees the answer of Envoy itself: ${reason}`);
    return [
      joinCondition(answer, `filter ${name} does not change the answer`, undefined),
      { ...joinCondition(unknown, `filter ${name} changes the answer`, undefined), filter: name },
    ];
  }
  return [answer];
}

function isWrapper(override: FieldReader | undefined): boolean {
  return override?.messageName() === 'envoy.config.route.v3.FilterConfig';
}
