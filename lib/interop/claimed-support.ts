import type { ClientRelease } from '../xds/client-release';
import type { Client } from '../xds/profile';

/** Clients of gRPC, whose support of features is published. */
type GrpcClient = Exclude<Client, 'envoy'>;

/** What gRPC claims of a release: that it supports what a case needs, or that it does not. */
export interface SupportClaim {
  readonly isSupported: boolean;
  /** The minor release of version 1 that supports it first. Absent: every release or none does. */
  readonly since?: number;
}

/** Minor releases of version 1 with the feature; "never": no release. Absent clients: every release that is tested. */
type Gate = Readonly<Partial<Record<GrpcClient, number | 'never'>>>;

const outlierDetection: Gate = { core: 48, java: 49, go: 50, node: 6 };
const faultInjection: Gate = { node: 4 };
const retry: Gate = { core: 40, java: 40, go: 41, node: 8 };
const matching: Gate = { node: 3 };
const fallback: Gate = { go: 70, node: 'never' };
const security: Gate = { core: 41, go: 41, java: 41, node: 13 };
const authorization: Gate = { core: 47, go: 42, java: 42, node: 14 };

/**
 * The gates of psm-interop (`is_supported`, 03fcfe0), which runs its tests with the releases that they name. The test client on
 * C-core is a Python program, which has no custom policies.
 */
const gates: readonly (readonly [cases: RegExp, gate: Gate])[] = [
  [/^(path|header)_matching/, matching],
  [/^timeout/, { node: 4 }],
  [/^fault_/, faultInjection],
  [/^retry_/, retry],
  [/^affinity_/, { core: 'never', java: 40, go: 41, node: 'never' }],
  [/^affinity$/, { core: 40, java: 40, go: 41, node: 10 }],
  [/^(explicit_)?outlier_detection$/, outlierDetection],
  [/^custom_lb$/, { core: 'never', java: 47, go: 56, node: 10 }],
  [/^dualstack/, { core: 66, java: 66, go: 71, node: 12 }],
  [/^fallback_/, fallback],
  [/^csds/, { node: 5 }],
  [/^security_/, security],
  [/^authz_/, authorization],
];

/** undefined: nothing is claimed for the program, or its release is not known. */
export function findSupportClaim(
  testCase: string,
  client: Client | undefined,
  release: ClientRelease | undefined,
): SupportClaim | undefined {
  if (client === undefined || client === 'envoy' || release?.major !== 1) return undefined;
  const gate = gates.find(([cases]) => cases.test(testCase))?.[1][client];
  if (gate === undefined) return { isSupported: true };
  return gate === 'never' ? { isSupported: false } : { isSupported: release.minor >= gate, since: gate };
}

/** The names under which programs are registered, by client. */
const programs: Readonly<Record<GrpcClient, RegExp>> = {
  node: /\bjs\b|node/i,
  go: /\bgo\b/i,
  java: /java/i,
  core: /core|python|c\+\+|cpp/i,
};

/** The client that a program such as "grpc-go" runs; undefined: its name does not state it. */
export function findProgramClient(name: string): GrpcClient | undefined {
  const found = Object.entries(programs).find(([, pattern]) => pattern.test(name));
  return found?.[0] as GrpcClient | undefined;
}
