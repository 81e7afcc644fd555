import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { builtProgram } from '@/server/project-root';
import { waitUntil } from '../../../support/wait-until';

/** proc(5), /proc/pid/task/tid/stat: the 19th field is the nice value; the second is in brackets. */
const niceValues = (): Map<string, number> =>
  new Map(
    readdirSync('/proc/self/task').map((id) => {
      const fields = readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      return [id, Number(fields[16])];
    }),
  );

it.runIf(process.platform === 'linux')('a thread that gives way leaves all others as they are', async () => {
  const own = getPriority();
  const before = niceValues();
  const worker = new Worker(builtProgram('compute'));
  try {
    await waitUntil('the thread has stepped back', async () => [...niceValues().values()].includes(own + 5));
    const after = niceValues();
    for (const [id, nice] of before) expect(after.get(id) ?? nice, `thread ${id}`).toBe(nice);
  } finally {
    await worker.terminate();
  }
});
