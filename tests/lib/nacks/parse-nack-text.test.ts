import { describe, expect, it } from 'vitest';
import { parseNackText } from '@/lib/nacks/parse-nack-text';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';

/** [resource or place, field, start of the reason] of each statement. */
type Said = readonly [subject: string | number | undefined, field: string | undefined, reason: string];

const cases: readonly (readonly [title: string, text: string, said: readonly Said[]])[] = [
  [
    'C-core: every resource of the response, and of each every field',
    'xDS response validation errors: [resource index 0: a: INVALID_ARGUMENT: errors validating Cluster resource: [field:lb_policy error:LB policy is not supported; field:outlier_detection.interval.seconds error:value must be in the range [0, 315576000000]]; resource index 3: b: c: INVALID_ARGUMENT: errors validating Cluster resource: [field:load_assignment error:field not present for LOGICAL_DNS cluster]]',
    [
      ['a', 'lbPolicy', 'LB policy is not supported'],
      ['a', 'outlierDetection.interval.seconds', 'value must be in the range [0, 315576000000]'],
      ['b: c', 'loadAssignment', 'field not present for LOGICAL_DNS cluster'],
    ],
  ],
  [
    'C-core: the message in an Any is no step, and several errors of a field are several',
    'xDS response validation errors: [resource index 0: svc: INVALID_ARGUMENT: errors validating ApiListener: [field:api_listener.api_listener.value[envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager].http_filters errors:[first; second]]]',
    [
      ['svc', 'apiListener.apiListener.httpFilters', 'first'],
      ['svc', 'apiListener.apiListener.httpFilters', 'second'],
    ],
  ],
  [
    'C-core in CSDS: the same without the list around it',
    'INVALID_ARGUMENT: errors parsing EDS resource: [field:policy.drop_overloads[0].category error:empty drop category name]',
    [[undefined, 'policy.dropOverloads[0].category', 'empty drop category name']],
  ],
  [
    'C-core: a field that is reported from the middle on',
    'xDS response validation errors: [resource index 0: rt: INVALID_ARGUMENT: max_stream_duration: [field:seconds error:negative]]',
    [['rt', 'maxStreamDuration.seconds', 'negative']],
  ],
  [
    'C-core: a sentence without a field',
    "xDS response validation errors: [resource index 7: rt: INVALID_ARGUMENT: Match can't be null.]",
    [['rt', undefined, "INVALID_ARGUMENT: Match can't be null."]],
  ],
  [
    'grpc-js-xds: places, no names',
    'xDS response validation errors: [resource index 0: Cluster message validation failed: [load_assignment unset]; resource index 1: Cluster message validation failed: [lrs_server set but lrs_server.self unset,outlier_detection.interval out of range]]',
    [
      [0, 'loadAssignment', 'load_assignment unset'],
      [1, 'lrsServer.self', 'lrs_server set but lrs_server.self unset'],
      [1, 'outlierDetection.interval', 'outlier_detection.interval out of range'],
    ],
  ],
  [
    'grpc-js-xds: a virtual host by its name, a route by nothing, and commas in what it prints',
    'xDS response validation errors: [resource index 0: RouteConfiguration message validation failed: [virtual_hosts[vh].routes[].route.retry_policy: retry_back_off.max_interval < retry_back_off.base_interval: {"seconds":"1","nanos":0} vs {"seconds":"5","nanos":0}]]',
    [[0, 'virtualHosts["vh"].routes[].route.retryPolicy', 'retry_back_off.max_interval <']],
  ],
  [
    'grpc-js-xds: an exception is a reason, and what it quotes is no field',
    "xDS response validation errors: [resource index 0: Cannot read properties of undefined (reading 'type_url')]",
    [[0, undefined, 'Cannot read properties']],
  ],
  [
    'grpc-js-xds: fields that have nothing in common are no field',
    'Listener message validation failed: [No api_listener and no filter_chains and no default_filter_chain]',
    [[undefined, undefined, 'No api_listener']],
  ],
  [
    'grpc-go: resources in any order',
    'error parsing "ClusterResource" response: resource "b": outlier_detection.interval = -1s; must be a valid duration and >= 0;\nresource "a\\"b": load_assignment not present for LOGICAL_DNS cluster',
    [
      ['b', 'outlierDetection.interval', 'outlier_detection.interval = -1s; must be'],
      ['a"b', 'loadAssignment', 'load_assignment not present'],
    ],
  ],
  [
    'grpc-go: what it prints of the message names no field',
    'error parsing "RouteConfigResource" response: resource "rt": received route is invalid: route match:{prefix:""} route:{cluster:"cl" retry_policy:{retry_on:"unavailable" num_retries:{}}}, action cluster:"cl" retry_policy:{num_retries:{}}: retry_policy.num_retries = 0; must be >= 1',
    [['rt', 'retryPolicy.numRetries', 'received route is invalid']],
  ],
  [
    'grpc-go: errors of resources without a name come first',
    'error parsing "ListenerResource" response: top level errors: unexpected resource type: "x";\nfailed to unmarshal resource: proto: syntax',
    [[undefined, undefined, 'unexpected resource type: "x"']],
  ],
  [
    'grpc-java: one line each, and a reason of several',
    "LDS response Listener 'grpc/server?x=0.0.0.0:8080' validation error: HttpConnectionManager contains invalid HttpFilter: bad\nsecond line\nLDS response Resource index 2 - can't decode Listener: truncated",
    [
      ['grpc/server?x=0.0.0.0:8080', undefined, 'HttpConnectionManager contains'],
      [2, undefined, "can't decode Listener: truncated"],
    ],
  ],
  [
    'grpc-java: a name that is none of its type',
    "Unsupported resource name: xdstp://a/b for type: CDS\nCDS response Cluster 'a' validation error: no type",
    [
      ['xdstp://a/b', undefined, 'Unsupported resource name'],
      ['a', undefined, 'no type'],
    ],
  ],
  [
    'Envoy: a line each, names with colons, and a line break at the end',
    "Error adding/updating listener(s) mesh:envoy:admin: cannot bind '0.0.0.0:30001': Address already in use\n0.0.0.0_445: duplicate listener 0.0.0.0_445 found\n",
    [
      ['mesh:envoy:admin', 'address.socketAddress', 'cannot bind'],
      ['0.0.0.0_445', 'name', 'duplicate listener'],
    ],
  ],
  [
    'Envoy: a field that it takes no longer, of a cluster that the sentence does not name',
    'Error adding/updating cluster(s) : Proto constraint validation failed (Using deprecated option \'envoy.api.v2.Cluster.tls_context\' from file cluster.proto. See https://a.example/b): name: "a"\ntype: EDS\n',
    [['a', 'tlsContext', 'Using deprecated option']],
  ],
  [
    'Envoy: one of several fields that has to be set',
    'Error adding/updating listener(s) in: Proto constraint validation failed (OAuth2ValidationError.Config: embedded message failed validation | caused by OAuth2ConfigValidationError.Credentials: embedded message failed validation | caused by field: "token_formation", reason: is required): config {\n}\n',
    [['in', 'config.credentials.tokenFormation', 'is required']],
  ],
  [
    'Envoy: domains that are there twice, in a listener',
    'Error adding/updating listener(s) TCP-80: Only unique values for domains are permitted. Duplicate entry of domain a.example',
    [['TCP-80', 'virtualHosts[].domains[]', 'Only unique values']],
  ],
  [
    'Envoy: listeners in one sentence',
    "Error adding/updating listener(s) inbound: no filter chains specified, 0.0.0.0_80: Didn't find a registered implementation for name: 'x'",
    [
      ['inbound', 'filterChains', 'no filter chains specified'],
      ['0.0.0.0_80', undefined, "Didn't find a registered implementation"],
    ],
  ],
  [
    "Envoy: the protos' own constraints, and the message as text after them",
    'Proto constraint validation failed (ClusterValidationError.HealthChecks[i]: embedded message failed validation | caused by HealthCheckValidationError.HttpHealthCheck: embedded message failed validation | caused by HttpHealthCheckValidationError.Path: value length must be at least 1 characters): name: "a"\ntype: EDS\n',
    [['a', 'healthChecks[].httpHealthCheck.path', 'value length must be at least 1 characters']],
  ],
  [
    'Envoy: constraints of an older generator, of a filter inside a listener',
    'Error adding/updating listener(s) virtualInbound: Proto constraint validation failed (LuaValidationError.InlineCode: ["value length must be at least " \'\\x01\' " bytes"]): ',
    [['virtualInbound', 'inlineCode', '["value length must be at least']],
  ],
  [
    'Envoy: domains that are there twice',
    'Only unique values for domains are permitted. Duplicate entry of domain a.example:80 in route 80',
    [['80', 'virtualHosts[].domains[]', 'Only unique values']],
  ],
  [
    'our probe: a line each, a finding each',
    '"a": endpoints[0].locality: expected a locality, got nothing; endpoints: expected priority 0, got 1\nresources[2] "b": expected type "x", got no type URL\n"c": the resource: expected a Cluster, got bytes that are none\nand 3 more',
    [
      ['a', 'endpoints[0].locality', 'endpoints[0].locality: expected'],
      ['a', 'endpoints', 'endpoints: expected priority 0'],
      ['b', undefined, 'expected type'],
      ['c', undefined, 'the resource: expected a Cluster'],
    ],
  ],
  [
    'nobody that is known',
    'rejected: my_field is wrong',
    [[undefined, 'myField', 'rejected: my_field is wrong']],
  ],
  ['nothing', '', []],
];

describe('parseNackText reads', () => {
  it.each(cases)('%s', (_, text, said) => {
    const statements = parseNackText(text);
    expect(statements.map((each) => [each.resourceName ?? each.resourceIndex, each.fieldPath])).toEqual(
      said.map(([subject, field]) => [subject, field]),
    );
    statements.forEach((each, index) => {
      expect(each.reason.startsWith(said[index]?.[2] ?? 'nothing')).toBe(true);
      expect(text.slice(each.range.from, each.range.to), 'its place in the text').toBe(each.reason);
    });
  });

  it('an error of Envoy that ends within the message, without a field', () => {
    const text = `goo.gle/debugonly  \nname: "rt"\nvirtual_hosts {\n  name: "${'v'.repeat(80)}...(truncated)`;
    expect(parseNackText(text)).toMatchObject([{ resourceName: 'rt', reason: '...(truncated)' }]);
    expect(parseNackText(text)[0]?.fieldPath).toBeUndefined();
  });

  it.each([
    ['error parsing "ListenerResource" response: resource "a": x', LDS],
    ['error parsing "RouteConfigResource" response: resource "a": x', RDS],
    ['error parsing "CDS" response: resource "a": x', CDS],
    ["EDS response ClusterLoadAssignment 'a' validation error: x", EDS],
    ['Error adding/updating cluster(s) a: x', CDS],
    [
      'xDS response validation errors: [resource index 0: ClusterLoadAssignment message validation failed: [x_y]]',
      EDS,
    ],
  ])('the type in %s', (text, type) => {
    expect(parseNackText(text)[0]?.typeUrl).toBe(type.typeUrl);
  });

  /** Quadratic parsing of so many characters would exceed the time limit of a test many times over. */
  it('any hostile text in linear time', () => {
    const hostile = [
      '[',
      '"',
      '; resource index 1: ',
      '(AValidationError.B: ',
      'field:',
      "a response X '",
      '{',
      ';\nresource "',
    ];
    for (const piece of hostile) {
      for (const head of [
        '',
        'xDS response validation errors: [',
        'error parsing "X" response: ',
        'Error adding/updating listener(s) ',
      ]) {
        const text = head + piece.repeat(200_000);
        expect(parseNackText(text).length).toBeLessThanOrEqual(1_000);
      }
    }
  });

  it('an equal text once, while it is among the newest', () => {
    const text = (index: number) => `[resource index ${index}: a: no]`;
    const first = parseNackText(text(0));
    expect(parseNackText(text(0))).toBe(first);
    for (let index = 1; index <= 32; index += 1) parseNackText(text(index));
    expect(parseNackText(text(0))).not.toBe(first);
    expect(parseNackText(text(0))).toEqual(first);
    const long = text(0).padEnd(70_000, 'x');
    expect(parseNackText(long)).not.toBe(parseNackText(long));
  });
});
