import { describe, expect, it } from 'vitest';
import { type RpcType, rpcTypes } from '@/lib/observation/rpc-types';
import { formatMetadataLines, parseMetadataLines } from '@/lib/views/test-client/metadata-lines';

describe('the metadata of a test client as lines', () => {
  it('is parsed and formatted', () => {
    const text = 'UNARY_CALL rpc-behavior: hostname=b1 error-code-14\n\nEMPTY_CALL X-Team:shop:a ';
    const parsed = parseMetadataLines(text, rpcTypes);
    expect(parsed).toEqual({
      ok: true,
      metadata: [
        { type: 'UNARY_CALL', key: 'rpc-behavior', value: 'hostname=b1 error-code-14' },
        { type: 'EMPTY_CALL', key: 'x-team', value: 'shop:a' },
      ],
      warnings: [],
    });
    if (!parsed.ok) return;
    expect(formatMetadataLines(parsed.metadata)).toBe(
      'UNARY_CALL rpc-behavior: hostname=b1 error-code-14\nEMPTY_CALL x-team: shop:a',
    );
  });

  it('reports a line that is none, with its number', () => {
    expect(parseMetadataLines('UNARY_CALL a: b\nGET a: b', rpcTypes)).toEqual({
      ok: false,
      reason: 'Line 2: expected EMPTY_CALL or UNARY_CALL, a key, a colon and a value, got "GET a: b".',
    });
  });

  it('warns of an rpc-behavior that no server of the interop tests understands', () => {
    const parsed = parseMetadataLines('EMPTY_CALL rpc-behavior: sleep', ['EMPTY_CALL']);
    expect(parsed).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/^EMPTY_CALL: rpc-behavior: expected one of .*, got "sleep"\.$/)],
    });
  });

  it('warns of metadata for a type of RPC that is not chosen', () => {
    const warningsFor = (...chosen: RpcType[]) => {
      const parsed = parseMetadataLines('UNARY_CALL a: b\nUNARY_CALL c: d', chosen);
      return parsed.ok ? parsed.warnings : parsed.reason;
    };
    expect(warningsFor('EMPTY_CALL')).toEqual(['UNARY_CALL is not chosen: its metadata has no effect.']);
    expect(warningsFor('UNARY_CALL')).toEqual([]);
    expect(warningsFor('EMPTY_CALL', 'UNARY_CALL')).toEqual([]);
  });

  it('leaves out values that were redacted', () => {
    const value = '[redacted hmac-sha256:0123456789abcdef]';
    expect(formatMetadataLines([{ type: 'UNARY_CALL', key: 'authorization', value }])).toBe('');
  });
});
