import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { everythingOffered, type ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import type { ManagementServer } from '@/server/lab/management-server/management-server';
import { clusterOf, encodeMessage, endpointsOf } from '../../../support/builders/xds-wire';
import { ClientStories, only, rowsOf, serverAt } from '../../../support/xds-client-story';
import { type ProbeStory, resourceOf, until } from '../../../support/xds-probe-story';

const cart = resourceOf('cart', clusterOf('cart', 'cart-endpoints'));
const endpoints = resourceOf('cart-endpoints', endpointsOf('cart-endpoints'));

describe('a client with deleted, late or failed resources', () => {
  let stories: ClientStories;
  let server: ManagementServer;
  let target: string;

  beforeEach(async () => {
    stories = new ClientStories();
    ({ server, target } = await stories.server());
    server.setResources('*', [cart, endpoints]);
  });
  afterEach(() => stories.close());

  function start(features: string[], settings: Partial<ProbeSettings> = {}): ProbeStory {
    const servers = [serverAt(target, ...features)];
    return stories.start(target, { servers, interest: only(CDS.typeUrl, 'cart'), ...settings });
  }
  const row = (story: ProbeStory, name: string) => rowsOf(story.reported).get(name);

  describe.each(['ads', 'delta-ads'] as const)('over %s', (transport) => {
    test.each([
      [
        'before gRFC A88 is dropped with everything that it references',
        'pre-a88',
        [],
        'DOES_NOT_EXIST',
        false,
      ],
      [
        'before A88 is kept with ignore_resource_deletion',
        'pre-a88',
        ['ignore_resource_deletion'],
        'ACKED',
        true,
      ],
      ['since A88 is kept', 'a88', [], 'DOES_NOT_EXIST', true],
      [
        'since A88 is dropped with fail_on_data_errors',
        'a88',
        ['fail_on_data_errors'],
        'DOES_NOT_EXIST',
        false,
      ],
    ] as const)('a deleted cluster %s', async (_title, errorModel, features, clientStatus, isKept) => {
      const story = start([...features], { transport, errorModel });
      await until(() => expect(row(story, 'cart-endpoints')?.clientStatus).toBe('ACKED'));
      const before = row(story, 'cart');
      server.removeResource('*', CDS.typeUrl, 'cart');
      await until(() => expect(row(story, 'cart')).not.toEqual(before));
      expect(row(story, 'cart')?.clientStatus).toBe(clientStatus);
      expect(row(story, 'cart')?.hash).toBe(isKept ? before?.hash : null);
      await until(() => expect(row(story, 'cart-endpoints') !== undefined).toBe(isKept));
      // The cluster is restored.
      server.setResources('*', [cart, endpoints], 'back');
      await until(() => expect(row(story, 'cart-endpoints')?.clientStatus).toBe('ACKED'));
      await until(() => {
        expect(row(story, 'cart')).toMatchObject({ clientStatus: 'ACKED', errorState: null });
        expect(row(story, 'cart')?.ambientError).toBeUndefined();
      });
    });

    test('a cluster whose update is rejected stays in effect, unless fail_on_data_errors is set', async () => {
      const broken = { ...cart, bytes: Buffer.from('\u000a\u0004cart<html>', 'latin1') };
      const keeps = start([], { transport, mode: 'validate', errorModel: 'a88' });
      const fails = start(['fail_on_data_errors'], { transport, mode: 'validate', errorModel: 'a88' });
      for (const story of [keeps, fails]) {
        await until(() => expect(row(story, 'cart-endpoints')?.clientStatus).toBe('ACKED'));
      }
      server.setResource('*', broken);
      await until(() =>
        expect(row(keeps, 'cart')).toMatchObject({ clientStatus: 'NACKED', hash: expect.any(String) }),
      );
      expect(row(keeps, 'cart')?.ambientError?.code).toBe('INVALID_ARGUMENT');
      await until(() => expect(row(fails, 'cart')).toMatchObject({ clientStatus: 'NACKED', hash: null }));
      await until(() => expect(row(fails, 'cart-endpoints')).toBeUndefined());
      expect(row(keeps, 'cart-endpoints')?.clientStatus).toBe('ACKED');
    });

    test('an error that the server reports stops the timer, and lasts until the resource is sent', async () => {
      server.setError('*', CDS.typeUrl, { name: 'pay', code: 7, message: 'not for you' });
      const story = start([], { transport, interest: only(CDS.typeUrl, 'cart', 'pay') });
      await until(() =>
        expect(row(story, 'pay')).toMatchObject({
          clientStatus: 'RECEIVED_ERROR',
          errorState: { details: 'PERMISSION_DENIED: not for you' },
        }),
      );
      await until(() => expect(row(story, 'cart-endpoints')?.clientStatus).toBe('ACKED'));
      stories.clock.advance(60_000);
      expect(story.of('timer-expired')).toEqual([]);
      server.setResource('*', resourceOf('pay', clusterOf('pay', 'cart-endpoints')));
      await until(() => expect(row(story, 'pay')).toMatchObject({ clientStatus: 'ACKED', errorState: null }));
    });

    test('with fail_on_data_errors a data error drops the cached resource, a transient error does not', async () => {
      const story = start(['fail_on_data_errors'], { transport, errorModel: 'a88' });
      await until(() => expect(row(story, 'cart')?.clientStatus).toBe('ACKED'));
      server.setError('*', CDS.typeUrl, { name: 'cart', code: 14, message: 'busy' });
      await until(() => expect(row(story, 'cart')?.clientStatus).toBe('RECEIVED_ERROR'));
      expect(row(story, 'cart')).toMatchObject({
        hash: expect.any(String),
        ambientError: { code: 'UNAVAILABLE' },
      });
      server.setError('*', CDS.typeUrl, { name: 'cart', code: 5, message: 'gone' });
      await until(() =>
        expect(row(story, 'cart')).toMatchObject({ clientStatus: 'RECEIVED_ERROR', hash: null }),
      );
    });
  });

  test('under a wildcard the errors of known resources last until the resource is sent again', async () => {
    const story = start([], { errorModel: 'a88', interest: everythingOffered });
    await until(() => expect(row(story, 'cart-endpoints')?.clientStatus).toBe('ACKED'));
    const resourceErrors = [
      { resourceName: { name: 'cart' }, errorDetail: { code: 14, message: 'busy' } },
      { resourceName: { name: 'never came' }, errorDetail: { code: 7, message: 'not for you' } },
    ];
    const fields = { typeUrl: CDS.typeUrl, versionInfo: '2', nonce: 'n', resourceErrors };
    server.pushRaw('*', encodeMessage('envoy.service.discovery.v3.DiscoveryResponse', fields));
    await until(() =>
      expect(row(story, 'cart')).toMatchObject({
        clientStatus: 'RECEIVED_ERROR',
        hash: expect.any(String),
        ambientError: { code: 'UNAVAILABLE', details: 'busy' },
      }),
    );
    expect(row(story, 'never came')).toBeUndefined();
    server.setResources('*', [cart, endpoints], 'back');
    await until(() => expect(row(story, 'cart')).toMatchObject({ clientStatus: 'ACKED', errorState: null }));
  });

  test('resource_timer_is_transient_error gives the server 30 s until a TIMEOUT', async () => {
    server.setSilent(true);
    const story = start(['resource_timer_is_transient_error'], { errorModel: 'a88' });
    await until(() => expect(server.connectedNodes()).toHaveLength(1));
    await story.nth('request-sent', 1);
    stories.clock.advance(29_999);
    expect(story.of('timer-expired')).toEqual([]);
    stories.clock.advance(1);
    const expired = await story.nth('timer-expired', 1);
    expect(expired).toMatchObject({
      timer: 'resource',
      changed: [{ name: 'cart', clientStatus: 'TIMEOUT' }],
    });
    server.setSilent(false);
    await until(() => expect(row(story, 'cart')?.clientStatus).toBe('ACKED'));
  });

  test('in delta a removed name does not exist at once', async () => {
    const story = start([], { transport: 'delta-ads', interest: only(EDS.typeUrl, 'nobody') });
    await until(() => expect(row(story, 'nobody')?.clientStatus).toBe('DOES_NOT_EXIST'));
    expect(story.of('timer-expired')).toEqual([]);
  });

  test('endpoints that no cluster references any more are unsubscribed, not deleted', async () => {
    const story = start([]);
    await until(() => expect(row(story, 'cart-endpoints')?.clientStatus).toBe('ACKED'));
    server.setResource('*', resourceOf('cart', clusterOf('cart', 'other')));
    await until(() => expect(row(story, 'cart-endpoints')).toBeUndefined());
    const statuses = story.reported.flatMap((each) => ('changed' in each ? each.changed : []));
    const reported = statuses
      .filter(({ name }) => name === 'cart-endpoints')
      .map((each) => each.clientStatus);
    expect(reported).toEqual(['REQUESTED', 'ACKED']);
  });
});
