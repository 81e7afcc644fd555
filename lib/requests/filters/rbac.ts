import type { FieldReader } from '../../model/field-reader';
import { clientOf } from '../../xds/profile';
import type { Match } from '../match';
import { evaluateMatcher } from '../matcher-tree';
import { type FilterDecision, type FilterRequest, passes } from './filter-decision';
import { matchPolicy } from './rbac-policy';
import { readRequestInput } from './request-input';

interface RulesResult {
  readonly kind: 'allowed' | 'denied' | 'depends';
  readonly reason: string;
  /** States which are denied of all requests, as in "that match none of its policies: a"; if each is, why. */
  readonly which?: string;
}

/** An envoy.extensions.filters.http.rbac.v3.RBAC, or the RBACPerRoute that replaces it. */
export function decideRbac(of: FilterRequest): FilterDecision {
  const [override] = of.overrides;
  const config = override === undefined ? of.config : override.object('rbac');
  if (config === undefined) return passes('it is disabled here: its config for the route has no rules');
  const shadow = describeShadow(config, of);
  const result = evaluateRules(config, 'rules', 'matcher', of);
  const reason = `${result?.reason ?? 'it has no rules that are enforced'}${shadow}`;
  if (result === undefined || result.kind === 'allowed') return passes(reason);
  const answer = clientOf(of.profile) === 'envoy' ? { status: 403 } : { grpcCode: 'PERMISSION_DENIED' };
  return result.kind === 'denied' ? { kind: 'answers', reason, answer } : { kind: 'depends', reason, answer };
}

/**
 * Describes which requests or connections the RBAC of an HTTP or network filter denies, if nothing is known of them. undefined:
 * it denies none.
 */
export function describeRbac(
  config: FieldReader,
  anyRequest: FilterRequest,
): { readonly which: string; readonly isAll: boolean } | undefined {
  const result = evaluateRules(config, 'rules', 'matcher', anyRequest);
  if (result === undefined || result.kind === 'allowed') return undefined;
  return { isAll: result.kind === 'denied', which: result.which ?? result.reason };
}

/** "Shadow rules are not enforced by the filter", but emit statistics and logs. */
function describeShadow(config: FieldReader, of: FilterRequest): string {
  const result = evaluateRules(config, 'shadowRules', 'shadowMatcher', of);
  return result === undefined ? '' : `; shadow rules, which are not enforced: ${result.reason}`;
}

/** undefined: "If absent, no enforcing RBAC policy will be applied." */
function evaluateRules(
  config: FieldReader,
  rulesField: 'rules' | 'shadowRules',
  matcherField: 'matcher' | 'shadowMatcher',
  of: FilterRequest,
): RulesResult | undefined {
  // "If both rules and matcher are configured, rules will be ignored."
  const matcher = config.object(matcherField);
  if (matcher !== undefined) return evaluateActions(matcher, of);
  const rules = config.object(rulesField);
  if (rules === undefined) return undefined;
  const action = rules.enumName('action', 'ALLOW');
  const policies = rules.object('policies');
  // "The policies are evaluated in lexicographic order of the policy name."
  const names = Object.keys(policies?.json ?? {}).sort();
  const results = names.map((name): readonly [string, Match] => {
    const policy = policies?.object(name);
    return [
      name,
      policy === undefined
        ? { verdict: 'no-match', reason: 'it is empty', path: '' }
        : matchPolicy(policy, of),
    ];
  });
  const matching = results.find(([, { verdict }]) => verdict === 'match');
  if (action === 'LOG')
    return {
      kind: 'allowed',
      reason: `it denies no request (action LOG)${matching ? `, and policy ${JSON.stringify(matching[0])} matches` : ''}`,
    };
  const isAllow = action === 'ALLOW';
  if (matching !== undefined) {
    const policy = `policy ${JSON.stringify(matching[0])}`;
    return isAllow
      ? { kind: 'allowed', reason: `${policy} allows it` }
      : { kind: 'denied', reason: `${policy} denies it`, which: `${policy} matches each` };
  }
  const open = results.filter(([, { verdict }]) => verdict === 'depends');
  for (const [name, match] of open)
    if (match.verdict === 'depends')
      return {
        kind: 'depends',
        reason: `policy ${JSON.stringify(name)} ${isAllow ? 'may allow' : 'may deny'} it: ${match.reason}`,
        which: `that match ${isAllow ? 'none' : 'one'} of its policies: ${listNames(open.map(([each]) => each))}`,
      };
  const why = results.length === 0 ? 'it has no policies' : describeFailed(results);
  return isAllow
    ? {
        ...{ kind: 'denied', reason: `no policy allows it: ${why}` },
        which:
          results.length === 0 ? 'it allows by policies, and has none' : 'none of its policies can match',
      }
    : { kind: 'allowed', reason: `no policy denies it: ${why}` };
}

/** An xds.type.matcher.v3.Matcher with actions envoy.config.rbac.v3.Action: "Requests not matching any matcher will be denied." */
function evaluateActions(matcher: FieldReader, of: FilterRequest): RulesResult {
  const { result, inputs } = evaluateMatcher(matcher, readRequestInput(of), of.find);
  const values = inputs.length === 0 ? '' : `: the request has ${inputs.join(', ')}`;
  if (result.kind === 'unknown')
    return {
      kind: 'depends',
      reason: `its matcher decides: ${result.reason}`,
      which: 'as its matcher decides',
    };
  if (result.kind === 'none')
    return {
      ...{ kind: 'denied', reason: `its matcher has no action for it${values}` },
      which: 'its matcher has no action for them',
    };
  const action = result.action.object('typedConfig');
  const name = action?.string('name') || result.action.string('name');
  const verb = action?.enumName('action', 'ALLOW') ?? 'ALLOW';
  const does = verb === 'DENY' ? 'denies' : verb === 'LOG' ? 'logs and allows' : 'allows';
  return {
    kind: verb === 'DENY' ? 'denied' : 'allowed',
    reason: `action ${JSON.stringify(name)} of its matcher ${does} it${values}`,
    which: `action ${JSON.stringify(name)} of its matcher ${does} each`,
  };
}

const policiesNamed = 3;

function listNames(names: readonly string[]): string {
  const more = names.length > policiesNamed ? ` and ${names.length - policiesNamed} more` : '';
  return names.slice(0, policiesNamed).join(', ') + more;
}

function describeFailed(results: readonly (readonly [string, Match])[]): string {
  const texts = results
    .slice(0, policiesNamed)
    .map(
      ([name, match]) => `policy ${JSON.stringify(name)}: ${match.verdict === 'match' ? '' : match.reason}`,
    );
  const more = results.length > policiesNamed ? `; and ${results.length - policiesNamed} more` : '';
  return texts.join('; ') + more;
}
