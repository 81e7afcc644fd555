import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCodec } from '@/server/codec/codec';
import { peekResourceName } from '@/server/codec/resource-name';
import { messageType } from '@/server/codec/root';
import { corpusDir, hasCorpus, readCapture } from '@/tests/support/builders/codec-corpus';
import { grpcFrame } from '@/tests/support/builders/grpc-frame';
import { deltaAds, RecordingStory } from '@/tests/support/recording-story';

const codec = createCodec({ redactionKey: new Uint8Array(32) });
const v3 = 'envoy.service.discovery.v3';

interface Received {
  /** The number of resources in the response. */
  readonly sent: number;
  /** "name STATUS" after the ACK. */
  readonly rows: readonly string[];
  /** Resources that are not decoded completely. */
  readonly incomplete: readonly string[];
}

/** A client subscribes to a type behind a tap, receives one response of istiod, and ACKs it. */
function receive(message: Buffer, isDelta: boolean): Received {
  const type = messageType(`${v3}.${isDelta ? 'Delta' : ''}DiscoveryResponse`);
  const { typeUrl, nonce, versionInfo, resources = [] } = type.toObject(type.decode(message));
  const story = new RecordingStory();
  if (isDelta) {
    story.open('s', deltaAds);
    story.deltaRequest({ typeUrl, resourceNamesSubscribe: ['*'] });
    story.data('down', grpcFrame(message));
    story.deltaRequest({ typeUrl, responseNonce: nonce });
  } else {
    const names = resources.map((each: { value: Buffer }) => peekResourceName(typeUrl, each.value));
    const resourceNames = names.filter((name: string) => name !== '');
    story.open();
    story.request({ typeUrl, resourceNames });
    story.data('down', grpcFrame(message));
    story.request({ typeUrl, resourceNames, versionInfo, responseNonce: nonce });
  }
  const bodies = story.emissions.flatMap((emission) => emission.bodies);
  const rows = story
    .take()
    .flatMap((each) => (each.kind === 'ack-sent' ? each.changed : []))
    .map(({ name, clientStatus }) => `${name} ${clientStatus}`);
  const incomplete = bodies.flatMap((body) => {
    const { opaque, unknown } = codec.decode(body.typeUrl, body.bytes);
    return [...opaque, ...unknown].map((part) => `${body.typeUrl} ${JSON.stringify(part)}`);
  });
  return { sent: resources.length, rows, incomplete };
}

describe('a tap in front of istiod', () => {
  it.each([
    ['Address', ['Kubernetes//Pod/amb/edge-1 ACKED', 'amb/hello.amb.svc.cluster.local ACKED']],
    ['Workload', ['Kubernetes//Pod/amb/edge-1 ACKED', 'Kubernetes//Pod/amb/hello-1 ACKED']],
    ['Authorization', ['amb/l4 ACKED', 'istio-system/istio_converted_static_strict ACKED']],
  ])('has a row of each %s of a ztunnel, by its name', (type, expected) => {
    const file = readdirSync(path.join('tests/fixtures/captures/istio/ads-ztunnel-delta')).find((name) =>
      name.endsWith(`-${type}.bin`),
    );
    const { rows, incomplete } = receive(readCapture('istio', 'ads-ztunnel-delta', file ?? ''), true);
    expect(rows).toEqual(expect.arrayContaining(expected));
    expect(incomplete).toEqual([]);
  });

  it('has one row of the NameTable, which has no name', () => {
    const { rows, incomplete } = receive(readCapture('istio', '004-sotw-NameTable.bin'), false);
    expect(rows).toEqual([' ACKED']);
    expect(incomplete).toEqual([]);
  });

  const folders = hasCorpus
    ? readdirSync(path.join(corpusDir, 'captures/istio')).filter((name) =>
        /^ads-.*-(?:sotw|delta)$/.test(name),
      )
    : [];
  it.skipIf(!hasCorpus).each(folders)('has the rows of all responses in %s, which are decoded', (folder) => {
    const dir = path.join(corpusDir, 'captures/istio', folder);
    for (const name of readdirSync(dir)) {
      const { sent, rows, incomplete } = receive(
        readFileSync(path.join(dir, name)),
        folder.endsWith('-delta'),
      );
      expect(rows.length, name).toBe(sent);
      expect(rows.filter((row) => !row.endsWith(' ACKED'))).toEqual([]);
      expect(incomplete, name).toEqual([]);
    }
  });
});
