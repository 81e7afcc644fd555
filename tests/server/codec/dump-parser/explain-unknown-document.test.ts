import { describe, expect, it } from 'vitest';
import {
  rejectionOfList,
  rejectionOfObject,
  rejectionOfRequest,
} from '@/server/codec/dump-parser/explain-unknown-document';
import { planReport } from '@/server/codec/dump-parser/plan-report';

const expected = 'expected a document with xDS resources in it';

describe('a document without resources', () => {
  it.each([
    [['nodeMatchers'], 'got a CSDS request: only the answer to it has resources'],
    [['node', 'typeUrl'], 'got a DiscoveryRequest: only the answer to it has resources'],
    [['xdsServers', 'node'], 'got a bootstrap of gRPC'],
  ])('with the members %j is a known request', (members, reason) => {
    expect(rejectionOfRequest(new Set(members))).toContain(`${expected}, ${reason}`);
  });

  it('with the members of a resource is no request', () => {
    expect(rejectionOfRequest(new Set(['node', 'name']))).toBeUndefined();
  });

  it.each([
    [['apiVersion', 'kind', 'spec'], 'an object of Kubernetes: what its control plane makes of it is xDS'],
    [[], 'an empty object'],
    [['a', 'b'], 'an object with a, b'],
    [['a', 'b', 'c', 'd', 'e', 'f'], 'an object with a, b, c, d and 2 more'],
  ])('with the members %j is named', (members, name) => {
    expect(rejectionOfObject(new Set(members))).toBe(`${expected}, got ${name}`);
  });

  it.each([
    [
      'Gloo',
      { Clusters: { Version: '1', Items: { a: { name: 'a' } } }, Routes: { Version: '1', Items: {} } },
    ],
    ['go-control-plane', { Resources: [{ Version: '1', Items: { a: { Resource: { name: 'a' } } } }] }],
  ])('that is a snapshot of %s states what to import in its place', (_, snapshot) => {
    const text = JSON.stringify({ data: { 'ns~proxy': snapshot }, error: '' });
    const { problems } = planReport(Buffer.from(text));
    expect(problems).toMatchObject([
      {
        place: '',
        reason: expect.stringMatching(
          /got an object with data, error, which contains a snapshot of .*Gloo.*import \/config_dump/,
        ),
      },
    ]);
  });

  it('that is a list states what its elements are only if they are alike', () => {
    const object = rejectionOfObject(new Set(['a']));
    expect(rejectionOfList([])).toBe(`${expected}, got an empty list`);
    expect(rejectionOfList([object, object])).toBe(
      `${expected}, got a list of 2, each of them an object with a`,
    );
    expect(rejectionOfList([object, 'another reason'])).toBe(`${expected}, got a list of 2`);
  });
});
