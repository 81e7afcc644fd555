import { checkSources } from '@/lib/server-checks/check-source';
import { CDS, EDS } from '@/lib/xds/resource-type';
import { isSameSet, type RunnableCheck } from './check-run';
import { describeResponse, describeSent } from './check-stream';
import { clusterOf, endpointsOf } from './served-config';
import { sent } from './sotw-checks';

const twoEndpoints = { endpoints: 2 };
const unknownEndpoints = 'xdscope-check-of-unknown-endpoints';

/** The rules of the delta variant, on streams of delta ADS. */
export const deltaChecks: readonly RunnableCheck[] = [
  {
    ...{ id: 'D1', level: 'must', source: checkSources.deltaNonce },
    title: 'The first response has all resources with their names and versions, and a nonce',
    expected: 'The first request of CDS without names is answered with every cluster.',
    async run(t) {
      const { first } = await t.begin(true, CDS);
      const areVersioned = first.names.every((name) => name !== '' && first.versions[name] !== '');
      const isWhole = isSameSet(first.names, t.clusters) && first.nonce !== '';
      const without = first.names.filter((name) => first.versions[name] === '').length;
      return {
        isMet: isWhole && areVersioned,
        seen: `${without} of ${first.names.length} without a version, nonce "${first.nonce}": ${describeResponse(first)}`,
      };
    },
  },
  {
    ...{ id: 'D2', level: 'must', source: checkSources.onChange },
    title: 'An ACK is not answered',
    expected: 'Nothing is sent until a resource changes.',
    async run(t) {
      const { stream, first } = await t.begin(true, CDS);
      stream.ack(first);
      return t.expectSilence(stream, CDS, 1);
    },
  },
  {
    ...{ id: 'D3', level: 'must', source: checkSources.onlyChanges, changesConfig: true },
    title: 'Only what has changed is sent',
    expected: 'After one of two clusters has changed, it alone is sent.',
    async run(t) {
      const { stream } = await t.beginAndAck(true, CDS);
      await t.replace({ type: CDS, resources: [clusterOf('c1', 2), clusterOf('c2')] });
      return sent(await t.next(stream, CDS, 1), (names) => isSameSet(names, ['c1']));
    },
  },
  {
    ...{ id: 'D4', level: 'must', source: checkSources.removed, changesConfig: true },
    title: 'A removal is stated in removed_resources',
    expected: 'After one of two clusters was removed, removed_resources has its name.',
    async run(t) {
      const { stream } = await t.beginAndAck(true, CDS);
      await t.replace({ type: CDS, resources: [clusterOf('c1')] });
      const next = await t.next(stream, CDS, 1);
      return {
        isMet: next !== undefined && isSameSet(next.removed, ['c2']) && next.names.length === 0,
        seen: describeResponse(next),
      };
    },
  },
  {
    ...{ id: 'D5', level: 'must', source: checkSources.doesNotExist },
    title: 'A name that does not exist is stated in removed_resources',
    expected: 'A subscription to a name that does not exist is answered with that name in removed_resources.',
    async run(t) {
      const stream = t.open(true);
      stream.send({ typeUrl: EDS.typeUrl, resourceNamesSubscribe: [unknownEndpoints] });
      const first = await t.next(stream, EDS, 0);
      if (first?.names.includes(unknownEndpoints) === true)
        return { isMet: undefined, seen: 'the server has endpoints for a name that was made up' };
      return {
        isMet: first?.removed.includes(unknownEndpoints) === true,
        seen: first === undefined ? (stream.ended ?? 'no response') : describeResponse(first),
      };
    },
  },
  {
    ...{ id: 'D6', level: 'must', source: checkSources.remember, changesConfig: true },
    title: 'A resource that was subscribed before it exists is sent once it exists',
    expected: 'The server remembers the subscribed name.',
    async run(t) {
      const stream = t.open(true);
      stream.send({ typeUrl: EDS.typeUrl, resourceNamesSubscribe: ['c3'] });
      await t.pause(stream);
      const early = stream.of(EDS);
      for (const each of early) stream.ack(each);
      await t.replace({ type: EDS, resources: ['c1', 'c2', 'c3'].map((name) => endpointsOf(name)) });
      return sent(await t.next(stream, EDS, early.length), (names) => names.includes('c3'), stream);
    },
  },
  {
    ...{ id: 'D7', level: 'must', source: checkSources.forgotten, needs: { endpoints: 1 } },
    title: 'A name that is subscribed again is sent again',
    expected: 'A subscription to a resource that the client holds is answered with that resource.',
    async run(t) {
      const names = [t.endpoints(0)];
      const { stream } = await t.beginAndAck(true, EDS, { resourceNamesSubscribe: names });
      stream.send({ typeUrl: EDS.typeUrl, resourceNamesSubscribe: names });
      return sent(await t.next(stream, EDS, 1), (each) => each.includes(t.endpoints(0)));
    },
  },
  {
    ...{ id: 'D8', level: 'must', source: checkSources.phantom, needs: { endpoints: 1 } },
    title: 'An unsubscription from a name that was not subscribed is ignored',
    expected: 'The stream goes on, and no resource is sent.',
    async run(t) {
      const { stream } = await t.beginAndAck(true, EDS, { resourceNamesSubscribe: [t.endpoints(0)] });
      stream.send({ typeUrl: EDS.typeUrl, resourceNamesUnsubscribe: ['xdscope-check-never-subscribed'] });
      await t.pause(stream);
      const more = stream.of(EDS).slice(1);
      return {
        isMet: stream.ended === undefined && more.every(({ names }) => names.length === 0),
        seen: stream.ended ?? (more.map(describeResponse).join('; ') || 'nothing was sent'),
      };
    },
  },
  {
    ...{ id: 'D9', level: 'should', source: checkSources.lostInterest, changesConfig: true },
    title: 'A change of an unsubscribed resource is not sent',
    expected: 'After an unsubscription, a change of the resource is not sent.',
    async run(t) {
      const { stream } = await t.beginAndAck(true, EDS, { resourceNamesSubscribe: ['c1', 'c2'] });
      stream.send({ typeUrl: EDS.typeUrl, resourceNamesUnsubscribe: ['c2'] });
      await t.pause(stream);
      await t.replace({ type: EDS, resources: [endpointsOf('c1'), endpointsOf('c2', 3_000)] });
      await t.pause(stream, 2);
      const names = stream
        .of(EDS)
        .slice(1)
        .flatMap((each) => each.names);
      return {
        isMet: !names.includes('c2'),
        seen: describeSent(names),
      };
    },
  },
  {
    ...{ id: 'D10', level: 'must', source: checkSources.besideWildcard, needs: { clusters: 1 } },
    title: 'An unsubscription from a name beside the wildcard is answered',
    expected: 'The resource is sent again, because the wildcard still covers it, or it is stated as removed.',
    async run(t) {
      const name = t.cluster(0);
      const { stream } = await t.beginAndAck(true, CDS, { resourceNamesSubscribe: ['*', name] });
      const count = stream.of(CDS).length;
      stream.send({ typeUrl: CDS.typeUrl, resourceNamesUnsubscribe: [name] });
      const next = await t.next(stream, CDS, count);
      return {
        isMet: next !== undefined && [...next.names, ...next.removed].includes(name),
        seen: describeResponse(next),
      };
    },
  },
  {
    ...{ id: 'D11', level: 'must', source: checkSources.wildcard, changesConfig: true },
    title: 'An unsubscription from * leaves the named subscriptions',
    expected: 'After *, c1 and an unsubscription from *, a change of both clusters sends c1 alone.',
    async run(t) {
      const { stream } = await t.beginAndAck(true, CDS, { resourceNamesSubscribe: ['*', 'c1'] });
      stream.send({ typeUrl: CDS.typeUrl, resourceNamesUnsubscribe: ['*'] });
      await t.pause(stream);
      const count = stream.of(CDS).length;
      await t.replace({ type: CDS, resources: [clusterOf('c1', 7), clusterOf('c2', 7)] });
      await t.pause(stream, 2);
      const names = stream
        .of(CDS)
        .slice(count)
        .flatMap((each) => each.names);
      return {
        isMet: isSameSet(names, ['c1']),
        seen: describeSent(names),
      };
    },
  },
  {
    ...{ id: 'D12', level: 'should', source: checkSources.knownVersions },
    title: 'A client that reconnects is not sent what it holds',
    expected: 'With initial_resource_versions of all clusters, nothing is sent.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(true, CDS);
      stream.close();
      const again = t.open(true);
      again.send({
        ...{ typeUrl: CDS.typeUrl, resourceNamesSubscribe: ['*'] },
        initialResourceVersions: first.versions,
      });
      await t.pause(again, 2);
      const names = again.of(CDS).flatMap((each) => each.names);
      return {
        isMet: names.length === 0 && again.ended === undefined,
        seen: again.ended ?? describeSent(names),
      };
    },
  },
  {
    ...{ id: 'D13', level: 'must', source: checkSources.removed, changesConfig: true },
    title: 'What was removed while a client was away is stated when it reconnects',
    expected: 'A cluster in initial_resource_versions that was removed is in removed_resources.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(true, CDS);
      stream.close();
      await t.replace({ type: CDS, resources: [clusterOf('c1')] });
      const again = t.open(true);
      again.send({
        ...{ typeUrl: CDS.typeUrl, resourceNamesSubscribe: ['*'] },
        initialResourceVersions: first.versions,
      });
      const next = await t.next(again, CDS, 0);
      return { isMet: next?.removed.includes('c2') === true, seen: again.ended ?? describeResponse(next) };
    },
  },
  {
    ...{ id: 'D14', level: 'must', source: checkSources.staleSubscription, changesConfig: true },
    title: 'A subscription in a request with a stale nonce is obeyed',
    expected: 'The resource of the subscription is sent, though the nonce is that of an older response.',
    async run(t) {
      const { stream, first } = await t.beginAndAck(true, EDS, { resourceNamesSubscribe: ['c1'] });
      await t.replace({ type: EDS, resources: [endpointsOf('c1', 4_000), endpointsOf('c2')] });
      if ((await t.next(stream, EDS, 1)) === undefined)
        return { isMet: false, seen: 'the change was not sent' };
      stream.send({ typeUrl: EDS.typeUrl, responseNonce: first.nonce, resourceNamesSubscribe: ['c2'] });
      return sent(await t.next(stream, EDS, 2), (names) => names.includes('c2'), stream);
    },
  },
  {
    ...{ id: 'D15', level: 'should', source: checkSources.needlessWork },
    sendsNack: true,
    title: 'A NACK is not answered with the same payload',
    expected: 'Nothing is sent until a resource changes.',
    async run(t) {
      const { stream, first } = await t.begin(true, CDS);
      stream.nack(first);
      return t.expectSilence(stream, CDS, 1);
    },
  },
  {
    ...{
      id: 'D16',
      level: 'must',
      source: checkSources.doesNotExist,
      changesConfig: true,
      needs: twoEndpoints,
    },
    title: 'A name that was removed while the client was away is stated in removed_resources',
    expected: 'A new stream that subscribes to the removed name is answered with it in removed_resources.',
    async run(t) {
      const { stream } = await t.beginAndAck(true, EDS, { resourceNamesSubscribe: ['c1', 'c2'] });
      stream.close();
      await t.replace({ type: EDS, resources: [endpointsOf('c1')] });
      const again = t.open(true);
      again.send({ typeUrl: EDS.typeUrl, resourceNamesSubscribe: ['c1', 'c2'] });
      await again.until(() => again.of(EDS).some(({ removed }) => removed.includes('c2')), 1_500);
      const all = again.of(EDS);
      return {
        isMet: all.some(({ removed }) => removed.includes('c2')),
        seen: again.ended ?? (all.map(describeResponse).join('; ') || 'no response'),
      };
    },
  },
];
