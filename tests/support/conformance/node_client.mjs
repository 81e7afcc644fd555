/**
 * A grpc-js client that subscribes to the listener of each line on standard input with a new xDS client, and ends with
 * standard input, when its parent has ended.
 */
import readline from 'node:readline';
import { Client, credentials } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';

register();
let client;
for await (const line of readline.createInterface({ input: process.stdin })) {
  client?.close();
  client = new Client(`xds:///${line.trim()}`, credentials.createInsecure());
  // The call only starts the channel; its result does not matter.
  client.makeUnaryRequest('/conformance.Service/Method', Buffer.from, Buffer.from, '', () => {});
}
process.exit(0);
