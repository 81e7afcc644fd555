import type { ExplainRequest } from '../requests/request';
import type { Profile } from '../xds/profile';
import { explainListener } from './explain-listener';
import type { Trace } from './trace';
import { type ExplainConfig, TraceBuilder } from './trace-builder';

/** Where a client with this config sends the request, and why: its steps in order, up to the first that decides. */
export function explain(config: ExplainConfig, request: ExplainRequest, profile: Profile): Trace {
  const trace = new TraceBuilder(config, request, profile);
  return { branches: explainListener(trace), steps: trace.steps };
}
