import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { explanation } from '@/lib/views/explain/schema';
import { LDS, RDS } from '@/lib/xds/resource-type';
import { apiListener, edsCluster, endpoints, routeConfig } from '../../support/builders/topology-mesh';
import { openClientStory } from '../../support/client-story';

type Story = Awaited<ReturnType<typeof openClientStory>>;

const resources = [
  apiListener('shop', { rds: 'r' }),
  routeConfig('r', { '/shop.Cart/': 'cart', '/shop.User/': 'user' }),
  edsCluster('cart'),
  endpoints('cart', [{ zone: 'z', endpoints: ['10.0.0.1:1'] }]),
];

let shop: Story;
beforeAll(async () => {
  shop = await openClientStory();
  shop.clock.advance(1_000);
  shop.observe(resources);
});
afterAll(() => shop.close());

describe('GET clients/{id}/explain', () => {
  it('answers with the outcome and the steps, in the shape that is documented', async () => {
    const answer = explanation.parse(await shop.api.explain('c', { request: 'shop.Cart/Add' }));
    expect(answer).toMatchObject({
      clientId: 'c',
      start: { listener: 'shop' },
      request: { method: 'POST', path: '/shop.Cart/Add' },
      outcome: {
        sentence: expect.stringMatching(/^The request goes to cluster cart, endpoint 10.0.0.1:1/),
        ...{ kind: 'forwarded', listener: 'shop', virtualHost: 'default', cluster: 'cart' },
        endpoints: [{ address: '10.0.0.1:1', priority: 'P0' }],
      },
    });
    expect(answer.steps.map(({ stage }) => stage)).toEqual([
      ...[
        'listener',
        'route-config',
        'virtual-host',
        'route',
        'http-filter',
        'action',
        'cluster',
        'endpoints',
      ],
    ]);
  });

  it('states the resource and the field of each step', async () => {
    const { steps } = explanation.parse(await shop.api.explain('c', { request: '/shop.User/Get' }));
    expect(steps.find(({ stage }) => stage === 'listener')?.resource).toMatchObject({
      ...{ typeUrl: LDS.typeUrl, name: 'shop', versionInfo: expect.any(String), hash: expect.any(String) },
    });
    expect(steps.find(({ verdict }) => verdict === 'not-taken')).toMatchObject({
      resource: { typeUrl: RDS.typeUrl, name: 'r' },
      path: 'virtualHosts[0].routes[0].match.prefix',
      reason: 'path "/shop.User/Get" must begin with "/shop.Cart/"',
    });
  });

  it('does not know what a cluster does that is not reported', async () => {
    const { outcome } = explanation.parse(await shop.api.explain('c', { request: '/shop.User/Get' }));
    expect(outcome).toMatchObject({ kind: 'unknown', cluster: 'user' });
  });

  it('fails where no route matches', async () => {
    const { outcome } = explanation.parse(await shop.api.explain('c', { request: '/other/Get' }));
    expect(outcome).toMatchObject({
      ...{ kind: 'failed', grpcCode: 'UNAVAILABLE' },
      sentence: 'The request fails with UNAVAILABLE: none of 2 routes matches the request.',
    });
  });

  it('answers 400 for a text that is no request, and nothing for a client that does not exist', async () => {
    await expect(shop.api.explain('c', { request: 'a b c' })).rejects.toThrow(/expected a request, such as/);
    expect(await shop.api.explain('nobody', { request: 'a' })).toBeUndefined();
  });
});

it('states that connections are not measured if it leads to endpoints, and no source reports them', async () => {
  const story = await openClientStory({}, { userAgentName: 'gRPC Go', userAgentVersion: '1.85.0' });
  story.clock.advance(1_000);
  story.observe(resources, [], 'csds');
  onTestFinished(() => story.close());
  const ask = async (request: string) =>
    explanation.parse(await story.api.explain('c', { request })).unmeasured;
  expect(await ask('shop.Cart/Add')).toMatch(/^not measured: .*channelz/);
  expect(await ask('shop.Other/Get')).toBeUndefined();
});
