import { describe, expect, it } from 'vitest';
import { findRejectedNames, type RejectedResponse } from '@/lib/nacks/find-rejected-names';
import type { Profile } from '@/lib/xds/profile';
import { EDS } from '@/lib/xds/resource-type';
import { readRejectedCases } from '../../support/builders/nack-texts';

const core = 'gRPC C-core';
const go = 'gRPC Go';
const java = 'gRPC Java';
const node = 'gRPC Node Pure JS';
const envoy = 'envoy';

function validate(response: Partial<RejectedResponse>): string {
  const { rejected, others } = findRejectedNames({
    ...{ names: ['a', 'b', 'c'], errorDetail: '', userAgentName: core, movesVersion: false },
    ...response,
  });
  return `${[...rejected].join(' ')} | ${others}`;
}

/** Names that are rejected of a response with a, b and c, and what happens to the others. */
const cases: readonly (readonly [title: string, who: string, text: string, reported: string])[] = [
  [
    'C-core: by name and place',
    core,
    'xDS response validation errors: [resource index 0: a: INVALID_ARGUMENT: errors validating Cluster resource: [field:lb_policy error:LB policy is not supported]; resource index 2: c: INVALID_ARGUMENT: no]',
    'a c | accepted',
  ],
  [
    'grpc-js-xds: by place',
    node,
    'xDS response validation errors: [resource index 1: Cluster message validation failed: [load_assignment unset]]',
    'b | accepted',
  ],
  [
    'grpc-go: the quoted one, not those that its reason names',
    go,
    'error parsing "RouteConfigResource" response: resource "b": received route is invalid: action cluster:"a": no',
    'b | accepted',
  ],
  [
    'grpc-java: a line for each',
    java,
    "CDS response Cluster 'c' validation error: CDS response Cluster 'a' is of a kind that nobody knows\nCDS response Resource index 1 - can't decode Cluster: no",
    'b c | accepted',
  ],
  [
    'Envoy: its list',
    envoy,
    'Error adding/updating cluster(s) a: Proto constraint validation failed (no), c: b is a cause',
    'a c | accepted',
  ],
  [
    'Envoy: one sentence rejects the response, and names the one',
    envoy,
    'Unexpected EDS cluster (expecting a): b',
    'b | kept',
  ],
  ['another client: each name in its words', 'acme-proxy', 'neither a, nor "c".', 'a c | kept'],
  ['another client that names none', 'acme-proxy', 'bad config', ' | rejected'],
  ['a gRPC client that names none', core, 'bad config', ' | unknown'],
  [
    'C-core: a place that the response does not have',
    core,
    'xDS response validation errors: [resource index 9: Cluster message validation failed: [no]]',
    ' | unknown',
  ],
];

describe('findRejectedNames', () => {
  it.each(cases)('reads %s', (_title, userAgentName, errorDetail, reported) => {
    expect(validate({ userAgentName, errorDetail }).split(' | ').map(sorted)).toEqual(
      reported.split(' | ').map(sorted),
    );
  });

  it('takes the only changed resource for the rejected one if the text names none', () => {
    const errorDetail = 'proto: cannot parse invalid wire-format data';
    expect(validate({ userAgentName: go, errorDetail, changed: ['b'] })).toBe('b | accepted');
    expect(validate({ userAgentName: go, errorDetail, changed: ['b', 'c'] })).toBe(' | unknown');
    expect(validate({ userAgentName: go, errorDetail, changed: [null] })).toBe(' | unknown');
  });

  it.each([
    ['Unexpected EDS cluster (expecting a): b', 'b | unknown'],
    ['Cluster drop_overloads config has 2 categories. Envoy only support one.', ' | one-of'],
    ['x: Proto constraint validation failed (ClusterLoadAssignmentValidationError.X: no)', ' | rejected'],
  ])(
    'of a type whose resources Envoy handles one by one, others may be in effect: %s',
    (errorDetail, found) => {
      expect(validate({ userAgentName: envoy, errorDetail, typeUrl: EDS.typeUrl })).toBe(found);
    },
  );

  it('does not confuse the index of a resource without a readable name', () => {
    const errorDetail = 'xDS response validation errors: [resource index 0: cannot be read]';
    expect(validate({ names: [null, 'b'], userAgentName: node, errorDetail })).toBe(' | accepted');
  });

  it('matches xdstp names in any equivalent notation', () => {
    const name = 'xdstp://auth/envoy.config.cluster.v3.Cluster/a?x=1&y=2';
    const reported = 'xdstp://auth/envoy.config.cluster.v3.Cluster/a?y=2&x=1';
    const errorDetail = `error parsing "ClusterResource" response: resource "${reported}": no`;
    expect(validate({ names: [name, 'b'], userAgentName: go, errorDetail })).toBe(`${name} | accepted`);
  });

  it('leaves the state of others unknown if the text is longer than the limit', () => {
    const errorDetail = `error parsing "ClusterResource" response: resource "a": ${'x'.repeat(70_000)};\nresource "b": no`;
    expect(validate({ userAgentName: go, errorDetail })).toBe('a | unknown');
    const entries = Array.from({ length: 1_100 }, (_, index) => `resource "r${index}": no`);
    const many = `error parsing "ClusterResource" response: ${entries.join(';\n')}`;
    expect(validate({ names: ['r0', 'r1099', 'a'], userAgentName: go, errorDetail: many })).toBe(
      'r0 | unknown',
    );
  });
});

const agents: Partial<Record<Profile, string>> = { 'core-1.51': core, 'go-1.64': go, 'node-1.14': node };
/** The names of captured resources and of those that they reference. */
const capturedNames = ['svc', 'rt', 'cl', 'cl-eds', 'vh'];

describe('NACKs of real clients', () => {
  it.each(readRejectedCases().map((each) => [each.profile, each.name, each.text] as const))(
    '%s rejected %s, and nothing else: %s',
    (profile, name, errorDetail) => {
      const names = [name, ...capturedNames.filter((each) => each !== name)];
      expect(validate({ names, errorDetail, userAgentName: agents[profile] ?? '' })).toBe(
        `${name} | accepted`,
      );
    },
  );
});

function sorted(words: string): string {
  return words.split(' ').sort().join(' ');
}
