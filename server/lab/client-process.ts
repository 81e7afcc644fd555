/**
 * A real gRPC client of the lab, in its own process because grpc-js-xds can crash. It calls `xds:///` targets
 * continuously, and serves CSDS, channelz and the services of a client of the gRPC xDS interop tests on the port that it
 * is given. Its bootstrap is in GRPC_XDS_BOOTSTRAP_CONFIG.
 */
import { addAdminServicesToServer, Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';
import { systemClock } from '../observe';
import type { ClientProgram } from './clients/client-program';
import { keepCalling } from './clients/keep-calling';
import { RpcStatistics } from './test-client/rpc-statistics';
import { TestCalls } from './test-client/test-calls';
import { addTestClientServices } from './test-client/test-client-services';

/** RPCs of each configured type per second. */
const testQps = 10;

function main(program: ClientProgram): void {
  register();
  const server = new Server();
  addAdminServicesToServer(server);
  const statistics = new RpcStatistics(systemClock);
  const clients = new Map<string, Client>();
  for (const call of program.calls) {
    const { listener } = call;
    const client = clients.get(listener) ?? new Client(`xds:///${listener}`, credentials.createInsecure());
    clients.set(listener, client);
    keepCalling(client, call, statistics);
  }
  // Configured RPCs go to the first target.
  const [client] = clients.values();
  if (client !== undefined) {
    const calls = new TestCalls({ client, clock: systemClock, statistics, qps: testQps });
    addTestClientServices(server, { statistics, calls });
  }
  server.bindAsync(`127.0.0.1:${program.adminPort}`, ServerCredentials.createInsecure(), (error) => {
    if (error !== null) throw error;
    process.send?.('serving');
  });
}

// The parent process ended.
process.on('disconnect', () => process.exit(0));
main(JSON.parse(process.argv[2] ?? ''));
