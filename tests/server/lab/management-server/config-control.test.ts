import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CDS, LDS } from '@/lib/xds/resource-type';
import { ConfigControl } from '@/server/lab/management-server/config-control';
import { anyOf } from '@/server/lab/management-server/discovery-messages';
import { ManagementServer } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { openDriver } from '@/tests/support/config-control-driver';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';

const textsOf = ({ resources = [] }: { readonly resources?: readonly { readonly value: Uint8Array }[] }) =>
  resources.map(({ value }) => Buffer.from(value).toString());

describe('XdsConfigControlService of a management server', () => {
  let server: ManagementServer;
  let port: number;
  let driver: ReturnType<typeof openDriver>;
  let client: LabGrpcClient;
  let stopped: string[];

  beforeEach(async () => {
    stopped = [];
    const control = new ConfigControl({
      change: ({ set, removed }) => {
        for (const each of set) server.setResource('*', each);
        for (const { typeUrl, name } of removed) server.removeResource('*', typeUrl, name);
      },
      listResources: () => server.listResources(),
      stop: (_, name) => {
        stopped.push(name);
        void server.close();
      },
    });
    server = new ManagementServer({ clock: systemClock, addServices: (each) => control.addTo(each) });
    server.onRequest((event) => control.receive(event));
    const target = await server.listen();
    port = Number(target.split(':')[1]);
    driver = openDriver(target);
    client = new LabGrpcClient(target);
  });
  afterEach(async () => {
    driver.client.close();
    client.close();
    await server.close();
  });

  const call: typeof driver.call = (method, message) => driver.call(method, message);
  const body = (typeUrl: string, text: string) => anyOf({ typeUrl, bytes: Buffer.from(text) });

  it('sets and removes resources, which clients receive, and answers with all of them', async () => {
    const added = await call('SetResources', {
      resources: [
        { typeUrl: CDS.typeUrl, name: 'a', body: body(CDS.typeUrl, 'a1') },
        { typeUrl: LDS.typeUrl, name: 'l', body: body(LDS.typeUrl, 'l1') },
      ],
    });
    expect(added).toEqual({
      resource: [
        { type_url: CDS.typeUrl, value: Buffer.from('a1').toString('base64') },
        { type_url: LDS.typeUrl, value: Buffer.from('l1').toString('base64') },
      ],
    });
    const stream = client.sotw();
    stream.send({ node: { id: 'n1' }, typeUrl: CDS.typeUrl, resourceNames: ['a', 'b'] });
    expect(textsOf(await stream.next())).toEqual(['a1']);
    const changed = { typeUrl: CDS.typeUrl, name: 'a', body: body(CDS.typeUrl, 'a2') };
    await call('SetResources', { resources: [changed] });
    expect(textsOf(await stream.next())).toEqual(['a2']);
    const left = await call('SetResources', { resources: [{ typeUrl: CDS.typeUrl, name: 'a' }] });
    expect(left).toEqual({ resource: [expect.objectContaining({ type_url: LDS.typeUrl })] });
  });

  it('stops when a resource is requested, without an answer, and serves the same resources when it listens again', async () => {
    server.setResource('*', { typeUrl: CDS.typeUrl, name: 'a', bytes: Buffer.from('a1') });
    const filter = { typeUrl: CDS.typeUrl, name: 'a' };
    expect(await call('StopOnRequest', filter)).toEqual({ filters: [filter] });
    expect(await call('StopOnRequest', { ...filter, name: 'b' })).toEqual({
      filters: [filter, { ...filter, name: 'b' }],
    });
    const stream = client.sotw();
    stream.send({ node: { id: 'n1' }, typeUrl: CDS.typeUrl, resourceNames: ['c'] });
    stream.send({ typeUrl: CDS.typeUrl, resourceNames: ['a', 'c'] });
    await expect.poll(() => stopped).toEqual(['a']);
    await expect(call('StopOnRequest', filter)).rejects.toMatchObject({ code: 14 });

    await server.listen(port);
    const again = new LabGrpcClient(`127.0.0.1:${port}`);
    const next = again.sotw();
    next.send({ node: { id: 'n1' }, typeUrl: CDS.typeUrl, resourceNames: ['a'] });
    expect(textsOf(await next.next())).toEqual(['a1']);
    again.close();
    expect(stopped).toEqual(['a']);
  });

  it('rejects a body of another type, a resource without a name, and too many', async () => {
    const set = (resource: object) => call('SetResources', { resources: [resource] });
    await expect(set({ typeUrl: CDS.typeUrl, name: 'a', body: body(LDS.typeUrl, '') })).rejects.toMatchObject(
      {
        code: 3,
        details: `resource "a": expected a body of the type ${CDS.typeUrl}, got "${LDS.typeUrl}"`,
      },
    );
    await expect(set({ typeUrl: CDS.typeUrl })).rejects.toMatchObject({
      details: `expected a type URL and a name, got "${CDS.typeUrl}" and ""`,
    });
    const many = Array.from({ length: 1_001 }, (_, n) => ({ typeUrl: CDS.typeUrl, name: `a${n}` }));
    await expect(call('SetResources', { resources: many })).rejects.toMatchObject({
      details: 'resources: expected at most 1000, got 1001',
    });
  });
});
