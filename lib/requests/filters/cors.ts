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
  const [nearest] = policies;
  if (nearest === undefined) return passes('neither the route nor the virtual host has a CORS policy');
  // Measured with Envoy 1.40.0: the most specific policy alone decides whether the filter is enabled.
  const share = readRuntimeShare(nearest.object('filterEnabled'), 100);
  if (share.percent === 0 && share.runtimeKey === '')
    return passes('the CORS policy is not enabled (filter_enabled)');
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
  if (share.percent === 100 && share.runtimeKey === '')
    return { kind: 'answers', reason, answer: { status: 200 } };
  return {
    ...{
      kind: 'depends',
      reason: `${reason}; it does so for ${describeShare(share)}`,
      answer: { status: 200 },
    },
    ...(share.runtimeKey === '' && { percent: share.percent }),
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
