import { expect, it } from 'vitest';
import { RTDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { buildTwinBootstrap } from '@/server/lab/twin/twin-bootstrap';

const node = {
  id: 'edge',
  cluster: '',
  locality: { region: 'eu', zone: 'a', subZone: '' },
  metadata: { app: 'edge' },
};

it('has the node of the client, and a runtime layer for each Runtime resource', () => {
  const resources = [{ typeUrl: RTDS.typeUrl, name: 'flags', json: { name: 'flags' } }];
  const stub = { protocol: 'grpc', answer: 'deny', cluster: 'the service', port: 1_235 } as const;
  const bootstrap = buildTwinBootstrap({
    ...{ node, adsPort: 1_234, adminPath: '/tmp/admin.sock', resources, stubs: [stub] },
  });
  expect(bootstrap).toMatchObject({
    node: { ...node, cluster: 'xdscope-twin' },
    layeredRuntime: { layers: [{ name: 'flags', rtdsLayer: { name: 'flags' } }] },
  });
  const bytes = encodeBody('type.googleapis.com/envoy.config.bootstrap.v3.Bootstrap', bootstrap);
  expect(bytes.length).toBeGreaterThan(0);
});
