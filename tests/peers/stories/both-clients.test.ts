import { describe, expect, it, onTestFinished } from 'vitest';
import type { NackSent, Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { bothClients, type RealKind } from '@/tests/support/both-clients';
import { twoClusterMesh } from '@/tests/support/builders/two-cluster-mesh';
import { accepts, startRealClientStory } from '@/tests/support/real-client-story';
import { openStreams, type TapStory } from '@/tests/support/tap-story';

/** The default limit of messages in gRPC. */
const grpcLimitBytes = 4 * 1024 * 1024;

async function start(kind: RealKind) {
  const story = await startRealClientStory(kind);
  onTestFinished(story.close);
  return story;
}

describe.each(bothClients)('$title through a tap', (kind) => {
  const story = it.skipIf(kind.isAbsent);

  story(
    'accepts the valid cluster of a response, rejects the other, and accepts the corrected one',
    async () => {
      const { own, until, serve, newestRow } = await start(kind);
      const before = { good: newestRow(CDS.typeUrl, 'good'), odd: newestRow(CDS.typeUrl, 'odd') };
      expect(before).toMatchObject({ good: { clientStatus: 'ACKED' }, odd: { clientStatus: 'ACKED' } });

      // 1. Both clusters change; one of them has a policy that gRPC does not support.
      serve({ maxRequests: 200, oddPolicy: 'MAGLEV' });
      const nack = await until('it rejects', () =>
        own().find((each): each is NackSent => each.kind === 'nack-sent'),
      );
      const sent = own().find((each) => each.kind === 'response-received' && each.nonce === nack.nonce);
      const hashes = new Map(
        sent !== undefined && 'resources' in sent ? sent.resources.map((each) => [each.name, each.hash]) : [],
      );
      expect([...hashes.keys()].sort()).toEqual(['good', 'odd']);
      expect(nack).toMatchObject({
        typeUrl: CDS.typeUrl,
        errorDetail: expect.stringMatching(/odd|resource index 1/),
        errorCode: kind.kind === 'client' ? 14 : 3,
        tookMs: expect.any(Number),
      });
      const rows = new Map(nack.changed.map((row) => [row.name, row]));
      expect([...rows.keys()].sort()).toEqual(['good', 'odd']);
      expect(rows.get('good')).toMatchObject({
        clientStatus: 'ACKED',
        hash: hashes.get('good'),
        errorState: null,
      });
      expect(rows.get('odd')).toMatchObject({
        clientStatus: 'NACKED',
        hash: before.odd?.hash,
        errorState: { failedHash: hashes.get('odd') },
      });

      // 2. The corrected cluster is accepted on the same stream.
      serve({ maxRequests: 300 });
      await until('it accepts both', () =>
        ['good', 'odd'].every((name) => {
          const row = newestRow(CDS.typeUrl, name);
          return row?.clientStatus === 'ACKED' && row.hash !== hashes.get(name) && row.errorState === null;
        }),
      );
      expect(openStreams(own())).toHaveLength(1);
      expect(own().filter((each) => each.kind === 'stream-closed')).toEqual([]);
    },
  );

  story('accepts a response of almost 4 MiB, which is recorded completely', async () => {
    const { tap, own, until, serve } = await start(kind);
    serve({ paddingBytes: grpcLimitBytes - 1_000 });
    const accepted = await until('it accepts', () =>
      own().find(
        (each) => each.kind === 'ack-sent' && accepts(each, CDS.typeUrl, 'good') && isLarge(tap, each),
      ),
    );
    const nonce = 'nonce' in accepted ? accepted.nonce : '';
    const sent = own().find((each) => each.kind === 'response-received' && each.nonce === nonce);
    expect(sent).toMatchObject({ kind: 'response-received', typeUrl: CDS.typeUrl });
    const sizeBytes = sent?.kind === 'response-received' ? sent.sizeBytes : 0;
    expect(sizeBytes).toBeGreaterThan(grpcLimitBytes - 1_000);
    expect(sizeBytes).toBeLessThanOrEqual(grpcLimitBytes);
    const hash =
      sent?.kind === 'response-received' ? sent.resources.find(({ name }) => name === 'good')?.hash : '';
    const served = twoClusterMesh({ paddingBytes: grpcLimitBytes - 1_000 });
    const bytes = served.find(({ typeUrl, name }) => typeUrl === CDS.typeUrl && name === 'good')?.bytes;
    expect(Buffer.from(tap.bodies.get(hash ?? '') ?? []).equals(Buffer.from(bytes ?? []))).toBe(true);
    expect(tap.of('copies-dropped')).toEqual([]);
  });

  story(
    'resets its stream after a response above its limit, which the recorded end reports, and reconnects',
    async () => {
      const { own, until, serve, newestRow } = await start(kind);
      const before = newestRow(CDS.typeUrl, 'good');
      const paddingBytes = grpcLimitBytes + 1_000;

      // 1. The client reports no reason, but the tap has seen the response.
      serve({ paddingBytes });
      const closed = await until('its stream ends', () =>
        own().find((each) => each.kind === 'stream-closed'),
      );
      const why = /a response of (\d+) bytes: the limit of gRPC is 4194304 by default$/;
      expect(closed).toMatchObject({
        code: kind.kind === 'client' ? 'CANCELLED' : 'RESOURCE_EXHAUSTED',
        details: expect.stringMatching(why),
      });
      const reported = 'details' in closed ? closed.details : '';
      expect(Number(why.exec(reported)?.[1])).toBeGreaterThan(paddingBytes);
      expect(reported).toMatch(
        kind.kind === 'client'
          ? /^the client reset the stream \(CANCEL\), in the middle of/
          : /^the client reset the stream \(ENHANCE_YOUR_CALM\), after/,
      );
      expect(newestRow(CDS.typeUrl, 'good')).toMatchObject({ clientStatus: 'ACKED', hash: before?.hash });

      // 2. The client retries until the response fits.
      serve({ maxRequests: 200 });
      await until('it accepts what fits', () => {
        const row = newestRow(CDS.typeUrl, 'good');
        return row?.clientStatus === 'ACKED' && row.hash !== before?.hash;
      });
      expect(openStreams(own())).toHaveLength(1);
    },
  );
});

/** True if the observation has a body of more than a megabyte. */
function isLarge({ bodies }: TapStory, each: Observation): boolean {
  const rows = 'changed' in each ? each.changed : [];
  return rows.some(({ hash }) => (bodies.get(hash ?? '')?.length ?? 0) > 1_000_000);
}
