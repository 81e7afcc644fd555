import { parentPort, workerData } from 'node:worker_threads';
import { plainServer } from '../bootstrap/server-config';
import { systemClock } from '../observe';
import { parseTarget } from '../targets/target';
import { CheckError } from './check-run';
import type { CheckThreadData, CheckThreadMessage } from './check-thread';
import { startLabServer } from './lab-server';
import { type CheckSubject, runChecks, serverChecks } from './run-checks';

const { server, node, mayReject, checkIds }: CheckThreadData = workerData;
const post = (message: CheckThreadMessage) => parentPort?.postMessage(message);

async function findSubject(): Promise<Pick<CheckSubject, 'server' | 'adapter'>> {
  if (server !== undefined) return { server };
  const lab = await startLabServer(systemClock);
  const parsed = parseTarget(lab.target);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return { server: plainServer({ ...parsed.target, isNamed: true }), adapter: lab.adapter };
}

try {
  const subject = {
    ...(await findSubject()),
    ...{ clock: systemClock, mayReject },
    nodeOf: (id: string) => ({ id: `xdscope-check-${id}`, ...node }),
  };
  const checks = serverChecks.filter(({ id }) => checkIds.includes(id));
  await runChecks(subject, checks, (result) => post({ kind: 'result', result }));
  post({ kind: 'done' });
} catch (error) {
  // Any other error ends the thread, and is reported with its stack.
  if (!(error instanceof CheckError)) throw error;
  post({ kind: 'failed', reason: error.message });
}
