import { checkSources } from '@/lib/server-checks/check-source';
import type { CheckOutcome } from '@/lib/server-checks/server-check';
import { CDS, EDS, formatResourceType, LDS, RDS } from '@/lib/xds/resource-type';
import { type CheckRun, describeWholeOnly, isSameSet, type RunnableCheck } from './check-run';
import {
  type CheckResponse,
  type CheckStream,
  describeResponse,
  describeSent,
  formatNames,
} from './check-stream';
import { clusterOf, endpointsOf, routesTo } from './served-config';

const twoEndpoints = { endpoints: 2 };
const someClusters = { clusters: 2, someOf: 'clusters' } as const;
const someEndpoints = { ...twoEndpoints, someOf: 'endpoints' } as const;
/** A server that answers each NACK at once sends hundreds of responses in that time. */
const spinMs = 1_500;
const mostAfterNacks = 3;
const unknownName = 'xdscope-check-of-an-unknown-name';

/** The rules of the state-of-the-world variant, on streams of ADS. */
export const sotwChecks: readonly RunnableCheck[] = [
  {
    ...{ id: 'S1', level: 'must', source: checkSources.nonce },
    title: 'The first response has a nonce, a version and all resources',
    expected: 'The first request of CDS without names is answered with every cluster, a nonce and a version.',
    async run(t) {
      const { first } = await t.begin(false, CDS);
      const isWhole = first.nonce !== '' && first.version !== '' && isSameSet(first.names, t.clusters);
      return { isMet: isWhole, seen: `${describeResponse(first)}, nonce "${first.nonce}"` };
    },
  },
  {
    ...{ id: 'S2', level: 'must', source: checkSources.node, needs: { endpoints: 1 } },
    title: 'The node of the first request applies to the whole stream',
    expected: 'A request of another type without a node is answered.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      stream.send({ typeUrl: EDS.typeUrl, resourceNames: t.names.endpoints });
      return sent(await t.next(stream, EDS, 0), (names) => names.includes(t.endpoints(0)));
    },
  },
  {
    ...{ id: 'S3', level: 'must', source: checkSources.onChange },
    title: 'An ACK is not answered',
    expected: 'Nothing is sent until a resource changes.',
    async run(t) {
      const { stream, first } = await t.begin(false, CDS);
      stream.ack(first);
      return t.expectSilence(stream, CDS, 1);
    },
  },
  {
    ...{ id: 'S4', level: 'must', source: checkSources.version, changesConfig: true },
    title: 'A change is sent with another version and another nonce',
    expected: 'After a cluster has changed, a response with a new version and a new nonce is sent.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(false, CDS);
      await t.replace({ type: CDS, resources: [clusterOf('c1', 2), clusterOf('c2')] });
      const next = await t.next(stream, CDS, 1);
      const isNew = next !== undefined && next.nonce !== first.nonce && next.version !== first.version;
      return { isMet: isNew, seen: describeResponse(next) };
    },
  },
  {
    ...{ id: 'S5', level: 'should', source: checkSources.needlessWork, sendsNack: true },
    title: 'A NACK is not answered with the same payload',
    expected: 'A rejected payload is not sent again, so that client and server do not spin.',
    run: countAfterNacks,
  },
  {
    ...{ id: 'S6', level: 'must', source: checkSources.laterAck, changesConfig: true, sendsNack: true },
    title: 'The change after a NACK is sent',
    expected: 'After a client has rejected a payload, it is sent the next one.',
    async run(t) {
      const { stream, first } = await t.begin(false, CDS);
      stream.nack(first, [], first.version);
      await t.pause(stream);
      const count = stream.of(CDS).length;
      await t.replace({ type: CDS, resources: [clusterOf('c1', 3), clusterOf('c2')] });
      return sent(await t.next(stream, CDS, count), () => true);
    },
  },
  {
    ...{ id: 'S7', level: 'must', source: checkSources.staleNonce, changesConfig: true },
    title: 'A request with a stale nonce is not answered',
    expected: 'A request with the nonce of an older response is ignored.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(false, CDS);
      await t.replace({ type: CDS, resources: [clusterOf('c1', 4), clusterOf('c2')] });
      if ((await t.next(stream, CDS, 1)) === undefined)
        return { isMet: false, seen: 'the change was not sent' };
      stream.ack(first);
      return t.expectSilence(stream, CDS, 2);
    },
  },
  {
    ...{ id: 'S8', level: 'must', source: checkSources.newNames, needs: someEndpoints },
    title: 'A name that is added is sent, though the version has not changed',
    expected: 'A request that names one more resource is answered with that resource.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(false, EDS, { resourceNames: [t.endpoints(0)] });
      stream.ack(first, [t.endpoints(0), t.endpoints(1)]);
      return sent(await t.next(stream, EDS, 1), (names) => names.includes(t.endpoints(1)));
    },
  },
  {
    ...{ id: 'S9', level: 'must', source: checkSources.newNames, needs: twoEndpoints },
    title: 'A name that was dropped and is requested again is sent again',
    expected:
      'A resource to which a client subscribes again is sent, even if it was sent on the stream before.',
    async run(t) {
      const resourceNames = t.names.endpoints;
      const [dropped = '', ...others] = resourceNames;
      const { stream, first } = await t.beginAndAck(false, EDS, { resourceNames });
      stream.ack(first, others);
      await t.pause(stream);
      const held = stream.of(EDS);
      stream.ack(held.at(-1) ?? first, resourceNames);
      return sent(await t.next(stream, EDS, held.length), (names) => names.includes(dropped));
    },
  },
  {
    ...{ id: 'S10', level: 'must', source: checkSources.wildcard },
    title: 'The name * subscribes to all resources',
    expected: 'A request of CDS for * is answered with every cluster.',
    async run(t) {
      const { first } = await t.begin(false, CDS, { resourceNames: ['*'] });
      return sent(first, (names) => isSameSet(names, t.clusters));
    },
  },
  {
    ...{ id: 'S11', level: 'must', source: checkSources.unsubscribesAll, changesConfig: true },
    needs: someClusters,
    title: 'A request without names after one with names ends the subscription',
    expected: 'Once a stream has named a resource, a request without names subscribes to nothing.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(false, CDS, { resourceNames: ['c1'] });
      stream.ack(first, []);
      await t.pause(stream);
      for (const each of stream.of(CDS).slice(1)) stream.ack(each, []);
      await t.replace({ type: CDS, resources: [clusterOf('c1', 5), clusterOf('c2', 5)] });
      await t.pause(stream, 2);
      const names = stream
        .of(CDS)
        .slice(1)
        .flatMap((each) => each.names);
      return {
        isMet: names.length === 0,
        seen: describeSent(names),
      };
    },
  },
  {
    ...{ id: 'S12', level: 'must', source: checkSources.wildcard, needs: someClusters },
    title: 'A request without * ends the wildcard subscription',
    expected:
      'After requests for * and a cluster, and then for that cluster alone, no other cluster is sent.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(false, CDS, { resourceNames: ['*', t.cluster(0)] });
      stream.ack(first, [t.cluster(0)]);
      await t.pause(stream);
      const after = stream.of(CDS).slice(1).at(-1);
      if (after === undefined) return { isMet: true, seen: 'nothing was sent' };
      const isAlone = (names: readonly string[]): boolean => isSameSet(names, [t.cluster(0)]);
      const outcome = sent(after, isAlone);
      if (outcome.isMet === true) return outcome;
      const stated = t.open(false);
      stated.send({ typeUrl: CDS.typeUrl, resourceNames: [t.cluster(0)] });
      const response = await t.next(stated, CDS, 0);
      if (response === undefined || isAlone(response.names)) return outcome;
      // The response does not show whether the wildcard subscription has ended.
      return {
        isMet: undefined,
        seen: 'the server sends clusters that were not requested, which it may (S18)',
      };
    },
  },
  {
    ...{ id: 'S13', level: 'must', source: checkSources.wholeState, changesConfig: true },
    title: 'A response of CDS has every cluster, not the changed ones alone',
    expected: 'After one of two clusters has changed, both are sent.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      await t.replace({ type: CDS, resources: [clusterOf('c1', 6), clusterOf('c2')] });
      return sent(await t.next(stream, CDS, 1), (names) => isSameSet(names, ['c1', 'c2']));
    },
  },
  {
    ...{ id: 'S14', level: 'must', source: checkSources.absence, changesConfig: true },
    title: 'A removed cluster is absent from the next response',
    expected: 'After one of two clusters was removed, the other one alone is sent.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      await t.replace({ type: CDS, resources: [clusterOf('c1')] });
      return sent(await t.next(stream, CDS, 1), (names) => isSameSet(names, ['c1']));
    },
  },
  {
    ...{ id: 'S15', level: 'must', source: checkSources.absence, changesConfig: true },
    title: 'After the last cluster was removed, an empty response is sent',
    expected: 'A response of CDS without resources.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      await t.replace({ type: CDS, resources: [] });
      return sent(await t.next(stream, CDS, 1), (names) => names.length === 0);
    },
  },
  {
    ...{ id: 'S16', level: 'must', source: checkSources.remember, changesConfig: true },
    needs: someEndpoints,
    title: 'A resource that was requested before it exists is sent once it exists',
    expected: 'The server remembers the requested name.',
    async run(t) {
      const stream = t.open(false);
      stream.send({ typeUrl: EDS.typeUrl, resourceNames: ['c3'] });
      await t.pause(stream);
      const early = stream.of(EDS);
      for (const each of early) stream.ack(each, ['c3']);
      await t.replace({ type: EDS, resources: ['c1', 'c2', 'c3'].map((name) => endpointsOf(name)) });
      return sent(await t.next(stream, EDS, early.length), (names) => names.includes('c3'), stream);
    },
  },
  {
    ...{ id: 'S17', level: 'must', source: checkSources.supply, needs: { clusters: 1 } },
    title: 'The requested cluster that exists is sent',
    expected: 'A request for a cluster that exists and one that does not is answered with the former.',
    async run(t) {
      const stream = t.open(false);
      stream.send({ typeUrl: CDS.typeUrl, resourceNames: [t.cluster(0), unknownName] });
      const first = await t.next(stream, CDS, 0);
      const isSent = (names: readonly string[]) =>
        names.includes(t.cluster(0)) && !names.includes(unknownName);
      const outcome = sent(first, isSent, stream);
      if (first !== undefined || !t.names.wholeOnly.includes('clusters')) return outcome;
      return { ...outcome, seen: `${outcome.seen}; ${describeWholeOnly(t.names, 'clusters')}` };
    },
  },
  {
    ...{ id: 'S18', level: 'informational', source: checkSources.unrequested, needs: someClusters },
    title: 'Only the requested clusters are sent',
    expected:
      'A request for one of the clusters is answered with that cluster alone. A server may send more.',
    async run(t) {
      const stream = t.open(false);
      stream.send({ typeUrl: CDS.typeUrl, resourceNames: [t.cluster(1)] });
      return sent(await t.next(stream, CDS, 0), (names) => isSameSet(names, [t.cluster(1)]), stream);
    },
  },
  {
    ...{ id: 'S19', level: 'informational', source: checkSources.supply, needs: { endpoints: 1 } },
    title: 'A request of an unknown type does not end the stream',
    expected: 'After a request of a type that no server has, other types are answered.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      stream.send({ typeUrl: 'type.googleapis.com/xdscope.checks.Unknown', resourceNames: ['x'] });
      await t.pause(stream);
      stream.send({ typeUrl: EDS.typeUrl, resourceNames: t.names.endpoints });
      return sent(await t.next(stream, EDS, 0), () => stream.ended === undefined, stream);
    },
  },
  {
    ...{
      id: 'S20',
      level: 'should',
      source: checkSources.ownVersion,
      changesConfig: true,
    },
    title: 'A change of one type sends no other type',
    expected: 'After endpoints have changed, no clusters are sent.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      stream.send({ typeUrl: EDS.typeUrl, resourceNames: ['c1', 'c2'] });
      const endpoints = await t.next(stream, EDS, 0);
      if (endpoints === undefined) return { isMet: false, seen: 'the endpoints were not sent' };
      stream.ack(endpoints, ['c1', 'c2']);
      await t.pause(stream);
      await t.replace({ type: EDS, resources: [endpointsOf('c1', 2_000), endpointsOf('c2')] });
      await t.pause(stream, 2);
      const [clusters, changes] = [stream.of(CDS).length - 1, stream.of(EDS).length - 1];
      return {
        isMet: clusters === 0 && changes === 1,
        seen: `${changes} responses of EDS and ${clusters} of CDS after the change`,
      };
    },
  },
  {
    ...{ id: 'S21', level: 'must', source: checkSources.reconnect, needs: someEndpoints },
    title: 'A new stream that states the newest version is sent what is new to it',
    expected: 'A client that reconnects with the newest version and one more name is sent that resource.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(false, EDS, { resourceNames: [t.endpoints(0)] });
      stream.close();
      const again = t.open(false);
      const resourceNames = [t.endpoints(0), t.endpoints(1)];
      again.send({ typeUrl: EDS.typeUrl, versionInfo: first.version, resourceNames });
      return sent(await t.next(again, EDS, 0), (names) => names.includes(t.endpoints(1)), again);
    },
  },
  {
    ...{ id: 'S22', level: 'must', source: checkSources.nonceOfStream, needs: someEndpoints },
    title: 'Two streams of one node have subscriptions of their own',
    expected: 'Each of two streams of a node is sent what it has requested.',
    async run(t) {
      const names = [t.endpoints(0), t.endpoints(1)];
      const seen: string[][] = [];
      const streams = [];
      for (const name of names) {
        const { stream, first } = await t.begin(false, EDS, { resourceNames: [name] });
        stream.ack(first, [name]);
        streams.push(stream);
        await t.pause(stream);
      }
      for (const stream of streams) seen.push(stream.of(EDS).flatMap((each) => [...each.names]));
      const isOwn = seen.every((each, at) => isSameSet(each, [names[at] ?? '']));
      return {
        isMet: isOwn,
        seen: seen.map((each, at) => `stream ${at + 1}: ${formatNames(each)}`).join('; '),
      };
    },
  },
  {
    ...{ id: 'S23', level: 'must', source: checkSources.duplicates, needs: { clusters: 1 } },
    title: 'A response has no resource twice',
    expected: 'A cluster that is requested by * and by its name is sent once.',
    async run(t) {
      const { first } = await t.begin(false, CDS, { resourceNames: ['*', t.cluster(0)] });
      return { isMet: new Set(first.names).size === first.names.length, seen: describeResponse(first) };
    },
  },
  {
    ...{ id: 'S24', level: 'should', source: checkSources.makeBeforeBreak },
    ...{ changesConfig: true, features: ['together'] },
    title: 'Clusters and endpoints are sent before the routes that lead to them',
    expected: 'One change of CDS, EDS and RDS is sent in this order.',
    async run(t) {
      const { stream } = await t.beginAndAck(false, CDS);
      const wanted = [
        { type: EDS, names: ['c1', 'c2', 'c3'] },
        { type: LDS, names: [] },
        { type: RDS, names: ['r1'] },
      ];
      for (const { type, names } of wanted) {
        stream.send({ typeUrl: type.typeUrl, resourceNames: names });
        const answer = await t.next(stream, type, 0);
        if (answer !== undefined) stream.ack(answer, names);
      }
      await t.pause(stream);
      const from = stream.responses.length;
      const names = ['c1', 'c2', 'c3'];
      await t.replace(
        { type: RDS, resources: [routesTo('c3')] },
        { type: EDS, resources: names.map((name) => endpointsOf(name)) },
        { type: CDS, resources: names.map((name) => clusterOf(name)) },
      );
      await t.pause(stream, 2);
      const order = stream.responses.slice(from).map(({ typeUrl }) => formatResourceType(typeUrl));
      return {
        isMet: order.join() === 'CDS,EDS,RDS',
        seen: order.length === 0 ? 'nothing was sent' : order.join(', '),
      };
    },
  },
];

/** Rejects each response at once, and counts those that follow. */
async function countAfterNacks(t: CheckRun): Promise<CheckOutcome> {
  const { stream, first } = await t.begin(false, CDS);
  let rejected = first;
  stream.nack(first);
  await stream.until(() => {
    const newest = stream.of(CDS).at(-1);
    if (newest !== undefined && newest !== rejected) {
      rejected = newest;
      stream.nack(newest);
    }
    return false;
  }, spinMs);
  const more = stream.of(CDS).length - 1;
  return {
    isMet: more <= mostAfterNacks && stream.ended === undefined,
    seen: stream.ended ?? `${more} more responses within ${spinMs} ms`,
  };
}

/** States what was sent. A stream that ended is stated with its status. */
export function sent(
  response: CheckResponse | undefined,
  isMet: (names: readonly string[]) => boolean,
  stream?: CheckStream,
): CheckOutcome {
  const ended = response === undefined ? stream?.ended : undefined;
  return {
    isMet: response !== undefined && isMet(response.names),
    seen: ended ?? describeResponse(response),
  };
}
