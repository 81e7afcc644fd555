import type { FieldReader } from '../../model/field-reader';
import { type FilterDecision, type FilterRequest, passes } from './filter-decision';
import { describeShare, readRuntimeShare } from './runtime-fraction';

/** An envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit, of the route or of the filter. */
export function decideLocalRateLimit({ config, overrides }: FilterRequest): FilterDecision {
  const limit = overrides[0] ?? config;
  const bucket = limit.object('tokenBucket');
  const descriptors = limit.objects('descriptors').length;
  if (bucket === undefined && descriptors === 0) return passes('it has no token bucket');
  // "Defaults to 0% of requests for safety."
  for (const field of ['filterEnabled', 'filterEnforced']) {
    const share = readRuntimeShare(limit.object(field), 0);
    if (share.percent === 0 && share.runtimeKey === '')
      return passes(
        `it limits ${describeShare(share)} (${field === 'filterEnabled' ? 'filter_enabled' : 'filter_enforced'})`,
      );
  }
  const status = statusOf(limit.object('status'));
  const also = descriptors === 0 ? '' : `, or those of ${descriptors} descriptors`;
  return {
    kind: 'depends',
    reason: `a token bucket decides: ${describeBucket(bucket)}${also}`,
    answer: { status, flag: 'RL' },
  };
}

function describeBucket(bucket: FieldReader | undefined): string {
  if (bucket === undefined) return 'of a descriptor';
  const added = bucket.number('tokensPerFill') ?? 1;
  return `${bucket.number('maxTokens') ?? 0} tokens at most, ${added} added every ${bucket.string('fillInterval')}`;
}

/** "If this is set to < 400, 429 will be used instead." The JSON has the name or the number. */
function statusOf(status: FieldReader | undefined): number {
  const code = status?.json.code;
  const known: Readonly<Record<string, number>> = {
    Forbidden: 403,
    ServiceUnavailable: 503,
    TooManyRequests: 429,
  };
  const value = typeof code === 'number' ? code : (known[String(code)] ?? 429);
  return value < 400 ? 429 : value;
}
