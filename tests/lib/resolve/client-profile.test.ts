import { expect, test } from 'vitest';
import {
  choiceOfProfile,
  chooseProfile,
  explainProfile,
  explainUsedProfile,
  namedProfile,
} from '@/lib/resolve/client-profile';
import { grpcProfiles, profileOfWho, profiles } from '@/lib/xds/profile';

const clientOf = (userAgentName: string, userAgentVersion = '', id = '') => ({
  node: { userAgentName, userAgentVersion, id },
});

test.each([
  ['gRPC Node Pure JS', '1.14.1', 'node-1.14', 'the user agent is “gRPC Node Pure JS 1.14.1”'],
  ['gRPC Go', '1.64.1', 'go-1.64', 'the user agent is “gRPC Go 1.64.1”'],
  ['gRPC Go', '1.72.2', 'go-1.72', 'the user agent is “gRPC Go 1.72.2”'],
  ['gRPC Go', '1.73.0', 'go-1.73', 'the user agent is “gRPC Go 1.73.0”'],
  [
    'gRPC Go',
    '1.99.0',
    'go-1.85',
    'the user agent is “gRPC Go 1.99.0”, which is not measured: Go 1.85 is the nearest measured version before it',
  ],
  ['gRPC Java', '1.60.1', 'java-1.60', 'the user agent is “gRPC Java 1.60.1”'],
  [
    'gRPC Java',
    '1.75.0',
    'java-1.60',
    'the user agent is “gRPC Java 1.75.0”, which is not measured: Java 1.60 is the nearest measured version before it',
  ],
  ['gRPC Java', '1.76.0', 'java-1.76', 'the user agent is “gRPC Java 1.76.0”'],
  [
    'gRPC Java',
    '1.84.0',
    'java-1.76',
    'the user agent is “gRPC Java 1.84.0”, which is not measured: Java 1.76 is the nearest measured version before it',
  ],
  [
    'gRPC C-core linux Python',
    'C-core 29.0.0 Python 1.51.1',
    'core-1.51',
    'the user agent is “gRPC C-core linux Python C-core 29.0.0 Python 1.51.1”',
  ],
  [
    'gRPC C-core linux Python',
    'C-core 58.0.0 Python 1.85.1',
    'core-1.85',
    'the user agent is “gRPC C-core linux Python C-core 58.0.0 Python 1.85.1”',
  ],
  ['envoy', '1.36.4', 'envoy-1.36', 'the user agent is “envoy 1.36.4”'],
  ['envoy', '1.40.0', 'envoy-1.40', 'the user agent is “envoy 1.40.0”'],
  [
    'gRPC C-core linux',
    '29.0.0',
    'core-1.85',
    'the user agent is “gRPC C-core linux 29.0.0”, without a version of C-core: the newest measured',
  ],
] as const)('the profile of "%s" "%s" is %s', (name, version, profile, reason) => {
  const isNearest = reason.includes('nearest') ? { isNearest: true } : {};
  expect(chooseProfile(clientOf(name, version))).toEqual({ profile, reason, ...isNearest });
});

test.each([
  ['gRPC Go', '1.50.0', 'go-1.64', '1.64 to 1.85'],
  ['envoy', '1.19.1', 'envoy-1.36', '1.36 to 1.40'],
  ['gRPC Node Pure JS', '1.9.0', 'node-1.14', '1.14'],
] as const)(
  '"%s" "%s" is earlier than the measured versions: findings are hints',
  (name, version, profile, range) => {
    expect(chooseProfile(clientOf(name, version))).toEqual({
      ...{ profile, isHint: true },
      reason: `the user agent is “${name} ${version}”, which is not measured (measured: ${range}): what the rules find is a hint`,
    });
  },
);

test.each([
  ['curl', 'the user agent is “curl”, which is that of no known client'],
  ['', 'the client reports no user agent'],
])(
  'a client with the user agent "%s" is not known: Go is assumed, and every profile is possible',
  (name, why) => {
    const chosen = chooseProfile(clientOf(name));
    expect(chosen).toMatchObject({ profile: 'go-1.85', possible: profiles });
    expect(chosen.reason).toBe(
      `assumed, as it is not known which client this is: ${why}, and nothing in its resources shows it; what only some clients reject is not marked as rejected`,
    );
  },
);

test.each([
  [{ client: 'envoy', reason: 'there is a bootstrap' }, 'envoy-1.40', undefined],
  [{ client: 'grpc', reason: 'there is an API listener' }, 'go-1.85', grpcProfiles],
] as const)(
  'what its source or resources show decides without a known user agent: %j',
  (evidence, profile, possible) => {
    const { node } = clientOf('');
    const chosen = chooseProfile({ node: { ...node, evidence } });
    expect(chosen.profile).toBe(profile);
    expect(chosen.possible).toEqual(possible);
    expect(chosen.reason).toContain(evidence.reason);
    expect(chooseProfile({ node: { ...clientOf('gRPC Go', '1.64.1').node, evidence } }).profile).toBe(
      'go-1.64',
    );
  },
);

test.each(['sidecar', 'router', 'waypoint', 'ztunnel'])(
  'a node id with %s~ is never that of grpc-go',
  (kind) => {
    expect(chooseProfile(clientOf('', '', `${kind}~10.0.0.1~cart-1.shop~shop.svc.cluster.local`))).toEqual({
      profile: 'envoy-1.40',
      reason: `the node id begins with “${kind}~”, as those of proxies do`,
    });
    expect(chooseProfile(clientOf('gRPC Go', '1.64.1', `${kind}~10.0.0.1~a~b`)).profile).toBe('go-1.64');
  },
);

test('a client without version means the own version of such a client, else the newest', () => {
  const old = clientOf('gRPC C-core linux Python', 'C-core 29.0.0 Python 1.51.1');
  expect(namedProfile('core', old)).toBe('core-1.51');
  expect(namedProfile('go', old)).toBe('go-1.85');
  expect(namedProfile('core-1.55', old)).toBe('core-1.55');
  expect(namedProfile(undefined, old)).toBe('core-1.51');
  expect(profileOfWho('core')).toBe('core-1.85');
});

test('a chosen profile names the one that it replaces', () => {
  expect(explainProfile('envoy', clientOf('gRPC Go', '1.64.1'))).toEqual({
    profile: 'envoy-1.40',
    reason: 'chosen in place of Go 1.64 to 1.70: the user agent is “gRPC Go 1.64.1”',
  });
});

test('the profile of a probe is not guessed', () => {
  const probe = { ...clientOf('xdscope', '1.0'), asClient: 'node' } as const;
  expect(chooseProfile(probe)).toEqual({
    profile: 'node-1.14',
    reason: 'the probe validates like this client',
  });
});

const unknown = clientOf('');
const go = clientOf('gRPC Go', '1.85.0');

test('the profile of an answer about a socket listener of an unknown client is explained', () => {
  expect(explainUsedProfile('envoy-1.40', undefined, unknown)).toMatchObject({
    profile: 'envoy-1.40',
    reason: expect.stringContaining('no gRPC client forwards the requests of a listener with an address'),
  });
  expect(explainUsedProfile('go-1.85', undefined, unknown).reason).toContain('reports no user agent');
  expect(explainUsedProfile('envoy-1.40', 'go-1.85', unknown).profile).toBe('go-1.85');
  expect(explainUsedProfile('go-1.85', undefined, go)).toEqual(chooseProfile(go));
  // The newest answer is that of the question before, which named another profile.
  expect(explainUsedProfile('envoy-1.40', undefined, go)).toEqual(chooseProfile(go));
  expect(explainUsedProfile('java-1.85', undefined, unknown)).toEqual(chooseProfile(unknown));
  const probe = { ...unknown, asClient: 'go' } as const;
  expect(explainUsedProfile('envoy-1.40', undefined, probe)).toMatchObject({
    profile: 'envoy-1.40',
    reason: 'no gRPC client forwards the requests of a listener with an address',
  });
});

test('a question names a profile unless it is the usual one of a known client', () => {
  expect([choiceOfProfile('go-1.85', go), choiceOfProfile('go-1.64', go)]).toEqual(['', 'go-1.64']);
  expect(choiceOfProfile('go-1.85', unknown)).toBe('go-1.85');
  expect(choiceOfProfile('go-1.85', { ...unknown, asClient: 'go' })).toBe('go-1.85');
});
