import { status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CDS, EDS, LDS } from '@/lib/xds/resource-type';
import { ManagementServer, type VerdictEvent } from '@/server/lab/management-server/management-server';
import { systemClock } from '@/server/observe';
import { LabGrpcClient } from '@/tests/support/lab-ads-client';

const resource = (typeUrl: string, name: string, text = name) => ({
  typeUrl,
  name,
  bytes: Buffer.from(text),
});
const textsOf = (response: { resources?: { value: Uint8Array }[] }) =>
  (response.resources ?? []).map(({ value }) => Buffer.from(value).toString());

describe('ManagementServer on a real socket', () => {
  let server: ManagementServer;
  let client: LabGrpcClient;
  let target: string;
  let verdicts: VerdictEvent[];

  beforeEach(async () => {
    server = new ManagementServer({ clock: systemClock });
    target = await server.listen();
    client = new LabGrpcClient(target);
    verdicts = [];
    server.onVerdict((verdict) => verdicts.push(verdict));
  });
  afterEach(async () => {
    client.close();
    await server.close();
  });

  it('serves state of the world: subscribe, ACK, update, NACK, and reports them in its CSDS', async () => {
    server.setResources('*', [resource(CDS.typeUrl, 'a', 'a1'), resource(CDS.typeUrl, 'b', 'b1')], 'v1');
    const stream = client.sotw();
    // 1. The node is in the first request only.
    stream.send({ node: { id: 'n1' }, typeUrl: CDS.typeUrl, resourceNames: ['a', 'b', 'c'] });
    const first = await stream.next();
    expect(textsOf(first)).toEqual(['a1', 'b1']);
    expect(first.versionInfo).toBe('v1');
    // 2. ACK.
    const names = ['a', 'b', 'c'];
    stream.send({
      typeUrl: CDS.typeUrl,
      resourceNames: names,
      versionInfo: 'v1',
      responseNonce: first.nonce,
    });
    // 3. One of the two changes: CDS carries both, because absence deletes.
    await expect.poll(() => verdicts.length).toBe(1);
    server.setResource('*', resource(CDS.typeUrl, 'b', 'b2'), 'v2');
    const second = await stream.next();
    expect(textsOf(second)).toEqual(['a1', 'b2']);
    // 4. NACK.
    stream.send({
      typeUrl: CDS.typeUrl,
      resourceNames: names,
      versionInfo: 'v1',
      responseNonce: second.nonce,
      errorDetail: { code: 3, message: 'b: no' },
    });
    await expect.poll(() => verdicts.length).toBe(2);
    expect(verdicts.map(({ accepted, errorDetail, nodeId }) => [nodeId, accepted, errorDetail])).toEqual([
      ['n1', true, ''],
      ['n1', false, 'b: no'],
    ]);
    // 5. The control plane's word: `a` was accepted before, `b` is rejected, `c` was never sent.
    const { config = [] } = await client.fetchClientStatus();
    expect(config.map(({ node }) => node?.id)).toEqual(['n1']);
    const rows = config[0]?.genericXdsConfigs ?? [];
    expect(rows.map(({ name, configStatus }) => [name, configStatus])).toEqual([
      ['a', 'SYNCED'],
      ['b', 'ERROR'],
      ['c', 'NOT_SENT'],
    ]);
    expect(rows[1]?.errorState).toMatchObject({ details: 'b: no', versionInfo: 'v2' });
    expect(Buffer.from(rows[1]?.xdsConfig?.value ?? []).toString()).toBe('b2');
    // 6. Without bodies, and for another node only.
    const lean = await client.fetchClientStatus({ excludeResourceContents: true });
    expect(lean.config?.[0]?.genericXdsConfigs?.some(({ xdsConfig }) => xdsConfig !== undefined)).toBe(false);
    expect(await client.fetchClientStatus({ nodeMatchers: [{ nodeId: { exact: 'n2' } }] })).toEqual({});
    expect(
      (await client.fetchClientStatus({ nodeMatchers: [{ nodeId: { prefix: 'n' } }] })).config,
    ).toHaveLength(1);
  });

  it('serves delta: subscribe, a missing name, removal, re-subscription', async () => {
    server.setResources('*', [resource(EDS.typeUrl, 'a')]);
    const stream = client.delta();
    stream.send({ node: { id: 'n1' }, typeUrl: EDS.typeUrl, resourceNamesSubscribe: ['a', 'missing'] });
    const first = await stream.next();
    expect(first.resources?.map(({ name }) => name)).toEqual(['a']);
    expect(first.removedResources).toEqual(['missing']);
    stream.send({ typeUrl: EDS.typeUrl, responseNonce: first.nonce });
    stream.send({ typeUrl: EDS.typeUrl, resourceNamesSubscribe: ['a'] });
    expect((await stream.next()).resources?.map(({ name }) => name)).toEqual(['a']);
    server.removeResource('*', EDS.typeUrl, 'a');
    const third = await stream.next();
    expect(third.removedResources).toEqual(['a']);
    expect(third.resources).toBeUndefined();
  });

  it("serves a node's own resources instead of the common ones", async () => {
    server.setResources('*', [resource(LDS.typeUrl, 'l', 'common')]);
    server.setResource('special', resource(LDS.typeUrl, 'l', 'own'));
    for (const [id, text] of [
      ['plain', 'common'],
      ['special', 'own'],
    ]) {
      const stream = client.sotw();
      stream.send({ node: { id }, typeUrl: LDS.typeUrl, resourceNames: ['l'] });
      expect(textsOf(await stream.next())).toEqual([text]);
    }
    expect(server.connectedNodes()).toEqual(['plain', 'special']);
  });

  it.each([
    ['bytes that are no protobuf', Buffer.from([0xff, 0xff, 0xff]), /expected .*DiscoveryRequest/],
    ['no type URL', Buffer.alloc(0), /type_url/],
  ])('ends the stream with INVALID_ARGUMENT on %s, and keeps serving', async (_, bytes, reason) => {
    for (const stream of [client.sotw(), client.delta()]) {
      stream.sendRaw(bytes);
      const ended = await stream.status;
      expect(ended.code).toBe(status.INVALID_ARGUMENT);
      expect(ended.details).toMatch(reason);
    }
    expect(await client.fetchClientStatus()).toEqual({});
  });

  it('sends nothing while it is silent, and then only the newest', async () => {
    server.setSilent(true);
    const stream = client.sotw();
    stream.send({ node: { id: 'n1' }, typeUrl: LDS.typeUrl, resourceNames: ['l'] });
    await expect.poll(() => server.connectedNodes()).toEqual(['n1']);
    server.setResources('*', [resource(LDS.typeUrl, 'l', 'old')]);
    server.setResources('*', [resource(LDS.typeUrl, 'l', 'new')]);
    server.setSilent(false);
    expect(textsOf(await stream.next())).toEqual(['new']);
    expect(stream.pending).toEqual([]);
  });

  it('ends streams on request, and removes streams that clients end', async () => {
    const stopped = client.sotw();
    stopped.send({ node: { id: 'n1' }, typeUrl: LDS.typeUrl });
    await stopped.next();
    server.stopStreams();
    expect((await stopped.status).code).toBe(status.UNAVAILABLE);
    const ended = client.sotw();
    ended.send({ node: { id: 'n2' }, typeUrl: LDS.typeUrl });
    await ended.next();
    ended.end();
    expect((await ended.status).code).toBe(status.OK);
    expect(server.connectedNodes()).toEqual([]);
  });

  it('delivers 16 MB in one response', async () => {
    server.setResources('*', [resource(EDS.typeUrl, 'big', 'x'.repeat(16 * 1024 * 1024))]);
    const stream = client.sotw();
    stream.send({ node: { id: 'n1' }, typeUrl: EDS.typeUrl, resourceNames: ['big'] });
    expect((await stream.next()).resources?.[0]?.value).toHaveLength(16 * 1024 * 1024);
  });

  it('queues nothing for a slow client, which gets the newest resources when it reads', async () => {
    const versions = 60;
    const stream = client.sotw();
    stream.send({ node: { id: 'n1' }, typeUrl: EDS.typeUrl, resourceNames: ['e'] });
    await expect.poll(() => server.connectedNodes()).toEqual(['n1']);
    stream.pause();
    for (let version = 1; version <= versions; version += 1) {
      server.setResource('*', resource(EDS.typeUrl, 'e', 'x'.repeat(512 * 1024)), `v${version}`);
    }
    stream.resume();
    let received = 1;
    while ((await stream.next()).versionInfo !== `v${versions}`) received += 1;
    expect(received).toBeLessThan(versions / 2);
  });

  it('answers every CSDS request on a stream, and ends the stream on an unsupported one', async () => {
    const ads = client.sotw();
    ads.send({ node: { id: 'n1' }, typeUrl: LDS.typeUrl, resourceNames: ['l'] });
    await ads.next();
    const stream = client.clientStatus();
    for (const _ of ['first', 'second']) {
      stream.send({});
      expect((await stream.next()).config?.map(({ node }) => node?.id)).toEqual(['n1']);
    }
    stream.send({ nodeMatchers: [{ nodeMetadatas: [{}] }] });
    expect(await stream.status).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: 'node_matchers: expected node_id only, got node_metadatas',
    });
  });
});
