/**
 * A real gRPC client of the lab, in its own process because grpc-js-xds can crash. It calls `xds:///` targets
 * continuously, and serves CSDS and channelz on the port that it is given. Its bootstrap is in
 * GRPC_XDS_BOOTSTRAP_CONFIG.
 */
import {
  addAdminServicesToServer,
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
} from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';
import type { ClientCall, ClientProgram } from './clients/client-program';

const deadlineMs = 2000;
/** Maximum number of concurrent calls. Calls to targets that do not resolve last until their deadline. */
const maxInFlight = 4;

function keepCalling(client: Client, { method, headers, everyMs }: ClientCall): void {
  const asBytes = (bytes: Buffer): Buffer => bytes;
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  let inFlight = 0;
  setInterval(() => {
    if (inFlight >= maxInFlight) return;
    inFlight += 1;
    const options = { deadline: Date.now() + deadlineMs };
    client.makeUnaryRequest(method, asBytes, asBytes, Buffer.alloc(0), metadata.clone(), options, () => {
      // The result of a call is visible in load reports and CSDS.
      inFlight -= 1;
    });
  }, everyMs);
}

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
