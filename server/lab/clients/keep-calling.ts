import { type Client, Metadata } from '@grpc/grpc-js';
import { nextCallDeadline } from '../call-deadline';
import type { ClientCall } from './client-program';

/** Maximum number of concurrent calls. Calls to targets that do not resolve last until their deadline. */
const maxInFlight = 4;

/** Calls again and again. Returns the timer. */
export function keepCalling(client: Client, { method, headers, everyMs }: ClientCall): NodeJS.Timeout {
  const asBytes = (bytes: Buffer): Buffer => bytes;
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  let inFlight = 0;
  return setInterval(() => {
    if (inFlight >= maxInFlight) return;
    inFlight += 1;
    const options = { deadline: nextCallDeadline() };
    client.makeUnaryRequest(method, asBytes, asBytes, Buffer.alloc(0), metadata.clone(), options, () => {
      // The result of a call is visible in load reports and CSDS.
      inFlight -= 1;
    });
  }, everyMs);
}
