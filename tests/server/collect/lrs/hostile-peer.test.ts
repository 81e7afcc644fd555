import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { frame, frameFlags, frameTypes } from '@/tests/support/builders/http2-frames';
import {
  expandingBlock,
  HostileHttp2Peer,
  headerBlock,
  headersFrame,
  resetFrame,
} from '../../../support/hostile-http2-peer';
import { type LrsClient, lrsClient } from '../../../support/lrs-client';
import { type LrsPort, openLrsPort } from '../../../support/lrs-port';
import { until } from '../../../support/xds-probe-story';

const path = '/envoy.service.load_stats.v3.LoadReportingService/StreamLoadStats';
const requestHeaders = {
  ...{ ':method': 'POST', ':scheme': 'http', ':path': path, ':authority': 'lrs' },
  'content-type': 'application/grpc',
};
const cancel = 8;
const enhanceYourCalm = 11;
const empty = Buffer.alloc(0);

describe('a hostile peer of the LRS port', () => {
  let lrs: LrsPort;
  let peer: HostileHttp2Peer;
  let calm: LrsClient;

  beforeEach(async () => {
    lrs = await openLrsPort();
    calm = lrsClient(lrs.target);
    calm.send({ node: { id: 'calm' } });
    await until(() => expect(calm.responses).toHaveLength(1));
    peer = new HostileHttp2Peer(lrs.target);
  });

  afterEach(async () => {
    // Whatever happened, the others are served.
    const before = lrs.reports();
    calm.send({ clusterStats: [{ clusterName: 'cart' }] });
    await until(() => expect(lrs.reports()).toBe(before + 1));
    peer.destroy();
    calm.vanish();
    await calm.ended;
    await lrs.close();
  });

  test('a header that expands to 49 MB is rejected before it reaches the call', async () => {
    const request = headerBlock({ ...requestHeaders, te: 'trailers' });
    // One field of 4 kB, and 12,000 references of a byte each to it.
    peer.send(headersFrame(1, Buffer.concat([request, expandingBlock('x-a', 4_000, 12_000)])));
    await until(() => expect(peer.isOver || peer.resets.has(1)).toBe(true));
    expect(peer.answered.has(1)).toBe(false);
  });

  test('a header list of 100 kB in literals is rejected', async () => {
    const block = headerBlock({ ...requestHeaders, ...bigFields(25, 4_000) });
    const [first, ...rest] = partsOf(block, 16_000);
    peer.send(headersFrame(1, first ?? empty, 0));
    for (const [index, part] of rest.entries()) {
      const isLast = index === rest.length - 1;
      peer.send(frame(frameTypes.continuation, isLast ? frameFlags.endHeaders : 0, 1, part));
    }
    await until(() => expect(peer.isOver || peer.resets.has(1)).toBe(true));
    expect(peer.answered.has(1)).toBe(false);
  });

  test('empty CONTINUATION frames end the connection', async () => {
    peer.send(headersFrame(1, headerBlock(requestHeaders), 0));
    const sent = await peer.flood(frame(frameTypes.continuation, 0, 1, empty), 200_000);
    await peer.ended;
    expect(sent).toBeLessThan(200_000);
  });

  test('streams that are reset as soon as they are opened end the connection', async () => {
    let streamId = 1;
    for (; streamId < 20_001 && !peer.isOver; streamId += 2) {
      peer.send(headersFrame(streamId, headerBlock(requestHeaders)), resetFrame(streamId, cancel));
      if (streamId % 200 === 1) await new Promise(setImmediate);
    }
    const { goaway } = await peer.ended;
    // TCP may discard a GOAWAY: a socket that is closed while frames still arrive is reset.
    expect([enhanceYourCalm, null]).toContain(goaway);
  });

  test.each([
    ['PING', frame(frameTypes.ping, 0, 0, Buffer.alloc(8))],
    ['SETTINGS', frame(frameTypes.settings, 0, 0, empty)],
    ['empty DATA', frame(frameTypes.data, 0, 1, empty)],
  ])('a flood of %s frames ends the connection, though the peer reads the answers', async (_what, bytes) => {
    peer.send(headersFrame(1, headerBlock(requestHeaders)));
    const sent = await peer.flood(bytes, 200_000);
    await peer.ended;
    expect(sent).toBeLessThan(200_000);
  });

  test('PING frames of a peer that does not read the answers end the connection', async () => {
    peer.stopReading();
    const sent = await peer.flood(frame(frameTypes.ping, 0, 0, Buffer.alloc(8)), 1_000_000);
    await peer.ended;
    expect(sent).toBeLessThan(1_000_000);
  });

  test('a SETTINGS frame of a thousand entries is rejected', async () => {
    const entries = Array.from({ length: 1_000 }, (_, index) => [0, 200, 0, 0, 0, index % 256]).flat();
    peer.send(frame(frameTypes.settings, 0, 0, Buffer.from(entries)));
    await until(() => expect(peer.goaway).toBe(enhanceYourCalm));
  });

  test('more streams at a time than the settings allow are rejected one by one', async () => {
    for (let streamId = 1; streamId < 2 * 150; streamId += 2)
      peer.send(headersFrame(streamId, headerBlock(requestHeaders)));
    await until(() => expect(peer.isOver || peer.resets.size === 50).toBe(true));
  });
});

function bigFields(count: number, bytes: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'v'.repeat(bytes)]));
}

function partsOf(bytes: Buffer, size: number): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += size) parts.push(bytes.subarray(from, from + size));
  return parts;
}
