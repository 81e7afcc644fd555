import type { FieldReader } from '../../model/field-reader';
import { type FilterDecision, type FilterRequest, passes } from './filter-decision';
import { describeShare, readRuntimeShare } from './runtime-fraction';
import { statusOf } from './status-code';

/** An envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit, of the route or of the filter. */
export function decideLocalRateLimit({ config, overrides, owners }: FilterRequest): FilterDecision {
  const limit = overrides[0] ?? config;
  const bucket = limit.object('tokenBucket');
  const descriptors = limit.objects('descriptors').length;
  if (bucket === undefined && descriptors === 0) return passes('it has no token bucket');
  // Measured: a descriptor counts only for a request to which rate_limits add it.
  const isDescribed = limit.objects('rateLimits').length > 0 || owners.some(hasRateLimits);
  if (bucket === undefined && !isDescribed)
    return passes(
      'it has no token bucket beside its descriptors, and neither the route nor its virtual host has rate_limits',
    );
  // "Defaults to 0% of requests for safety."
  for (const field of ['filterEnabled', 'filterEnforced']) {
    const share = readRuntimeShare(limit.object(field), 0);
    if (share.percent === 0 && share.runtimeKey === '')
      return passes(
        `it limits ${describeShare(share)} (${field === 'filterEnabled' ? 'filter_enabled' : 'filter_enforced'})`,
      );
  }
  const status = statusOf(limit.object('status'), 429);
  const also = descriptors === 0 || !isDescribed ? '' : `, or those of ${descriptors} descriptors`;
  return {
    kind: 'depends',
    reason: `a token bucket decides: ${describeBucket(bucket)}${also}`,
    // "If this is set to < 400, 429 will be used instead."
    answer: { status: status < 400 ? 429 : status, flag: 'RL' },
  };
}

/** A route has them in its action. */
function hasRateLimits(owner: FieldReader): boolean {
  return [owner, owner.object('route')].some((each) => (each?.objects('rateLimits').length ?? 0) > 0);
}

function describeBucket(bucket: FieldReader | undefined): string {
  if (bucket === undefined) return 'of a descriptor';
  const added = bucket.number('tokensPerFill') ?? 1;
  return `${bucket.number('maxTokens') ?? 0} tokens at most, ${added} added every ${bucket.string('fillInterval')}`;
}
