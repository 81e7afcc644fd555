import { Server, ServerCredentials } from '@grpc/grpc-js';
import { expect, it, onTestFinished } from 'vitest';
import { requestServing } from '@/server/collect/interop/request-serving';
import { addTestServices } from '@/server/lab/backends/test-services';
import { systemClock } from '@/server/observe';
import { parseTarget } from '@/server/transport/targets/target';

async function listen(server: Server): Promise<string> {
  onTestFinished(() => server.forceShutdown());
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error === null ? resolve(at) : reject(error),
    );
  });
  return `127.0.0.1:${port}`;
}

function request(address: string, isServing: boolean) {
  const parsed = parseTarget(address);
  if (!parsed.ok) return expect.fail(parsed.problem.message);
  return requestServing(parsed.target, isServing, { clock: systemClock, random: () => 0.5 });
}

it('sets a server of the interop tests to NOT_SERVING and SERVING', async () => {
  const server = new Server();
  const serving: boolean[] = [];
  addTestServices(server, { name: 'b1', clock: systemClock, onServing: (each) => serving.push(each) });
  const address = await listen(server);
  expect(await request(address, false)).toBeUndefined();
  expect(await request(address, true)).toBeUndefined();
  expect(serving).toEqual([false, true]);
});

it('returns that a server has no such service, that nothing listens, and that it must not be dialled', async () => {
  const other = await listen(new Server());
  expect((await request(other, false))?.message).toMatch(
    /is a gRPC server, but has no XdsUpdateHealthService service$/,
  );
  expect(await request('127.0.0.1:1', false)).toMatchObject({ code: 'CONNECTION_REFUSED' });
  expect(await request('169.254.169.254:80', false)).toMatchObject({ code: 'TARGET_NOT_ALLOWED' });
});
