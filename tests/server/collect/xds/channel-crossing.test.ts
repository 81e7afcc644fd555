import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { only } from '../../../support/builders/subscriptions';
import { type AnyMessage, clusterOf, endpointsOf } from '../../../support/builders/xds-wire';
import { GrpcChannelStory } from '../../../support/grpc-channel-story';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { resourceOf, until } from '../../../support/xds-probe-story';

const types: readonly {
  title: string;
  typeUrl: string;
  of: (name: string, generation: number) => AnyMessage;
}[] = [
  { title: 'endpoints', typeUrl: EDS.typeUrl, of: endpointsOf },
  {
    title: 'clusters',
    typeUrl: CDS.typeUrl,
    of: (name, generation) => clusterOf(name, `${name}-${generation}`),
  },
];

describe('a name that is unsubscribed and subscribed again while a response crosses the requests', () => {
  let clock: ManualClock;
  let server: ManagementServer;
  let story: GrpcChannelStory;

  beforeEach(async () => {
    clock = new ManualClock();
    server = new ManagementServer({ clock });
    story = new GrpcChannelStory({ target: await server.listen(), clock, transport: 'ads' });
  });

  afterEach(async () => {
    await story.channel.stop();
    await server.close();
  });

  test.each(types)(
    'is sent again by a server that ignored both requests: $title',
    async ({ typeUrl, of }) => {
      const serve = (name: string, generation: number) =>
        server.setResource('*', resourceOf(name, of(name, generation)));
      // 1. Two names are subscribed to and sent.
      serve('a', 1);
      serve('b', 1);
      story.subscribe(typeUrl, only('a', 'b'));
      story.channel.start();
      await until(() => expect(Object.keys(story.held(typeUrl))).toEqual(['a', 'b']));
      // 2. One of them changes. Before the response is answered, the other name is unsubscribed and subscribed again. The
      //    server has sent its response already and ignores both requests.
      const before = story.responses.length;
      story.meanwhile = () => {
        story.meanwhile = () => undefined;
        story.subscribe(typeUrl, only('a'));
        story.subscribe(typeUrl, only('a', 'b'));
        if (typeUrl === EDS.typeUrl) expect(Object.keys(story.held(typeUrl))).toEqual(['a']);
      };
      const sent = story.sent.length;
      serve('a', 2);
      // 3. The resource is sent again without a timer.
      await until(() => expect(story.responses.length).toBe(before + 2));
      await until(() => expect(Object.keys(story.held(typeUrl))).toEqual(['a', 'b']));
      // 4. The ACK omits it, and a request for both names follows.
      const [nonce, next] = story.responses.slice(before).map((each) => each.nonce);
      const asked = story.sent.slice(sent).filter(({ responseNonce }) => responseNonce === nonce);
      expect(asked.map(({ reason, resourceNames }) => [reason, resourceNames])).toEqual([
        ['ack', ['a']],
        ['subscription', ['a', 'b']],
      ]);
      // 5. No further request follows.
      await until(() => expect(story.sent.at(-1)).toMatchObject({ reason: 'ack', responseNonce: next }));
    },
  );
});
