// A gRPC client on @grpc/grpc-js-xds. Usage: client ADMIN_ADDRESS TARGET...
//
// It serves CSDS and channelz on ADMIN_ADDRESS and calls /peers.Echo/Ping of each target again and again. Output lines:
// "ADMIN PORT" and "CALL TARGET ok|error TEXT". Input lines: "open TARGET", "close TARGET", "serve ADDRESS", which starts an
// xDS-enabled server, and "burst TARGET COUNT": COUNT calls of an own channel, whose results are one line
// "BURST TARGET ANSWER=COUNT...".
import { createInterface } from 'node:readline';
import { addAdminServicesToServer, Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { register, XdsServer } from '@grpc/grpc-js-xds';

const print = (...words: readonly string[]): void => {
  process.stdout.write(`${words.map((word) => word.replaceAll('\n', ' ')).join(' ')}\n`);
};
const channels = new Map<string, Client>();

function open(target: string): void {
  channels.set(target, new Client(target, credentials.createInsecure()));
  call(target);
}

const unchanged = (bytes: Buffer): Buffer => bytes;
const bursting = new Map<string, Client>();

async function burst(target: string, count: number): Promise<void> {
  const client = bursting.get(target) ?? new Client(target, credentials.createInsecure());
  bursting.set(target, client);
  const answers = new Map<string, number>();
  for (let number = 0; number < count; number++) {
    const answer = await new Promise<string>((resolve) => {
      client.makeUnaryRequest(
        '/peers.Echo/Ping',
        unchanged,
        unchanged,
        Buffer.from('ping'),
        { deadline: Date.now() + 30_000 },
        (error, bytes) => {
          if (error !== null && number === 0) print('FAILED', target, error.message);
          resolve(error === null ? String(bytes) : 'error');
        },
      );
    });
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  print('BURST', target, ...[...answers].map(([answer, times]) => `${answer}=${times}`));
}

function call(target: string): void {
  const options = { deadline: Date.now() + 1_000 };
  channels
    .get(target)
    ?.makeUnaryRequest(
      '/peers.Echo/Ping',
      unchanged,
      unchanged,
      Buffer.from('ping'),
      options,
      (error, answer) => {
        if (error === null) print('CALL', target, 'ok', String(answer));
        else print('CALL', target, 'error', error.message);
        setTimeout(call, 200, target);
      },
    );
}

register();
const [address = '127.0.0.1:0', ...targets] = process.argv.slice(2);
const server = new Server();
addAdminServicesToServer(server);
server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  print('ADMIN', String(port));
  for (const target of targets) open(target);
});
createInterface(process.stdin).on('line', (line) => {
  const [command, target = '', count] = line.split(' ');
  if (command === 'open') open(target);
  if (command === 'serve') {
    new XdsServer().bindAsync(target, ServerCredentials.createInsecure(), (error) => {
      print('MODE', error === null ? 'serving' : `not-serving ${error.message}`);
    });
  }
  if (command === 'burst') void burst(target, Number(count));
  if (command === 'close') {
    channels.get(target)?.close();
    channels.delete(target);
  }
});
