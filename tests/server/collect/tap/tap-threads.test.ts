import { Client, credentials, Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Observation } from '@/lib/observation/observation';
import { CDS } from '@/lib/xds/resource-type';
import { methodOf } from '@/server/codec/service';
import { encodeMessage, packed, responseOf } from '@/tests/support/builders/xds-wire';
import { startTap as startTapStory, type TapStory } from '@/tests/support/tap-story';
import { waitUntil } from '@/tests/support/wait-until';

const method = methodOf('envoy.service.discovery.v3.AggregatedDiscoveryService', 'StreamAggregatedResources');
const limits = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 };

/** Answers every request with clusters of this total size and a new version. */
async function startServer(sizeBytes: () => number): Promise<string> {
  const server = new Server(limits);
  let version = 0;
  server.addService(
    { stream: method },
    {
      stream: (call: ServerDuplexStream<Buffer, Buffer>) => {
        call.on('error', () => {});
        call.on('end', () => call.end());
        call.on('data', () => {
          version += 1;
          const versionInfo = String(version);
          const altStatName = versionInfo.padEnd(sizeBytes() / 16, 'x');
          const resources = Array.from({ length: 16 }, (_, index) =>
            packed(CDS.typeUrl, { name: `c${index}`, altStatName }),
          );
          call.write(responseOf({ typeUrl: CDS.typeUrl, versionInfo, nonce: versionInfo, resources }));
        });
      },
    },
  );
  onTestFinished(() => server.forceShutdown());
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(`127.0.0.1:${port}`) : reject(error),
    );
  });
}

async function startTap(upstream: string): Promise<TapStory> {
  const tap = await startTapStory(upstream);
  onTestFinished(tap.close);
  return tap;
}

/** A client with one stream. */
function startClient(target: string) {
  const client = new Client(target, credentials.createInsecure(), {
    ...limits,
    'grpc.default_compression_algorithm': 2,
  });
  onTestFinished(() => client.close());
  const call = client.makeBidiStreamRequest(method.path, method.requestSerialize, method.responseDeserialize);
  const answers: number[] = [];
  let code: number | undefined;
  call.on('data', (bytes: Buffer) => answers.push(bytes.length));
  call.on('error', () => {});
  call.on('status', (ended) => {
    code = ended.code;
  });
  return {
    answers,
    code: () => code,
    send(fields: object): void {
      const request = { node: { id: 'me' }, typeUrl: CDS.typeUrl, ...fields };
      call.write(encodeMessage('envoy.service.discovery.v3.DiscoveryRequest', request));
    },
  };
}

describe('TapThreads', () => {
  it('record responses of 16 MB completely, and compressed requests', async () => {
    const tap = await startTap(await startServer(() => 16 * 1024 * 1024));
    const client = startClient(tap.address);
    client.send({});
    await waitUntil('it is answered', () => client.answers.length === 1, 60_000);
    const answered = await waitUntil('it is recorded', () => tap.of('response-received')[0], 60_000);
    expect(answered).toMatchObject({ sizeBytes: client.answers[0], part: { number: 1 } });
    const resources = () =>
      tap.of('response-received').flatMap((each) => ('resources' in each ? each.resources : []));
    await waitUntil('all of its resources are', () => resources().length === 16, 60_000);
  });

  it('keep streams open when the recording thread ends, report the gap, and restart the thread', async () => {
    const tap = await startTap(await startServer(() => 1024));
    const client = startClient(tap.address);
    const answered = (count: number) => () => client.answers.length >= count;
    const ack = (version: string) => client.send({ versionInfo: version, responseNonce: version });
    const states = () => [
      ...new Set(tap.rows().map(({ clientStatus, doubt }) => [clientStatus, doubt].join(' '))),
    ];
    client.send({});
    await waitUntil('it is answered', answered(1));
    ack('1');
    await waitUntil('the answer to the ACK is recorded', () => tap.of('response-received').length === 2);
    expect(states()).toEqual(['ACKED ']);
    await tap.taps.threads.recording?.terminate();
    ack('2');
    await waitUntil('the stream is answered without a recording thread', answered(3));
    await waitUntil('the gap is reported', () => tap.of('copies-dropped').length === 1);
    const [opened, ...others] = tap.of('stream-opened');
    expect(others).toEqual([]);
    expect(tap.of('copies-dropped')).toMatchObject([
      {
        reason: 'the recording thread was restarted',
        clientId: opened !== undefined && 'clientId' in opened ? opened.clientId : '',
      },
    ]);
    await waitUntil('what was missed is in doubt', () => states().join() === 'UNKNOWN not-recorded');
    ack('3');
    await waitUntil('what comes next is recorded', () => tap.of('response-received').length === 3);
    ack('4');
    await waitUntil('the answer shows the state', () => states().join() === 'ACKED ');
    expect(client.code()).toBeUndefined();
  });

  it('listen again at the same address when the relay thread ends, and clients see a closed connection', async () => {
    const tap = await startTap(await startServer(() => 1024));
    const client = startClient(tap.address);
    client.send({});
    await waitUntil('it is recorded', () => tap.of('response-received').length === 1);
    await tap.taps.threads.relay?.terminate();
    await waitUntil('the client is reported', () => client.code() !== undefined);
    expect(client.code()).toBe(14);
    expect(tap.of('stream-closed')).toMatchObject([{ code: 'UNAVAILABLE' }]);
    await waitUntil(
      'it listens again',
      () => tap.status()?.state === 'up' && tap.status()?.tap?.address !== undefined,
    );
    const again = startClient(tap.status()?.tap?.address ?? '');
    again.send({});
    await waitUntil('it relays again', () => again.answers.length === 1);
  });

  it('report the end of every stream before they are closed', async () => {
    const tap = await startTap(await startServer(() => 64 * 1024));
    const clients = Array.from({ length: 20 }, () => startClient(tap.address));
    for (const client of clients) client.send({});
    await waitUntil('all are recorded', () => tap.of('stream-opened').length === clients.length);
    await tap.running.close();
    const ids = (kind: Observation['kind']) =>
      tap.of(kind).map((each) => ('streamId' in each ? each.streamId : ''));
    expect(ids('stream-closed').sort()).toEqual(ids('stream-opened').sort());
    const details = expect.stringMatching(
      /^the tap was closed(?:, in the middle of a response of \d+ bytes)?$/,
    );
    for (const closed of tap.of('stream-closed')) {
      expect(closed).toMatchObject({ code: 'UNAVAILABLE', details });
    }
  });

  it('report it too when all taps are closed, as at the end of the process', async () => {
    const tap = await startTap(await startServer(() => 64 * 1024));
    const client = startClient(tap.address);
    client.send({});
    await waitUntil('it is recorded', () => tap.of('response-received').length === 1);
    await tap.taps.close();
    expect(tap.of('stream-closed')).toHaveLength(1);
  });

  it('record nothing while recording is paused, and identify the clients afterwards', async () => {
    const tap = await startTap(await startServer(() => 1024));
    const client = startClient(tap.address);
    client.send({});
    await waitUntil('it is recorded', () => tap.of('response-received').length === 1);
    await waitUntil('the source reports it', () => tap.status()?.tap?.streams === 1);
    expect(tap.status()).toMatchObject({
      state: 'up',
      answers: 1,
      tap: { connections: 1, droppedMessages: 0 },
    });
    tap.running.pause();
    client.send({ versionInfo: '1', responseNonce: '1' });
    await waitUntil('the stream is answered all the same', () => client.answers.length === 2);
    expect(tap.status()?.state).toBe('paused');
    tap.running.resume();
    await waitUntil('what comes next is recorded', () => {
      client.send({ versionInfo: '2', responseNonce: '2' });
      return tap.of('response-received').length >= 2;
    });
    expect(tap.of('copies-dropped')).toMatchObject([{ messages: 2, reason: 'recording was paused' }]);
  });
});
