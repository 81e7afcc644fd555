import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { everythingOffered, type ProbeSettings } from '@/server/collect/xds/probe/probe-settings';
import type { ManagementServer, VerdictEvent } from '@/server/lab/management-server/management-server';
import { anyOf, clusterOf, endpointsOf, responseOf } from '@/tests/support/builders/xds-wire';
import { ClientStories } from '@/tests/support/xds-client-story';
import { resourceOf, until } from '@/tests/support/xds-probe-story';

const cart = resourceOf('cart', clusterOf('cart'));
const broken = Buffer.from('\u000a\u0004cart<html>', 'latin1');

describe('a probe in the mode observe', () => {
  let stories: ClientStories;
  let server: ManagementServer;
  let target: string;
  let verdicts: VerdictEvent[];

  beforeEach(async () => {
    stories = new ClientStories();
    ({ server, target } = await stories.server());
    verdicts = [];
    server.onVerdict((verdict) => verdicts.push(verdict));
  });
  afterEach(() => stories.close());

  const start = (settings: Partial<ProbeSettings> = {}) => stories.start(target, settings);

  test('ACKs what does not decode, stores it, and notes it until the next response', async () => {
    server.setResource('*', cart, 'v1');
    const story = start();
    await until(() => expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' }));
    const acks = story.of('ack-sent').length;
    server.setResource('*', { typeUrl: CDS.typeUrl, name: 'cart', bytes: broken }, 'v-bad');
    await until(() => expect(verdicts.at(-1)).toMatchObject({ accepted: true, versionInfo: 'v-bad' }));
    const ack = await story.nth('ack-sent', acks + 1);
    expect(ack.changed).toEqual([
      expect.objectContaining({ name: 'cart', clientStatus: 'ACKED', versionInfo: 'v-bad' }),
    ]);
    expect(story.bodies.map(({ hash }) => hash)).toContain(ack.changed[0]?.hash);
    expect(story.probe.status.notes.join()).toMatch(/^CDS: "cart": \d+ bytes do not decode/);
    server.setResource('*', cart, 'v3');
    await story.nth('ack-sent', acks + 2);
    expect(story.probe.status.notes).toEqual([]);
    expect(story.of('nack-sent')).toEqual([]);
  });

  test('ACKs a resource whose type it does not know, which has no name', async () => {
    const typeUrl = 'type.googleapis.com/made.Up';
    const interest = { ...everythingOffered, resources: new Map([[typeUrl, ['*']]]) };
    const story = start({ interest });
    await story.nth('request-sent', 1);
    const resources = [anyOf(typeUrl, Buffer.of(0x08, 1))];
    server.pushRaw('*', responseOf({ typeUrl, versionInfo: 'v', nonce: 'n', resources }));
    await until(() =>
      expect(story.of('ack-sent')).toContainEqual(
        expect.objectContaining({ typeUrl, versionInfo: 'v', nonce: 'n' }),
      ),
    );
    expect(story.probe.status.notes.join()).toContain('2 bytes do not decode');
  });

  test('a type whose ACK istiod answers with another response is reported, and not ACKed', async () => {
    const typeUrl = 'type.googleapis.com/istio.workload.Address';
    const interest = { ...everythingOffered, resources: new Map([[typeUrl, ['*']]]) };
    const story = start({ interest });
    await story.nth('request-sent', 1);
    const resources = [anyOf(typeUrl, Buffer.of(0x08, 1))];
    server.pushRaw('*', responseOf({ typeUrl, versionInfo: 'v', nonce: 'n', resources }));
    await story.nth('response-received', 1);
    server.setResource('*', cart, 'v1');
    await until(() => expect(story.statuses()).toMatchObject({ 'Cluster cart': 'ACKED' }));
    expect(story.of('ack-sent').map((ack) => ack.typeUrl)).not.toContain(typeUrl);
  });

  test('states a usual reason when a server is silent', async () => {
    const interest = { wildcard: false, listeners: [], resources: new Map([[EDS.typeUrl, ['unknown']]]) };
    const story = start({ interest });
    await story.nth('request-sent', 1);
    expect(story.probe.status.notes).toEqual(['connected, waiting for the first response']);
    stories.clock.advance(15_000);
    expect(story.probe.status.notes.join()).toContain(
      'no response for 15 s: many control planes answer only',
    );
    server.setResources('*', [resourceOf('unknown', endpointsOf('unknown'))]);
    await until(() => expect(story.probe.status).toMatchObject({ state: 'up', notes: [] }));
  });
});
