import { clientOf, type Profile } from '../xds/profile';
import type { TearKind } from './tear-kind';

export interface Impact {
  /**
   * `fails`: requests failed. `waits`: requests or the new config were held back. `nothing`: the old config stayed in
   * use.
   */
  readonly outcome: 'fails' | 'waits' | 'nothing';
  readonly durationMs: number;
  readonly text: string;
}

interface ImpactInput {
  readonly kind: TearKind;
  readonly profile: Profile;
  /** True if the missing resource was reported as nonexistent during the interval. */
  readonly hasFailed: boolean;
  readonly durationMs: number;
  /** The time for which a client that publishes complete configs had none to publish. */
  readonly withheldMs: number;
}

export function describeImpact(input: ImpactInput): { readonly preA74: Impact; readonly a74: Impact } {
  return { preA74: impactBefore(input), a74: impactSince(input) };
}

/** Returns the impact on a client in which each resource takes effect when it is received. */
function impactBefore({ kind, profile, hasFailed, durationMs }: ImpactInput): Impact {
  const isEnvoy = clientOf(profile) === 'envoy';
  switch (kind) {
    case 'routes-not-come':
      return { outcome: 'nothing', durationMs: 0, text: textOfOldRoutes(profile) };
    case 'cluster-removed-in-use':
      return { outcome: 'fails', durationMs, text: `requests that a route sends there fail${code(isEnvoy)}` };
    case 'route-to-unknown-cluster':
      return isEnvoy || hasFailed
        ? { outcome: 'fails', durationMs, text: `requests that a route sends there fail${code(isEnvoy)}` }
        : { outcome: 'waits', durationMs, text: 'RPCs that a route sends there wait for the cluster' };
    case 'endpoints-not-come':
      if (isEnvoy) {
        const text =
          'the cluster warms: until then a new cluster answers 503, and an updated one stays in use';
        return { outcome: 'waits', durationMs, text };
      }
      return hasFailed
        ? { outcome: 'fails', durationMs, text: 'RPCs to the cluster fail: it has no endpoints' }
        : { outcome: 'waits', durationMs, text: 'RPCs to the cluster wait for its endpoints' };
  }
}

/** gRFC A74: nothing is published until every resource has reported data or an error. */
function impactSince({ kind, profile, hasFailed, durationMs, withheldMs }: ImpactInput): Impact {
  if (withheldMs > 0 || (!hasFailed && kind !== 'cluster-removed-in-use')) {
    const text =
      kind === 'routes-not-come'
        ? textOfOldRoutes(profile)
        : 'the previous config stays in use until all resources are received';
    const failedLater = hasFailed && durationMs > withheldMs;
    if (!failedLater) return { outcome: 'waits', durationMs: withheldMs, text };
    return {
      outcome: 'fails',
      durationMs: durationMs - withheldMs,
      text: `${text}; then it is published with an error for this cluster, and RPCs to it fail`,
    };
  }
  const text = 'the config is published with an error for this cluster: RPCs to it fail, the others work';
  return { outcome: 'fails', durationMs, text };
}

function textOfOldRoutes(profile: Profile): string {
  switch (clientOf(profile)) {
    case 'go':
      return 'the old route configuration stays in use, including its updates';
    case 'node':
      return 'the old routes are dropped at once; the published config stays in use';
    case 'envoy':
      return 'the new listener warms; the old one stays in use';
    case 'core':
    case 'java':
      return 'the published config stays in use';
  }
}

function code(isEnvoy: boolean): string {
  return isEnvoy ? ' with 503' : ' with UNAVAILABLE';
}
