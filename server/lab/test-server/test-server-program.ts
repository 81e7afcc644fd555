/**
 * A server of the gRPC xDS interop tests on grpc-js, as an xDS-enabled server (gRFC A36) with xDS credentials. Usage:
 * test-server --serve_as=NAME --port=PORT. Its bootstrap is in GRPC_XDS_BOOTSTRAP_CONFIG. It prints SERVING when it serves, and
 * ends when its standard input ends.
 */
import net from 'node:net';
import { parseArgs } from 'node:util';
import { ServerCredentials } from '@grpc/grpc-js';
import { register, XdsServer, XdsServerCredentials } from '@grpc/grpc-js-xds';
import { messageOf } from '@/lib/format/message-of';
import { systemClock } from '../../observe';
import { addTestServices } from '../backends/test-services';

/** grpc-js-xds 1.14.1 listens on all addresses, whatever address it is given. */
function listenOnLoopback(): void {
  const { listen } = net.Server.prototype;
  net.Server.prototype.listen = function (this: net.Server, port: number, onListening: () => void) {
    return Reflect.apply(listen, this, [{ host: '127.0.0.1', port }, onListening]);
  } as typeof listen;
}

function main(): void {
  const { values } = parseArgs({ options: { serve_as: { type: 'string' }, port: { type: 'string' } } });
  const { serve_as: name = '', port = '' } = values;
  register();
  listenOnLoopback();
  const server = new XdsServer();
  addTestServices(server, { name, clock: systemClock, onServing: () => undefined });
  const withFallback = new XdsServerCredentials(ServerCredentials.createInsecure());
  server.bindAsync(`127.0.0.1:${port}`, withFallback, (error) => {
    if (error === null) process.stdout.write('SERVING\n');
    else process.stderr.write(`${messageOf(error)}\n`);
  });
}

process.stdin.on('end', () => process.exit(0)).resume();
main();
