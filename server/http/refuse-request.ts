import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { type Problem, sendProblem } from './send-problem';

/**
 * Answers with a problem while the body may still be coming: what is left of it is read and thrown away. Where the
 * connection ends with the answer that is done first: closed before, it would tell the sender of a broken pipe alone.
 */
export function refuseRequest(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  request.resume();
  if (response.shouldKeepAlive) sendProblem(response, problem);
  // Whoever went meanwhile is answered, too, and Node throws the answer away.
  else finished(request, () => sendProblem(response, problem));
}
