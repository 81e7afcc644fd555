import { describe, expect, it } from 'vitest';
import { parseConnection } from '@/lib/explain/parse-connection';

describe('the connection of a request', () => {
  it.each([
    [{}, undefined],
    [{ source: ' ', tls: '' as const }, undefined],
    [{ source: '10.1.2.3' }, { sourceAddress: '10.1.2.3' }],
    [{ source: '10.1.2.3:4000' }, { sourceAddress: '10.1.2.3', sourcePort: 4000 }],
    [{ source: '::1' }, { sourceAddress: '::1' }],
    [{ source: '[::1]' }, { sourceAddress: '::1' }],
    [{ destination: '[::1]:443' }, { destinationAddress: '::1', destinationPort: 443 }],
    [{ destination: ':443' }, { destinationPort: 443 }],
    [{ sni: 'shop.example ' }, { serverName: 'shop.example' }],
    [{ alpn: 'h2, http/1.1,' }, { applicationProtocols: ['h2', 'http/1.1'] }],
    [{ tls: 'yes' as const }, { isTls: true }],
    [{ tls: 'no' as const }, { isTls: false }],
  ])('of %j is %j', (texts, connection) => {
    expect(parseConnection(texts)).toEqual({ ok: true, connection });
  });

  it.each([
    [
      { source: 'shop.example' },
      'source',
      'expected an IP address, a port as in :443, or both, got "shop.example"',
    ],
    [{ destination: '443' }, 'destination', 'expected an IP address, a port as in :443, or both, got "443"'],
    [
      { destination: ':65536' },
      'destination',
      'expected an IP address, a port as in :443, or both, got ":65536"',
    ],
    [{ alpn: 'h2,'.repeat(21) }, 'alpn', 'expected at most 20 protocols, got 21'],
  ])('of %j is not understood', (texts, field, message) => {
    expect(parseConnection(texts)).toEqual({ ok: false, field, message });
  });
});
