import { expect, it } from 'vitest';
import { NackIndex } from '@/lib/nacks/nack-index';
import { buildNackTest } from '@/lib/views/nacks/nack-filter';
import { EDS } from '@/lib/xds/resource-type';
import {
  numbered,
  sampleNode,
  sampleReport,
  sampleResource,
} from '../../../support/builders/observation-samples';

const rejected = (details: string, versionInfo: string) => ({
  clientStatus: 'NACKED' as const,
  errorState: { details, versionInfo, lastUpdateAttempt: null, failedHash: null },
});
const report = (clientId: string, at: number, changed: Parameters<typeof sampleResource>[0]) =>
  sampleReport({
    at,
    clientId,
    node: sampleNode(clientId),
    changed: [sampleResource({ changedAt: at, ...changed })],
  });

const book = new NackIndex({ idOf: (key) => key });
for (const observation of numbered([
  report('a', 100_000, { name: 'cart', ...rejected('no Hosts', '7') }),
  report('b', 500_000, { name: 'pay', typeUrl: EDS.typeUrl, ...rejected('zero weights', '8') }),
  report('b', 510_000, { name: 'pay', typeUrl: EDS.typeUrl, versionInfo: '9' }),
]))
  book.fold(observation);
const groups = [...book.groups.values()];

it.each([
  ['', ['cart', 'pay']],
  ['no hosts', ['cart']],
  ['pay weights', ['pay']],
  ['type=EDS', ['pay']],
  ['type=cluster', ['cart']],
  ['type!=EDS', ['cart']],
  ['name~ca', ['cart']],
  ['error~"zero weights"', ['pay']],
  ['state=open', ['cart']],
  ['state=resolved', ['pay']],
  ['version=7', ['cart']],
  ['since=3m', ['pay']],
])('NACKs by %s', (text, expected) => {
  expect(groups.filter(buildNackTest(text, 600_000)).map(({ name }) => name)).toEqual(expected);
});
