import { RDS } from '@/lib/xds/resource-type';
import type { ServerEvent } from './control-plane';
import { names } from './mesh';
import {
  type Chapter,
  idle,
  type Moment,
  neverSent,
  partlyRejected,
  rejectedAtFirst,
  rejections,
  secrets,
  stuck,
  subjects,
  unreadable,
  usual,
  warming,
} from './moments';
import type { Story, StoryStart } from './story';

/** Clients whose data error handling (gRFC A88) this variable turns on. */
const dataErrors = {
  peers: /^(c-core|grpc-java) 1\.8/,
  env: { GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING: 'true' },
};

/** A client holds a resource that is deleted, or rejected. */
const errorHandling = (start: StoryStart & Pick<Chapter, 'peers'>): Chapter => ({
  ...start,
  only: 'grpc',
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    ...rejections('LDS', 'svc-a').slice(4, 6),
    ...rejections('RDS', 'routes-a').slice(4, 6),
    ...usual.moments.filter(({ name }) => / is (removed|added again)/.test(name)),
  ],
});

const errorHandlings: readonly Chapter[] = [
  errorHandling({ name: 'ignore_resource_deletion', serverFeatures: ['ignore_resource_deletion'] }),
  errorHandling({ ...dataErrors, name: 'data-errors' }),
  errorHandling({ ...dataErrors, name: 'fail_on_data_errors', serverFeatures: ['fail_on_data_errors'] }),
];

const timerIsTransient: Chapter = {
  ...{ ...neverSent, ...dataErrors },
  name: 'resource_timer_is_transient_error',
  serverFeatures: ['resource_timer_is_transient_error'],
};

/** gRFC A71. A client uses the second server once it needs a resource that the first has not sent. */
const fallback: Chapter = {
  name: 'fallback',
  peers: /^(grpc-go 1\.[78]|c-core|grpc-java 1\.8)/,
  hasFallback: true,
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    {
      name: 'the second server is used',
      async run(story) {
        await story.server.stop();
        story.client.targets?.open('xds:///svc-b');
        await story.succeeds('svc-b');
      },
    },
    {
      name: 'the first server is back',
      async run(story) {
        const before = (await story.server.events()).length;
        await story.server.start();
        await story.answered('ack', 'LDS', await story.push('LDS', ['svc-b', { revision: 2 }]));
        // real-clients.md, "Known bugs": gRPC-Go gets from the first server only what it once requested there. C-core 1.85.1
        // omits the request for the routes in some returns (3 of 9), and keeps those of the second server.
        const others = story.nodeId.startsWith('grpc-go') ? 1 : 0;
        await story.delivers('xds:///svc-b', async (): Promise<Record<string, number>> => {
          const namesOf = (events: readonly ServerEvent[]) =>
            events.flatMap(({ kind, typeUrl, names: requested }) =>
              kind !== 'response' && typeUrl === RDS.typeUrl ? [requested] : [],
            );
          const ofFirst = namesOf((await story.server.events()).slice(before)).flat();
          const ofSecond = namesOf((await story.fallback?.events()) ?? []);
          // Some clients send requests without names before they end the stream.
          if (others === 1 && ofSecond.at(-1)?.length === 0) return { LDS: 0 };
          return { LDS: 0, RDS: ofFirst.includes('routes-b') ? 0 : 1, CDS: others, EDS: others };
        });
      },
    },
  ],
};

/** The behaviour of these clients is described in real-clients.md, "Known bugs". */
const stuckStream: Chapter = {
  name: 'stuck-stream',
  peers: stuck,
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    {
      name: 'EDS: an update is NACKed',
      run: async (story) =>
        story.answered('nack', 'EDS', await story.push('EDS', ['cluster-a', { fault: 'invalid' }])),
    },
    {
      name: 'EDS: later responses are not read',
      async run(story) {
        const isWaiting = () => story.showsWaiting('tap', /^EDS cluster-a: v\d+ sent \d+ s ago, no answer/);
        await story.push('EDS', ['cluster-a', { fault: undefined, revision: 2 }]);
        await isWaiting();
        // The summary names the resource that has waited longest.
        await story.push('LDS', ['svc-a', { revision: 2 }]);
        await isWaiting();
      },
    },
  ],
};

/** In SotW the management server cannot remove these, in delta it can. */
const removedInUse: Chapter = {
  name: 'removed-in-use',
  only: 'envoy',
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    ...(['RDS', 'EDS'] as const).flatMap((service): Moment[] => {
      const [name] = names[service];
      const push = async (story: Story, isAbsent: boolean) =>
        story.answered('ack', service, await story.push(service, [name, { isAbsent }]));
      return [
        { name: `${service}: a resource in use is removed`, run: (story) => push(story, true) },
        { name: `${service}: it is added again`, run: (story) => push(story, false) },
      ];
    }),
  ],
};

const parserException: Chapter = {
  name: 'parser-exception',
  peers: /^grpc-java 1\.60/,
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    {
      name: 'EDS: the parser throws an exception',
      async run(story) {
        await story.push('EDS', ['cluster-a', { fault: 'port' }]);
        await story.until('three streams end', async () => {
          const events = await story.server.events();
          return events.filter(({ kind }) => kind === 'end').length >= 3;
        });
      },
    },
    {
      name: 'EDS: a valid payload follows',
      run: async (story) =>
        story.answered(
          'ack',
          'EDS',
          await story.push('EDS', ['cluster-a', { fault: undefined, revision: 2 }]),
        ),
    },
  ],
};

const addedFields: Chapter = {
  name: 'added-fields',
  peers: /^grpc-js-xds/,
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    {
      name: 'CDS: an update that only adds fields',
      async run(story) {
        const version = await story.push('CDS', ['cluster-a', { hasOutlierDetection: true }]);
        await story.answered('ack', 'CDS', version);
        await story.until('the known bug is shown', async () => (await story.bugs()).length > 0);
      },
    },
    {
      name: 'CDS: an update that changes a field',
      async run(story) {
        const version = await story.push('CDS', ['cluster-a', { revision: 2 }]);
        await story.answered('ack', 'CDS', version);
        await story.until('the known bug is not shown', async () => (await story.bugs()).length === 0);
      },
    },
  ],
};

export const chapters: readonly Chapter[] = [
  ...[
    usual,
    ...rejectedAtFirst,
    partlyRejected,
    neverSent,
    warming,
    secrets,
    idle,
    unreadable('malformed', 'envoy'),
    fallback,
    ...errorHandlings,
  ],
];

/** Beside these with `--full`, or by their names. */
export const furtherChapters: readonly Chapter[] = [
  ...[unreadable('undecodable'), timerIsTransient, stuckStream, removedInUse, parserException, addedFields],
];

const unrecorded = (name: string, isRecorded: (index: number) => boolean): Chapter => ({
  ...usual,
  name,
  moments: usual.moments.map((moment, index) =>
    isRecorded(index) ? moment : { ...moment, run: (story) => story.unrecorded(() => moment.run(story)) },
  ),
});

/** Only by their names, because a tap alone knows little in them. */
export const namedChapters: readonly Chapter[] = [
  unrecorded('half-recorded', (index) => index % 2 === 0),
  unrecorded('not-recorded', () => false),
];

/** This chapter is for control planes of others, some of which never send a payload twice. */
export const crossing = ({ withRemoval }: { readonly withRemoval: boolean }): Chapter => ({
  name: 'crossing',
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    ...subjects.flatMap(([service, name]) => {
      const [, nacked, , , , accepted] = rejections(service, name);
      return nacked === undefined || accepted === undefined ? [] : [nacked, accepted];
    }),
    ...usual.moments.filter(({ name }) => withRemoval && name.startsWith('LDS: the listener is ')),
  ],
});
