import { expect, it } from 'vitest';
import { runSteps } from '@/lib/cooperative/steps';
import { buildFleetMember } from '@/lib/views/fleet/fleet-member';
import { buildClientSizes } from '@/lib/views/sizes/build-client-sizes';
import { clientSummary, typeSummary } from '../../../support/builders/fleet-fixtures';

it('buildClientSizes lists the largest clients, the sum of the others, and the largest responses', () => {
  const sizes = Array.from({ length: 1_000 }, (_, index) => (index * 7919) % 1_009);
  const members = sizes.map((sizeBytes, index) => {
    const summary = clientSummary({
      id: `c${index}`,
      nodeId: `shop-${index}`,
      resources: 1,
      types: [typeSummary({ sizeBytes, total: 1 })],
    });
    return buildFleetMember(summary, { metadata: {} });
  });
  const { items, rest, total, responses } = runSteps(
    buildClientSizes(members, { most: 3, sort: 'bytes', beforeOf: () => undefined }),
  );
  const inOrder = [...sizes].sort((a, b) => b - a);
  const sum = (some: readonly number[]): number => some.reduce((bytes, each) => bytes + each, 0);
  expect(items.map(({ bytes }) => bytes)).toEqual(inOrder.slice(0, 3));
  expect(items[0]?.parts).toMatchObject([{ bytes: inOrder[0], count: 1 }]);
  expect(rest).toEqual({ items: 997, bytes: sum(inOrder.slice(3)), largestBytes: inOrder[3] });
  expect(total).toEqual({ bytes: sum(sizes), clients: 1_000, resources: 1_000, unreported: 0 });
  const largest = inOrder.slice(0, 50).map((bytes) => `shop-${sizes.indexOf(bytes)}`);
  expect(responses.map(({ nodeId }) => nodeId)).toEqual(largest);
});

it('buildClientSizes sorts by growth', () => {
  const members = [30, 20, 10].map((sizeBytes, index) => {
    const summary = clientSummary({ id: `c${index}`, types: [typeSummary({ sizeBytes, total: 1 })] });
    return buildFleetMember(summary, { metadata: {} });
  });
  const before: Readonly<Record<string, number>> = { c0: 30, c2: 1 };
  const beforeOf = (id: string) => {
    const bytes = before[id];
    return bytes === undefined ? undefined : { at: 0, bytes };
  };
  const { items } = runSteps(buildClientSizes(members, { most: 3, sort: 'growth', beforeOf }));
  expect(items.map(({ key, before }) => [key, before?.bytes])).toEqual([
    ['c2', 1],
    ['c0', 30],
    ['c1', undefined],
  ]);
});
