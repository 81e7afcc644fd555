/**
 * A grpc-js client that follows orders: each line on standard input is a listener to ask for, with a new xDS client
 * every time. Ends when standard input ends: its parent is gone, in whatever way.
 */
import readline from 'node:readline';
import { Client, credentials } from '@grpc/grpc-js';
import { register } from '@grpc/grpc-js-xds';

register();
let client;
for await (const line of readline.createInterface({ input: process.stdin })) {
  client?.close();
  client = new Client(`xds:///${line.trim()}`, credentials.createInsecure());
  // What becomes of the call is all one: it starts the channel.
  client.makeUnaryRequest('/conformance.Service/Method', Buffer.from, Buffer.from, '', () => {});
}
process.exit(0);
