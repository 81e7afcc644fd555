import type { FieldReader } from '../../model/field-reader';
import { matchString } from '../string-match';
import { type FilterDecision, type FilterRequest, firstValue, isPreflight, passes } from './filter-decision';
import { describeShare, readRuntimeShare } from './runtime-fraction';

/**
 * "If a preflight request's origin is allowed by the policy of the route or virtual host, the filter answers it with 200";
 * other requests pass, with headers added to the response.
 */
export function decideCors({ find, overrides, owners }: FilterRequest): FilterDecision {
  if (!isPreflight(find)) return passes('the request is no preflight request');
  // Measured: a redirect or a direct response of the route precedes the policy.
  if (!owners.some((owner) => owner.has('route'))) return passes('the route forwards no request');
  const legacy = owners.flatMap(
    (owner) => owner.object('route')?.object('cors') ?? owner.object('cors') ?? [],
  );
  const policies = overrides.length > 0 ? overrides : legacy;
  if (policies.length === 0) return passes('neither the route nor the virtual host has a CORS policy');
  const shares = policies.map((each) => readRuntimeShare(each.object('filterEnabled'), 100));
  const enabled = shares.find(({ percent, runtimeKey }) => percent === 100 && runtimeKey === '');
  const partly = shares.find(({ percent, runtimeKey }) => percent > 0 || runtimeKey !== '');
  if (partly === undefined) return passes('the CORS policy is not enabled (filter_enabled)');
  const origin = firstValue(find, 'origin') ?? '';
  const isAllowed = allowsOrigin(policies, origin);
  if (isAllowed === undefined)
    return {
      kind: 'depends',
      reason: `it is not known whether the policy allows origin ${origin}`,
      answer: { status: 200 },
    };
  const forwards =
    policies
      .find((each) => each.has('forwardNotMatchingPreflights'))
      ?.boolean('forwardNotMatchingPreflights') ?? true;
  if (!isAllowed && forwards) return passes(`the policy does not allow origin ${JSON.stringify(origin)}`);
  const reason = isAllowed
    ? `it answers the preflight request: the policy allows origin ${JSON.stringify(origin)}`
    : `it answers the preflight request, although the policy does not allow origin ${JSON.stringify(origin)} (forward_not_matching_preflights)`;
  if (enabled !== undefined) return { kind: 'answers', reason, answer: { status: 200 } };
  return {
    ...{
      kind: 'depends',
      reason: `${reason}; it does so for ${describeShare(partly)}`,
      answer: { status: 200 },
    },
    ...(partly.runtimeKey === '' && shares.length === 1 && { percent: partly.percent }),
  };
}

/** undefined: not known. The most specific policy that has origins decides. */
function allowsOrigin(policies: readonly FieldReader[], origin: string): boolean | undefined {
  const [matchers = []] = policies
    .map((each) => each.objects('allowOriginStringMatch'))
    .filter(({ length }) => length > 0);
  const results = matchers.flatMap((each) => [matchString(each, '*'), matchString(each, origin)]);
  if (results.some((result) => result.kind === 'known' && result.holds)) return true;
  return results.some(({ kind }) => kind === 'unknown') ? undefined : false;
}
