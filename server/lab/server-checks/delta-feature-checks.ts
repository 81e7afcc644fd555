import { checkSources } from '@/lib/server-checks/check-source';
import { EDS } from '@/lib/xds/resource-type';
import type { RunnableCheck } from './check-run';
import { describeResponse } from './check-stream';
import { endpointsOf } from './served-config';

const ttlMs = 60_000;
const alias = 'xdscope-check-alias';

/** Features of the delta variant that a server need not have: without them the checks are not asked. */
export const deltaFeatureChecks: readonly RunnableCheck[] = [
  {
    ...{ id: 'D17', level: 'must', source: checkSources.heartbeat },
    ...{ changesConfig: true, features: ['heartbeats'] },
    title: 'A heartbeat has no body, and the version that was sent',
    expected: 'A resource with a time to live is renewed by its name and version alone.',
    async run(t) {
      await t.replace({ type: EDS, resources: [{ ...endpointsOf('c1'), ttlMs }, endpointsOf('c2')] });
      const { stream, first } = await t.beginAndAck(true, EDS, { resourceNamesSubscribe: ['c1'] });
      t.adapter.sendHeartbeats?.(EDS);
      const next = await t.next(stream, EDS, 1);
      const isHeartbeat = next?.bodiless.join() === 'c1' && next.versions.c1 === first.versions.c1;
      const body = next === undefined || next.bodiless.includes('c1') ? 'without' : 'with';
      return { isMet: isHeartbeat, seen: `${describeResponse(next)}, ${body} a body` };
    },
  },
  {
    ...{ id: 'D18', level: 'must', source: checkSources.name },
    ...{ changesConfig: true, features: ['aliases'] },
    title: 'A resource that is subscribed by an alias is sent with its name',
    expected: 'A subscription to an alias is answered with the resource under its name.',
    async run(t) {
      await t.replace({
        type: EDS,
        resources: [{ ...endpointsOf('c1'), aliases: [alias] }, endpointsOf('c2')],
      });
      const { first } = await t.begin(true, EDS, { resourceNamesSubscribe: [alias] });
      return { isMet: first.names.join() === 'c1', seen: describeResponse(first) };
    },
  },
  {
    ...{ id: 'D19', level: 'informational', source: checkSources.resourceErrors },
    ...{ changesConfig: true, features: ['errors'] },
    title: 'An error in the place of a resource is sent once',
    expected: 'The error of a resource is sent in resource_errors, and not again with the next change.',
    async run(t) {
      const { stream } = await t.beginAndAck(true, EDS, { resourceNamesSubscribe: ['c1', 'c2'] });
      t.adapter.setError?.(EDS, 'c1', 'no permission');
      const error = await t.next(stream, EDS, 1);
      if (error === undefined) return { isMet: false, seen: 'no response' };
      stream.ack(error);
      await t.replace({ type: EDS, resources: [endpointsOf('c2', 5_000)] });
      await t.pause(stream, 2);
      const errors = stream.of(EDS).flatMap((each) => each.errors);
      return {
        isMet: error.errors.join() === 'c1' && errors.length === 1,
        seen: errors.length === 0 ? describeResponse(error) : `resource_errors of ${errors.join(', ')}`,
      };
    },
  },
];
