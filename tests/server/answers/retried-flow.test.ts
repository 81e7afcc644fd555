import { expect, it } from 'vitest';
import { noFailing } from '@/lib/facts/failing-endpoints';
import { buildFlow, type FlowSide } from '@/lib/views/failover/build-flow';
import { RDS } from '@/lib/xds/resource-type';
import { answerPlay } from '@/server/answers/failover/failover-builder';
import { resolverOver } from '../../support/builders/resolve-mesh';
import { apiListener, edsCluster, endpoints } from '../../support/builders/topology-mesh';

const hosts = ['10.0.0.1:80', '10.0.0.2:80'] as const;

/** What is drawn of requests to two endpoints, one of which accepts no connection. */
function drawnOf(retryPolicy: object | undefined, side: FlowSide) {
  const route = { match: { prefix: '' }, route: { cluster: 'cart', ...(retryPolicy && { retryPolicy }) } };
  const virtualHosts = [{ name: 'all', domains: ['*'], routes: [route] }];
  const resolver = resolverOver(
    [
      apiListener('shop', { rds: 'r' }),
      { typeUrl: RDS.typeUrl, name: 'r', body: { name: 'r', virtualHosts } },
      edsCluster('cart'),
      endpoints('cart', [{ zone: 'a', endpoints: hosts }]),
    ],
    { profile: 'envoy' },
  );
  resolver.setFailing({ ...noFailing, endpoints: new Map([[`cart ${hosts[0]}`, 'connection']]) });
  const query = { cluster: 'cart', changes: [], seconds: 0, find: '' };
  const simulation = answerPlay(resolver, 'core-1.85', query, { isEnvoy: true });
  const [moment] = simulation.moments;
  if (moment === undefined) throw new Error('expected a moment, got none');
  const { label, children } = buildFlow(simulation, moment, side);
  const sink = children.find(({ kind }) => kind === 'failing');
  return { label, sink: sink && `${sink.label}: ${sink.load}; ${sink.detail}`, notes: simulation.envoyNotes };
}

it('draws failing attempts, not failing requests, where routes send failed requests again', () => {
  const { label, sink, notes } = drawnOf({ retryOn: 'connect-failure', numRetries: 3 }, 'envoy');
  expect([label, sink]).toEqual(['attempts', 'failing attempts: 0.5; routes send them again']);
  expect(notes).toContainEqual(expect.stringContaining('the shares are of attempts'));
});

it('draws failing requests where no route does', () => {
  expect(drawnOf(undefined, 'envoy')).toMatchObject({ label: 'requests', sink: 'failing: 0.5; ' });
  // The retries are those of the Envoy.
  expect(drawnOf({ retryOn: 'connect-failure' }, 'grpc')).toMatchObject({
    label: 'requests',
    sink: undefined,
  });
});
