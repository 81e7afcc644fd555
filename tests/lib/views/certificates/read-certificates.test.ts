import { describe, expect, it } from 'vitest';
import { readCertificates } from '@/lib/views/certificates/read-certificates';

const leaf = {
  path: '/etc/tls/tls.crt',
  serialNumber: '2a',
  subjectAltNames: [{ dns: 'edge.example' }, { uri: 'spiffe://td/ns/a' }, { ipAddress: '10.0.0.1' }, {}],
  validFrom: '2026-01-01T00:00:00Z',
  expirationTime: '2026-03-01T00:00:00Z',
};

describe('readCertificates', () => {
  it('reports each certificate of the chains and of the authorities, once', () => {
    const json = { certificates: [{ certChain: [leaf], caCert: [{ path: 'ca' }] }, { certChain: [leaf] }] };
    expect(readCertificates(json)).toEqual([
      {
        role: 'chain',
        path: '/etc/tls/tls.crt',
        serialNumber: '2a',
        issuer: '',
        names: ['edge.example', 'spiffe://td/ns/a', '10.0.0.1'],
        validFrom: Date.parse('2026-01-01T00:00:00Z'),
        expiresAt: Date.parse('2026-03-01T00:00:00Z'),
      },
      {
        role: 'ca',
        path: 'ca',
        serialNumber: '',
        issuer: '',
        names: [],
        validFrom: undefined,
        expiresAt: undefined,
      },
    ]);
  });

  it.each([[null], ['x'], [{ certificates: 3 }], [{ certificates: [null, { certChain: [7] }] }]])(
    'makes nothing up of %j',
    (json) => {
      for (const { expiresAt, names } of readCertificates(json))
        expect([expiresAt, names]).toEqual([undefined, []]);
    },
  );
});
