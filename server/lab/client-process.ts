/**
 * A real gRPC client of the lab, in its own process because grpc-js-xds can crash. It calls `xds:///` targets
 * continuously, and serves CSDS and channelz on the port that it is given. Its bootstrap is in
 * GRPC_XDS_BOOTSTRAP_CONFIG.
 */
import { addAdminServicesToServer, Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';
import type { ClientProgram } from './clients/client-program';
import { keepCalling } from './clients/keep-calling';

function main(program: ClientProgram): void {
  register();
  const server = new Server();
  addAdminServicesToServer(server);
  server.bindAsync(`127.0.0.1:${program.adminPort}`, ServerCredentials.createInsecure(), (error) => {
    if (error !== null) throw error;
    process.send?.('serving');
  });
  const clients = new Map<string, Client>();
  for (const call of program.calls) {
    const { listener } = call;
    const client = clients.get(listener) ?? new Client(`xds:///${listener}`, credentials.createInsecure());
    clients.set(listener, client);
    keepCalling(client, call);
  }
}

// The parent process ended.
process.on('disconnect', () => process.exit(0));
main(JSON.parse(process.argv[2] ?? ''));
