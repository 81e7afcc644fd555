import { type ClientRelease, findClientRelease } from '../xds/client-release';
import type { Client } from '../xds/profile';

/** Clients of gRPC, whose support of features is published. */
type GrpcClient = Exclude<Client, 'envoy'>;

/** Where gRPC claims support: its table of features, or the releases with which it runs its tests. */
type ClaimSource = 'feature table' | 'psm-interop';

/** What gRPC claims of a release: that it supports what a case needs, or that it does not. */
export interface SupportClaim {
  readonly source: ClaimSource;
  readonly isSupported: boolean;
  /** The release that supports it first, as in "1.50". Absent: every release or none does. */
  readonly since?: string;
}

/** Releases, as in "1.37.1". Absent clients: none. */
type Since = Readonly<Partial<Record<GrpcClient, string>>>;

const sinceAll = (release: string): Omit<Since, 'node'> => ({ core: release, java: release, go: release });

/**
 * The releases of doc/grpc_xds_features.md of grpc/grpc at 049ca503 with which each language supports the feature of a case first.
 * Where C++ and Python differ it is that of Python, whose client of the interop tests runs on C-core.
 */
const featureTable: readonly (readonly [cases: RegExp, since: Since])[] = [
  // One of its steps matches without regard to case.
  [/^path_matching/, { ...sinceAll('1.34'), node: '1.3' }],
  [/^(header_matching|traffic_splitting)/, { ...sinceAll('1.31'), node: '1.3' }],
  [/^(timeout|circuit_breaking|fault_)/, { core: '1.37.1', java: '1.37.1', go: '1.37', node: '1.4' }],
  [/^csds/, { core: '1.38', java: '1.37.1', go: '1.37', node: '1.5' }],
  [/^affinity/, { core: '1.40', java: '1.40.1', go: '1.41', node: '1.10' }],
  [/^retry_/, { core: '1.40', java: '1.40.1', go: '1.41', node: '1.8' }],
  [/^security_/, sinceAll('1.41')],
  [/^authz_/, { core: '1.51', java: '1.42', go: '1.42' }],
  [/^(explicit_)?outlier_detection$/, { core: '1.51', java: '1.49', go: '1.50', node: '1.7' }],
  [/^custom_lb$/, { core: '1.55', java: '1.47', go: '1.56', node: '1.10' }],
  [/^federation$/, sinceAll('1.55')],
  [/^fallback_/, { core: '1.67', java: '1.71', go: '1.70' }],
  [/^dualstack/, { core: '1.66.1', go: '1.71', node: '1.12' }],
  // Clients and load balancing as gRFC A27 has them.
  [/^/, { ...sinceAll('1.30'), node: '1.2' }],
];

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

/** Nothing is claimed for another program, or for a release that is not known. */
export function findSupportClaims(
  testCase: string,
  client: Client | undefined,
  release: ClientRelease | undefined,
): readonly SupportClaim[] {
  if (client === undefined || client === 'envoy' || release?.major !== 1) return [];
  const since = featureTable.find(([cases]) => cases.test(testCase))?.[1][client];
  const gate = gates.find(([cases]) => cases.test(testCase))?.[1][client];
  return [
    { source: 'feature table', ...claimSince(since, release) },
    {
      source: 'psm-interop',
      ...(gate === undefined
        ? { isSupported: true }
        : claimSince(gate === 'never' ? undefined : `1.${gate}`, release)),
    },
  ];
}

/** Patch releases are not compared. */
function claimSince(since: string | undefined, release: ClientRelease): Omit<SupportClaim, 'source'> {
  const first = since === undefined ? undefined : findClientRelease(since);
  if (first === undefined || since === undefined) return { isSupported: false };
  return { isSupported: release.minor >= first.minor, since };
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
