import { systemClock } from '../../observe';
import { plainServer } from '../../transport/bootstrap/server-config';
import { parseTarget } from '../../transport/targets/target';
import type { SteppedRunners } from '../../workers/serve-jobs';
import type { CheckJobs, ChecksToRun } from './check-thread';
import { startLabServer } from './lab-server';
import { type CheckSubject, checkEach, serverChecks } from './run-checks';

/** The thread runs the checks once, and ends. */
export function serveChecks(checks: ChecksToRun): SteppedRunners<CheckJobs> {
  const results = runAll(checks);
  return {
    async next() {
      const { done, value } = await results.next();
      return done === true ? null : value;
    },
  };
}

async function* runAll({ server, node, mayReject, checkIds }: ChecksToRun) {
  const subject = {
    ...(server === undefined ? await startLab() : { server }),
    ...{ clock: systemClock, mayReject },
    nodeOf: (id: string) => ({ id: `xdscope-check-${id}`, ...node }),
  };
  yield* checkEach(
    subject,
    serverChecks.filter(({ id }) => checkIds.includes(id)),
  );
}

async function startLab(): Promise<Pick<CheckSubject, 'server' | 'adapter'>> {
  const lab = await startLabServer(systemClock);
  const parsed = parseTarget(lab.target);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return { server: plainServer({ ...parsed.target, isNamed: true }), adapter: lab.adapter };
}
