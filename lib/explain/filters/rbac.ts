import type { FieldReader } from '../../model/field-reader';
import { clientOf } from '../../xds/profile';
import type { Match } from '../match';
import { type FilterDecision, type FilterRequest, passes } from './filter-decision';
import { matchPolicy } from './rbac-policy';

interface RulesResult {
  readonly kind: 'allowed' | 'denied' | 'depends';
  readonly reason: string;
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
  if (config.has(matcherField)) return { kind: 'depends', reason: 'its matcher is not evaluated' };
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
      : { kind: 'denied', reason: `${policy} denies it` };
  }
  for (const [name, match] of results)
    if (match.verdict === 'depends')
      return {
        kind: 'depends',
        reason: `policy ${JSON.stringify(name)} ${isAllow ? 'may allow' : 'may deny'} it: ${match.reason}`,
      };
  const why = results.length === 0 ? 'it has no policies' : describeFailed(results);
  return isAllow
    ? { kind: 'denied', reason: `no policy allows it: ${why}` }
    : { kind: 'allowed', reason: `no policy denies it: ${why}` };
}

const policiesNamed = 3;

function describeFailed(results: readonly (readonly [string, Match])[]): string {
  const texts = results
    .slice(0, policiesNamed)
    .map(
      ([name, match]) => `policy ${JSON.stringify(name)}: ${match.verdict === 'match' ? '' : match.reason}`,
    );
  const more = results.length > policiesNamed ? `; and ${results.length - policiesNamed} more` : '';
  return texts.join('; ') + more;
}
