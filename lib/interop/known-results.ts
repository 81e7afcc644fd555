import type { InteropVerdict } from '../observation/interop-verdicts';

/** A result other than `works` that was examined and is not a defect of the case. */
interface KnownResult {
  readonly client: string;
  readonly case: string;
  readonly verdict: InteropVerdict;
  /** One sentence or two, without a full stop at the end. */
  readonly reason: string;
}

const knownResults: readonly KnownResult[] = [
  {
    client: 'grpc-js',
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
  ...['fallback_on_startup', 'fallback_mid_startup', 'fallback_mid_update'].map((name): KnownResult => {
    const reason = 'grpc-js-xds uses the first server of its bootstrap alone (gRFC A71 is not implemented)';
    return { client: 'grpc-js', case: name, verdict: 'unable', reason };
  }),
  {
    client: 'grpc-go',
    case: 'fallback_on_startup',
    verdict: 'fails',
    reason:
      'grpc-go 1.85.0 does not request the routes from the primary server when it is back, so that it stays at the fallback; with inline routes it returns',
  },
  {
    client: 'c-core',
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
    client: 'grpc-java',
    case: 'dualstack',
    verdict: 'by-flag',
    reason:
      'grpc-java 1.85.1 reads additional addresses of an endpoint only if experimental environment variables are set (gRFC A61)',
  },
];

export function findKnownResult(
  testCase: string,
  { name }: { readonly name: string },
): KnownResult | undefined {
  return knownResults.find((each) => each.client === name && each.case === testCase);
}
