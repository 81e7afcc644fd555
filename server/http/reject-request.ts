import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Problem, sendProblem } from './send-problem';

/** Answers with a problem while the body may still be coming; see lingerAfterAnswer() for what is left of it. */
export function rejectRequest(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  request.resume();
  sendProblem(response, problem);
}
