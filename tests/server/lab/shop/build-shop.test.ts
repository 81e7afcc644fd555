import { describe, expect, it } from 'vitest';
import { CDS, EDS, LDS, RDS } from '@/lib/xds/resource-type';
import { encodeBody } from '@/server/codec/encode-body';
import { buildShop } from '@/server/lab/shop/build-shop';
import { type FaultName, faults, injectDeltaFaults } from '@/server/lab/shop/fault';
import { shopBackends } from '@/server/lab/shop/shop-backends';
import { initialShopState, type ShopState } from '@/server/lab/shop/shop-state';

const portOf = (backend: string) => 1000 + shopBackends.findIndex(({ name }) => name === backend);
const whole: ShopState = { ...initialShopState, activeFaults: new Set() };
const bytesOf = (state: ShopState) =>
  new Map(
    buildShop(state, portOf).map(({ typeUrl, name, json }) => [
      `${typeUrl} ${name}`,
      Buffer.from(encodeBody(typeUrl, json)).toString('hex'),
    ]),
  );

describe('buildShop', () => {
  it('builds a mesh of valid protobuf messages', () => {
    const names = [...bytesOf(whole).keys()];
    const count = (typeUrl: string) => names.filter((name) => name.startsWith(`${typeUrl} `)).length;
    expect([LDS, RDS, CDS, EDS].map(({ typeUrl }) => count(typeUrl))).toEqual([5, 3, 13, 11]);
    expect(shopBackends).toHaveLength(25);
    expect(new Set(shopBackends.map(({ locality }) => locality.zone)).size).toBe(5);
    expect(new Set(shopBackends.map(({ name }) => name)).size).toBe(shopBackends.length);
  });

  it('references only clusters and endpoints that exist', () => {
    const mesh = buildShop(whole, portOf);
    const clusters = new Set(mesh.filter(({ typeUrl }) => typeUrl === CDS.typeUrl).map(({ name }) => name));
    const assignments = mesh.filter(({ typeUrl }) => typeUrl === EDS.typeUrl).map(({ name }) => name);
    const text = JSON.stringify(mesh);
    for (const [, cluster] of text.matchAll(/"cluster":"([^"]+)"/g)) expect(clusters).toContain(cluster);
    for (const [, service] of text.matchAll(/"serviceName":"([^"]+)"/g))
      expect(assignments).toContain(service);
  });

  it('changes only the endpoints of an unhealthy backend', () => {
    const before = bytesOf(whole);
    const after = bytesOf({ ...whole, unhealthy: new Set(['cart-eu-west1-a-1']) });
    const changed = [...after].filter(([key, bytes]) => before.get(key) !== bytes).map(([key]) => key);
    expect(changed).toEqual([`${EDS.typeUrl} cart`]);
  });

  const ofAll = faults.filter(({ variant }) => variant === undefined);
  it.each(ofAll.map(({ name, target }) => [name, target] as const))(
    'changes one resource by %s, and reverts it to a resource with other bytes',
    (name, target) => {
      const before = bytesOf(whole);
      const faulty = bytesOf({ ...whole, activeFaults: new Set([name]) });
      const keys = [...before.keys()].filter((key) => before.get(key) !== faulty.get(key));
      expect(keys).toEqual([`${target.typeUrl} ${target.name}`]);
      // A client that kept running holds the good one still: see ShopState.reverted. A crashed one, or one that
      // accepted the faulty one, holds nothing of the kind.
      if (name === 'crashing-regex' || name === 'missing-cluster') return;
      const reverted = bytesOf({ ...whole, reverted: new Map([[name, 1]]) });
      expect(reverted.get(keys[0] ?? '')).not.toBe(before.get(keys[0] ?? ''));
    },
  );

  it('injects faults of variant delta only into delta streams', () => {
    const activeFaults: ReadonlySet<FaultName> = new Set(['stale-delta']);
    expect(bytesOf({ ...whole, activeFaults })).toEqual(bytesOf(whole));
    const mesh = buildShop(whole, () => 1);
    const [other, ...others] = injectDeltaFaults(mesh, activeFaults);
    expect(others).toEqual([]);
    expect(other?.json).not.toEqual(mesh.find(({ name }) => name === other?.name)?.json);
    expect(injectDeltaFaults(mesh, new Set())).toEqual([]);
  });
});
