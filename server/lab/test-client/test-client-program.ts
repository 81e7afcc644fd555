/**
 * A client of the gRPC xDS interop tests on grpc-js, with the flags of the test description. It serves its statistics,
 * CSDS and channelz at the stats port of loopback. Its bootstrap is in GRPC_XDS_BOOTSTRAP_CONFIG.
 */
import { parseArgs } from 'node:util';
import { addAdminServicesToServer, Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';
import { register, XdsChannelCredentials } from '@grpc/grpc-js-xds';
import { systemClock } from '../../observe';
import { readTestClientFlags, testClientFlags } from './read-test-client-flags';
import { RpcStatistics } from './rpc-statistics';
import { TestCalls } from './test-calls';
import { addTestClientServices } from './test-client-services';

function main(args: readonly string[]): void {
  const { values } = parseArgs({ args: [...args], options: testClientFlags });
  const { target, statsPort, qps, isSecure, configuration } = readTestClientFlags(values);
  register();
  const server = new Server();
  addAdminServicesToServer(server);
  const statistics = new RpcStatistics(systemClock);
  const plaintext = credentials.createInsecure();
  const client = new Client(target, isSecure ? new XdsChannelCredentials(plaintext) : plaintext);
  const calls = new TestCalls({ client, clock: systemClock, statistics, qps });
  addTestClientServices(server, { statistics, calls, usualTimeoutMs: configuration.timeoutMs });
  server.bindAsync(`127.0.0.1:${statsPort}`, ServerCredentials.createInsecure(), (error) => {
    if (error !== null) throw error;
    calls.configure(configuration);
  });
}

// The parent process ended.
process.stdin.on('end', () => process.exit(0)).resume();
main(process.argv.slice(2));
