import { type Client, Metadata } from '@grpc/grpc-js';
import { nextCallDeadline } from '../call-deadline';
import type { RpcStatistics } from '../test-client/rpc-statistics';
import { callCounted } from '../test-client/test-calls';
import type { ClientCall } from './client-program';

/** Maximum number of concurrent calls. Calls to targets that do not resolve last until their deadline. */
const maxInFlight = 4;

/** Calls again and again. Returns the timer. Without `statistics`, the results are only in load reports and CSDS. */
export function keepCalling(
  client: Client,
  { method, headers, everyMs }: ClientCall,
  statistics?: RpcStatistics,
): NodeJS.Timeout {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  let inFlight = 0;
  return setInterval(() => {
    if (inFlight >= maxInFlight) return;
    inFlight += 1;
    const count = statistics?.start(method.slice(1));
    callCounted(client, method, { metadata: metadata.clone(), deadline: nextCallDeadline() }, (ended) => {
      inFlight -= 1;
      count?.(ended);
    });
  }, everyMs);
}
