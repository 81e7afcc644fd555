import type { ServerResponse } from 'node:http';
import { formatProblem, type ProblemParts, problemHeaders } from './problem-json';

export interface Problem extends ProblemParts {
  /** RFC 9110 15.5.6: a 405 names the methods that there are. */
  readonly allow?: string;
}

/** Answers with RFC 9457 problem JSON. */
export function sendProblem(response: ServerResponse, problem: Problem): void {
  const { status, allow } = problem;
  response.writeHead(status, { ...problemHeaders, ...(allow === undefined ? {} : { allow }) });
  response.end(formatProblem(problem));
}
