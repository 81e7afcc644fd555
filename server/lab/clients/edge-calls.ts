import { Client, credentials } from '@grpc/grpc-js';
import type { ClientCall } from './client-program';
import { keepCalling } from './keep-calling';

/** Calls through the listener of the Envoy, from now on. Returns a function that ends it. */
export function callThroughEdge(listenerPort: number, calls: readonly ClientCall[]): () => void {
  const client = new Client(`127.0.0.1:${listenerPort}`, credentials.createInsecure());
  const timers = calls.map((call) => keepCalling(client, call));
  return () => {
    for (const timer of timers) clearInterval(timer);
    client.close();
  };
}
