import { status } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { grpcTransports } from '@/server/collect/xds/stream/grpc-xds-channel';
import { isWanted, type Subscription } from '@/server/collect/xds/stream/xds-channel';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import type { Resource } from '@/server/lab/management-server/snapshot-store';
import { runs } from '@/tests/support/runs';
import { everything, nothing, only } from '../../../support/builders/subscriptions';
import { clusterOf, endpointsOf, listenerOf } from '../../../support/builders/xds-wire';
import { channelNode, GrpcChannelStory } from '../../../support/grpc-channel-story';
import { ManualClock } from '../../../support/recorder-manual-clock';
import { resourceOf, until } from '../../../support/xds-probe-story';

const builders = {
  [LDS.typeUrl]: (name: string, variant: number) => listenerOf(name, `routes-${variant}`),
  [CDS.typeUrl]: (name: string, variant: number) => clusterOf(name, `service-${variant}`),
  [EDS.typeUrl]: (name: string, variant: number) => endpointsOf(name, variant + 1),
};
type TypeUrl = keyof typeof builders & string;

/** A change of the config, of a subscription, or of the streams. */
type Change =
  | { kind: 'set'; typeUrl: TypeUrl; name: string; variant: number }
  | { kind: 'remove'; typeUrl: TypeUrl; name: string }
  | { kind: 'want'; typeUrl: TypeUrl; wanted: 'everything' | readonly string[] }
  | { kind: 'break' }
  /** Waits until all resources have arrived. */
  | { kind: 'settle' };

const names = ['a', 'b', 'c', 'd'];
const name = fc.constantFrom(...names);
const anyType = fc.constantFrom<TypeUrl>(LDS.typeUrl, CDS.typeUrl, EDS.typeUrl);
/** State of the world cannot delete endpoints, because absence has no meaning. Their names are unsubscribed instead. */
const removable = fc.constantFrom<TypeUrl>(LDS.typeUrl, CDS.typeUrl);

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('set' as const), typeUrl: anyType, name, variant: fc.nat(2) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), typeUrl: removable, name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('want' as const),
      typeUrl: removable,
      wanted: fc.oneof(fc.constant('everything' as const), fc.subarray(names)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('want' as const),
      typeUrl: fc.constant<TypeUrl>(EDS.typeUrl),
      wanted: fc.subarray(names),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Change>({ kind: 'break' }) },
  { weight: 3, arbitrary: fc.constant<Change>({ kind: 'settle' }) },
);

const clock = new ManualClock();
let server: ManagementServer;
let target: string;

beforeAll(async () => {
  server = new ManagementServer({ clock });
  server.onRequest(({ nodeId, typeUrl, method, reading, resourceNames }) => {
    if (method !== 'sotw' || reading === 'stale') return;
    const key = `${nodeId} ${typeUrl}`;
    const isNamed = resourceNames.length > 0 || requested.get(key)?.startsWith('named') === true;
    requested.set(key, `${isNamed ? 'named ' : ''}${resourceNames.join()}`);
  });
  target = await server.listen();
});

afterAll(() => server.close());

/** The bytes of the resources that a client with this subscription must hold, by name. */
function expectedOf(typeUrl: string, wanted: Subscription): Record<string, string> {
  const covered = server
    .listResources()
    .filter((each) => each.typeUrl === typeUrl && (wanted.wildcard || wanted.names.has(each.name)));
  return Object.fromEntries(covered.map((each: Resource) => [each.name, hexOf(each.bytes)]).sort());
}

function hexOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('hex');
}

/** The last requested names of each state-of-the-world stream and type, after "named " once a name was requested. */
const requested = new Map<string, string>();
/** Part of the node ids, so that late requests of an earlier run are ignored. */
let run = 0;

/** The requests that may express a subscription. An empty list means no resources only after a name, even "*". */
function spellings({ wildcard, names: wanted }: Subscription): string[] {
  return wildcard ? ['', 'named *', 'named '] : [`named ${[...wanted].join()}`];
}

/** Waits until all resources have arrived, are answered, and the server has received the subscriptions. */
async function settle(
  stories: ReadonlyMap<string, GrpcChannelStory>,
  wants: ReadonlyMap<string, Subscription>,
): Promise<void> {
  await until(() => {
    clock.advance(100);
    expect(server.isAnswered()).toBe(true);
    for (const [typeUrl, wanted] of wants) {
      const expected = expectedOf(typeUrl, wanted);
      for (const [transport, story] of stories) {
        const held = Object.keys(story.held(typeUrl)).map((each) => [
          each,
          hexOf(story.find(typeUrl, each)?.bytes),
        ]);
        expect([transport, Object.fromEntries(held)]).toEqual([transport, expected]);
        const last = requested.get(`${transport} ${run} ${typeUrl}`);
        // A stream of one type ends without a request when nothing is wanted.
        const isSilent = transport === 'sotw' && !isWanted(wanted);
        if (last !== undefined && !isSilent) expect(spellings(wanted)).toContain(last);
      }
    }
  });
}

test('every transport holds the same resources after any changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 24 }), async (changes) => {
      server.setResources('*', []);
      const wants = new Map<string, Subscription>();
      run += 1;
      requested.clear();
      const stories = new Map(
        grpcTransports.map((transport) => {
          const node = { ...channelNode, id: `${transport} ${run}` };
          return [transport, new GrpcChannelStory({ target, clock, transport, node })];
        }),
      );
      const want = (typeUrl: string, wanted: Subscription): void => {
        wants.set(typeUrl, wanted);
        for (const story of stories.values()) story.subscribe(typeUrl, wanted);
      };
      try {
        want(LDS.typeUrl, everything);
        want(CDS.typeUrl, everything);
        want(EDS.typeUrl, nothing);
        for (const story of stories.values()) story.channel.start();
        for (const each of changes) {
          if (each.kind === 'set') {
            const made = builders[each.typeUrl]?.(each.name, each.variant);
            if (made !== undefined) server.setResource('*', resourceOf(each.name, made));
          } else if (each.kind === 'remove') server.removeResource('*', each.typeUrl, each.name);
          else if (each.kind === 'want') {
            // In state of the world a request that crosses a response is ignored (channel-crossing.test.ts).
            await settle(stories, wants);
            want(each.typeUrl, each.wanted === 'everything' ? everything : only(...each.wanted));
            await settle(stories, wants);
          } else if (each.kind === 'break') {
            server.stopStreams(status.UNAVAILABLE, 'rotated');
            requested.clear();
          } else await settle(stories, wants);
        }
        await settle(stories, wants);
        expect([...stories.values()].flatMap(({ problems }) => problems)).toEqual([]);
      } finally {
        await Promise.all([...stories.values()].map(({ channel }) => channel.stop()));
      }
    }),
    { numRuns: runs(30) },
  );
});
