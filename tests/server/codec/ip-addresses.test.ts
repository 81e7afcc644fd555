import { describe, expect, it } from 'vitest';
import { decodeBody } from '@/server/codec/decode-body';
import { encodeJson, formatProblems } from '@/server/codec/json/json-to-message';
import { messageType } from '@/server/codec/root';

const workload = 'istio.workload.Workload';
const base64 = (...bytes: number[]) => Buffer.from(bytes).toString('base64');
const last = (...bytes: number[]) => [...Array<number>(16 - bytes.length).fill(0), ...bytes];

function decodedOf(addresses: readonly string[]): { readonly shown: unknown; readonly bytes: Uint8Array } {
  const { bytes, problems } = encodeJson(messageType(workload), { addresses });
  expect(problems).toEqual([]);
  return { shown: decodeBody(`type.googleapis.com/${workload}`, bytes).json, bytes };
}

describe('the addresses of workloads of an ambient mesh', () => {
  it.each([
    ['IPv4', base64(10, 0, 0, 7), '10.0.0.7'],
    ['IPv6', base64(0xfd, ...last(0, 1).slice(1)), 'fd00::1'],
    ['the unspecified address', base64(...last(0)), '::'],
    ['IPv4-mapped IPv6', base64(...last(0xff, 0xff, 10, 0, 0, 7)), '::ffff:a00:7'],
    ['bytes of another length', base64(1, 2, 3), base64(1, 2, 3)],
  ])('are text: %s', (_, encoded, text) => {
    const { shown, bytes } = decodedOf([encoded]);
    expect(shown).toMatchObject({ addresses: [text] });
    expect(decodedOf([text]).bytes).toEqual(bytes);
  });

  it('of services and gateways are text as well', () => {
    const address = 'istio.workload.Address';
    const json = { service: { addresses: [{ network: 'n', address: base64(10, 0, 0, 7), length: 24 }] } };
    const { bytes } = encodeJson(messageType(address), json);
    expect(decodeBody(`type.googleapis.com/${address}`, bytes).json).toMatchObject({
      service: { addresses: [{ network: 'n', address: '10.0.0.7', length: 24 }] },
    });
  });

  it('that are neither an address nor base64 are a problem', () => {
    const { problems } = encodeJson(messageType(workload), { addresses: ['10.0.0.777'] });
    expect(formatProblems(problems)).toContain('expected an IP address or base64, got "10.0.0.777"');
  });
});
