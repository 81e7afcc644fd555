import { describe, expect, it } from 'vitest';
import { splitChannelz } from '@/server/sources/channelz-sources';

describe('a request for a CSDS source with channelz', () => {
  it('is one for each, with the same target and security', () => {
    const settings = { channelz: true, tls: { serverName: 'cart' } };
    expect(splitChannelz({ kind: 'csds', target: '10.0.0.7:50051', label: 'cart', settings })).toEqual(
      ['csds', 'channelz'].map((kind) => ({
        ...{ kind, target: '10.0.0.7:50051', label: 'cart', settings: { tls: { serverName: 'cart' } } },
      })),
    );
  });

  it('is one source without it, and is rejected for another kind', () => {
    const input = { kind: 'csds', target: '10.0.0.7:50051' } as const;
    expect(splitChannelz(input)).toEqual([input]);
    expect(splitChannelz({ ...input, settings: { channelz: false } })).toEqual([{ ...input, settings: {} }]);
    expect(() => splitChannelz({ ...input, kind: 'ads', settings: { channelz: true } })).toThrow(
      'settings.channelz: expected it for a CSDS source alone, got it for ads',
    );
  });
});
