import { type MetadataFilter, matchesFilters } from '../divide-traffic';
import type { TestMethod } from '../expectation';
import type { BuildResources, CaseStep, InteropCase } from '../interop-case';
import {
  type CaseRoute,
  cluster,
  endpoints,
  listener,
  routeConfiguration,
  twoClusters,
} from './case-resources';

const feature = 'Routing';
const [empty, unary] = ['EMPTY_CALL', 'UNARY_CALL'] as const;
const service = '/grpc.testing.TestService/';
const noFailures = { title: 'No RPC failed', expect: { kind: 'no-failures' } } as const;

type Outcome = Readonly<Record<TestMethod, 'a1' | 'b1'>>;
const emptyToB: Outcome = { EmptyCall: 'b1', UnaryCall: 'a1' };
const unaryToB: Outcome = { EmptyCall: 'a1', UnaryCall: 'b1' };

/** Each row: a sentence, routes before the default one to "a", and where each method shall go. */
function matchingSteps(rows: readonly (readonly [string, readonly CaseRoute[], Outcome])[]): CaseStep[] {
  const expect = ({ EmptyCall, UnaryCall }: Record<TestMethod, string>): CaseStep['expect'] => ({
    kind: 'by-method',
    methods: { EmptyCall: [EmptyCall], UnaryCall: [UnaryCall] },
  });
  return [
    { title: 'All RPCs use the default route', expect: expect({ EmptyCall: 'a1', UnaryCall: 'a1' }) },
    ...rows.map(([title, routes, outcome]) => ({
      title,
      actions: [{ kind: 'serve', resources: twoClusters([...routes, { to: 'a' }]) } as const],
      expect: expect(outcome),
    })),
    noFailures,
  ];
}

const pathMatching: InteropCase = {
  name: 'path_matching',
  title: 'Routes match the path by value, prefix and regular expression',
  ...{ feature, grfc: 'A28', origin: 'description' },
  backends: { a: 1, b: 1 },
  client: { types: [empty, unary] },
  resources: twoClusters([{ to: 'a' }]),
  steps: matchingSteps([
    ['The path of EmptyCall', [{ match: { path: `${service}EmptyCall` }, to: 'b' }], emptyToB],
    ['The prefix of UnaryCall', [{ match: { prefix: `${service}Unary` }, to: 'b' }], unaryToB],
    [
      'A prefix, then the path of EmptyCall',
      [
        { match: { prefix: `${service}Unary` }, to: 'a' },
        { match: { path: `${service}EmptyCall` }, to: 'b' },
      ],
      emptyToB,
    ],
    [
      'A regular expression for UnaryCall',
      [{ match: { safeRegex: { regex: '^\\/.*\\/UnaryCall$' } }, to: 'b' }],
      unaryToB,
    ],
    [
      'The path of EmptyCall in other capitals, ignoring case',
      [{ match: { path: '/gRpC.tEsTinG.tEstseRvice/empTycaLl', caseSensitive: false }, to: 'b' }],
      emptyToB,
    ],
  ]),
};

const header = (matcher: object): readonly CaseRoute[] => [
  { match: { prefix: '', headers: [matcher] }, to: 'b' },
];

const headerMatching: InteropCase = {
  name: 'header_matching',
  title: 'Routes match headers by value, prefix, suffix, presence, range and regular expression',
  ...{ feature, grfc: 'A28', origin: 'description' },
  backends: { a: 1, b: 1 },
  client: {
    types: [empty, unary],
    metadata: [
      { type: empty, key: 'xds_md', value: 'empty_ytpme' },
      { type: unary, key: 'xds_md', value: 'unary_yranu' },
      { type: unary, key: 'xds_md_numeric', value: '159' },
    ],
  },
  resources: twoClusters([{ to: 'a' }]),
  steps: matchingSteps([
    ['An exact value', header({ name: 'xds_md', stringMatch: { exact: 'empty_ytpme' } }), emptyToB],
    ['A prefix', header({ name: 'xds_md', stringMatch: { prefix: 'un' } }), unaryToB],
    ['A suffix', header({ name: 'xds_md', stringMatch: { suffix: 'me' } }), emptyToB],
    ['Presence', header({ name: 'xds_md_numeric', presentMatch: true }), unaryToB],
    [
      'Any but a value',
      header({ name: 'xds_md', stringMatch: { exact: 'unary_yranu' }, invertMatch: true }),
      emptyToB,
    ],
    ['A range', header({ name: 'xds_md_numeric', rangeMatch: { start: 100, end: 200 } }), unaryToB],
    [
      'A regular expression',
      header({ name: 'xds_md', stringMatch: { safeRegex: { regex: '^em.*me$' } } }),
      emptyToB,
    ],
  ]),
};

/** The node of the client has the labels a: "1" and b: "2". The server sends the routes of a rule whose filters match. */
function filtered(filters: readonly MetadataFilter[]): BuildResources {
  return (mesh) => twoClusters([{ to: matchesFilters(filters, mesh.nodeMetadata) ? 'b' : 'a' }])(mesh);
}

const filterRows: readonly (readonly [string, readonly MetadataFilter[]])[] = [
  ['MATCH_ALL', [{ criteria: 'MATCH_ALL', labels: { a: '1', b: '2' } }]],
  ['MATCH_ANY', [{ criteria: 'MATCH_ANY', labels: { a: '1', b: 'other' } }]],
  [
    'MATCH_ALL and MATCH_ANY',
    [
      { criteria: 'MATCH_ALL', labels: { a: '1' } },
      { criteria: 'MATCH_ANY', labels: { b: '2', c: 'other' } },
    ],
  ],
  [
    'two filters of MATCH_ALL',
    [
      { criteria: 'MATCH_ALL', labels: { a: '1' } },
      { criteria: 'MATCH_ALL', labels: { b: '2' } },
    ],
  ],
];

const noMatch = filtered([{ criteria: 'MATCH_ALL', labels: { a: 'other' } }]);

const metadataFilter: InteropCase = {
  name: 'metadata_filter',
  title: 'The server chooses the routes by the metadata of the node',
  ...{ feature, origin: 'description' },
  backends: { a: 2, b: 2 },
  resources: noMatch,
  steps: filterRows.flatMap(([criteria, filters]): CaseStep[] => [
    {
      title: `No rule matches, before ${criteria}`,
      actions: [{ kind: 'serve', resources: noMatch }],
      expect: { kind: 'only', backends: ['a1', 'a2'] },
    },
    {
      title: `A rule matches by ${criteria}`,
      actions: [{ kind: 'serve', resources: filtered(filters) }],
      expect: { kind: 'only', backends: ['b1', 'b2'] },
    },
  ]),
};

/** The config of a forwarding rule: the name of its listener, and the domain of its virtual host. */
function forwardingRule(name: string, domain = '*'): BuildResources {
  return (mesh) => [
    listener({ name }),
    routeConfiguration([{ to: 'a' }], { domain }),
    cluster('a'),
    endpoints('a', [{ zone: 'a', backends: mesh.group('a') }]),
  ];
}

const shortTimeout = { kind: 'configure', types: [unary], timeoutSeconds: 2 } as const;

const portMatch: InteropCase = {
  name: 'forwarding_rule_port_match',
  title: 'A target with a port uses the listener of that port alone',
  ...{ feature, grfc: 'A27', origin: 'description' },
  backends: { a: 2 },
  client: { target: 'xds:///svc:8080' },
  resources: forwardingRule('svc:8080'),
  steps: [
    { title: 'The rule has the port of the target', expect: { kind: 'only', backends: ['a1', 'a2'] } },
    {
      title: 'The rule has another port',
      actions: [{ kind: 'serve', resources: forwardingRule('svc:8081') }, shortTimeout],
      expect: { kind: 'none-succeed', overMs: 1_500 },
    },
  ],
};

const defaultPort: InteropCase = {
  name: 'forwarding_rule_default_port',
  title: 'A target without a port uses the listener and the virtual host without a port',
  ...{ feature, grfc: 'A27', origin: 'description' },
  backends: { a: 2 },
  client: { target: 'xds:///myservice' },
  resources: forwardingRule('myservice:8080', 'myservice:8080'),
  steps: [
    {
      title: 'The rule has another port',
      actions: [shortTimeout],
      expect: { kind: 'none-succeed', overMs: 1_500 },
    },
    {
      title: 'The rule has the default port',
      actions: [{ kind: 'serve', resources: forwardingRule('myservice', 'myservice') }],
      expect: { kind: 'only', backends: ['a1', 'a2'] },
    },
    {
      title: 'The virtual host has a port',
      actions: [{ kind: 'serve', resources: forwardingRule('myservice', 'myservice:80') }],
      expect: { kind: 'none-succeed', overMs: 1_500 },
    },
  ],
};

export const routingCases: readonly InteropCase[] = [
  pathMatching,
  headerMatching,
  metadataFilter,
  portMatch,
  defaultPort,
];
