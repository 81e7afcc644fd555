import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';

const codec = createCodec({ redactionKey: Buffer.from('tests') });
const url = (name: string) => `type.googleapis.com/${name}`;

describe('types of the v2 API', () => {
  it('are decoded as their v3 twins at any depth, and marked', () => {
    const hcm = 'envoy.config.filter.network.http_connection_manager.v2.HttpConnectionManager';
    const router = 'envoy.config.filter.http.router.v2.Router';
    const typeUrl = url('envoy.api.v2.Listener');
    const json = {
      name: 'l',
      filterChains: [
        {
          filters: [
            {
              name: 'hcm',
              typedConfig: {
                '@type': url(hcm),
                statPrefix: 's',
                httpFilters: [{ name: 'r', typedConfig: { '@type': url(router), startChildSpan: true } }],
              },
            },
          ],
        },
      ],
    };
    const bytes = codec.encode(typeUrl, json);
    const decoded = codec.decode(typeUrl, bytes);
    expect(decoded.json).toEqual(json);
    const at = 'filterChains[0].filters[0].typedConfig';
    expect(decoded.v2).toEqual([
      { path: '', typeUrl, readAs: 'envoy.config.listener.v3.Listener' },
      {
        path: at,
        typeUrl: url(hcm),
        readAs: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
      },
      {
        path: `${at}.httpFilters[0].typedConfig`,
        typeUrl: url(router),
        readAs: 'envoy.extensions.filters.http.router.v3.Router',
      },
    ]);
    expect(Buffer.from(codec.encode(typeUrl, decoded.json)).equals(bytes)).toBe(true);
    const forModels = JSON.stringify(codec.decode(typeUrl, bytes, { asV3: true }).json);
    expect(forModels).toContain('envoy.extensions.filters.http.router.v3.Router');
    expect(forModels).not.toMatch(/\.v2\./);
  });

  it('have their secrets redacted like v3 types', () => {
    const typeUrl = url('envoy.api.v2.Listener');
    const bytes = codec.encode(typeUrl, {
      filterChains: [
        {
          transportSocket: {
            name: 'tls',
            typedConfig: {
              '@type': url('envoy.api.v2.auth.DownstreamTlsContext'),
              commonTlsContext: { tlsCertificates: [{ password: { inlineString: 'CANARY' } }] },
            },
          },
        },
      ],
    });
    const { body, redacted } = codec.sanitizeBody(typeUrl, bytes);
    expect(redacted).toHaveLength(1);
    expect(Buffer.from(body.bytes).includes('CANARY')).toBe(false);
  });

  it('keep fields that v3 dropped, with their secrets redacted by name', () => {
    const typeUrl = url('envoy.api.v2.Cluster');
    const bytes = codec.encode(typeUrl, {
      name: 'a',
      hosts: [{ socket_address: { address: '10.0.0.1', port_value: 80 } }],
      transport_socket: { name: 'tls', config: { password: 'CANARY' } },
    });
    const { body } = codec.sanitizeBody(typeUrl, bytes);
    expect(codec.decode(typeUrl, body.bytes).json).toEqual({
      name: 'a',
      hiddenEnvoyDeprecatedHosts: [{ socketAddress: { address: '10.0.0.1', portValue: 80 } }],
      transportSocket: {
        name: 'tls',
        hiddenEnvoyDeprecatedConfig: { password: expect.stringMatching(/^\[redacted/) },
      },
    });
  });

  it('are not confused with v3', () => {
    const typeUrl = url('envoy.config.cluster.v3.Cluster');
    expect(codec.decode(typeUrl, codec.encode(typeUrl, { name: 'a' })).v2).toEqual([]);
  });
});
