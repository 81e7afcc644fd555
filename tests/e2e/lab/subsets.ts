import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Source } from '@/lib/views/sources/schema';
import { fetchApi, sendJson } from '../../support/e2e-server';
import { findClient } from '../../support/e2e-story';
import { api, openPage, story } from '../../support/shared-lab';
import { waitUntil } from '../../support/wait-until';

const extension = 'type.googleapis.com/envoy.extensions.filters.';
const lb = (version: string) => ({ filter_metadata: { 'envoy.lb': { version } } });
const route = (prefix: string, version: string) => ({
  match: { prefix },
  route: { cluster: 'shop', metadata_match: lb(version) },
});
const endpoint = (address: string, version: string) => ({
  endpoint: { address: { socket_address: { address, port_value: 80 } } },
  metadata: lb(version),
});

/** The config dump of an Envoy whose routes want two versions of a cluster. */
const dump = {
  configs: [
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.BootstrapConfigDump',
      bootstrap: {
        node: {
          ...{ id: 'edge-of-subsets', user_agent_name: 'envoy' },
          user_agent_build_version: { version: { major_number: 1, minor_number: 40 } },
        },
      },
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ClustersConfigDump',
      static_clusters: [
        {
          cluster: {
            ...{
              '@type': 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
              name: 'shop',
              type: 'STATIC',
            },
            lb_subset_config: { subset_selectors: [{ keys: ['version'] }] },
            load_assignment: {
              cluster_name: 'shop',
              endpoints: [
                {
                  lb_endpoints: [
                    endpoint('10.0.0.1', 'v1'),
                    endpoint('10.0.0.2', 'v1'),
                    endpoint('10.0.0.3', 'v2'),
                  ],
                },
              ],
            },
          },
        },
      ],
    },
    {
      '@type': 'type.googleapis.com/envoy.admin.v3.ListenersConfigDump',
      static_listeners: [
        {
          listener: {
            ...{ '@type': 'type.googleapis.com/envoy.config.listener.v3.Listener', name: 'web' },
            address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
            filter_chains: [
              {
                filters: [
                  {
                    name: 'http',
                    typed_config: {
                      '@type': `${extension}network.http_connection_manager.v3.HttpConnectionManager`,
                      stat_prefix: 'web',
                      route_config: {
                        name: 'web',
                        virtual_hosts: [
                          {
                            ...{ name: 'all', domains: ['*'] },
                            routes: [route('/a', 'v1'), route('/b', 'v1'), route('/', 'v9')],
                          },
                        ],
                      },
                      http_filters: [
                        { name: 'router', typed_config: { '@type': `${extension}http.router.v3.Router` } },
                      ],
                    },
                  },
                ],
              },
            ],
          },
        },
      ],
    },
  ],
};

describe('subsets of the hosts of an Envoy', () => {
  let source: Source;
  let client: string;

  beforeAll(async () => {
    const response = await sendJson('POST', api('imports?name=subsets.json'), dump);
    source = (await response.json()) as Source;
    client = (await findClient(story, 'edge-of-subsets')).id;
  });
  afterAll(async () => {
    await fetchApi(api(`imports/${encodeURIComponent(source.id)}`), { method: 'DELETE' });
  });

  it('have shares once the requests are chosen, which the address contains', async () => {
    const page = await openPage(`/clients/${client}/failover?cluster=shop`);
    const kinds = page.getByRole('region', { name: 'Kinds of requests' });
    await kinds.getByText('fail', { exact: true }).waitFor();
    await kinds.getByRole('button', { name: 'Requests with version=v1 (2 routes)' }).click();
    const requests = page.getByRole('combobox', { name: 'Requests' });
    await page.getByText(/The subset version=v1.*2 of 3 hosts, 2 of them usable/).waitFor();
    await waitUntil(
      'the requests are in the address',
      async () => new URL(page.url()).searchParams.get('requests') === '{"version":"v1"}',
    );
    await page.reload();
    await page.getByText(/The subset version=v1.*\(fallback policy NO_FALLBACK\)/).waitFor();
    expect(await page.locator('[data-share="50%"]').count()).toBeGreaterThanOrEqual(2);
    await requests.selectOption({ label: 'Requests with version=v9 (1 route)' });
    await page.getByText(/No host has the metadata version=v9/).waitFor();
  });

  it('are listed with the requests that find them in the effective config', async () => {
    const page = await openPage(`/clients/${client}/resolved`);
    await page.getByText(/1 of 2 kinds of requests fail: requests with version=v9/).waitFor();
  });
});
