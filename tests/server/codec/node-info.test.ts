import { expect, it } from 'vitest';
import { readNodeInfo } from '@/server/codec/node-info';

interface Struct {
  readonly fields: Readonly<Record<string, object>>;
}

const metadata: Struct = {
  fields: {
    CLUSTER_ID: { stringValue: 'Kubernetes' },
    LABELS: { structValue: { fields: { app: { stringValue: 'cart' }, version: { stringValue: 'v1' } } } },
    PILOT_SAN: {
      listValue: { values: [{ structValue: { fields: { a: { numberValue: 1 }, b: { boolValue: true } } } }] },
    },
  },
};

/** Envoy 1.40 writes the entries of maps in another order at each dump. */
it('the metadata of a node is the same in whatever order its entries are written', () => {
  const read = (reported: object) =>
    JSON.stringify(readNodeInfo({ id: 'a', metadata: reported }, (node) => node));
  const other = reversed(metadata);
  expect(JSON.stringify(other)).not.toBe(JSON.stringify(metadata));
  expect(read(other)).toBe(read(metadata));
  expect(JSON.parse(read(other))).toMatchObject({
    metadata: { CLUSTER_ID: 'Kubernetes', LABELS: { app: 'cart', version: 'v1' } },
  });
});

function reversed<T>(value: T): T;
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => reversed(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}
