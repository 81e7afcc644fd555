import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { callDeadlineMs, nextCallDeadline } from '@/server/lab/call-deadline';
import { keepCalling } from '@/server/lab/clients/keep-calling';
import { waitUntil } from '../../support/wait-until';

const call = { listener: '', method: '/shop.v1.Catalog/List', headers: {}, everyMs: 5 };

/** A backend that answers nothing, and a client that calls it. Returns how long each call that arrives may take. */
async function startCalls(): Promise<readonly number[]> {
  const server = new Server();
  const leftMs: number[] = [];
  const asBytes = (bytes: Buffer): Buffer => bytes;
  server.register(
    call.method,
    (received: { getDeadline(): Date | number }) => leftMs.push(Number(received.getDeadline()) - Date.now()),
    asBytes,
    asBytes,
    'unary',
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const timer = keepCalling(client, call);
  onTestFinished(() => {
    clearInterval(timer);
    client.close();
    server.forceShutdown();
  });
  return leftMs;
}

function block(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

it('a call to a backend that answers late does not fail for seconds', async () => {
  const leftMs = await startCalls();
  await waitUntil('calls arrive', () => leftMs.length > 0);
  // The header has whole milliseconds, and the call travelled.
  expect(Math.max(...leftMs)).toBeGreaterThan(callDeadlineMs(0) - 2_000);
});

it('the deadline grows with the delay of the event loop', async () => {
  const leftMs = (): number => nextCallDeadline().getTime() - Date.now();
  expect(leftMs()).toBeGreaterThan(callDeadlineMs(0) - 1_000);
  expect(callDeadlineMs(200)).toBeGreaterThan(callDeadlineMs(0) + 1_000);
  await waitUntil('the delay is measured', () => {
    block(250);
    return leftMs() > callDeadlineMs(200);
  });
});
