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

export const subjects: readonly [Service, string][] = [
  ['LDS', 'svc-a'],
  ['RDS', 'routes-a'],
  ['CDS', 'cluster-a'],
  ['EDS', 'cluster-a'],
];

/** These read nothing from a stream on which they have rejected an EDS resource that they hold. */
export const stuck = /^grpc-go 1\.7[3-9]/;
const neverStuck = new RegExp(`^(?!${stuck.source.slice(1)})`);

function push(story: Story, service: Service, name: string, change: Partial<Part>): Promise<string> {
  return service === 'CDS' ? story.pushClusters([name, change]) : story.push(service, [name, change]);
}

/**
 * Sends what a listener leads to, with other routes: C-core before 1.70 does not use a listener that was added again
 * before these change. gRPC-Java 1.60 requests the rest again with the nonces from before it dropped the listener, so
 * that a management server has nothing to send.
 */
async function sendBehindListener(story: Story): Promise<void> {
  await story.push('RDS', ['routes-a', { revision: story.part('RDS', 'routes-a').revision + 1 }]);
  for (const service of ['CDS', 'EDS'] as const) await story.push(service);
  await story.succeeds();
}

/** A rejection of one type, what resolves it, and what does not. */
export function rejections(service: Service, name: string): Moment[] {
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

export const usual: Chapter = {
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
      name: 'LDS: the listener that was added again changes',
      async run(story) {
        const revision = story.part('LDS', 'svc-a').revision + 1;
        await story.answered('ack', 'LDS', await story.push('LDS', ['svc-a', { revision }]));
      },
    },
    { name: 'RDS: the routes of the listener change', run: sendBehindListener },
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
export const rejectedAtFirst: readonly Chapter[] = subjects.map(([service, name]) => ({
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

export const neverSent: Chapter = {
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
export const partlyRejected: Chapter = {
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
export const warming: Chapter = {
  name: 'warming',
  only: 'envoy',
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    {
      name: 'CDS: a changed cluster warms without end',
      async run(story) {
        await story.push('CDS', ['cluster-a', { revision: 2, initialFetchTimeout: '0s' }]);
        await story.showsWaiting('tap', /^CDS cluster-a: v1 sent \d+ s ago, no answer/);
        for (const vantage of ['admin', 'tap+admin'] as const)
          await story.showsWaiting(vantage, /CDS cluster-a warming for \d+ s: waits for EDS cluster-a/);
      },
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
      async run(story) {
        const version = await story.push('LDS', ['svc-b', { routes: 'never-sent' }]);
        await story.answered('ack', 'LDS', version);
        await story.showsWaiting('admin', /^LDS svc-b warming for \d+ s: waits for RDS never-sent/);
      },
    },
  ],
};

export const idle: Chapter = {
  name: 'idle',
  only: 'envoy',
  first: [
    ['EDS', 'cluster-a', { hasMetadata: true }],
    ['EDS', 'cluster-b', { hasMetadata: true }],
  ],
  moments: [
    { name: 'first answers', run: (story) => story.succeeds() },
    { name: 'nothing changes', run: (story) => story.staysIdle() },
  ],
};

/** Payloads without a name that the client could read, or whose constraints Envoy checks before anything else. */
export const unreadable = (fault: 'malformed' | 'undecodable', only?: Flavor): Chapter => ({
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
export const secrets: Chapter = {
  name: 'secrets',
  only: 'envoy',
  first: [
    ['LDS', 'svc-b', { isAbsent: true }],
    ['CDS', 'cluster-b', { secret: 'secret-a' }],
    ['SDS', 'secret-b', { isAbsent: true }],
  ],
  moments: [{ name: 'first answers', run: (story) => story.succeeds() }, ...rejections('SDS', 'secret-a')],
};
