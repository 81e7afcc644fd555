import type { Body } from '../observe';
import type { ObservationLog } from '../store/log';
import type { Permalink, Recorder, RecorderStats } from '../store/recorder/recorder';

type SharedLog = Pick<ObservationLog, 'readBodies' | 'savePermalink' | 'readPermalink' | 'totalPermalinks'>;

interface SharedRecorder {
  readonly recorder: Recorder;
  /** Must be called now and then: other processes save permalinks, too. */
  countPermalinks(): Promise<void>;
}

/**
 * A local recording of what a shared store has. Permalinks are those of the store, so that every process has them; so are bodies
 * that the local recording no longer has.
 */
export async function shareRecorder(
  own: Recorder,
  shared: SharedLog,
  maxPermalinks: number,
): Promise<SharedRecorder> {
  let permalinks = await shared.totalPermalinks();
  const readBody = async (hash: string, typeUrl?: string): Promise<Body | undefined> =>
    (await own.readBody(hash, typeUrl)) ?? (await shared.readBodies([hash], typeUrl)).get(hash);
  const readBodies = async (hashes: Iterable<string>, signal?: AbortSignal): Promise<Map<string, Body>> => {
    const wanted = [...new Set(hashes)];
    const found = await own.readBodies(wanted, signal);
    const missing = wanted.filter((hash) => !found.has(hash));
    if (missing.length === 0) return found;
    return new Map([...found, ...(await shared.readBodies(missing))]);
  };
  const savePermalink = async ({
    id,
    createdAt,
    content,
    hashes,
  }: Permalink & { readonly hashes: Iterable<string> }): Promise<boolean> => {
    const json = JSON.stringify(content);
    const totals = await shared.savePermalink({ id, createdAt, json }, [...new Set(hashes)], maxPermalinks);
    permalinks = totals ?? permalinks;
    return totals !== undefined;
  };
  const readPermalink = async (id: string): Promise<Permalink | undefined> => {
    const found = await shared.readPermalink(id);
    return found && { id, createdAt: found.createdAt, content: JSON.parse(found.json) };
  };
  const stats = (): RecorderStats => ({
    ...own.stats(),
    permalinks: { ...permalinks, limit: maxPermalinks },
  });
  const overrides = { readBody, readBodies, savePermalink, readPermalink, stats };
  const recorder = new Proxy(own, {
    get(target, name) {
      if (Object.hasOwn(overrides, name)) return Reflect.get(overrides, name);
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    recorder,
    async countPermalinks() {
      permalinks = await shared.totalPermalinks();
    },
  };
}
