import type { InteropVerdict } from '../observation/interop-verdicts';

/** A result other than `works` that was examined and is not a defect of the case. */
interface KnownResult {
  /** A version, as in "grpc-go@1.85.0", or a program of which every version has the result, as in "grpc-js". */
  readonly client: string;
  readonly case: string;
  readonly verdict: InteropVerdict;
  /** One sentence or two, without a full stop at the end. */
  readonly reason: string;
}

const knownResults: readonly KnownResult[] = [
  {
    client: 'grpc-js@1.14.1',
    case: 'outlier_detection',
    verdict: 'fails',
    reason:
      'grpc-js-xds 1.14.1 overwrites its defaults with unset fields, so that no backend is below the threshold; with every field set it ejects (explicit_outlier_detection)',
  },
  {
    client: 'grpc-js',
    case: 'custom_lb',
    verdict: 'unable',
    reason: 'the test client of the lab does not implement test.RpcBehaviorLoadBalancer',
  },
  ...withoutFallback('grpc-js', 'grpc-js-xds'),
  {
    client: 'grpc-go@1.85.0',
    case: 'fallback_on_startup',
    verdict: 'fails',
    reason:
      'grpc-go 1.85.0 does not request the routes from the primary server when it is back, so that it stays at the fallback; with inline routes it returns',
  },
  ...withoutFallback('grpc-go@1.64.1', 'grpc-go 1.64.1'),
  ...['path_matching', 'header_matching'].map(
    (name): KnownResult => ({
      ...{ client: 'grpc-go', case: name, verdict: 'flaky' },
      reason: 'grpc-go fails a waiting RPC with UNAVAILABLE now and then when a route first names a cluster',
    }),
  ),
  {
    client: 'grpc-go@1.64.1',
    case: 'forwarding_rule_default_port',
    verdict: 'ignored',
    reason:
      'grpc-go 1.64.1 keeps its routes when no virtual host of the new ones matches its target; later versions fail every RPC',
  },
  {
    client: 'grpc-go@1.64.1',
    case: 'dualstack',
    verdict: 'unable',
    reason: 'grpc-go 1.64.1 uses the first address of an endpoint alone (gRFC A61 is implemented since 1.71)',
  },
  {
    client: 'c-core@1.85.1',
    case: 'outlier_detection',
    verdict: 'fails',
    reason:
      'C-core 1.85.1 ejects by success rate only if enforcing_success_rate is set; with every field set it ejects (explicit_outlier_detection)',
  },
  {
    client: 'c-core',
    case: 'custom_lb',
    verdict: 'rejects',
    reason:
      'in Python an application cannot add an LB policy, so that the cluster has no policy that it knows',
  },
  {
    client: 'grpc-java@1.85.1',
    case: 'dualstack',
    verdict: 'by-flag',
    reason:
      'grpc-java 1.85.1 reads additional addresses of an endpoint only if experimental environment variables are set (gRFC A61)',
  },
];

/** `program`: its name in the reason. */
function withoutFallback(client: string, program: string): readonly KnownResult[] {
  const reason = `${program} uses the first server of its bootstrap alone (gRFC A71 is not implemented)`;
  return ['fallback_on_startup', 'fallback_mid_startup', 'fallback_mid_update'].map((name) => ({
    ...{ client, case: name, verdict: 'unable', reason },
  }));
}

export function findKnownResult(
  testCase: string,
  { name, version }: { readonly name: string; readonly version: string },
): KnownResult | undefined {
  return knownResults.find(
    ({ client, case: of }) => of === testCase && (client === name || client === `${name}@${version}`),
  );
}
