import { readdirSync, readFileSync } from 'node:fs';

/** The processor time of all threads of a process so far, in seconds. */
export function cpuSeconds(pid: number): number {
  return ticksOf(`/proc/${pid}/stat`) / 100;
}

/** The processor time of the children of a process, such as the connections of a PostgreSQL, those that have ended included. */
export function cpuSecondsOfChildren(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce(
    (sum, child) => sum + cpuSeconds(Number(child)),
    ticksOf(`/proc/${pid}/stat`, 13) / 100,
  );
}

export function memoryMb(pid: number, what: 'VmRSS' | 'VmHWM'): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .find((each) => each.startsWith(what));
  return Number(line?.split(/\s+/)[1]) / 1024;
}

const threadsReported = 5;

/** The processor time of a process by thread. Threads of Node have no names, except the main thread. */
export class ThreadTimes {
  readonly #pid: number;

  readonly #before: ReadonlyMap<string, number>;

  constructor(pid: number) {
    this.#pid = pid;

    this.#before = this.#read();
  }

  /** "main 0.11, ..." in cores, the busiest first. */
  describe(seconds: number): string {
    return [...this.#read()]
      .map(([thread, ticks]) => ({
        thread,
        cores: (ticks - (this.#before.get(thread) ?? 0)) / 100 / seconds,
      }))
      .sort((a, b) => b.cores - a.cores)
      .slice(0, threadsReported)
      .map(({ thread, cores }) => `${thread} ${cores.toFixed(2)}`)
      .join(', ');
  }

  #read(): Map<string, number> {
    const threads = readdirSync(`/proc/${this.#pid}/task`);
    // A thread that has ended meanwhile has no file.
    return new Map(
      threads.flatMap((id) => {
        try {
          const name = id === String(this.#pid) ? 'main' : `${id}`;
          return [[name, ticksOf(`/proc/${this.#pid}/task/${id}/stat`)] as const];
        } catch {
          return [];
        }
      }),
    );
  }
}

/** Ticks of 10 ms in user and system mode: fields 11 and 12 behind the name; 13 and 14 are those of the children that ended. */
function ticksOf(file: string, field: 11 | 13 = 11): number {
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[field]) + Number(fields[field + 1]);
}
