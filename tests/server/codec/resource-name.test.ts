import { afterEach, describe, expect, it } from 'vitest';
import { CDS, ECDS, EDS, LDS, RDS, RTDS, SDS, SRDS, VHDS } from '@/lib/xds/resource-type';
import { peekResourceName } from '@/server/codec/resource-name';
import { messageType, setUserTypesHere } from '@/server/codec/root';
import { decodeEnvelope } from '@/server/collect/xds/response/decode-response';
import { readEntries } from '@/server/collect/xds/response/read-entries';
import { readCapture } from '../../support/builders/codec-corpus';
import { anyOf, encodeMessage, responseOf } from '../../support/builders/xds-wire';

const prefix = 'type.googleapis.com/';
const types = [LDS, RDS, SRDS, VHDS, CDS, EDS, SDS, RTDS, ECDS];
/** A message whose field 1 has this text. */
const textInField1 = Buffer.concat([Buffer.from([0x0a, 4]), Buffer.from('text')]);

function namesIn(message: Uint8Array): string[] {
  const result = decodeEnvelope(message, { isDelta: false, typeUrl: null, apiVersion: 'v3' });
  if (result.kind !== 'envelope') throw new Error(result.reason);
  return [...readEntries(result.envelope, peekResourceName)].map((entry) => {
    if (entry.kind === 'problem') throw new Error(entry.reason);
    return entry.name;
  });
}

describe('the name of a resource', () => {
  afterEach(() => setUserTypesHere([]));

  it.each(types)('is a field of every $service resource, in v3 and v2', ({ typeUrl }) => {
    const message = typeUrl.slice(prefix.length);
    const field = typeUrl === EDS.typeUrl ? 'clusterName' : 'name';
    expect(peekResourceName(typeUrl, encodeMessage(message, { [field]: 'a' }))).toBe('a');
    expect(peekResourceName(typeUrl, Buffer.alloc(0))).toBeUndefined();
  });

  it('is that of the v3 type for a type of v2', () => {
    const bytes = encodeMessage(EDS.typeUrl.slice(prefix.length), { clusterName: 'a' });
    expect(peekResourceName(`${prefix}envoy.api.v2.ClusterLoadAssignment`, bytes)).toBe('a');
  });

  it('is empty for a type that is not known, whatever its first field is', () => {
    expect(peekResourceName(`${prefix}acme.v1.Thing`, textInField1)).toBe('');
  });

  it('is the first field of a type of a descriptor set if that is a text', () => {
    const withField = (field: { type: string; keyType?: string }) =>
      setUserTypesHere([{ name: 'acme.v1.Thing', json: { fields: { first: { id: 1, ...field } } } }]);
    withField({ type: 'string' });
    expect(peekResourceName(`${prefix}acme.v1.Thing`, textInField1)).toBe('text');
    withField({ type: 'string', keyType: 'string' });
    expect(peekResourceName(`${prefix}acme.v1.Thing`, textInField1)).toBe('');
  });

  it("is not taken from the table of istiod's NameTable, which has none", () => {
    expect(namesIn(readCapture('istio', '004-sotw-NameTable.bin'))).toEqual(['']);
  });

  it.each([
    ['Address', 'Kubernetes//Pod/amb/edge-1', '000-delta-Address.bin'],
    ['Workload', 'Kubernetes//Pod/amb/edge-1', '001-delta-Workload.bin'],
    ['Authorization', 'amb/l4', '002-delta-Authorization.bin'],
  ])('of %s is that which istiod gives it in delta, such as %s', (_, first, file) => {
    const type = messageType('envoy.service.discovery.v3.DeltaDiscoveryResponse');
    const { typeUrl, resources } = type.toObject(
      type.decode(readCapture('istio', 'ads-ztunnel-delta', file)),
    );
    const named = resources.map((each: { name: string; resource: { value: Buffer } }) => [
      each.name,
      peekResourceName(typeUrl, each.resource.value),
    ]);
    expect(named[0]).toEqual([first, first]);
    for (const [given, peeked] of named) expect(peeked).toBe(given);
  });

  it('is a number for the second resource of a response whose type has none', () => {
    const typeUrl = `${prefix}acme.v1.Thing`;
    const resources = [anyOf(typeUrl, textInField1), anyOf(typeUrl, Buffer.alloc(0))];
    const response = responseOf({ typeUrl, versionInfo: '1', nonce: 'n', resources });
    expect(namesIn(response)).toEqual(['', '(empty name) (duplicate 2)']);
  });
});
