import { checkSources } from '@/lib/server-checks/check-source';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { isSameSet, type RunnableCheck } from './check-run';
import { clusterOf } from './served-config';
import { sent } from './sotw-checks';

const manyNames = 10_000;
/** 50 of these are more than the 4 MiB that gRPC clients read by default. */
const largeClusters = 50;
const largeStatName = 'x'.repeat(100_000);
const nonceOfOldStream = 'xdscope-nonce-of-an-old-stream';

/** Rules on nodes, nonces, sizes and repeated requests, on state-of-the-world streams. */
export const streamChecks: readonly RunnableCheck[] = [
  {
    ...{ id: 'S25', level: 'informational', source: checkSources.firstNode, needs: { endpoints: 1 } },
    title: 'Another node id in a later request does not end the stream',
    expected: 'A request of another type that states another node id is answered.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      stream.send({
        ...{ typeUrl: EDS.typeUrl, resourceNames: t.names.endpoints },
        node: { ...t.node, id: `${t.node.id}-other` },
      });
      return sent(await t.next(stream, EDS, 0), (names) => names.includes(t.endpoints(0)), stream);
    },
  },
  {
    ...{ id: 'S26', level: 'must', source: checkSources.nonceOfResponse, changesConfig: true },
    title: 'A nonce is not used twice on a stream',
    expected: 'Responses have different nonces, also when a change restores an earlier config.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      for (const seconds of [2, 1, 2]) {
        const count = stream.of(CDS).length;
        await t.replace({ type: CDS, resources: [clusterOf('c1', seconds), clusterOf('c2')] });
        const next = await t.next(stream, CDS, count);
        if (next === undefined) return { isMet: false, seen: stream.ended ?? 'a change was not sent' };
        stream.ack(next);
      }
      const nonces = stream.of(CDS).map(({ nonce }) => nonce);
      return { isMet: new Set(nonces).size === nonces.length, seen: `the nonces ${nonces.join(', ')}` };
    },
  },
  {
    ...{ id: 'S27', level: 'must', source: checkSources.nonceOfStream },
    title: 'A first request with the nonce of another stream is answered',
    expected: 'A request of CDS whose nonce the stream has not had is answered with every cluster.',
    async run(t) {
      const { first } = await t.begin(false, CDS, { responseNonce: nonceOfOldStream });
      return sent(first, (names) => isSameSet(names, t.clusters));
    },
  },
  {
    ...{ id: 'S28', level: 'informational', source: checkSources.typeUrl },
    title: 'A request without a type URL ends its stream',
    expected: 'The stream of ADS ends with a status, and a new stream is answered.',
    async run(t) {
      const stream = t.open(false);
      stream.send({ typeUrl: '' });
      await stream.until(() => false, 2_000);
      const { ended } = stream;
      await t.begin(false, CDS);
      return { isMet: ended !== undefined, seen: ended ?? 'the stream is open, and nothing was sent' };
    },
  },
  {
    ...{ id: 'S29', level: 'must', source: checkSources.supply, needs: { endpoints: 1 } },
    title: 'Of 10,000 requested names those that exist are sent',
    expected: 'A request of EDS for 10,000 names, of which few exist, is answered with those that do.',
    async run(t) {
      const length = manyNames - t.names.endpoints.length;
      const unknown = Array.from({ length }, (_, index) => `xdscope-check-unknown-${index}`);
      const stream = t.open(false);
      stream.send({ typeUrl: EDS.typeUrl, resourceNames: [...unknown, ...t.names.endpoints] });
      return sent(await t.next(stream, EDS, 0), (names) => names.includes(t.endpoints(0)), stream);
    },
  },
  {
    ...{ id: 'S30', level: 'must', source: checkSources.supply, changesConfig: true, features: ['large'] },
    title: 'A response of more than 4 MiB is sent',
    expected: 'After 50 clusters of 100,000 bytes each were added, all of them are sent.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      const names = Array.from({ length: largeClusters }, (_, index) => `large-${index}`);
      await t.replace({ type: CDS, resources: names.map((name) => clusterOf(name, 1, largeStatName)) });
      return sent(await t.next(stream, CDS, 1), (each) => isSameSet(each, names), stream);
    },
  },
  {
    ...{ id: 'S31', level: 'should', source: checkSources.warming, changesConfig: true },
    title: 'The endpoints of a changed cluster are sent again when they are requested',
    expected: 'After a cluster has changed, a request of its endpoints, which have not changed, is answered.',
    async run(t) {
      const names = ['c1', 'c2'];
      const { stream } = await t.beginAndAck(false, CDS);
      stream.send({ typeUrl: EDS.typeUrl, resourceNames: names });
      const endpoints = await t.next(stream, EDS, 0);
      if (endpoints === undefined) return { isMet: false, seen: 'the endpoints were not sent' };
      stream.ack(endpoints, names);
      await t.pause(stream);
      await t.replace({ type: CDS, resources: [clusterOf('c1', 8), clusterOf('c2')] });
      const changed = await t.next(stream, CDS, 1);
      if (changed === undefined) return { isMet: false, seen: 'the change was not sent' };
      stream.ack(changed);
      const count = stream.of(EDS).length;
      stream.ack(stream.of(EDS).at(-1) ?? endpoints, names);
      return sent(await t.next(stream, EDS, count), (each) => each.includes('c1'), stream);
    },
  },
];
