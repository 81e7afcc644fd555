import { EDS } from '@/lib/xds/resource-type';
import { names, type Part, type Service } from './mesh';
import type { Flavor } from './peer';
import type { Story, StoryStart } from './story';

/** A situation in the life of a client. Rows are compared after it has come about. */
export interface Moment {
  readonly name: string;
  /** Absent: for every client. */
  readonly only?: Flavor;
  /** Name and version of the clients that it is for, as in "grpc-go 1.85.0". Absent: all. */
  readonly peers?: RegExp;
  readonly run: (story: Story) => Promise<unknown>;
}

/** Moments that one client lives through, one after the other. */
export interface Chapter extends StoryStart {
  readonly only?: Flavor;
  /** Name and version of the clients that it is for, as in "grpc-go 1.85.0". Absent: all. */
  readonly peers?: RegExp;
  readonly moments: readonly Moment[];
}

const subjects: readonly [Service, string][] = [
  ['LDS', 'svc-a'],
  ['RDS', 'routes-a'],
  ['CDS', 'cluster-a'],
  ['EDS', 'cluster-a'],
];

/** These read nothing from a stream on which they have rejected an EDS resource that they hold. */
const stuck = /^grpc-go 1\.7[3-9]/;
const neverStuck = new RegExp(`^(?!${stuck.source.slice(1)})`);

function push(story: Story, service: Service, name: string, change: Partial<Part>): Promise<string> {
  return service === 'CDS' ? story.pushClusters([name, change]) : story.push(service, [name, change]);
}

/**
 * Sends what a listener leads to. gRPC-Java 1.60 requests it again with the nonces from before it dropped the listener,
 * so that a management server has nothing to send.
 */
async function sendBehindListener(story: Story): Promise<void> {
  for (const service of ['RDS', 'CDS', 'EDS'] as const) await story.push(service);
  await story.succeeds();
}

/** A rejection of one type, what resolves it, and what does not. */
function rejections(service: Service, name: string): Moment[] {
  const rejected = { fault: 'invalid' } as const;
  const valid = (story: Story) => ({ fault: undefined, revision: story.part(service, name).revision + 1 });
  const nack = async (story: Story, change: Partial<Part>) =>
    story.answered('nack', service, await push(story, service, name, change));
  const ack = async (story: Story, change: Partial<Part>) =>
    story.answered('ack', service, await push(story, service, name, change));
  const moments: readonly Moment[] = [
    { name: `${service}: an update is ACKed`, run: (story) => ack(story, valid(story)) },
    { name: `${service}: an update is NACKed`, run: (story) => nack(story, rejected) },
    {
      name: `${service}: the rejected payload again`,
      // Envoy can ACK it: see real-peers.md 2.1.
      async run(story) {
        const version = await push(story, service, name, {});
        await Promise.any([
          story.answered('nack', service, version),
          story.answered('ack', service, version),
        ]);
      },
    },
    { name: `${service}: the earlier payload is ACKed`, run: (story) => ack(story, { fault: undefined }) },
    { name: `${service}: NACKed once more`, run: (story) => nack(story, rejected) },
    { name: `${service}: a new payload is ACKed`, run: (story) => ack(story, valid(story)) },
    { name: `${service}: an unchanged payload again`, run: (story) => ack(story, {}) },
  ];
  return moments.map((moment) => (service === 'EDS' ? { ...moment, peers: neverStuck } : moment));
}

const usual: Chapter = {
  name: 'usual',
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    ...subjects.flatMap(([service, name]) => rejections(service, name)),
    {
      name: 'LDS: the listener is removed',
      run: async (story) =>
        story.answered('ack', 'LDS', await story.push('LDS', ['svc-a', { isAbsent: true }])),
    },
    {
      name: 'LDS: the listener is added again unchanged',
      run: async (story) =>
        story.answered('ack', 'LDS', await story.push('LDS', ['svc-a', { isAbsent: false }])),
    },
    {
      // Some clients do not use it before it changes.
      name: 'LDS: the listener that was added again changes',
      async run(story) {
        await story.push('LDS', ['svc-a', { revision: story.part('LDS', 'svc-a').revision + 1 }]);
        await sendBehindListener(story);
      },
    },
    {
      name: 'CDS: a cluster in use is removed',
      run: async (story) =>
        story.answered('ack', 'CDS', await story.pushClusters(['cluster-a', { isAbsent: true }])),
    },
    {
      name: 'CDS: the cluster is added again',
      run: async (story) =>
        story.answered('ack', 'CDS', await story.pushClusters(['cluster-a', { isAbsent: false }])),
    },
    {
      name: 'a second target in the same process',
      only: 'grpc',
      async run(story) {
        story.client.targets?.open('xds:///svc-b');
        await story.succeeds('svc-b');
      },
    },
    {
      name: 'the second target is rejected',
      only: 'grpc',
      run: async (story) =>
        story.answered('nack', 'LDS', await story.push('LDS', ['svc-b', { fault: 'invalid' }])),
    },
    {
      name: 'the second target is valid again',
      only: 'grpc',
      run: async (story) =>
        story.answered('ack', 'LDS', await story.push('LDS', ['svc-b', { fault: undefined }])),
    },
    { name: 'the control plane is gone', run: ({ server }) => server.stop() },
    {
      name: 'the control plane is back',
      async run(story) {
        await story.server.start();
        const version = await story.push('LDS');
        await story.answered('ack', 'LDS', version);
      },
    },
  ],
};

/** Payloads that are rejected before the client has accepted any of their type. */
const rejectedAtFirst: readonly Chapter[] = subjects.map(([service, name]) => ({
  name: `first-${service}-nacked`,
  first: [[service, name, { fault: 'invalid' }]],
  moments: [
    {
      name: `${service}: the first answer is a NACK`,
      run: (story) => story.answered('nack', service, 'v0'),
    },
    {
      name: `${service}: a valid payload follows`,
      async run(story) {
        await story.answered('ack', service, await push(story, service, name, { fault: undefined }));
        await story.succeeds();
      },
    },
  ],
}));

const neverSent: Chapter = {
  name: 'never-sent',
  first: [['EDS', 'cluster-a', { isAbsent: true }]],
  moments: [
    { name: 'EDS: the resource is not sent', run: (story) => story.answered('ack', 'CDS', 'v0') },
    {
      name: 'EDS: the client waits no longer',
      run: (story) =>
        story.until('the client waits no longer', async () => {
          const { rows, calls } = await story.client.account(story.server);
          // Envoy requests listeners when it no longer waits for its first clusters.
          if (story.flavor === 'envoy') return calls['svc-b']?.startsWith('ok');
          const row = rows.find((each) => each.typeUrl === EDS.typeUrl && each.name === 'cluster-a');
          return row?.effect !== undefined && row.effect.state !== 'REQUESTED';
        }),
    },
    {
      name: 'EDS: it comes late',
      async run(story) {
        await story.push('EDS', ['cluster-a', { isAbsent: false }]);
        await story.succeeds();
      },
    },
  ],
};

/**
 * Responses with a valid and an invalid resource. The last one leaves an Envoy that answers no CDS response any more
 * (real-peers.md 2.1).
 */
const partlyRejected: Chapter = {
  name: 'partly-rejected',
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    ...(['LDS', 'RDS', 'EDS', 'CDS'] as const).map((service): Moment => {
      const [rejected, changed] = names[service];
      return {
        name: `${service}: one resource is invalid, the other new`,
        ...(service === 'EDS' && { peers: neverStuck }),
        async run(story) {
          const version = await story.push(
            service,
            [rejected, { fault: 'invalid' }],
            [changed, { revision: 2 }],
          );
          if (service !== 'CDS' || story.flavor === 'grpc') return story.answered('nack', service, version);
          await story.push('EDS');
          return story.until('the valid cluster is in effect', async () => {
            const { rows } = await story.client.account(story.server);
            return rows.some(({ name, effect }) => name === changed && effect?.version === version);
          });
        },
      };
    }),
  ],
};

/** Envoy withholds answers to CDS while clusters warm. */
const warming: Chapter = {
  name: 'warming',
  only: 'envoy',
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    {
      name: 'CDS: a changed cluster warms without end',
      run: (story) => story.push('CDS', ['cluster-a', { revision: 2, initialFetchTimeout: '0s' }]),
    },
    {
      name: 'CDS: its endpoints come',
      async run(story) {
        await story.push('EDS');
        await story.until('no cluster warms', async () => {
          const { rows } = await story.client.account(story.server);
          return rows.every(({ effect }) => effect?.state !== 'WARMING');
        });
      },
    },
    {
      name: 'LDS: a listener warms without its routes',
      run: async (story) =>
        story.answered('ack', 'LDS', await story.push('LDS', ['svc-b', { routes: 'never-sent' }])),
    },
  ],
};

const idle: Chapter = {
  name: 'idle',
  only: 'envoy',
  first: [
    ['EDS', 'cluster-a', { hasMetadata: true }],
    ['EDS', 'cluster-b', { hasMetadata: true }],
  ],
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    { name: 'nothing changes in 120 polls', run: (story) => story.staysIdle(120) },
  ],
};

/** Payloads without a name that the client could read, or whose constraints Envoy checks before anything else. */
const unreadable = (fault: 'malformed' | 'undecodable', only?: Flavor): Chapter => ({
  name: fault,
  ...(only && { only }),
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    ...subjects.flatMap(([service, name]): Moment[] => [
      {
        name: `${service}: ${fault}`,
        ...(service === 'EDS' && { peers: neverStuck }),
        run: async (story) => story.answered('nack', service, await push(story, service, name, { fault })),
      },
      {
        name: `${service}: valid after ${fault}`,
        ...(service === 'EDS' && { peers: neverStuck }),
        async run(story) {
          const version = await push(story, service, name, { fault: undefined, revision: 2 });
          await story.answered('ack', service, version);
          if (service === 'LDS') await sendBehindListener(story);
        },
      },
    ]),
  ],
});

/** No listener uses the cluster with the secret, because the backend has no TLS. */
const secrets: Chapter = {
  name: 'secrets',
  only: 'envoy',
  first: [
    ['LDS', 'svc-b', { isAbsent: true }],
    ['CDS', 'cluster-b', { secret: 'secret-a' }],
    ['SDS', 'secret-b', { isAbsent: true }],
  ],
  moments: [{ name: 'first answers', run: (story) => story.succeeds() }, ...rejections('SDS', 'secret-a')],
};

/** Clients whose data error handling (gRFC A88) this variable turns on. */
const dataErrors = {
  peers: /^(c-core|grpc-java) 1\.8/,
  env: { GRPC_EXPERIMENTAL_XDS_DATA_ERROR_HANDLING: 'true' },
};

/** What a client does with a resource that it holds when this is deleted, or rejected. */
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
        await story.server.start();
        await story.answered('ack', 'LDS', await story.push('LDS', ['svc-b', { revision: 2 }]));
      },
    },
  ],
};

/** What these clients do is in real-clients.md, "Known bugs". */
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
        await story.push('EDS', ['cluster-a', { fault: undefined, revision: 2 }]);
        await story.push('LDS', ['svc-a', { revision: 2 }]);
      },
    },
    {
      name: 'a new stream ends it',
      async run(story) {
        await story.server.stop();
        await story.server.start();
        await story.answered('ack', 'EDS', await story.push('EDS', ['cluster-a', { revision: 3 }]));
      },
    },
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
  ...[unreadable('undecodable'), timerIsTransient, stuckStream, parserException],
];

/** For control planes of others, some of which never send a payload twice. */
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
