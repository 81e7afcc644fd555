import type { FieldReader } from '../../model/field-reader';
import { cookiesOf, type FindHeader, queryOf } from '../request';
import { matchRoute } from '../route-match';
import { type FilterDecision, type FilterRequest, firstValue, isPreflight, passes } from './filter-decision';

/** What is known of a requirement: it needs the token to be valid, it fails since the token is missing, or it holds. */
type Requirement = { readonly kind: 'holds' | 'token' | 'missing'; readonly reason: string };

/** An envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication: "the first matched rule applies". */
export function decideJwt(of: FilterRequest): FilterDecision {
  const { config, overrides, find } = of;
  const [override] = overrides;
  if (override?.boolean('disabled')) return passes('it is disabled for the route');
  if (config.boolean('bypassCorsPreflight') && isPreflight(find))
    return passes('it lets preflight requests pass (bypass_cors_preflight)');
  const named = override?.string('requirementName') ?? '';
  if (named !== '') return decideNamed(config, named, find, of, 'the config of the route');
  for (const [at, rule] of config.objects('rules').entries()) {
    const match = rule.object('match');
    if (match === undefined) continue;
    const found = matchRoute(match, of);
    const name = `rule ${at + 1}`;
    if (found.verdict === 'no-match') continue;
    if (found.verdict === 'depends')
      return { kind: 'depends', reason: `whether ${name} matches: ${found.reason}`, answer: denied };
    const byName = rule.string('requirementName');
    if (byName !== '') return decideNamed(config, byName, find, of, name);
    const requires = rule.object('requires');
    if (requires === undefined) return passes(`${name} matches, and requires no token`);
    return decisionOf(evaluate(requires, config, of), name, of);
  }
  return config.has('filterStateRules')
    ? { kind: 'depends', reason: 'the filter state chooses the requirement', answer: denied }
    : passes('none of its rules matches the request');
}

const denied = { status: 401 };

function decideNamed(
  config: FieldReader,
  name: string,
  _find: FindHeader,
  of: FilterRequest,
  by: string,
): FilterDecision {
  const requirement = config.object('requirementMap')?.object(name);
  // "If the requirement_name is not in the requirement_map", the request is denied.
  if (requirement === undefined)
    return {
      kind: 'answers',
      reason: `${by} names requirement ${JSON.stringify(name)}, which does not exist`,
      answer: { status: 403 },
    };
  return decisionOf(evaluate(requirement, config, of), `${by}, requirement ${JSON.stringify(name)}`, of);
}

function decisionOf({ kind, reason }: Requirement, by: string, { config }: FilterRequest): FilterDecision {
  const text = `${by}: ${reason}`;
  if (kind === 'holds') return passes(text);
  if (kind === 'missing') return { kind: 'answers', reason: text, answer: denied };
  const mayReroute = Object.values(config.object('providers')?.json ?? {}).some(
    (provider) => (provider as { readonly clearRouteCache?: unknown } | null)?.clearRouteCache === true,
  );
  return mayReroute
    ? { kind: 'depends', reason: `${text}; its claims may change the route (clear_route_cache)` }
    : { kind: 'depends', reason: text, answer: denied };
}

function evaluate(requirement: FieldReader, config: FieldReader, of: FilterRequest): Requirement {
  if (requirement.has('allowMissingOrFailed')) return { kind: 'holds', reason: 'a token is not required' };
  if (requirement.has('extractOnlyWithoutValidation'))
    return { kind: 'holds', reason: 'the token is not validated' };
  const any = requirement.object('requiresAny')?.objects('requirements');
  if (any !== undefined) return evaluateAny(any.map((each) => evaluate(each, config, of)));
  const all = requirement.object('requiresAll')?.objects('requirements');
  if (all !== undefined) return worst(all.map((each) => evaluate(each, config, of)));
  const providers = config.object('providers');
  if (requirement.has('allowMissing')) {
    const has = Object.keys(providers?.json ?? {}).some((name) => hasToken(providers?.object(name), of));
    return has
      ? { kind: 'token', reason: 'it depends on whether the token is valid' }
      : { kind: 'holds', reason: 'the token may be missing' };
  }
  const name =
    requirement.string('providerName') ||
    (requirement.object('providerAndAudiences')?.string('providerName') ?? '');
  if (name === '') return { kind: 'holds', reason: 'no token is required' };
  return hasToken(providers?.object(name), of)
    ? {
        kind: 'token',
        reason: `it depends on whether the token of provider ${JSON.stringify(name)} is valid`,
      }
    : { kind: 'missing', reason: `the request has no token of provider ${JSON.stringify(name)}` };
}

function evaluateAny(results: readonly Requirement[]): Requirement {
  const order = ['holds', 'token', 'missing'] as const;
  for (const kind of order) {
    const found = results.find((each) => each.kind === kind);
    if (found !== undefined) return found;
  }
  return { kind: 'holds', reason: 'no token is required' };
}

function worst(results: readonly Requirement[]): Requirement {
  const order = ['missing', 'token', 'holds'] as const;
  for (const kind of order) {
    const found = results.find((each) => each.kind === kind);
    if (found !== undefined) return found;
  }
  return { kind: 'holds', reason: 'no token is required' };
}

/** "If no explicit location is specified", the header Authorization with "Bearer ", then the parameter access_token. */
function hasToken(provider: FieldReader | undefined, { find, request }: FilterRequest): boolean {
  if (provider === undefined) return false;
  const headers = provider.objects('fromHeaders');
  const parameters = provider.strings('fromParams');
  const cookies = provider.strings('fromCookies');
  const query = queryOf({ path: firstValue(find, ':path') ?? request.path });
  if (headers.length + parameters.length + cookies.length === 0)
    return (firstValue(find, 'authorization')?.includes('Bearer ') ?? false) || query.has('access_token');
  return (
    headers.some((each) => firstValue(find, each.string('name'))?.includes(each.string('valuePrefix'))) ||
    parameters.some((each) => query.has(each)) ||
    cookies.some((each) => cookiesOf(find).has(each))
  );
}
