import type { Trace } from '@/lib/explain/trace';
import type { ExplainRequest } from '@/lib/requests/request';
import type { Coverage } from './coverage';
import type { Drawn } from './draw-pairs';

/** A config, and the explanation of a request to it. */
export interface ExplainedConfig {
  readonly listener: object;
  readonly explainOne: (request: ExplainRequest) => Trace;
}

/** A part that none of these draws sees is not drawn at all. */
const mostRounds = 20;

/**
 * Draws further configs, and keeps the requests to them that see a part of a config that too few pairs see so far, until each
 * part is seen by enough. The coverage has the pairs that are known before, and gets those that are returned.
 */
export function fillQuota(
  coverage: Coverage,
  draw: (round: number) => readonly Drawn[],
  explainerFor: (config: Drawn) => ExplainedConfig,
): Drawn[] {
  const further: Drawn[] = [];
  for (let round = 1; round <= mostRounds && coverage.rare().length > 0; round++)
    for (const config of draw(round)) {
      const { listener, explainOne } = explainerFor(config);
      const requests = config.requests.filter((request) => {
        const trace = explainOne(request);
        const isNeeded = coverage.needs(trace, listener);
        if (isNeeded) coverage.add(trace, listener);
        return isNeeded;
      });
      if (requests.length > 0) further.push({ ...config, requests });
    }
  return further;
}
