import { afterAll, describe, expect, it } from 'vitest';
import { CDS } from '@/lib/xds/resource-type';
import { createCodec } from '@/server/codec/codec';
import { createValidator } from '@/server/collect/xds/response/resource-validator';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
afterAll(() => codec.close());

function clusterWith(tlsType: string, padding = 0): Uint8Array {
  return codec.encode(CDS.typeUrl, {
    name: 'secured',
    type: 'EDS',
    edsClusterConfig: { edsConfig: { ads: {} } },
    altStatName: 'x'.repeat(padding),
    transportSocket: {
      name: 'envoy.transport_sockets.tls',
      typedConfig: {
        '@type': `type.googleapis.com/${tlsType}`,
        commonTlsContext: { validationContext: { trustedCa: { filename: '/ca.pem' } } },
      },
    },
  });
}
const v2 = 'envoy.api.v2.auth.UpstreamTlsContext';
const v3 = 'envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

describe('createValidator, as a client', () => {
  const validate = createValidator({ mode: 'validate', profile: 'core', certificateProviders: null }, codec);

  it('reads the v2 types inside a resource as their v3 twins', async () => {
    const expected = await validate(CDS.typeUrl, clusterWith(v3));
    expect(expected).toContain('commonTlsContext');
    expect(await validate(CDS.typeUrl, clusterWith(v2))).toBe(expected);
  });

  it('reads them in large resources too, which another thread decodes', async () => {
    const expected = await validate(CDS.typeUrl, clusterWith(v3));
    expect(await validate(CDS.typeUrl, clusterWith(v2, 300_000))).toBe(expected);
  });
});
